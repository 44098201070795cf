//! APE's model: the paper's running example, and the bounds α and β.

use std::sync::Arc;

use retap_device::seed::Seed;
use retap_explore::journal::{RecordedEvent, RecordedStep, StepOrigin};
use retap_explore::{
    ApeExplorer, ApeParameters, CoverageGainCount, Decision, Explorer, StepObservation, StepPath,
    WorkerView,
};
use retap_model::actions::{ActionKind, CandidateAction, list_candidate_actions};
use retap_model::ape::{
    ApeModel, AttributePaths, AttributeReducer, DecisionTree, ModelParameters, ModelScreen,
};
use retap_shared::protocol::Capabilities;
use retap_shared::screen::{Node, NodeFlags, SharedScreen};
use retap_shared::trace::Step;
use retap_testing::screens::{TAPPABLE, app, node, texted};

/// The abstraction of Stoat, Figure 4.
const STOAT: &str = "index+parent\n  {class=\"ListView\"} / {} => parent\n";

fn listed(screen: &SharedScreen) -> Vec<CandidateAction> {
    let mut possible = Vec::new();
    list_candidate_actions(screen, &mut possible);
    possible
}

fn see(model: &mut ApeModel, screen: &SharedScreen) -> ModelScreen {
    model.observe_screen(screen, &listed(screen)).0
}

/// A list of files, by their names.
fn files(names: &[&str]) -> SharedScreen {
    let rows = (0..).zip(names).map(|(row, name)| {
        texted(
            node(
                1,
                "TextView",
                "",
                TAPPABLE,
                [0, 60 * row, 400, 60 * row + 50],
            ),
            name,
        )
    });
    let list = node(0, "ListView", "", NodeFlags::VISIBLE, [0, 0, 400, 800]);
    Arc::new(app(std::iter::once(list).chain(rows).collect()))
}

/// The viewer of a kind of file. Viewers differ in the number of their lines.
fn viewer(of: &str) -> SharedScreen {
    let root = node(0, of, "", NodeFlags::VISIBLE, [0, 0, 400, 800]);
    let line = |line: i32| {
        node(
            1,
            of,
            "",
            NodeFlags::VISIBLE,
            [0, 60 * line, 400, 60 * line + 50],
        )
    };
    let lines = 1 + i32::try_from(of.len()).unwrap();
    Arc::new(app(std::iter::once(root)
        .chain((0..lines).map(line))
        .collect()))
}

fn model(text: &str, rules: ModelParameters) -> ApeModel {
    let mut paths = AttributePaths::default();
    let tree = DecisionTree::parse(text, &mut paths).unwrap();
    ApeModel::new(rules, tree, paths)
}

fn opens(model: &mut ApeModel, screen: &SharedScreen, row: u32, of: &str) {
    let start = see(model, &viewer("Start menu"));
    let from = see(model, screen);
    model.learn(&start, None, ActionKind::Back, &from);
    let from = model.relocate(&from);
    let to = see(model, &viewer(of));
    model.learn(&from, Some(row + 1), ActionKind::Tap, &to);
}

#[test]
fn the_running_example_of_the_paper_ends_with_one_state_and_actions_by_text() {
    let rules = ModelParameters {
        alpha: 10,
        ..ModelParameters::default()
    };
    let mut model = model(STOAT, rules);
    let first = files(&["XLSX", "PPTX", "DOCX"]);
    let second = files(&["DOCX", "XLSX", "PPTX"]);
    // By Stoat's abstraction both orders are one state, and all rows one action.
    assert_eq!(
        see(&mut model, &first).state,
        see(&mut model, &second).state
    );
    opens(&mut model, &first, 1, "PowerPoint");
    opens(&mut model, &second, 0, "Word");
    // Two targets: rows are distinguished by their place, which makes no more states.
    let one = see(&mut model, &first);
    let other = see(&mut model, &second);
    assert_eq!(one.state, other.state);
    let name = |model: &ApeModel, spot: &ModelScreen, row: u32| {
        model
            .action_of(spot, Some(row + 1), ActionKind::Tap)
            .unwrap()
    };
    assert_eq!(name(&model, &one, 0), name(&model, &other, 0));
    assert_ne!(name(&model, &one, 0), name(&model, &one, 1));
    // More files are opened: places do not tell where they lead, texts do.
    opens(&mut model, &first, 0, "Excel");
    opens(&mut model, &first, 2, "Word");
    opens(&mut model, &second, 1, "Excel");
    opens(&mut model, &second, 2, "PowerPoint");
    let one = see(&mut model, &first);
    let other = see(&mut model, &second);
    assert_eq!(
        one.state, other.state,
        "a list that was sorted anew is the same state"
    );
    for (here, there) in [(0, 1), (1, 2), (2, 0)] {
        assert_eq!(name(&model, &one, here), name(&model, &other, there));
    }
    for action in &model.state(one.state).actions {
        assert!(action.targets.len() < 2, "{action:?}");
    }
    let learned = model.abstraction();
    assert!(
        learned
            .lines()
            .any(|line| line.starts_with('#') && line.contains("=> text")),
        "{learned}"
    );
    // The user's rules stand as they were, and the file can be started from.
    let rules: String = learned
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(rules.trim_end(), STOAT.trim_end());
}

