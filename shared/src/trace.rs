//! Traces: a header and the steps that were done. The `.retap` file is read and written in `file`.

mod file;

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
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Step {
    /// The action.
    pub action: Action,
    /// The widget that the action was meant for.
    pub widget: Option<Widget>,
    /// The activity in front when the step was recorded.
    pub activity: Text,
    /// The screen on which the step was recorded.
    pub screen: Option<ScreenHash>,
}

impl Step {
    /// A step without a widget, an activity or a screen.
    pub fn new(action: Action) -> Self {
        Step {
            action,
            widget: None,
            activity: Text::default(),
            screen: None,
        }
    }
}

impl Trace {
    /// The fingerprint of the finding that the trace reaches, if its target is one.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        match self.header.target {
            Some(Target::Problem(fingerprint)) => Some(fingerprint),
            _ => None,
        }
    }
}
