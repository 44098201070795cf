//! Effort of the search for one trace, against the limits of the settings.

use crate::suite::SearchLimits;
use crate::suite::replay_dispatcher::ReplayDispatcher;

/// Candidates and events that a search has replayed without success.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchEffort {
    candidates: u32,
    /// Events of the whole reduction when the search began.
    events_before: u64,
}

impl SearchEffort {
    pub(super) fn begin(dispatcher: &ReplayDispatcher<'_>) -> SearchEffort {
        SearchEffort {
            candidates: 0,
            events_before: dispatcher.cost.events,
        }
    }

    /// Counts a candidate that failed.
    pub(super) fn count_candidate(&mut self) {
        self.candidates += 1;
    }

    /// True if the search has reached a limit.
    pub(super) fn exceeds(&self, limits: SearchLimits, dispatcher: &ReplayDispatcher<'_>) -> bool {
        let events = dispatcher.cost.events - self.events_before;
        self.candidates >= limits.candidates || events >= limits.events
    }
}
