//! The strategy `auto`: several phones on one model, and apps that have much to offer elsewhere.

use std::collections::HashSet;
use std::sync::Arc;

use retap_device::seed::Seed;
use retap_explore::journal::{RecordedEvent, RecordedStep, StepOrigin};
use retap_explore::{
    ApeParameters, AutoExplorer, CoverageGainCount, Decision, Explorer, StepObservation, StepPath,
    WorkerView,
};
use retap_model::ape::{AttributePaths, AttributeReducer, DecisionTree};
use retap_shared::action::{Action, Key};
use retap_shared::micros::Micros;
use retap_shared::protocol::Capabilities;
use retap_shared::screen::{Node, Screen, SharedScreen};
use retap_shared::trace::Step;
use retap_testing::screens::{TAPPABLE, app, node, root, texted};

const SEEDS: u64 = 100;

/// Each button is something else to the model.
fn buttons(count: i32) -> SharedScreen {
    let button = |row: i32| {
        node(
            1,
            "Button",
            &format!("app:id/button_{row}"),
            TAPPABLE,
            [0, 60 * row, 400, 60 * row + 50],
        )
    };
    Arc::new(app(std::iter::once(root())
        .chain((0..count).map(button))
        .collect()))
}

/// Number of runs in which two phones on the same screen choose the same action. `between`: this event of the first one is
/// observed before the second chooses.
fn done_twice(screen: &SharedScreen, between: Option<&RecordedEvent>) -> usize {
    let alike = |seed: &u64| {
        let tree = DecisionTree::uniform(AttributeReducer::TYPE);
        let mut auto = AutoExplorer::new(
            ApeParameters::default(),
            tree,
            AttributePaths::default(),
            false,
        );
        let mut rng = Seed(*seed).rng();
        let observe = |auto: &mut AutoExplorer, worker, event| {
            auto.observe(&StepObservation {
                worker,
                record: &RecordedStep::new(worker, event),
                before: Some(screen),
                screen: Some(screen),
                in_app: true,
                findings: &[],
                gain: CoverageGainCount::default(),
                path: &StepPath::default(),
            });
        };
        for worker in 0..2 {
            observe(&mut auto, worker, RecordedEvent::Started { clean: true });
        }
        let mut chosen = HashSet::new();
        for worker in 0..2 {
            let at = WorkerView {
                worker,
                screen,
                capabilities: Capabilities::default(),
            };
            let Decision::Act(choice) = auto.decide(&at, &mut rng) else {
                panic!("nothing to do")
            };
            chosen.insert((choice.node, choice.action.to_string()));
            if let (0, Some(event)) = (worker, between) {
                observe(&mut auto, worker, event.clone());
            }
        }
        chosen.len() == 1
    };
    (0..SEEDS).filter(alike).count()
}

#[test]
fn what_one_phone_is_doing_another_one_leaves_alone_until_that_phone_is_lost() {
    let screen = buttons(4);
    let busy = done_twice(&screen, None);
    let lost = done_twice(&screen, Some(&RecordedEvent::SnapshotsLost));
    // By chance it is one in four or so. One in five choices is among all there is, and what is under way counts half then.
    assert!(busy <= 5, "{busy} of {SEEDS}");
    assert!(lost >= 12, "{lost} of {SEEDS}");
}

/// A menu of as many rows, the first of which opens a trap that nothing leads out of; behind each other row is a page.
struct Menu {
    menu: SharedScreen,
    pages: Vec<SharedScreen>,
}

const TRAP: usize = 0;
const ROWS: usize = 12;

