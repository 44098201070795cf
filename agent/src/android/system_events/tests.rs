//! On phones that remember what was run, from level 23 to today's. The words of their programs are those of Android's sources.

use std::cell::RefCell;
use std::collections::BTreeMap;

use tempfile::TempDir;

use super::super::program::ProgramOutput;
use super::*;

const APP: &str = "org.example.app";

/// What can be asked of it, and everything that was run but for the asking.
struct FakeProgramRunner {
    level: u32,
    state: RefCell<BTreeMap<String, String>>,
    ran: RefCell<Vec<String>>,
    /// Whatever has this in it fails with these words.
    fails: RefCell<Option<(&'static str, &'static str)>>,
}

impl FakeProgramRunner {
    fn of(level: u32) -> FakeProgramRunner {
        let state = [
            ("airplane", "disabled"),
            ("zone", "Europe/Berlin"),
            ("wifi_on", "1"),
            ("mobile_data", "0"),
        ];
        let state = state.map(|(name, value)| (name.to_owned(), value.to_owned()));
        FakeProgramRunner {
            level,
            state: RefCell::new(state.into()),
            ran: RefCell::default(),
            fails: RefCell::default(),
        }
    }

    fn set(&self, name: &str, value: &str) {
        self.state
            .borrow_mut()
            .insert(name.to_owned(), value.to_owned());
    }

    fn get(&self, name: &str) -> String {
        self.state.borrow().get(name).cloned().unwrap_or_default()
    }

    fn state(&self) -> BTreeMap<String, String> {
        self.state.borrow().clone()
    }

    fn take_ran(&self) -> Vec<String> {
        self.ran.take()
    }

    /// The answer to what changes nothing.
    fn asked(&self, words: &[&str]) -> Option<String> {
        let of = |from: u32, answer: &str| (self.level >= from).then(|| answer.to_owned());
        let answer = match words {
            ["cmd", "activity", "help"] => {
                of(26, "broadcast [--user <USER_ID>]\n send-trim-memory")
            }
            ["am", "help"] => of(23, "am broadcast [--user]\n am send-trim-memory"),
            ["cmd", "connectivity", "airplane-mode"] => of(28, &self.get("airplane")),
            ["svc", "wifi"] => of(23, "usage: svc wifi [enable|disable]"),
            ["cmd", "locale", "get-app-locales", package, "--user", user] => {
                let locales = self.get(package);
                of(
                    33,
                    &format!("Locales for {package} for user {user} are [{locales}]\n"),
                )
            }
            ["cmd", "alarm", "help"] => of(28, "  set-timezone TZ"),
            ["cmd", "deviceidle", "help"] => of(24, "force-idle [light|deep]"),
            ["dumpsys", "deviceidle", "help"] => of(23, "force-idle"),
            ["getprop", "persist.sys.timezone"] => of(23, &self.get("zone")),
            ["getprop", name] => of(23, &self.get(name)),
            ["settings", "get", "global", name] => of(23, &self.get(name)),
            _ => return None,
        };
        Some(answer.unwrap_or_else(|| "cmd: Can't find service".to_owned()))
    }
}

