//! Proof by search that no planted crash can be reached with fewer events than its shortest trace has: over everything
//! that can be done for those that are near, over what could have to do with it for those that are far.

use std::collections::{HashMap, HashSet};

use retap_agent::phone::Phone;
use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::protocol::SnapshotId;
use retap_shared::screen::Screen;
use retap_simulator::{
    CRASH_DELAY_LIMIT, CrashDependencies, SimulatedPhone, app_names, ground_truth, open,
};

use crate::drive;

/// How many events more than the shortest trace has are tried without what is said to be needed.
const BEYOND: usize = 2;

#[test]
fn no_crash_of_notes_has_a_shorter_trace_than_five_events_or_its_own() {
    prove_near("notes", 5);
}

#[test]
fn no_crash_of_shop_has_a_shorter_trace_than_five_events_or_its_own() {
    prove_near("shop", 5);
}

#[test]
fn no_crash_of_mail_has_a_shorter_trace_than_four_events_or_its_own() {
    prove_near("mail", 4);
}

#[test]
fn no_crash_of_player_has_a_shorter_trace_than_six_events_or_its_own() {
    prove_near("player", 6);
}

#[test]
fn no_crash_of_settings_has_a_shorter_trace_than_six_events_or_its_own() {
    prove_near("settings", 6);
}

#[test]
fn no_crash_of_calculator_has_a_shorter_trace_than_six_events_or_its_own() {
    prove_near("calculator", 6);
}

#[test]
fn no_declared_crash_has_a_shorter_trace() {
    for app in app_names() {
        for crash in ground_truth(app).unwrap().crashes {
            if let Some(matters) = &crash.dependencies {
                let found = Search::new(app, crash.shortest.len())
                    .through(|screen, node, action| could_matter(matters, screen, node, action));
                let level = found.get(&crash.fingerprint);
                assert_eq!(
                    level,
                    Some(&crash.shortest.len()),
                    "`{}` of `{app}`",
                    crash.name
                );
            }
        }
    }
}

#[test]
fn far_crashes_of_notes_have_no_shorter_trace() {
    let aside = [
        "tab_all",
        "tab_starred",
        "sort",
        "search",
        "settings",
        "title",
        "body",
        "star",
        "preview",
    ];
    prove_far(
        "notes",
        "copy of a copy of a copy",
        &["tags", "trash", "title", "body"],
        false,
    );
    prove_far("notes", "statistics of a deleted tag", &aside, false);
}

#[test]
fn far_crashes_of_shop_have_no_shorter_trace() {
    let aside = [
        "pager", "wish", "reviews", "picture", "more", "remember", "street", "city", "zip",
    ];
    prove_far("shop", "look-up blocks", &aside, false);
    prove_far(
        "shop",
        "panorama held sideways",
        &["wish", "remember", "street", "city", "zip"],
        true,
    );
    prove_far("shop", "day dialog in rotation", &aside, true);
    prove_far("shop", "invoice for a pick-up", &aside, false);
}

#[test]
fn far_crashes_of_mail_have_no_shorter_trace() {
    prove_far("mail", "sync blocks", &["select"], true);
    prove_far(
        "mail",
        "three videos",
        &["select", "message", "settings"],
        true,
    );
    let aside = ["select", "refresh", "compose", "signature", "search"];
    prove_far("mail", "folder without an id", &aside, false);
}

#[test]
fn crashes_of_system_events_do_not_come_without_them() {
    let page = include_str!("../../../../docs/how-it-works/simulator.md");
    for app in app_names() {
        let crashes = ground_truth(app).unwrap().crashes;
        let mut by_events = 0;
        let mut by_restoring = 0;
        for crash in crashes {
            let row = format!("| {app} | {} |", crash.name);
            let listed = page
                .lines()
                .find(|line| line.starts_with(&row))
                .unwrap_or_default();
            let (Some((_, only)), Some(matters)) =
                (listed.split_once(", only "), &crash.dependencies)
            else {
                assert!(
                    !listed.contains(", only "),
                    "`{}` of `{app}` is not listed as data",
                    crash.name
                );
                continue;
            };
            let missing = |action: &Action| match action {
                Action::System(SystemEvent::Call) => only.starts_with("by a call"),
                Action::System(SystemEvent::Offline) => only.starts_with("by the network"),
                Action::System(SystemEvent::Locale(_)) => only.starts_with("by another language"),
                Action::System(SystemEvent::LowMemory) => {
                    only.starts_with("by low memory") || only.starts_with("after a restored state")
                }
                _ => false,
            };
            assert!(
                crash.shortest.iter().any(|step| missing(&step.action)),
                "`{}` of `{app}`",
                crash.name
            );
            *(if only.starts_with("after") {
                &mut by_restoring
            } else {
                &mut by_events
            }) += 1;
            let found =
                Search::new(app, crash.shortest.len() + BEYOND).through(|screen, node, action| {
                    !missing(action) && could_matter(matters, screen, node, action)
                });
            assert_eq!(
                found.get(&crash.fingerprint),
                None,
                "`{}` of `{app}`",
                crash.name
            );
        }
        assert!(
            by_events > 0 && by_restoring > 0,
            "`{app}`: {by_events} and {by_restoring}"
        );
    }
}