impl Menu {
    fn new() -> Menu {
        let in_activity = |name: &str, nodes: Vec<Node>| {
            let mut content = app(nodes).content().clone();
            content.activity = format!("app/{name}").into();
            Arc::new(Screen::new(content).unwrap())
        };
        let row = |row: usize| {
            let top = 60 * row as i32;
            texted(
                node(1, "Row", "app:id/row", TAPPABLE, [0, top, 400, top + 50]),
                &format!("page {row}"),
            )
        };
        let rows = std::iter::once(root()).chain((0..ROWS).map(row)).collect();
        let page =
            |number: usize| in_activity(&format!("Page{number}"), buttons(3).nodes().to_vec());
        Menu {
            menu: in_activity("Menu", rows),
            pages: (0..ROWS).map(page).collect(),
        }
    }

    fn screen(&self, page: Option<usize>) -> &SharedScreen {
        page.map_or(&self.menu, |page| &self.pages[page])
    }

    fn observe(
        &self,
        auto: &mut AutoExplorer,
        event: RecordedEvent,
        pages: [Option<usize>; 2],
        gain: CoverageGainCount,
    ) {
        let is_start = matches!(event, RecordedEvent::Started { .. });
        let record = RecordedStep {
            took: Micros::from_millis(if is_start { 2_500 } else { 300 }),
            ..RecordedStep::new(0, event)
        };
        let [before, after] = pages.map(|page| self.screen(page));
        auto.observe(&StepObservation {
            worker: 0,
            record: &record,
            before: Some(before),
            screen: Some(after),
            in_app: true,
            findings: &[],
            gain,
            path: &StepPath::default(),
        });
    }

    /// How many events were spent in the trap, and how many pages were opened.
    fn walk(&self, seed: u64, events: usize) -> (usize, usize) {
        let tree = DecisionTree::uniform(AttributeReducer::TYPE);
        let mut auto = AutoExplorer::new(
            ApeParameters::default(),
            tree,
            AttributePaths::default(),
            false,
        );
        let mut rng = Seed(seed).rng();
        let mut page = None;
        let mut opened = HashSet::new();
        let mut trapped = 0;
        let started = RecordedEvent::Started { clean: true };
        let nothing = CoverageGainCount::default();
        self.observe(&mut auto, started.clone(), [None; 2], nothing);
        for _ in 0..events {
            let before = page;
            let at = WorkerView {
                worker: 0,
                screen: self.screen(page),
                capabilities: Capabilities::default(),
            };
            let Decision::Act(choice) = auto.decide(&at, &mut rng) else {
                page = None;
                self.observe(&mut auto, started.clone(), [before, None], nothing);
                continue;
            };
            trapped += usize::from(page == Some(TRAP));
            page = match (page, choice.node) {
                (Some(TRAP), _) => page,
                (None, Some(row)) => row.checked_sub(1),
                (Some(_), None) if choice.action == Action::Key(Key::Back) => None,
                _ => page,
            };
            let is_new = page.is_some_and(|page| opened.insert(page));
            let new = if is_new {
                CoverageGainCount {
                    activities: 1,
                    screens: 1,
                    branches: 10,
                }
            } else {
                CoverageGainCount::default()
            };
            let step = Step::new(choice.action);
            let node = choice.node;
            let stepped = RecordedEvent::Stepped {
                step,
                node,
                origin: StepOrigin::Chosen,
                quiet: true,
            };
            self.observe(&mut auto, stepped, [before, page], new);
        }
        (trapped, opened.len())
    }
}

#[test]
fn a_screen_that_nothing_leads_out_of_is_left_for_a_menu_where_much_is_undone() {
    let menu = Menu::new();
    let walks: Vec<(usize, usize)> = (0..SEEDS).map(|seed| menu.walk(seed, 120)).collect();
    let all = walks.iter().filter(|(_, opened)| *opened == ROWS).count();
    assert!(
        all >= 95,
        "every page was opened in {all} of {SEEDS}: {walks:?}"
    );
    // Without what is expected elsewhere it is more than forty.
    let mut trapped: Vec<usize> = walks.iter().map(|(trapped, _)| *trapped).collect();
    trapped.sort_unstable();
    assert!(trapped[trapped.len() / 2] < 30, "{trapped:?}");
}
