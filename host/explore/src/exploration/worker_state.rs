//! The position of one worker: the step path to it, what of that can be kept as a trace, and its recent log.

use std::collections::HashMap;
use std::iter;

use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::SnapshotId;
use retap_shared::screen::SharedScreen;
use retap_shared::target::Target;
use retap_shared::trace::{ReplayPace, StartMode, Step, Trace, TraceHeader};

use crate::journal::{RecordedEvent, RecordedStep};
use crate::recent_log::{LogEntry, RecentLog};
use crate::settings::ExploreSettings;
use crate::step_path::StepPath;

/// The position of a worker and how it got there.
#[derive(Default)]
pub(crate) struct WorkerState {
    pub(super) path: StepPath,
    /// Number of steps of the path before the last start that kept the data; 0 after a clean start.
    pub(super) data_kept_from: usize,
    /// True if a restored snapshot or kept data is on the path: its steps alone prove nothing.
    pub(super) tainted: bool,
    pub(super) screen: Option<SharedScreen>,
    snapshots: HashMap<SnapshotId, SnapshotPath>,
    pub(crate) events: u32,
    pub(crate) took: Micros,
    pub(crate) phone: PhoneInfo,
    /// The phone that the journal has for the worker.
    pub(super) recorded_phone: Option<PhoneInfo>,
    pub(super) recent_log: RecentLog,
    /// True if the path is kept as a trace already, with the finding that it ended in.
    is_trace_kept: bool,
}

/// The path to a snapshot.
#[derive(Clone)]
struct SnapshotPath {
    path: StepPath,
    data_kept_from: usize,
}

impl WorkerState {
    /// The trace from the last clean start, once, if traces are kept and it can be replayed.
    pub(super) fn take_trace(
        &mut self,
        settings: &ExploreSettings,
        target: Option<Target>,
    ) -> Option<Trace> {
        let was_kept = std::mem::replace(&mut self.is_trace_kept, target.is_some());
        if !settings.keep_traces || was_kept || self.tainted || self.path.is_empty() {
            return None;
        }
        Some(self.trace(settings, target))
    }

    /// The trace from the last clean start.
    pub(super) fn trace(&self, settings: &ExploreSettings, target: Option<Target>) -> Trace {
        Trace {
            header: TraceHeader {
                app: settings.app.app.clone(),
                start: StartMode::Clean,
                seed: None,
                target,
                phone: self.phone.clone(),
                pace: ReplayPace::Quiet,
                claim: None,
            },
            steps: self.path.steps(0),
        }
    }

    /// Moves the worker by one recorded step.
    pub(super) fn apply(&mut self, record: &RecordedStep, setup_steps: &[Step]) {
        if let Some(phone) = &record.phone {
            self.phone = PhoneInfo::clone(phone);
            self.recorded_phone = Some(self.phone.clone());
        }
        self.log_step(record);
        self.events += u32::from(record.event.is_counted());
        match &record.event {
            RecordedEvent::Started { clean: true } => self.start_clean(record, setup_steps),
            RecordedEvent::Started { clean: false } => self.keep_data(),
            RecordedEvent::Stepped { step, .. } => self.path = self.path.with_step(step.clone()),
            RecordedEvent::SnapshotTaken {
                id, whole_phone, ..
            } => {
                if !whole_phone {
                    self.keep_data();
                }
                let path = SnapshotPath {
                    path: self.path.clone(),
                    data_kept_from: self.data_kept_from,
                };
                self.snapshots.insert(*id, path);
            }
            RecordedEvent::SnapshotRestored { id } => {
                if let Some(snapshot) = self.snapshots.get(id).cloned() {
                    self.path = snapshot.path;
                    self.data_kept_from = snapshot.data_kept_from;
                    self.tainted = true;
                }
            }
            RecordedEvent::SnapshotDiscarded { id } => {
                self.snapshots.remove(id);
            }
            RecordedEvent::SnapshotsLost => self.snapshots.clear(),
            RecordedEvent::Refused => {}
        }
        if record.screen.is_some() {
            self.screen.clone_from(&record.screen);
        }
        self.took += record.took;
    }

    /// Begins a new path with the steps that set the app up.
    fn start_clean(&mut self, record: &RecordedStep, setup_steps: &[Step]) {
        let times = record.setup_times.iter().copied().map(Some);
        let setup = setup_steps.iter().zip(times.chain(iter::repeat(None)));
        self.path = setup.fold(StepPath::default(), |path, (step, at_millis)| {
            path.with_step(Step {
                at_millis,
                ..step.clone()
            })
        });
        self.tainted = false;
        self.data_kept_from = 0;
    }

    /// The phone, for the record of a start, if the journal does not have it yet.
    pub(super) fn unrecorded_phone(&self) -> Option<Box<PhoneInfo>> {
        let is_recorded = self.recorded_phone.as_ref() == Some(&self.phone);
        (!is_recorded).then(|| Box::new(self.phone.clone()))
    }

    /// The app has restarted with its data.
    fn keep_data(&mut self) {
        self.tainted = true;
        self.data_kept_from = self.path.len();
    }

    /// Logs the step at the time when it began, and what the phone reported at the time when it ended.
    fn log_step(&mut self, record: &RecordedStep) {
        let entry = match &record.event {
            RecordedEvent::Started { clean } => Some(LogEntry::Started { clean: *clean }),
            RecordedEvent::Stepped { step, .. } => Some(LogEntry::Step(step.clone())),
            _ => None,
        };
        entry
            .into_iter()
            .for_each(|entry| self.recent_log.push(self.took, entry));
        let end = self.took + record.took;
        let activities = record.activities.iter().cloned();
        let findings = record.findings.iter().cloned();
        activities
            .map(PhoneEventKind::Activity)
            .chain(findings.map(PhoneEventKind::Finding))
            .for_each(|reported| self.recent_log.push(end, LogEntry::Reported(reported)));
    }
}
