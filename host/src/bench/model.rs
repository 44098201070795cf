//! Processor time of APE's decisions and learning as its model grows. The app is a table of screens, without a phone.

use std::sync::Arc;

use rand::RngExt;
use retap_device::seed::{Rng, Seed};
use retap_explore::journal::{RecordedEvent, RecordedStep, StepOrigin};
use retap_explore::{
    ApeExplorer, ApeParameters, CoverageGainCount, Decision, Explorer, StepObservation, StepPath,
    WorkerView,
};
use retap_model::ape::{AttributePaths, AttributeReducer, DecisionTree};
use retap_shared::geometry::{Rect, Size};
use retap_shared::protocol::Capabilities;
use retap_shared::screen::{Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window};
use retap_shared::trace::Step;
use serde_json::json;

use crate::bench::processor_time::thread_seconds;
use crate::wording::group_thousands;

/// Buttons on every screen.
const BUTTONS: usize = 6;
/// Screens of an activity.
const SCREENS_PER_ACTIVITY: usize = 5;

/// Microseconds of processor time a step.
#[derive(Clone, Copy, Debug)]
pub struct ModelMeasurement {
    steps: usize,
    /// States of the final model.
    states: usize,
    first_tenth: f64,
    last_tenth: f64,
    mean: f64,
}

/// Measures steps of APE on a random graph of screens.
pub fn measure(screens: usize, steps: usize, seed: u64) -> ModelMeasurement {
    let mut rng = Seed(seed).rng();
    let mut app = TableApp::new(screens, &mut rng);
    let mut ape = ApeExplorer::new(
        ApeParameters::default(),
        DecisionTree::uniform(AttributeReducer::TYPE),
        AttributePaths::default(),
    );
    let path = StepPath::default();
    let start = RecordedStep::new(0, RecordedEvent::Started { clean: true });
    ape.observe(&observation(
        &start,
        &app.screens[0],
        &app.screens[0],
        &path,
    ));
    let mut times = Vec::with_capacity(steps);
    while times.len() < steps {
        times.push(step(&mut ape, &mut app, &path, &mut rng));
    }
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    let tenth = (steps / 10).max(1);
    ModelMeasurement {
        steps,
        states: ape.model().leaf_states().count(),
        first_tenth: mean(&times[..tenth.min(steps)]),
        last_tenth: mean(&times[steps - tenth.min(steps)..]),
        mean: mean(&times),
    }
}

/// One decision and its observation. Returns the microseconds of processor time of both.
fn step(ape: &mut ApeExplorer, app: &mut TableApp, path: &StepPath, rng: &mut Rng) -> f64 {
    let before = app.screens[app.current].clone();
    let view = WorkerView {
        worker: 0,
        screen: &before,
        capabilities: Capabilities::default(),
    };
    let started = thread_seconds();
    let decision = ape.decide(&view, rng);
    let deciding = thread_seconds() - started;
    let event = match decision {
        Decision::Act(choice) => {
            app.act(choice.node);
            RecordedEvent::Stepped {
                step: Step::new(choice.action),
                node: choice.node,
                origin: StepOrigin::Chosen,
                quiet: true,
            }
        }
        _ => {
            app.current = 0;
            RecordedEvent::Started { clean: false }
        }
    };
    let record = RecordedStep::new(0, event);
    let after = &app.screens[app.current];
    let started = thread_seconds();
    ape.observe(&observation(&record, &before, after, path));
    (deciding + thread_seconds() - started) * 1e6
}

/// An app whose buttons lead from screen to screen.
struct TableApp {
    screens: Vec<SharedScreen>,
    /// The screen that each button of each screen leads to.
    targets: Vec<[usize; BUTTONS]>,
    current: usize,
}

impl TableApp {
    fn new(screens: usize, rng: &mut Rng) -> TableApp {
        let targets = (0..screens)
            .map(|screen| {
                let mut targets = [0; BUTTONS].map(|_: usize| rng.random_range(0..screens));
                targets[0] = (screen + 1) % screens;
                targets
            })
            .collect();
        TableApp {
            screens: (0..screens).map(screen).collect(),
            targets,
            current: 0,
        }
    }

    /// Follows the button at this node, if it is one. Node 0 is the root.
    fn act(&mut self, node: Option<usize>) {
        let button = node
            .and_then(|node| node.checked_sub(1))
            .filter(|node| *node < BUTTONS);
        if let Some(button) = button {
            self.current = self.targets[self.current][button];
        }
    }
}

fn observation<'a>(
    record: &'a RecordedStep,
    before: &'a SharedScreen,
    screen: &'a SharedScreen,
    path: &'a StepPath,
) -> StepObservation<'a> {
    StepObservation {
        worker: 0,
        record,
        before: Some(before),
        screen: Some(screen),
        in_app: true,
        findings: &[],
        gain: CoverageGainCount::default(),
        path,
    }
}

fn screen(number: usize) -> SharedScreen {
    let button = |place: usize| Node {
        depth: 1,
        class: "android.widget.Button".into(),
        id: format!("app:id/s{number}b{place}").into(),
        bounds: Rect {
            left: 0,
            top: 100 * place as i32,
            right: 1_080,
            bottom: 100 * place as i32 + 90,
        },
        flags: NodeFlags::VISIBLE | NodeFlags::ENABLED | NodeFlags::CLICKABLE,
        ..Node::default()
    };
    let root = Node {
        class: "android.widget.FrameLayout".into(),
        flags: NodeFlags::VISIBLE,
        ..Node::default()
    };
    let nodes: Vec<Node> = std::iter::once(root)
        .chain((0..BUTTONS).map(button))
        .collect();
    let windows = vec![Window {
        nodes: nodes.len() as u32,
        ..Window::default()
    }];
    let activity = format!("app/Activity{}", number / SCREENS_PER_ACTIVITY).into();
    let size = Size {
        width: 1_080,
        height: 1_920,
    };
    let content = ScreenContent {
        size,
        activity,
        windows,
        nodes,
        ..ScreenContent::default()
    };
    Arc::new(Screen::new(content).expect("a root and its buttons are a tree"))
}

impl ModelMeasurement {
    pub fn to_json(self) -> String {
        let ModelMeasurement {
            steps,
            states,
            first_tenth,
            last_tenth,
            mean,
        } = self;
        json!({
            "bench": "model", "explorer": "ape", "steps": steps, "states": states, "us_per_step": mean,
            "first_tenth_us": first_tenth, "last_tenth_us": last_tenth, "ratio": last_tenth / first_tenth,
        })
        .to_string()
    }

    pub fn to_words(self) -> String {
        format!(
            "{} steps, {} states: {:.1} µs a step, {:.1} in the first tenth, {:.1} in the last",
            group_thousands(self.steps as u64),
            group_thousands(self.states as u64),
            self.mean,
            self.first_tenth,
            self.last_tenth,
        )
    }
}
