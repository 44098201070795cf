//! What APE's model costs as it grows: an app that is a table of screens, and no phone. Processor time of choosing and learning.

use std::sync::Arc;

use rand::RngExt;
use retap_device::seed::Seed;
use retap_explore::{
    ApeExplorer, ApeParameters, CoverageGainCount, Decision, Explorer, ObservedEvent,
    StepObservation, StepPath, WorkerView,
};
use retap_model::ape::{AttributePaths, AttributeReducer, DecisionTree};
use retap_shared::geometry::{Rect, Size};
use retap_shared::micros::Micros;
use retap_shared::protocol::Capabilities;
use retap_shared::screen::{Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window};
use retap_shared::trace::Step;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

use crate::wording::group_thousands;

/// On every screen.
const BUTTONS: usize = 6;
/// An activity has so many screens.
const AN_ACTIVITY: usize = 5;

#[derive(Clone, Copy, Debug)]
pub struct ModelMeasurement {
    steps: usize,
    /// States when it ended.
    states: usize,
    first_tenth: f64,
    last_tenth: f64,
    mean: f64,
}

pub fn measure(screens: usize, steps: usize, seed: u64) -> ModelMeasurement {
    let mut rng = Seed(seed).rng();
    let leads: Vec<[usize; BUTTONS]> = (0..screens)
        .map(|screen| {
            let mut to = [0; BUTTONS].map(|_: usize| rng.random_range(0..screens));
            to[0] = (screen + 1) % screens;
            to
        })
        .collect();
    let shown: Vec<SharedScreen> = (0..screens).map(screen).collect();
    let mut ape = ApeExplorer::new(
        ApeParameters::default(),
        DecisionTree::uniform(AttributeReducer::TYPE),
        AttributePaths::default(),
    );
    let mut here = 0;
    let mut spent = Vec::with_capacity(steps);
    let way = StepPath::default();
    ape.observe(&seen(
        ObservedEvent::Started { clean: true },
        &shown[0],
        &way,
    ));
    while spent.len() < steps {
        let before = &shown[here];
        let began = processor_micros();
        let chosen = ape.decide(
            &WorkerView {
                worker: 0,
                screen: before,
                capabilities: Capabilities::default(),
            },
            &mut rng,
        );
        let chose = processor_micros() - began;
        let step;
        let did = match chosen {
            Decision::Act(choice) => {
                let button = choice
                    .node
                    .and_then(|node| node.checked_sub(1))
                    .filter(|node| *node < BUTTONS);
                here = button.map_or(here, |button| leads[here][button]);
                step = Step::new(choice.action);
                let node = choice.node;
                ObservedEvent::Stepped {
                    step: &step,
                    node,
                    before,
                    chosen: true,
                    quiet: true,
                    branches: &[],
                }
            }
            _ => {
                here = 0;
                ObservedEvent::Started { clean: false }
            }
        };
        let began = processor_micros();
        ape.observe(&seen(did, &shown[here], &way));
        spent.push(chose + processor_micros() - began);
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    let tenth = (steps / 10).max(1);
    ModelMeasurement {
        steps,
        states: ape.model().leaf_states().count(),
        first_tenth: mean(&spent[..tenth.min(steps)]),
        last_tenth: mean(&spent[steps - tenth.min(steps)..]),
        mean: mean(&spent),
    }
}

fn seen<'a>(
    did: ObservedEvent<'a>,
    screen: &'a SharedScreen,
    way: &'a StepPath,
) -> StepObservation<'a> {
    let took = Micros::ZERO;
    let new = CoverageGainCount::default();
    StepObservation {
        worker: 0,
        event: did,
        screen: Some(screen),
        in_app: true,
        findings: &[],
        took,
        gain: new,
        path: way,
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
    let activity = format!("app/Activity{}", number / AN_ACTIVITY).into();
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

fn processor_micros() -> f64 {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    used.tv_sec as f64 * 1e6 + used.tv_nsec as f64 / 1e3
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
