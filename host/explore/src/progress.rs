//! What all sessions together have reached so far, for those who watch. The result is not made from it.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use retap_device::run_event::{EventSink, RunEvent};
use retap_model::{Coverage, CoverageGain, CoveragePoint};
use retap_shared::Text;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;

use super::finding_record::FindingRecord;
use crate::journal::SessionRecord;

pub(super) struct Progress<'a> {
    app: &'a Text,
    sink: &'a EventSink,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    events: u64,
    /// Of the sessions that have ended.
    took: Micros,
    coverage: Coverage,
    seen: HashSet<Fingerprint>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(app: &'a Text, sink: &'a EventSink) -> Progress<'a> {
        Progress {
            app,
            sink,
            state: Mutex::default(),
        }
    }

    /// A session that an earlier process played.
    pub(super) fn recall(&self, session: &SessionRecord) {
        let mut state = self.state();
        state.events += u64::from(session.events);
        state.took += session.took;
        state
            .seen
            .extend(session.found.iter().map(|found| found.fingerprint));
        let mut grew = false;
        for gain in &session.gains {
            grew |= state.coverage.gain(gain);
        }
        let now = state.now(Micros::ZERO);
        drop(state);
        let SessionRecord {
            session,
            events,
            took,
            ..
        } = *session;
        (self.sink)(RunEvent::SessionEnded {
            session,
            events,
            took,
            recalled: true,
        });
        if grew {
            (self.sink)(self.covered(now));
        }
    }

    /// A session that was played now.
    pub(super) fn ended(&self, took: Micros) {
        self.state().took += took;
    }

    pub(super) fn event(&self) {
        self.state().events += 1;
    }

    /// The events of a session that will be played again from its start.
    pub(super) fn forget(&self, events: u32) {
        self.state().events -= u64::from(events);
    }

    pub(super) fn gain(&self, gain: &CoverageGain) {
        let mut state = self.state();
        if !state.coverage.gain(gain) {
            return;
        }
        let now = state.now(gain.took);
        drop(state);
        (self.sink)(self.covered(now));
    }

    pub(super) fn found(&self, session: u32, found: &FindingRecord) {
        let first = self.state().seen.insert(found.fingerprint);
        (self.sink)(RunEvent::ProblemFound {
            app: self.app.clone(),
            session,
            fingerprint: found.fingerprint,
            kind: found.finding.kind,
            summary: found.finding.summary.clone(),
            steps: u32::try_from(found.trace.steps.len()).unwrap_or(u32::MAX),
            first,
        });
    }

    fn covered(&self, now: CoveragePoint) -> RunEvent {
        let CoveragePoint {
            events,
            took,
            activities,
            screens,
            branches,
        } = now;
        RunEvent::Covered {
            app: self.app.clone(),
            events,
            took,
            activities,
            screens,
            branches,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// After so much time in the session under way.
    fn now(&self, session: Micros) -> CoveragePoint {
        self.coverage.at(self.events, self.took + session)
    }
}
