//! Targets that recorded traces have reached: each activity or screen with the shortest prefix of a trace that leads to it.
//! These are what ND3MIN was made for: the shortest trace to each activity of an app.

use std::collections::{HashMap, HashSet};

use retap_shared::Text;
use retap_shared::target::Target;
use retap_shared::trace::{Step, Trace};
use retap_shared::widget::Widget;
use serde::{Deserialize, Serialize};

use crate::named_choice::{NamedChoice, named_choice_text};

/// Kind of the targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReachedKind {
    /// Each activity of the app.
    #[default]
    Activity,
    /// Each screen, identified by a widget that was first used on it: by its resource id, or by its text if it has no id.
    Screen,
}

/// A target, and the shortest prefix of a trace that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachedTarget {
    /// The target.
    pub target: Target,
    /// Index of the trace.
    pub trace: usize,
    /// Number of its steps before the target was reached.
    pub steps: usize,
}

/// Targets of one kind that traces have reached, in the order of their prefixes' lengths. The state after the last step of a
/// trace is not recorded: it counts if another step was made in it. Of several widgets that were first used on the same recorded
/// screen, one is a target.
pub fn reached_targets(traces: &[Trace], kind: ReachedKind) -> Vec<ReachedTarget> {
    let mut shortest: HashMap<Target, ReachedTarget> = HashMap::new();
    for (index, trace) in traces.iter().enumerate() {
        for (steps, step) in trace.steps.iter().enumerate() {
            let Some(target) = target_of(step, kind, &trace.header.app.package) else {
                continue;
            };
            let reached = ReachedTarget {
                target: target.clone(),
                trace: index,
                steps,
            };
            let known = shortest.entry(target).or_insert_with(|| reached.clone());
            if steps < known.steps {
                *known = reached;
            }
        }
    }
    let mut reached: Vec<ReachedTarget> = shortest.into_values().collect();
    reached.sort_by_key(|one| (one.steps, one.trace, one.target.label()));
    if kind == ReachedKind::Screen {
        let mut screens = HashSet::new();
        let screen = |one: &ReachedTarget| traces[one.trace].steps[one.steps].screen;
        reached.retain(|one| screen(one).is_none_or(|screen| screens.insert(screen)));
    }
    reached
}

impl ReachedTarget {
    /// The prefix of its trace, with the target in its header.
    pub fn prefix(&self, traces: &[Trace]) -> Trace {
        let mut prefix = traces[self.trace].clone();
        prefix.steps.truncate(self.steps);
        prefix.header.target = Some(self.target.clone());
        prefix
    }
}

/// Target that is reached on the screen of a step; none if it is not of the app.
fn target_of(step: &Step, kind: ReachedKind, package: &str) -> Option<Target> {
    let is_own = step.activity.split('/').next() == Some(package);
    if !is_own {
        return None;
    }
    match kind {
        ReachedKind::Activity => Some(Target::Activity(step.activity.clone())),
        ReachedKind::Screen => step
            .widget
            .as_ref()
            .and_then(recognisable)
            .map(Target::Screen),
    }
}

/// The part of a widget that identifies its screen.
fn recognisable(widget: &Widget) -> Option<Widget> {
    let by_id = || Widget {
        id: widget.id.clone(),
        ..Widget::default()
    };
    let by_text = || Widget {
        text: widget.text.clone(),
        ..Widget::default()
    };
    let has = |text: &Text| !text.is_empty();
    match (has(&widget.id), has(&widget.text)) {
        (true, _) => Some(by_id()),
        (false, true) => Some(by_text()),
        (false, false) => None,
    }
}

impl NamedChoice for ReachedKind {
    const KIND: &'static str = "kind of target";
    const ALL: &'static [ReachedKind] = &[ReachedKind::Activity, ReachedKind::Screen];

    fn name(self) -> &'static str {
        match self {
            ReachedKind::Activity => "activity",
            ReachedKind::Screen => "screen",
        }
    }

    fn description(self) -> &'static str {
        match self {
            ReachedKind::Activity => "Each activity of the app",
            ReachedKind::Screen => "Each screen, known by a widget that was first used on it",
        }
    }
}

named_choice_text!(ReachedKind);
