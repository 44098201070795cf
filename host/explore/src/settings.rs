//! Settings of an exploration that hold for every strategy.

use retap_shared::micros::Micros;
use retap_shared::protocol::{AppInfo, Settle};

use crate::constraints::Constraints;

/// The app, the limits and the rules of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploreSettings {
    /// The app to explore.
    pub app: AppInfo,
    /// Number of events of all workers together.
    pub event_limit: u64,
    /// Phone time of each worker. Replaces `event_limit` if given.
    pub time_limit: Option<Micros>,
    /// Settle times after a step, unless the strategy has its own.
    pub settle: Settle,
    /// Puts the trace from each clean start into the result.
    pub keep_traces: bool,
    /// Takes a screenshot of each finding that is new in the run.
    pub screenshots: bool,
    /// Forbidden widgets, texts to type, and rules that must hold.
    pub constraints: Constraints,
    /// The phones begin with the process and do the same for the same seed. Recorded steps are repeated on them, so that a
    /// resumed run continues at the very place where it was stopped.
    pub repeatable_phones: bool,
}

impl ExploreSettings {
    /// The default settings for an app and a number of events.
    pub fn new(app: AppInfo, event_limit: u64) -> ExploreSettings {
        ExploreSettings {
            app,
            event_limit,
            time_limit: None,
            settle: Settle::default(),
            keep_traces: false,
            screenshots: false,
            constraints: Constraints::default(),
            repeatable_phones: false,
        }
    }

    /// True if an activity is one of the app and not forbidden. A phone that does not know its current activity is assumed to
    /// show the app.
    pub(crate) fn is_in_app(&self, activity: &str) -> bool {
        let package = activity.split('/').next().unwrap_or_default();
        (package.is_empty() || package == self.app.app.package)
            && !self.constraints.forbids_activity(activity)
    }
}
