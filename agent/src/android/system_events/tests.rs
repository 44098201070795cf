//! System events on fake phones from API level 23 on. The output of their programs is that of Android's sources.

mod fake_programs;

use fake_programs::FakeProgramRunner;
use tempfile::TempDir;

use super::*;

const APP: &str = "org.example.app";

fn injector<'p>(
    phone: &'p FakeProgramRunner,
    folder: &TempDir,
) -> SystemEventInjector<&'p FakeProgramRunner> {
    SystemEventInjector::new(phone, folder.path(), 10, false)
}

fn changing_events() -> [SystemEvent; 4] {
    [
        SystemEvent::Offline,
        SystemEvent::Locale("ar".into()),
        SystemEvent::TimeZone("Asia/Kathmandu".into()),
        SystemEvent::Doze,
    ]
}

#[test]
fn each_api_level_supports_the_events_that_its_programs_can_inject() {
    let folder = tempfile::tempdir().unwrap();
    let old = SystemEventKinds::LOW_MEMORY
        | SystemEventKinds::BROADCAST
        | SystemEventKinds::OFFLINE
        | SystemEventKinds::ONLINE
        | SystemEventKinds::DOZE
        | SystemEventKinds::WAKE;
    let kinds = |level| injector(&FakeProgramRunner::of(level), &folder).kinds();
    assert_eq!(kinds(23), old);
    assert_eq!(kinds(28), old | SystemEventKinds::TIME_ZONE);
    assert_eq!(
        kinds(33),
        old | SystemEventKinds::TIME_ZONE | SystemEventKinds::LOCALE
    );
    assert_eq!(kinds(1), SystemEventKinds::default());
}

#[test]
fn old_phones_use_old_programs_and_new_phones_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let ran = |level| {
        let phone = FakeProgramRunner::of(level);
        let mut injector = injector(&phone, &folder);
        for event in [
            SystemEvent::LowMemory,
            SystemEvent::Offline,
            SystemEvent::Doze,
        ] {
            injector.inject(&event, APP).unwrap();
        }
        injector
            .inject(&SystemEvent::Broadcast("a.b.C".into()), APP)
            .unwrap();
        let ran = phone.take_ran();
        injector.undo_all().unwrap();
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
fn changes_are_undone_when_the_app_is_stopped() {
    for level in [23, 28, 34] {
        let folder = tempfile::tempdir().unwrap();
        let phone = FakeProgramRunner::of(level);
        let before = phone.state();
        let mut injector = injector(&phone, &folder);
        let possible: Vec<SystemEvent> = changing_events()
            .into_iter()
            .filter(|event| injector.kinds().contains(event.kind()))
            .collect();
        for event in possible.iter().chain(&possible) {
            injector.inject(event, APP).unwrap();
        }
        assert!(
            phone.state().len() >= before.len() && phone.state() != before,
            "level {level}"
        );
        injector.undo_all().unwrap();
        assert_eq!(phone.state(), before, "level {level}");
        phone.take_ran();
        injector.undo_all().unwrap();
        assert!(phone.take_ran().is_empty(), "nothing is left to undo");
    }
}

#[test]
fn the_language_that_the_user_has_set_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    phone.set(APP, "de,en");
    let mut injector = injector(&phone, &folder);
    injector
        .inject(&SystemEvent::Locale("ar".into()), APP)
        .unwrap();
    injector
        .inject(&SystemEvent::Locale("ja".into()), APP)
        .unwrap();
    assert_eq!(phone.get(APP), "ja");
    injector.undo_all().unwrap();
    assert_eq!(phone.get(APP), "de,en");
}

#[test]
fn the_changes_of_a_killed_agent_are_undone_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let before = phone.state();
    let mut killed = injector(&phone, &folder);
    for event in changing_events() {
        killed.inject(&event, APP).unwrap();
    }
    std::mem::forget(killed);
    assert_ne!(phone.state(), before);
    let next = injector(&phone, &folder);
    assert_eq!(phone.state(), before);
    assert!(!next.undo.contains(NETWORK));
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is left in the folder"
    );
}

