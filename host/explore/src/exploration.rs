//! What came of an exploration: its sessions put together in their order, or the whole that several phones made.

use retap_model::{Coverage, CoveragePoint};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

use super::found::{self, Found};
use crate::journal::SessionRecord;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    pub outcome: Outcome,
    pub coverage: Coverage,
    /// How coverage grew; sessions count as if they had been played one after the other.
    pub curve: Vec<CoveragePoint>,
    /// Each problem once, as it came first.
    pub found: Vec<Found>,
    /// Problems that came only after a state was restored or data was kept, and not again from a clean start.
    pub apart: Vec<Found>,
    /// When each problem that counts was first met, in that order.
    pub crashes: Vec<CrashPoint>,
    pub events: u64,
    /// How many of the events the journal knew.
    pub recalled: u64,
    /// The phones' time, of all of them together.
    pub took: Micros,
    /// The time of the phone that worked longest.
    pub longest: Micros,
    pub counts: Counts,
    /// What each walker did from each clean start on, where traces are kept.
    pub traces: Vec<(u32, Trace)>,
    /// What the explorer learned, by the names of files.
    pub learned: Vec<(&'static str, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrashPoint {
    pub fingerprint: Fingerprint,
    pub events: u64,
    pub took: Micros,
}

/// How often something other than an event was done, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The first start of each phone included.
    pub clean_starts: u32,
    /// With the data that was there.
    pub restarts: u32,
    pub starting: Micros,
    pub saves: u32,
    /// Of these: only of the app's data.
    pub data_saves: u32,
    pub saving: Micros,
    pub restores: u32,
    pub restoring: Micros,
    /// Recorded ways that were played again from a clean start to get somewhere, and their events.
    pub replays: u32,
    pub replayed: u64,
}

impl Exploration {
    pub(super) fn empty(outcome: Outcome) -> Exploration {
        Exploration {
            outcome,
            coverage: Coverage::default(),
            curve: Vec::new(),
            found: Vec::new(),
            apart: Vec::new(),
            crashes: Vec::new(),
            events: 0,
            recalled: 0,
            took: Micros::ZERO,
            longest: Micros::ZERO,
            counts: Counts::default(),
            traces: Vec::new(),
            learned: Vec::new(),
        }
    }

    pub(super) fn of(
        sessions: impl Iterator<Item = SessionRecord>,
        outcome: Outcome,
    ) -> Exploration {
        let mut whole = Exploration::empty(outcome);
        sessions.for_each(|session| whole.add(session));
        whole.longest = whole.took;
        whole.close();
        whole
    }

    /// Ends the curve.
    pub(super) fn close(&mut self) {
        let end = self.coverage.at(self.events, self.longest);
        if self.curve.last() != Some(&end) {
            self.curve.push(end);
        }
    }

    fn add(&mut self, session: SessionRecord) {
        for gain in &session.gains {
            if self.coverage.gain(gain) {
                let events = self.events + u64::from(gain.events);
                let took = self.took + gain.took;
                self.curve.push(self.coverage.at(events, took));
            }
        }
        self.events += u64::from(session.events);
        self.counts.clean_starts += session.starts;
        self.counts.starting += session.starting;
        self.took += session.took;
        session
            .found
            .into_iter()
            .for_each(|found| found::add(&mut self.found, found));
    }
}
