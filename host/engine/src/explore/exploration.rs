//! What came of an exploration: its sessions put together in their order.

use retap_shared::micros::Micros;
use retap_shared::verdict::Outcome;

use super::found::{self, Found};
use crate::journal::SessionRecord;
use crate::model::{Coverage, CoveragePoint};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    pub outcome: Outcome,
    pub coverage: Coverage,
    /// How coverage grew, as if the sessions had been played one after the other.
    pub curve: Vec<CoveragePoint>,
    /// Each problem once, as it came first.
    pub found: Vec<Found>,
    pub events: u64,
    /// The phones' time, of all sessions together.
    pub took: Micros,
}

impl Exploration {
    pub(super) fn of(sessions: impl Iterator<Item = SessionRecord>, outcome: Outcome) -> Exploration {
        let mut whole = Exploration {
            outcome,
            coverage: Coverage::default(),
            curve: Vec::new(),
            found: Vec::new(),
            events: 0,
            took: Micros::ZERO,
        };
        sessions.for_each(|session| whole.add(session));
        let end = whole.coverage.at(whole.events, whole.took);
        if whole.curve.last() != Some(&end) {
            whole.curve.push(end);
        }
        whole
    }

    fn add(&mut self, session: SessionRecord) {
        for gain in &session.gains {
            if self.coverage.gain(gain) {
                let (events, took) = (self.events + u64::from(gain.events), self.took + gain.took);
                self.curve.push(self.coverage.at(events, took));
            }
        }
        self.events += u64::from(session.events);
        self.took += session.took;
        session.found.into_iter().for_each(|found| found::add(&mut self.found, found));
    }
}