#[test]
fn an_action_for_more_than_alpha_widgets_is_split_and_one_for_fewer_is_not() {
    for (rows, split) in [(3, false), (4, true)] {
        let mut model = model("type", ModelParameters::default());
        let names: Vec<String> = (0..rows).map(|row| format!("row {row}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let screen = files(&names);
        let start = see(&mut model, &viewer("Start"));
        let list = see(&mut model, &screen);
        model.learn(&start, None, ActionKind::Back, &list);
        let list = see(&mut model, &screen);
        let one = model.action_of(&list, Some(1), ActionKind::Tap);
        let other = model.action_of(&list, Some(2), ActionKind::Tap);
        assert_eq!(one != other, split, "{rows} rows");
    }
}

#[test]
fn a_state_that_was_split_into_more_than_beta_takes_its_parts_back_for_good() {
    let rules = ModelParameters {
        alpha: 10,
        states_an_activity: 1_000,
        ..ModelParameters::default()
    };
    let mut model = model("type", rules);
    // Only the text shows where the row leads, and every text is new.
    let mut most = 0;
    for number in 0..60 {
        let screen = files(&[&format!("file {number}")]);
        opens(
            &mut model,
            &screen,
            0,
            if number % 2 == 0 { "Word" } else { "Excel" },
        );
        most = most.max(model.leaf_states().count());
    }
    assert!(most > 3, "it was never split");
    // Three screens besides, and at most two splits of nine at a time.
    assert!(most <= 3 + 2 * 9, "{most} states at once");
}

#[test]
fn an_activity_that_may_have_more_states_is_refined_beyond_beta() {
    let rules = ModelParameters {
        alpha: 10,
        ..ModelParameters::default()
    };
    let states = |more: usize| {
        let mut model = model("type", rules);
        for number in 0..60 {
            let screen = files(&[&format!("file {number}")]);
            model.allow_extra_states(screen.activity(), more);
            opens(
                &mut model,
                &screen,
                0,
                if number % 2 == 0 { "Word" } else { "Excel" },
            );
        }
        model.leaf_states().count()
    };
    let few = states(0);
    let many = states(100);
    assert!(few <= 21 && many >= 60, "{few} and {many}");
}

#[test]
fn rows_are_distinguished_by_place_or_by_text_as_preferred() {
    for text_first in [false, true] {
        let mut model = model(
            "type",
            ModelParameters {
                text_first,
                ..ModelParameters::default()
            },
        );
        let lists = [files(&["a", "b", "c", "d"]), files(&["e", "f", "g", "h"])];
        let start = see(&mut model, &viewer("Start"));
        for list in &lists {
            let spot = see(&mut model, list);
            model.learn(&start, None, ActionKind::Menu, &spot);
        }
        let [one, other] = lists.map(|list| see(&mut model, &list).state);
        assert_eq!(one != other, text_first, "two menus of as many rows");
    }
}

#[test]
fn an_abstraction_is_read_as_it_is_written() {
    let text = "type+index\n  {class=\"a \\\"b\\\" \u{e9}\", index=3} / {} => none\n    {id=\"x\"} => text+parent\n  {} => type\n";
    let mut paths = AttributePaths::default();
    let tree = DecisionTree::parse(text, &mut paths).unwrap();
    assert_eq!(tree.to_text(&paths), text);
    for (broken, line) in [
        ("", 0),
        ("colour", 1),
        ("type\n{} => type", 2),
        ("type\n   {} => type", 2),
        ("type\n      {} => type", 2),
        ("type\n  {} -> type", 2),
        ("type\n  {size=\"3\"} => type", 2),
        ("type\n  {class=\"a => type", 2),
        ("type\n\n# so\n  {class=\"a\"} => colour", 4),
    ] {
        let error = DecisionTree::parse(broken, &mut paths)
            .unwrap_err()
            .to_string();
        assert!(
            line == 0 || error.starts_with(&format!("line {line}:")),
            "{broken:?}: {error}"
        );
    }
}

fn observe(
    ape: &mut ApeExplorer,
    event: RecordedEvent,
    before: &SharedScreen,
    screen: &SharedScreen,
) {
    ape.observe(&StepObservation {
        worker: 0,
        record: &RecordedStep::new(0, event),
        before: Some(before),
        screen: Some(screen),
        in_app: true,
        findings: &[],
        gain: CoverageGainCount::default(),
        path: &StepPath::default(),
    });
}

/// An app that is a table: where each button of each screen leads.
fn walk(
    ape: &mut ApeExplorer,
    screens: &[SharedScreen],
    leads: &[Vec<usize>],
    steps: usize,
) -> Vec<Vec<u32>> {
    let mut done: Vec<Vec<u32>> = leads.iter().map(|buttons| vec![0; buttons.len()]).collect();
    let mut rng = Seed(1).rng();
    let mut here = 0;
    let started = RecordedEvent::Started { clean: true };
    observe(ape, started, &screens[0], &screens[0]);
    for _ in 0..steps {
        let at = WorkerView {
            worker: 0,
            screen: &screens[here],
            capabilities: Capabilities::default(),
        };
        let before = &screens[here];
        match ape.decide(&at, &mut rng) {
            Decision::Act(choice) => {
                if let Some(button) = choice.node.and_then(|node| node.checked_sub(1)) {
                    done[here][button] += 1;
                    here = leads[here][button];
                }
                let step = Step::new(choice.action);
                let node = choice.node;
                let stepped = RecordedEvent::Stepped {
                    step,
                    node,
                    origin: StepOrigin::Chosen,
                    quiet: true,
                };
                observe(ape, stepped, before, &screens[here]);
            }
            _ => {
                here = 0;
                let restarted = RecordedEvent::Started { clean: false };
                observe(ape, restarted, before, &screens[0]);
            }
        }
    }
    done
}

fn table(leads: &[Vec<usize>]) -> Vec<SharedScreen> {
    let screen = |(number, buttons): (usize, &Vec<usize>)| {
        let root = node(
            0,
            &format!("Screen{number}"),
            "",
            NodeFlags::VISIBLE,
            [0, 0, 400, 800],
        );
        let button = |place: usize| -> Node {
            let top = 20 * place as i32;
            node(
                1,
                "Button",
                &format!("b{place}"),
                TAPPABLE,
                [0, top, 400, top + 18],
            )
        };
        Arc::new(app(std::iter::once(root)
            .chain((0..buttons.len()).map(button))
            .collect()))
    };
    leads.iter().enumerate().map(screen).collect()
}

#[test]
fn every_action_of_a_known_part_is_done_before_others_are_repeated() {
    // A corridor of rooms, each with doors on, back, and two that lead nowhere.
    let leads: Vec<Vec<usize>> = (0..30_usize)
        .map(|room| vec![(room + 1).min(29), room.saturating_sub(1), room, room])
        .collect();
    let rules = ApeParameters {
        burst_probability: 0.0,
        stagnation_limit: 100_000,
        restart_after: (100_000, 100_000),
        ..ApeParameters::default()
    };
    let mut ape = ApeExplorer::new(
        rules,
        DecisionTree::uniform(AttributeReducer::TYPE),
        AttributePaths::default(),
    );
    let done = walk(&mut ape, &table(&leads), &leads, 700);
    assert!(done.iter().flatten().all(|times| *times > 0), "{done:?}");
}