#[test]
fn online_and_wake_undo_offline_and_doze() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let mut injector = injector(&phone, &folder);
    injector.inject(&SystemEvent::Online, APP).unwrap();
    injector.inject(&SystemEvent::Wake, APP).unwrap();
    assert!(phone.take_ran().is_empty(), "nothing was switched off");
    injector.inject(&SystemEvent::Offline, APP).unwrap();
    injector.inject(&SystemEvent::Doze, APP).unwrap();
    assert_eq!(
        (phone.get("airplane").as_str(), phone.get("idle").as_str()),
        ("enabled", "IDLE")
    );
    injector.inject(&SystemEvent::Online, APP).unwrap();
    assert_eq!(
        (phone.get("airplane").as_str(), phone.get("idle").as_str()),
        ("disabled", "IDLE")
    );
    injector.inject(&SystemEvent::Wake, APP).unwrap();
    assert_eq!(phone.get("idle"), "");
}

#[test]
fn radios_that_the_user_has_switched_off_are_never_switched_on() {
    let folder = tempfile::tempdir().unwrap();
    for level in [23, 34] {
        let phone = FakeProgramRunner::of(level);
        phone.set("airplane", "enabled");
        phone.set("wifi_on", "0");
        phone.set("mobile_data", "null");
        let mut injector = injector(&phone, &folder);
        injector.inject(&SystemEvent::Offline, APP).unwrap();
        injector.inject(&SystemEvent::Online, APP).unwrap();
        injector.undo_all().unwrap();
        assert_eq!(phone.take_ran(), Vec::<String>::new(), "level {level}");
    }
}

#[test]
fn calls_and_messages_are_unsupported() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let mut injector = injector(&phone, &folder);
    for event in [SystemEvent::Call, SystemEvent::Message] {
        let refused = injector.inject(&event, APP).unwrap_err();
        assert!(
            matches!(&refused, RequestFailure::Unsupported(why) if why.contains("the shell may not")),
            "{refused}"
        );
    }
    assert!(phone.take_ran().is_empty());
}

#[test]
fn the_network_is_not_switched_off_if_the_host_is_connected_over_it() {
    let folder = tempfile::tempdir().unwrap();
    let wireless = |name: &str, value: &str, emulator: bool| {
        let phone = FakeProgramRunner::of(34);
        phone.set(name, value);
        phone.set("ro.boot.qemu", if emulator { "1" } else { "" });
        let kinds = injector(&phone, &folder).kinds();
        !kinds.intersects(SystemEventKinds::OFFLINE | SystemEventKinds::ONLINE)
    };
    assert!(wireless("adb_wifi_enabled", "1", false));
    assert!(wireless("service.adb.tcp.port", "5555", false));
    assert!(!wireless("service.adb.tcp.port", "-1", false));
    assert!(!wireless("service.adb.tcp.port", "5555", true));
    let phone = FakeProgramRunner::of(34);
    let mut over_network = SystemEventInjector::new(&phone, folder.path(), 0, true);
    let refused = over_network.inject(&SystemEvent::Offline, APP).unwrap_err();
    assert!(
        matches!(&refused, RequestFailure::Unsupported(why) if why.contains("connected over the network")),
        "{refused}"
    );
}

#[test]
fn a_refused_command_is_reported_and_leaves_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let before = phone.state();
    let mut injector = injector(&phone, &folder);
    phone.fails.replace(Some((
        "force-idle",
        "Unable to go deep idle; stopped at INACTIVE",
    )));
    let refused = injector.inject(&SystemEvent::Doze, APP).unwrap_err();
    assert!(
        matches!(&refused, RequestFailure::Unsupported(why) if why.contains("stopped at INACTIVE")),
        "{refused}"
    );
    assert!(!injector.undo.contains(DOZE));
    phone.fails.replace(Some((
        "broadcast",
        "Security exception: Permission Denial: not allowed",
    )));
    assert!(matches!(
        injector.inject(&SystemEvent::Broadcast("a.B".into()), APP),
        Err(RequestFailure::Unsupported(_))
    ));
    phone.fails.replace(None);
    let unknown = injector.inject(&SystemEvent::TimeZone("Nowhere".into()), APP);
    assert!(
        matches!(unknown, Err(RequestFailure::Impossible(_))),
        "{unknown:?}"
    );
    injector.undo_all().unwrap();
    assert_eq!(phone.state(), before);
}