impl ProgramRunner for &FakeProgramRunner {
    fn run(&self, words: &[&str]) -> io::Result<ProgramOutput> {
        if let Some(text) = self.asked(words) {
            return Ok(ProgramOutput {
                text,
                succeeded: true,
            });
        }
        let line = words.join(" ");
        self.ran.borrow_mut().push(line.clone());
        if let Some((_, text)) = self.fails.borrow().filter(|(part, _)| line.contains(part)) {
            return Ok(ProgramOutput {
                text: text.to_owned(),
                succeeded: false,
            });
        }
        match words {
            ["cmd", "connectivity", "airplane-mode", "enable"] => self.set("airplane", "enabled"),
            ["cmd", "connectivity", "airplane-mode", "disable"] => self.set("airplane", "disabled"),
            ["svc", "wifi", to] => self.set("wifi_on", if *to == "enable" { "1" } else { "0" }),
            ["svc", "data", to] => self.set("mobile_data", if *to == "enable" { "1" } else { "0" }),
            [
                "cmd",
                "locale",
                "set-app-locales",
                app,
                "--user",
                _,
                "--locales",
                tags,
            ] => self.set(app, tags),
            ["cmd", "locale", "set-app-locales", app, "--user", _] => {
                self.state.borrow_mut().remove(*app);
            }
            ["cmd", "alarm", "set-timezone", id] if id.contains('/') => self.set("zone", id),
            [.., "deviceidle", "force-idle"] => self.set("idle", "IDLE"),
            [.., "deviceidle", "unforce"] => {
                self.state.borrow_mut().remove("idle");
            }
            _ => {}
        }
        Ok(ProgramOutput {
            text: String::new(),
            succeeded: true,
        })
    }
}

fn events<'p>(
    phone: &'p FakeProgramRunner,
    folder: &TempDir,
) -> SystemEventInjector<&'p FakeProgramRunner> {
    SystemEventInjector::new(phone, folder.path(), 10, false)
}

fn everything_that_changes() -> [SystemEvent; 4] {
    [
        SystemEvent::Offline,
        SystemEvent::Locale("ar".into()),
        SystemEvent::TimeZone("Asia/Kathmandu".into()),
        SystemEvent::Doze,
    ]
}

#[test]
fn each_level_does_what_its_programs_can() {
    let folder = tempfile::tempdir().unwrap();
    let old = SystemEventKinds::LOW_MEMORY
        | SystemEventKinds::BROADCAST
        | SystemEventKinds::OFFLINE
        | SystemEventKinds::ONLINE
        | SystemEventKinds::DOZE
        | SystemEventKinds::WAKE;
    let kinds = |level| events(&FakeProgramRunner::of(level), &folder).kinds();
    assert_eq!(kinds(23), old);
    assert_eq!(kinds(28), old | SystemEventKinds::TIME_ZONE);
    assert_eq!(
        kinds(33),
        old | SystemEventKinds::TIME_ZONE | SystemEventKinds::LOCALE
    );
    assert_eq!(kinds(1), SystemEventKinds::default());
}

#[test]
fn an_old_phone_is_asked_by_old_programs_and_a_new_one_by_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let ran = |level| {
        let phone = FakeProgramRunner::of(level);
        let mut events = events(&phone, &folder);
        for event in [
            SystemEvent::LowMemory,
            SystemEvent::Offline,
            SystemEvent::Doze,
        ] {
            events.inject(&event, APP).unwrap();
        }
        events
            .inject(&SystemEvent::Broadcast("a.b.C".into()), APP)
            .unwrap();
        let ran = phone.take_ran();
        events.undo_all().unwrap();
        ran
    };
    assert_eq!(
        ran(23),
        [
            "am send-trim-memory --user 10 org.example.app RUNNING_CRITICAL",
            "am kill --user 10 org.example.app",
            "svc wifi disable",
            "dumpsys deviceidle force-idle",
            "am broadcast --user 10 -a a.b.C -p org.example.app",
        ]
    );
    assert_eq!(
        ran(34),
        [
            "cmd activity send-trim-memory --user 10 org.example.app RUNNING_CRITICAL",
            "cmd activity kill --user 10 org.example.app",
            "cmd connectivity airplane-mode enable",
            "cmd deviceidle force-idle",
            "cmd activity broadcast --user 10 -a a.b.C -p org.example.app",
        ]
    );
}

