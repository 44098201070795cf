//! Where one walker is, how it came there, and what of that can be kept as a trace.

use std::collections::HashMap;

use retap_shared::micros::Micros;
use retap_shared::protocol::{CheckpointId, PhoneInfo, Target, What};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{Start, Step, Trace, TraceHeader};

use super::ExploreSettings;
use super::diary::{Diary, Entry};
use super::way::Way;
use crate::journal::{WalkRecord, Walked};

/// Where a walker is and how it came there.
#[derive(Default)]
pub(super) struct Trail {
    pub(super) way: Way,
    /// How many steps of the way lie before the last start that kept the data; none counts from a clean start.
    pub(super) kept_since: usize,
    /// A restored state or kept data is on the way: it is no proof by itself.
    pub(super) tainted: bool,
    pub(super) screen: Option<SharedScreen>,
    saved: HashMap<CheckpointId, (Way, usize)>,
    pub(super) events: u32,
    pub(super) took: Micros,
    pub(super) phone: PhoneInfo,
    pub(super) diary: Diary,
    /// The way is kept already, with the problem it ended in.
    kept: bool,
}

impl Trail {
    /// What was done since the last clean start, if that is wanted, and can be played from one.
    pub(super) fn trace(
        &mut self,
        settings: &ExploreSettings,
        walker: u32,
        target: Option<Target>,
    ) -> Option<(u32, Trace)> {
        let is_new = !std::mem::replace(&mut self.kept, target.is_some());
        if !settings.keep_traces || !is_new || self.tainted || self.way.is_empty() {
            return None;
        }
        let app = settings.app.app.clone();
        let phone = self.phone.clone();
        let header = TraceHeader {
            app,
            start: Start::Clean,
            seed: None,
            target,
            phone,
        };
        Some((
            walker,
            Trace {
                header,
                steps: self.way.steps(0),
            },
        ))
    }

    /// Where the walker is after this.
    pub(super) fn go(&mut self, record: &WalkRecord, before: &[Step]) {
        match &record.did {
            Walked::Started { clean: true } => {
                self.way = before
                    .iter()
                    .cloned()
                    .fold(Way::default(), |way, step| way.then(step));
                (self.tainted, self.kept_since) = (false, 0);
            }
            Walked::Started { clean: false } => {
                (self.tainted, self.kept_since) = (true, self.way.len())
            }
            Walked::Stepped { step, .. } => {
                self.way = self.way.then(step.clone());
                self.events += 1;
            }
            Walked::Refused => self.events += 1,
            Walked::Saved { id, whole, .. } => {
                if !whole {
                    (self.tainted, self.kept_since) = (true, self.way.len());
                }
                self.saved.insert(*id, (self.way.clone(), self.kept_since));
            }
            Walked::Restored { id } => {
                if let Some((way, kept_since)) = self.saved.get(id).cloned() {
                    (self.way, self.kept_since, self.tainted) = (way, kept_since, true);
                }
            }
            Walked::Dropped { id } => {
                self.saved.remove(id);
            }
            Walked::Forgotten => self.saved.clear(),
        }
        if record.screen.is_some() {
            self.screen.clone_from(&record.screen);
        }
        self.took += record.took;
    }

    /// Before the walker's time goes on.
    pub(super) fn tell_diary(&mut self, record: &WalkRecord) {
        match &record.did {
            Walked::Started { clean } => {
                self.diary.note(self.took, Entry::Started { clean: *clean })
            }
            Walked::Stepped { step, .. } => self.diary.note(self.took, Entry::Did(step.clone())),
            _ => {}
        }
        let after = self.took + record.took;
        let passed = record.passed.iter().cloned().map(What::Activity);
        let problems = record.problems.iter().cloned().map(What::Problem);
        passed
            .chain(problems)
            .for_each(|what| self.diary.note(after, Entry::Told(what)));
    }
}
