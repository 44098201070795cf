//! What was done: a header and steps. The `.retap` file is in `file`.

mod file;

pub use file::{FORMAT_MAJOR, FORMAT_MINOR, TraceError, TraceErrorKind};
use serde::{Deserialize, Serialize};

use crate::Text;
use crate::action::{Action, Widget};
use crate::fingerprint::Fingerprint;
use crate::protocol::{PhoneInfo, Target};
use crate::screen::ScreenHash;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub header: TraceHeader,
    pub steps: Vec<Step>,
}

/// What one needs to know to play the steps again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceHeader {
    pub app: App,
    pub start: StartMode,
    /// The seed of the exploration that made it.
    pub seed: Option<u64>,
    /// What playing it reaches.
    pub target: Option<Target>,
    pub phone: PhoneInfo,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct App {
    pub package: Text,
    /// The activity that is launched; empty for the app's launcher activity.
    pub activity: Text,
    pub version_code: u64,
}

/// The state in which the first step finds the app.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartMode {
    /// Stopped, data cleared, permissions granted again, launched.
    #[default]
    Clean,
    /// Stopped and launched, with the data it had.
    Restart,
    /// As it was.
    Continue,
}

/// One event and what it was meant for. It is replayed by widget first and by place second.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Step {
    pub action: Action,
    pub widget: Option<Widget>,
    /// The activity in front when it was recorded.
    pub activity: Text,
    /// The screen on which it was recorded.
    pub screen: Option<ScreenHash>,
}

impl Step {
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
    /// The crash that it is known to reach.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        match self.header.target {
            Some(Target::Problem(fingerprint)) => Some(fingerprint),
            _ => None,
        }
    }
}