#[test]
fn what_was_changed_is_put_back_when_the_app_is_stopped() {
    for level in [23, 28, 34] {
        let folder = tempfile::tempdir().unwrap();
        let phone = FakeProgramRunner::of(level);
        let before = phone.state();
        let mut events = events(&phone, &folder);
        let possible: Vec<SystemEvent> = everything_that_changes()
            .into_iter()
            .filter(|event| events.kinds().contains(event.kind()))
            .collect();
        for event in possible.iter().chain(&possible) {
            events.inject(event, APP).unwrap();
        }
        assert!(
            phone.state().len() >= before.len() && phone.state() != before,
            "level {level}"
        );
        events.undo_all().unwrap();
        assert_eq!(phone.state(), before, "level {level}");
        phone.take_ran();
        events.undo_all().unwrap();
        assert!(
            phone.take_ran().is_empty(),
            "nothing is left to be put back"
        );
    }
}

#[test]
fn a_language_that_a_person_chose_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    phone.set(APP, "de,en");
    let mut events = events(&phone, &folder);
    events
        .inject(&SystemEvent::Locale("ar".into()), APP)
        .unwrap();
    events
        .inject(&SystemEvent::Locale("ja".into()), APP)
        .unwrap();
    assert_eq!(phone.get(APP), "ja");
    events.undo_all().unwrap();
    assert_eq!(phone.get(APP), "de,en");
}

#[test]
fn an_agent_that_was_killed_is_made_good_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let before = phone.state();
    let mut killed = events(&phone, &folder);
    for event in everything_that_changes() {
        killed.inject(&event, APP).unwrap();
    }
    std::mem::forget(killed);
    assert_ne!(phone.state(), before);
    let next = events(&phone, &folder);
    assert_eq!(phone.state(), before);
    assert!(!next.undo.contains(NETWORK));
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is left in the folder"
    );
}

#[test]
fn the_network_and_the_phone_come_back_by_their_own_events() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let mut events = events(&phone, &folder);
    events.inject(&SystemEvent::Online, APP).unwrap();
    events.inject(&SystemEvent::Wake, APP).unwrap();
    assert!(phone.take_ran().is_empty(), "nothing had gone");
    events.inject(&SystemEvent::Offline, APP).unwrap();
    events.inject(&SystemEvent::Doze, APP).unwrap();
    assert_eq!(
        (phone.get("airplane").as_str(), phone.get("idle").as_str()),
        ("enabled", "IDLE")
    );
    events.inject(&SystemEvent::Online, APP).unwrap();
    assert_eq!(
        (phone.get("airplane").as_str(), phone.get("idle").as_str()),
        ("disabled", "IDLE")
    );
    events.inject(&SystemEvent::Wake, APP).unwrap();
    assert_eq!(phone.get("idle"), "");
}

#[test]
fn what_a_person_had_switched_off_is_never_switched_on() {
    let folder = tempfile::tempdir().unwrap();
    for level in [23, 34] {
        let phone = FakeProgramRunner::of(level);
        phone.set("airplane", "enabled");
        phone.set("wifi_on", "0");
        phone.set("mobile_data", "null");
        let mut events = events(&phone, &folder);
        events.inject(&SystemEvent::Offline, APP).unwrap();
        events.inject(&SystemEvent::Online, APP).unwrap();
        events.undo_all().unwrap();
        assert_eq!(phone.take_ran(), Vec::<String>::new(), "level {level}");
    }
}

#[test]
fn calls_and_messages_are_beyond_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let mut events = events(&phone, &folder);
    for event in [SystemEvent::Call, SystemEvent::Message] {
        let refused = events.inject(&event, APP).unwrap_err();
        assert!(
            matches!(&refused, RequestFailure::Unsupported(why) if why.contains("the shell may not")),
            "{refused}"
        );
    }
    assert!(phone.take_ran().is_empty());
}