/// True if a widget or an event can influence a crash of a declarative app. The first of several equal rows stands for all;
/// scrolling influences nothing.
fn could_matter(
    matters: &CrashDependencies,
    screen: &Screen,
    node: Option<usize>,
    action: &Action,
) -> bool {
    match (action, node) {
        (Action::Swipe { .. } | Action::Key(Key::Menu | Key::Enter), _) => false,
        (Action::Rotate(_), _) => matters.rotation,
        (Action::System(SystemEvent::Call), _) => matters.call,
        (Action::System(SystemEvent::Offline | SystemEvent::Online), _) => matters.network,
        (Action::System(SystemEvent::Locale(_)), _) => matters.locale,
        (Action::System(SystemEvent::LowMemory) | Action::Key(Key::Home) | Action::Launch, _) => {
            matters.memory
        }
        (_, None) => true,
        (_, Some(node)) => {
            let id = &screen.nodes()[node].id;
            let way_in = [
                "com.example.notes:id/more",
                "com.example.shop:id/service",
                "com.example.mail:id/more",
            ];
            let framework = way_in.contains(&id.as_str())
                || id.is_empty()
                || id.starts_with("android:")
                || !id.starts_with("com.example");
            let first = || screen.nodes()[..node].iter().all(|other| other.id != *id);
            framework || (matters.widgets.contains(id) && first())
        }
    }
}

/// Goes through every state that up to `depth` events can reach.
fn prove_near(app: &str, depth: usize) {
    let truth = ground_truth(app).unwrap();
    let found = Search::new(app, depth).through(|_, _, _| true);
    let known: HashMap<Fingerprint, (&str, usize)> = truth
        .crashes
        .iter()
        .map(|crash| (crash.fingerprint, (crash.name, crash.shortest.len())))
        .collect();
    for (fingerprint, level) in &found {
        let (name, shortest) = known
            .get(fingerprint)
            .unwrap_or_else(|| panic!("`{app}` has an unknown crash after {level} events"));
        assert_eq!(level, shortest, "`{name}` of `{app}`");
    }
    for crash in truth
        .crashes
        .iter()
        .filter(|crash| crash.shortest.len() <= depth)
    {
        assert!(
            found.contains_key(&crash.fingerprint),
            "`{}` of `{app}` was not found",
            crash.name
        );
    }
}

/// The same for one crash, without the widgets that are named `aside` and without scrolling. The first of
/// several equal rows stands for all, and one text for all texts.
fn prove_far(app: &str, name: &str, aside: &[&str], turning: bool) {
    let truth = ground_truth(app).unwrap();
    let crash = truth
        .crashes
        .iter()
        .find(|crash| crash.name == name)
        .unwrap();
    let matters = |screen: &Screen, node: Option<usize>, action: &Action| match (action, node) {
        (Action::Rotate(_), _) => turning,
        (Action::System(_) | Action::Launch | Action::Key(Key::Home), _) => false,
        (Action::Text { text, .. }, _) if text != "hello" => false,
        (Action::Swipe { .. }, _) => false,
        (_, None) => true,
        (_, Some(node)) => {
            let id = &screen.nodes()[node].id;
            let end = id.rsplit('/').next().unwrap_or_default();
            let like = |other: &retap_shared::screen::Node| other.id == *id;
            let stands_for_all =
                !ROWS.contains(&end) || screen.nodes()[..node].iter().all(|other| !like(other));
            stands_for_all && !aside.contains(&end)
        }
    };
    let found = Search::new(app, crash.shortest.len()).through(matters);
    assert_eq!(
        found.get(&crash.fingerprint),
        Some(&crash.shortest.len()),
        "`{name}` of `{app}`"
    );
}

const ROWS: &[&str] = &["product", "note", "message", "tag"];

struct Search {
    phone: SimulatedPhone,
    depth: usize,
    seen: HashSet<u64>,
    /// Each crash with the fewest events after which it came.
    found: HashMap<Fingerprint, usize>,
}

impl Search {
    fn new(app: &str, depth: usize) -> Search {
        let phone = open(app).unwrap();
        Search {
            phone,
            depth,
            seen: HashSet::new(),
            found: HashMap::new(),
        }
    }

    fn through(
        mut self,
        matters: impl Fn(&Screen, Option<usize>, &Action) -> bool,
    ) -> HashMap<Fingerprint, usize> {
        let mut frontier = vec![self.root()];
        for level in 1..=self.depth {
            let mut next = Vec::new();
            for state in frontier {
                self.expand(state, level, &matters, &mut next);
            }
            frontier = next;
        }
        self.found
    }

    fn root(&mut self) -> SnapshotId {
        drive::start_clean(&mut self.phone);
        drive::events(&mut self.phone);
        self.seen.insert(self.phone.state_hash());
        self.phone.save_snapshot().unwrap().0
    }

    fn expand(
        &mut self,
        state: SnapshotId,
        level: usize,
        matters: &impl Fn(&Screen, Option<usize>, &Action) -> bool,
        next: &mut Vec<SnapshotId>,
    ) {
        self.phone.restore_snapshot(state).unwrap();
        let screen = self.phone.capture().unwrap();
        let outside = drive::from_outside(&screen)
            .into_iter()
            .map(|action| (None, action));
        for (node, action) in drive::possible(&screen).into_iter().chain(outside) {
            if !matters(&screen, node, &action) {
                continue;
            }
            self.phone.restore_snapshot(state).unwrap();
            drive::act(&mut self.phone, &action);
            if self.note_findings(level) || !self.seen.insert(self.phone.state_hash()) {
                continue;
            }
            if level < self.depth {
                next.push(self.phone.save_snapshot().unwrap().0);
            }
            if self.phone.has_pending() {
                self.phone.sleep(CRASH_DELAY_LIMIT);
                self.note_findings(level);
            }
        }
        self.phone.discard_snapshot(state).unwrap();
    }

    fn note_findings(&mut self, level: usize) -> bool {
        let findings = drive::findings(&mut self.phone);
        for finding in &findings {
            self.found.entry(finding.fingerprint()).or_insert(level);
        }
        !findings.is_empty()
    }
}
