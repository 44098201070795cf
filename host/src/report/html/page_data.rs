//! The data for the page's script: each finding's steps with the UI trees of their screens, as JSON within the page.
//! `docs/reference/page-data.md` describes it. The page can be read without it.

use std::collections::HashMap;

use maud::{Markup, PreEscaped, html};
use retap_shared::screen::{Node, Screen, ScreenHash, WindowKind};
use retap_shared::trace::Step;
use serde::Serialize;

use super::finding::NumberedFinding;
use super::sanitise_html::sanitise_line;
use super::step_text;
use super::step_touch::StepTouch;
use super::strip::IllustratedTrace;
use crate::report::headline::FindingHeadline;
use crate::run::findings::StoredFinding;

/// Version of this data. A script of another version ignores it.
const FORMAT: u32 = 1;
/// Maximum number of nodes of all screens together. Steps on further screens have none.
const NODE_LIMIT: usize = 60_000;
/// Maximum number of steps of the original trace that are listed.
const ORIGINAL_LIMIT: usize = 2_000;
const TEXT_LENGTH: usize = 200;

#[derive(Debug, Serialize)]
struct PageData {
    format: u32,
    findings: Vec<FindingData>,
    screens: Vec<ScreenData>,
}

#[derive(Debug, Serialize)]
struct FindingData {
    anchor: String,
    fingerprint: String,
    title: String,
    steps: Vec<StepData>,
    /// Number of the screen after the last step.
    last: Option<usize>,
    original: Vec<OriginalStepData>,
}

#[derive(Debug, Serialize)]
struct StepData {
    words: String,
    /// The widget that was recorded, where the step met another one.
    recorded: Option<String>,
    /// Number of the screen before the step.
    screen: Option<usize>,
    /// Number of the touched node.
    node: Option<usize>,
    /// Milliseconds since the start, as recorded.
    at: Option<u32>,
}

#[derive(Debug, Serialize)]
struct OriginalStepData {
    words: String,
    kept: bool,
}

#[derive(Debug, Serialize)]
struct ScreenData {
    activity: String,
    width: u32,
    height: u32,
    /// Kind, title, number of nodes.
    windows: Vec<(&'static str, String, u32)>,
    nodes: Vec<NodeData>,
}

/// Depth, class, id, text, description, flags, left, top, right, bottom.
type NodeData = (u16, String, String, String, String, u16, i32, i32, i32, i32);

/// The data of these findings as an element that no browser runs.
pub(crate) fn page_data(findings: &[NumberedFinding<'_>]) -> Markup {
    let mut screens = ScreenTable::default();
    let findings = findings
        .iter()
        .map(|numbered| finding_data(numbered, &mut screens))
        .collect();
    let data = PageData {
        format: FORMAT,
        findings,
        screens: screens.screens,
    };
    // Only texts have these characters, and JSON has another way to write them there.
    let json = serde_json::to_string(&data)
        .unwrap_or_default()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026");
    html! { script type="application/json" id="retap-data" { (PreEscaped(json)) } }
}

/// Screens of all findings, each once.
#[derive(Default)]
struct ScreenTable {
    screens: Vec<ScreenData>,
    numbers: HashMap<ScreenHash, usize>,
    nodes: usize,
}

impl ScreenTable {
    /// Number of a screen; none if there is no space left for it.
    fn number(&mut self, screen: &Screen) -> Option<usize> {
        if let Some(number) = self.numbers.get(&screen.hash()) {
            return Some(*number);
        }
        let nodes = screen.nodes().len();
        if self.nodes + nodes > NODE_LIMIT {
            return None;
        }
        self.nodes += nodes;
        self.screens.push(screen_data(screen));
        self.numbers.insert(screen.hash(), self.screens.len() - 1);
        Some(self.screens.len() - 1)
    }
}

fn finding_data(numbered: &NumberedFinding<'_>, screens: &mut ScreenTable) -> FindingData {
    let stored = numbered.finding;
    let trace = IllustratedTrace::of(stored);
    let headline = FindingHeadline::of(&stored.finding);
    let title = if headline.function.is_empty() {
        headline.what
    } else {
        format!("{} in {}", headline.what, headline.function)
    };
    FindingData {
        anchor: numbered.anchor(),
        fingerprint: stored.fingerprint.to_string(),
        title,
        steps: (0..trace.steps.len())
            .map(|number| step_data(&trace, number, screens))
            .collect(),
        last: trace
            .screens
            .get(trace.steps.len())
            .and_then(|screen| screens.number(screen)),
        original: original_steps(stored),
    }
}

fn step_data(trace: &IllustratedTrace<'_>, number: usize, screens: &mut ScreenTable) -> StepData {
    let step = &trace.steps[number];
    let bare = StepData {
        words: step_text::step_text(step),
        recorded: None,
        screen: None,
        node: None,
        at: step.at_millis,
    };
    let Some(screen) = trace.screens.get(number) else {
        return bare;
    };
    let touch = StepTouch::of(step, trace.located_by.get(number).copied(), screen);
    let (performed, other): (Step, _) = touch.as_performed(step, screen);
    StepData {
        words: step_text::step_text(&performed),
        recorded: other.map(step_text::widget),
        screen: screens.number(screen),
        node: touch.node,
        ..bare
    }
}

/// Steps before the reduction, if the run knows which of them were kept.
fn original_steps(stored: &StoredFinding) -> Vec<OriginalStepData> {
    let Some(reduced) = &stored.reduced else {
        return Vec::new();
    };
    let kept = &reduced.reduction.kept;
    if kept.is_empty() && !reduced.reduction.trace.steps.is_empty() {
        return Vec::new();
    }
    let steps = stored.trace.steps.iter().zip(0u32..);
    steps
        .take(ORIGINAL_LIMIT)
        .map(|(step, number)| OriginalStepData {
            words: step_text::step_text(step),
            kept: kept.contains(&number),
        })
        .collect()
}

fn screen_data(screen: &Screen) -> ScreenData {
    let size = screen.size();
    ScreenData {
        activity: sanitise_line(screen.activity(), TEXT_LENGTH),
        width: size.width,
        height: size.height,
        windows: screen
            .windows()
            .iter()
            .map(|window| {
                let title = sanitise_line(&window.title, TEXT_LENGTH);
                (kind(window.kind), title, window.nodes)
            })
            .collect(),
        nodes: screen.nodes().iter().map(node_data).collect(),
    }
}

fn node_data(node: &Node) -> NodeData {
    let text = |text: &str| sanitise_line(text, TEXT_LENGTH);
    let bounds = node.bounds;
    (
        node.depth,
        text(&node.class),
        text(&node.id),
        text(&node.text),
        text(&node.description),
        node.flags.bits(),
        bounds.left,
        bounds.top,
        bounds.right,
        bounds.bottom,
    )
}

fn kind(kind: WindowKind) -> &'static str {
    match kind {
        WindowKind::Application => "app",
        WindowKind::Dialog => "dialog",
        WindowKind::Popup => "popup",
        WindowKind::Keyboard => "keyboard",
        WindowKind::System => "system",
    }
}