#[test]
fn a_phone_that_is_driven_over_its_network_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let wireless = |name: &str, value: &str, emulator: bool| {
        let phone = FakeProgramRunner::of(34);
        phone.set(name, value);
        phone.set("ro.boot.qemu", if emulator { "1" } else { "" });
        let kinds = events(&phone, &folder).kinds();
        !kinds.intersects(SystemEventKinds::OFFLINE | SystemEventKinds::ONLINE)
    };
    assert!(wireless("adb_wifi_enabled", "1", false));
    assert!(wireless("service.adb.tcp.port", "5555", false));
    assert!(!wireless("service.adb.tcp.port", "-1", false));
    assert!(!wireless("service.adb.tcp.port", "5555", true));
    let phone = FakeProgramRunner::of(34);
    let mut by_datagrams = SystemEventInjector::new(&phone, folder.path(), 0, true);
    let refused = by_datagrams.inject(&SystemEvent::Offline, APP).unwrap_err();
    assert!(
        matches!(&refused, RequestFailure::Unsupported(why) if why.contains("the very network")),
        "{refused}"
    );
}

#[test]
fn what_is_refused_is_said_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let before = phone.state();
    let mut events = events(&phone, &folder);
    phone.fails.replace(Some((
        "force-idle",
        "Unable to go deep idle; stopped at INACTIVE",
    )));
    let refused = events.inject(&SystemEvent::Doze, APP).unwrap_err();
    assert!(
        matches!(&refused, RequestFailure::Unsupported(why) if why.contains("stopped at INACTIVE")),
        "{refused}"
    );
    assert!(!events.undo.contains(DOZE));
    phone.fails.replace(Some((
        "broadcast",
        "Security exception: Permission Denial: not allowed",
    )));
    assert!(matches!(
        events.inject(&SystemEvent::Broadcast("a.B".into()), APP),
        Err(RequestFailure::Unsupported(_))
    ));
    phone.fails.replace(None);
    let unknown = events.inject(&SystemEvent::TimeZone("Nowhere".into()), APP);
    assert!(
        matches!(unknown, Err(RequestFailure::Impossible(_))),
        "{unknown:?}"
    );
    events.undo_all().unwrap();
    assert_eq!(phone.state(), before);
}

#[test]
fn memory_that_is_short_already_is_no_failure_and_other_complaints_are() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let mut events = events(&phone, &folder);
    let higher =
        "Exception occurred while executing:\nUnable to set a higher trim level than current level";
    phone.fails.replace(Some(("send-trim-memory", higher)));
    events.inject(&SystemEvent::LowMemory, APP).unwrap();
    assert!(phone.take_ran().last().unwrap().contains(" kill "));
    phone.fails.replace(Some((
        "send-trim-memory",
        "Exception: Only shell can call it",
    )));
    assert!(matches!(
        events.inject(&SystemEvent::LowMemory, APP),
        Err(RequestFailure::Unsupported(_))
    ));
}

#[test]
fn what_cannot_be_put_back_is_an_error_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let before = phone.state();
    let mut events = events(&phone, &folder);
    events.inject(&SystemEvent::Offline, APP).unwrap();
    events.inject(&SystemEvent::Doze, APP).unwrap();
    phone
        .fails
        .replace(Some(("airplane-mode disable", "Error: busy")));
    assert!(matches!(events.undo_all(), Err(RequestFailure::Phone(_))));
    assert_eq!(phone.get("idle"), "", "what can be put back is");
    phone.fails.replace(None);
    events.undo_all().unwrap();
    assert_eq!(phone.state(), before);
}

#[test]
fn names_that_are_none_are_not_given_to_programs() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let mut events = events(&phone, &folder);
    for name in ["", "-x", "a b", "a\tb", "a\nb", "a;b", "ä"] {
        for event in [
            SystemEvent::Locale(name.into()),
            SystemEvent::Broadcast(name.into()),
            SystemEvent::TimeZone(name.into()),
        ] {
            assert!(
                matches!(
                    events.inject(&event, APP),
                    Err(RequestFailure::Impossible(_))
                ),
                "{event}"
            );
        }
    }
    assert!(matches!(
        events.inject(&SystemEvent::LowMemory, ""),
        Err(RequestFailure::Impossible(_))
    ));
    assert!(phone.take_ran().is_empty());
}
