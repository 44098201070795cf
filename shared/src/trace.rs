//! Traces: a header and the steps that were done. The `.retap` file is read and written in `file`.

mod claim;
mod file;

use std::hash::{Hash, Hasher};

pub use claim::{ClaimStanding, RunShare, RunTally, TraceClaim};
pub use file::{FORMAT_MAJOR, FORMAT_MINOR, TraceError, TraceErrorKind};
use serde::{Deserialize, Serialize};

use crate::Text;
use crate::action::Action;
use crate::fingerprint::Fingerprint;
use crate::phone_info::PhoneInfo;
use crate::screen::ScreenHash;
use crate::target::Target;
use crate::widget::Widget;

/// Steps and the conditions under which they were done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// App, start, target and phone.
    pub header: TraceHeader,
    /// The steps in their order.
    pub steps: Vec<Step>,
}

/// The conditions for a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceHeader {
    /// The app under test.
    pub app: App,
    /// The state of the app before the first step.
    pub start: StartMode,
    /// The seed of the exploration that recorded the trace.
    pub seed: Option<u64>,
    /// The target that a replay reaches.
    pub target: Option<Target>,
    /// The phone on which the trace was recorded.
    pub phone: PhoneInfo,
    /// The pace at which a replay reaches the target.
    pub pace: ReplayPace,
    /// The claim of the reduction that made the trace; none for traces that were recorded or changed since.
    pub claim: Option<TraceClaim>,
}

/// How a replay times its steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayPace {
    /// Each step waits until the screen has settled.
    #[default]
    Quiet,
    /// Each step comes as long after the one before as it was recorded.
    Recorded,
}

/// An app under test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct App {
    /// Package name.
    pub package: Text,
    /// The activity that is launched; empty for the app's launcher activity.
    pub activity: Text,
    /// `versionCode` of the manifest; 0 if unknown.
    pub version_code: u64,
}

/// The state of the app before the first step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartMode {
    /// A clean start: stopped, data cleared, permissions granted, launched.
    #[default]
    Clean,
    /// Stopped and launched, with its data.
    Restart,
    /// Left as it is.
    Continue,
}

/// An action and the widget it was meant for. A replay looks for the widget first and uses the recorded place otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The action.
    pub action: Action,
    /// The widget that the action was meant for.
    pub widget: Option<Widget>,
    /// The activity in front when the step was recorded.
    pub activity: Text,
    /// The screen on which the step was recorded.
    pub screen: Option<ScreenHash>,
    /// Phone time from the start of the app to the step, in milliseconds; none if unknown.
    pub at_millis: Option<u32>,
}

impl Step {
    /// A step without a widget, an activity, a screen or a time.
    pub fn new(action: Action) -> Self {
        Step {
            action,
            widget: None,
            activity: Text::default(),
            screen: None,
            at_millis: None,
        }
    }
}

impl Hash for Step {
    /// A step without a time has the hash that it had before steps had times: journals keep it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.action.hash(state);
        self.widget.hash(state);
        self.activity.hash(state);
        self.screen.hash(state);
        if let Some(at_millis) = self.at_millis {
            at_millis.hash(state);
        }
    }
}

impl Trace {
    /// True if the trace can be played at recorded pace: every step has a time, none before the step before it.
    pub fn has_times(&self) -> bool {
        self.steps.iter().all(|step| step.at_millis.is_some())
            && self.steps.is_sorted_by_key(|step| step.at_millis)
    }

    /// The trace without the times of its steps.
    pub fn without_times(mut self) -> Trace {
        for step in &mut self.steps {
            step.at_millis = None;
        }
        self
    }

    /// The fingerprint of the finding that the trace reaches, if its target is one.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        match self.header.target {
            Some(Target::Problem(fingerprint)) => Some(fingerprint),
            _ => None,
        }
    }
}