#[test]
fn an_app_that_knows_of_short_memory_is_no_error_but_other_messages_are() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let mut injector = injector(&phone, &folder);
    let higher =
        "Exception occurred while executing:\nUnable to set a higher trim level than current level";
    phone.fails.replace(Some(("send-trim-memory", higher)));
    injector.inject(&SystemEvent::LowMemory, APP).unwrap();
    assert!(phone.take_ran().last().unwrap().contains(" kill "));
    phone.fails.replace(Some((
        "send-trim-memory",
        "Exception: Only shell can call it",
    )));
    assert!(matches!(
        injector.inject(&SystemEvent::LowMemory, APP),
        Err(RequestFailure::Unsupported(_))
    ));
}

#[test]
fn a_failed_undo_is_an_error_and_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let before = phone.state();
    let mut injector = injector(&phone, &folder);
    injector.inject(&SystemEvent::Offline, APP).unwrap();
    injector.inject(&SystemEvent::Doze, APP).unwrap();
    phone
        .fails
        .replace(Some(("airplane-mode disable", "Error: busy")));
    assert!(matches!(injector.undo_all(), Err(RequestFailure::Phone(_))));
    assert_eq!(phone.get("idle"), "", "the other change is undone");
    phone.fails.replace(None);
    injector.undo_all().unwrap();
    assert_eq!(phone.state(), before);
}

#[test]
fn an_airplane_mode_that_does_not_come_on_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let mut injector = injector(&phone, &folder);
    phone.ignores.replace(Some("airplane-mode enable"));
    let refused = injector.inject(&SystemEvent::Offline, APP).unwrap_err();
    assert!(
        matches!(refused, RequestFailure::Unsupported(_)),
        "{refused}"
    );
    let commands = ["enable", "disable"].map(|to| format!("cmd connectivity airplane-mode {to}"));
    assert_eq!(phone.take_ran(), commands);
    injector.undo_all().unwrap();
    assert!(phone.take_ran().is_empty(), "it was undone before");
}

#[test]
fn both_radios_are_off_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(23);
    phone.set("mobile_data", "1");
    let before = phone.state();
    let mut injector = injector(&phone, &folder);
    phone.fails.replace(Some(("svc data", "Error: busy")));
    injector.inject(&SystemEvent::Offline, APP).unwrap_err();
    assert_eq!(phone.get("wifi_on"), "1");
    phone.fails.replace(None);
    injector.undo_all().unwrap();
    assert_eq!(phone.state(), before);
    injector.inject(&SystemEvent::Offline, APP).unwrap();
    assert_eq!([phone.get("wifi_on"), phone.get("mobile_data")], ["0", "0"]);
}

#[test]
fn malformed_names_are_not_passed_to_programs() {
    let folder = tempfile::tempdir().unwrap();
    let phone = FakeProgramRunner::of(34);
    let mut injector = injector(&phone, &folder);
    for name in ["", "-x", "a b", "a\tb", "a\nb", "a;b", "ä"] {
        for event in [
            SystemEvent::Locale(name.into()),
            SystemEvent::Broadcast(name.into()),
            SystemEvent::TimeZone(name.into()),
        ] {
            assert!(
                matches!(
                    injector.inject(&event, APP),
                    Err(RequestFailure::Impossible(_))
                ),
                "{event}"
            );
        }
    }
    assert!(matches!(
        injector.inject(&SystemEvent::LowMemory, ""),
        Err(RequestFailure::Impossible(_))
    ));
    assert!(phone.take_ran().is_empty());
}
