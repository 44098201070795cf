//! Where one walker is, how it came there, and what of that can be kept as a trace.

use std::collections::HashMap;

use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::SnapshotId;
use retap_shared::screen::SharedScreen;
use retap_shared::target::Target;
use retap_shared::trace::{StartMode, Step, Trace, TraceHeader};

use super::ExploreSettings;
use super::recent_log::{LogEntry, RecentLog};
use super::step_path::StepPath;
use crate::journal::{RecordedEvent, RecordedStep};

/// Where a walker is and how it came there.
#[derive(Default)]
pub(super) struct WorkerState {
    pub(super) path: StepPath,
    /// How many steps of the way lie before the last start that kept the data; none counts from a clean start.
    pub(super) data_kept_from: usize,
    /// A restored state or kept data is on the way: it is no proof by itself.
    pub(super) tainted: bool,
    pub(super) screen: Option<SharedScreen>,
    snapshots: HashMap<SnapshotId, (StepPath, usize)>,
    pub(super) events: u32,
    pub(super) took: Micros,
    pub(super) phone: PhoneInfo,
    pub(super) recent_log: RecentLog,
    /// The way is kept already, with the problem it ended in.
    is_trace_kept: bool,
}

impl WorkerState {
    /// What was done since the last clean start, if that is wanted, and can be played from one.
    pub(super) fn take_trace(
        &mut self,
        settings: &ExploreSettings,
        walker: u32,
        target: Option<Target>,
    ) -> Option<(u32, Trace)> {
        let is_new = !std::mem::replace(&mut self.is_trace_kept, target.is_some());
        if !settings.keep_traces || !is_new || self.tainted || self.path.is_empty() {
            return None;
        }
        let app = settings.app.app.clone();
        let phone = self.phone.clone();
        let header = TraceHeader {
            app,
            start: StartMode::Clean,
            seed: None,
            target,
            phone,
        };
        Some((
            walker,
            Trace {
                header,
                steps: self.path.steps(0),
            },
        ))
    }

    /// Where the walker is after this.
    pub(super) fn apply(&mut self, record: &RecordedStep, before: &[Step]) {
        match &record.did {
            RecordedEvent::Started { clean: true } => {
                self.path = before
                    .iter()
                    .cloned()
                    .fold(StepPath::default(), |way, step| way.with_step(step));
                (self.tainted, self.data_kept_from) = (false, 0);
            }
            RecordedEvent::Started { clean: false } => {
                (self.tainted, self.data_kept_from) = (true, self.path.len());
            }
            RecordedEvent::Stepped { step, .. } => {
                self.path = self.path.with_step(step.clone());
                self.events += 1;
            }
            RecordedEvent::Refused => self.events += 1,
            RecordedEvent::Saved { id, whole, .. } => {
                if !whole {
                    (self.tainted, self.data_kept_from) = (true, self.path.len());
                }
                self.snapshots
                    .insert(*id, (self.path.clone(), self.data_kept_from));
            }
            RecordedEvent::Restored { id } => {
                if let Some((way, kept_since)) = self.snapshots.get(id).cloned() {
                    (self.path, self.data_kept_from, self.tainted) = (way, kept_since, true);
                }
            }
            RecordedEvent::Dropped { id } => {
                self.snapshots.remove(id);
            }
            RecordedEvent::Forgotten => self.snapshots.clear(),
        }
        if record.screen.is_some() {
            self.screen.clone_from(&record.screen);
        }
        self.took += record.took;
    }

    /// Before the walker's time goes on.
    pub(super) fn log_step(&mut self, record: &RecordedStep) {
        match &record.did {
            RecordedEvent::Started { clean } => self
                .recent_log
                .push(self.took, LogEntry::Started { clean: *clean }),
            RecordedEvent::Stepped { step, .. } => self
                .recent_log
                .push(self.took, LogEntry::Step(step.clone())),
            _ => {}
        }
        let after = self.took + record.took;
        let passed = record.passed.iter().cloned().map(PhoneEventKind::Activity);
        let problems = record.problems.iter().cloned().map(PhoneEventKind::Finding);
        passed
            .chain(problems)
            .for_each(|what| self.recent_log.push(after, LogEntry::Reported(what)));
    }
}
