//! The journal of an exploration: what must survive the process so that the run can be resumed. The host keeps it in its
//! store; tests keep it in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use retap_device::{JournalError, RunContext};
use retap_shared::Text;
use retap_shared::bytes::Png;
use retap_shared::finding::Finding;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{ReadLogReply, SnapshotId};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::Step;
use serde::{Deserialize, Serialize};

use crate::finding_record::FindingRecord;

/// Keeps the steps of an exploration.
pub trait ExplorationJournal: Send + Sync {
    /// Number of the step after the last recorded one; 0 if there is none.
    fn next_number(&self) -> Result<u64, JournalError>;

    /// Some of the recorded steps: the first ones from this number on, in the order of their numbers. None if there are no
    /// more.
    fn recall_part(&self, from: u64) -> Result<Vec<RecordedStep>, JournalError>;

    /// Records one step, before the strategy observes it.
    fn record_step(&self, record: &RecordedStep) -> Result<(), JournalError>;

    /// Announces a finding that is new in the run. It need not be kept: findings are made from the steps.
    fn record_finding(&self, _: &FindingRecord) -> Result<(), JournalError> {
        Ok(())
    }
}

/// The context of an exploration.
pub type ExplorationContext<'a> = RunContext<'a, dyn ExplorationJournal + 'a>;

/// One step of a worker, and what it led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedStep {
    /// Place in the order of all steps of the run. Assigned when the step is committed.
    pub number: u64,
    /// Number of the worker.
    #[serde(rename = "walker")]
    pub worker: u32,
    /// The event of the step.
    #[serde(rename = "did")]
    pub event: RecordedEvent,
    /// Screen after the step. Stores keep each screen once, beside the steps.
    #[serde(skip)]
    pub screen: Option<SharedScreen>,
    /// Findings of the step.
    #[serde(rename = "problems")]
    pub findings: Vec<Finding>,
    /// Activities that were shown during the step.
    #[serde(rename = "passed")]
    pub activities: Vec<Text>,
    /// Branches that the step covered.
    pub branches: Vec<u32>,
    /// Phone time of the step.
    pub took: Micros,
    /// Why the phone did not take the action. The step counts as done all the same if the app reacted to a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Times of the setup steps of a clean start, in milliseconds of phone time since the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup_times: Vec<u32>,
    /// The phone, at the first start on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<Box<PhoneInfo>>,
    /// Screenshot of a finding that is new in the run. It is not recalled.
    #[serde(skip)]
    pub screenshot: Option<Png>,
    /// The app's log, for a finding that is new in the run. It is not recalled.
    #[serde(skip)]
    pub app_log: ReadLogReply,
    /// What the app has logged since the last step, if a rule asks for it. It is not recalled.
    #[serde(skip)]
    pub new_log: String,
}

/// One event of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedEvent {
    /// The app was started.
    Started {
        /// With cleared data: a clean start.
        clean: bool,
    },
    /// An action was done.
    Stepped {
        /// The step.
        step: Step,
        /// Index of the node that it was meant for.
        node: Option<usize>,
        /// Origin of the step.
        #[serde(flatten)]
        origin: StepOrigin,
        /// False if the screen was still changing when the wait ended.
        quiet: bool,
    },
    /// Nothing was done: the phone cannot do it, or the constraints forbid it.
    Refused,
    /// A snapshot was taken.
    #[serde(rename = "saved")]
    SnapshotTaken {
        /// The snapshot.
        id: SnapshotId,
        /// Its size.
        bytes: u64,
        /// False for an app-data snapshot, for which the app was restarted with its data.
        #[serde(rename = "whole", default = "whole_phone_by_default")]
        whole_phone: bool,
    },
    /// The worker returned to a snapshot.
    #[serde(rename = "restored")]
    SnapshotRestored {
        /// The snapshot.
        id: SnapshotId,
    },
    /// A snapshot was deleted.
    #[serde(rename = "dropped")]
    SnapshotDiscarded {
        /// The snapshot.
        id: SnapshotId,
    },
    /// The phone or the host was lost, and with it all snapshots of this worker.
    #[serde(rename = "forgotten")]
    SnapshotsLost,
}

/// Origin of a step: the strategy, a repetition, or the return to the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredOrigin", into = "StoredOrigin")]
pub enum StepOrigin {
    /// The strategy chose it.
    Chosen,
    /// The strategy repeats an earlier step in order to travel.
    Repeated,
    /// The worker did it in order to return to the app.
    ReturnToApp,
}

/// The stored form of a step's origin.
#[derive(Serialize, Deserialize)]
struct StoredOrigin {
    chosen: bool,
    again: bool,
}

/// Value for runs of earlier versions, which had no app-data snapshots.
fn whole_phone_by_default() -> bool {
    true
}

impl RecordedStep {
    /// A step that has led to nothing yet.
    pub fn new(worker: usize, event: RecordedEvent) -> RecordedStep {
        RecordedStep {
            number: 0,
            worker: u32::try_from(worker).unwrap_or(u32::MAX),
            event,
            screen: None,
            findings: Vec::new(),
            activities: Vec::new(),
            branches: Vec::new(),
            took: Micros::ZERO,
            refusal: None,
            setup_times: Vec::new(),
            phone: None,
            screenshot: None,
            app_log: ReadLogReply::default(),
            new_log: String::new(),
        }
    }

    /// Sets the screen after the step. One that could not be read is no error if there are findings to keep.
    pub(crate) fn set_screen<E>(&mut self, screen: Result<SharedScreen, E>) -> Result<(), E> {
        match screen {
            Ok(screen) => self.screen = Some(screen),
            Err(error) if self.findings.is_empty() => return Err(error),
            Err(_) => {}
        }
        Ok(())
    }

    /// True if the other step is the same one, done again: by the same worker, with the same result at the same time.
    pub(crate) fn is_repeated_by(&self, other: &RecordedStep) -> bool {
        let hash = |step: &RecordedStep| step.screen.as_ref().map(|screen| screen.hash());
        (self.number, self.worker, self.took) == (other.number, other.worker, other.took)
            && self.event == other.event
            && hash(self) == hash(other)
            && self.findings == other.findings
            && self.activities == other.activities
            && self.branches == other.branches
            && self.refusal == other.refusal
            && self.setup_times == other.setup_times
    }

    /// Adds what the phone reported, each finding once.
    pub(crate) fn add_phone_events(&mut self, events: Vec<PhoneEvent>) {
        for event in events {
            match event.kind {
                PhoneEventKind::Finding(finding) if self.findings.contains(&finding) => {}
                PhoneEventKind::Finding(finding) => self.findings.push(finding),
                PhoneEventKind::Activity(activity) => self.activities.push(activity),
            }
        }
    }
}

impl RecordedEvent {
    /// True if it counts as an event of the exploration.
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self, RecordedEvent::Stepped { .. } | RecordedEvent::Refused)
    }
}

impl From<StoredOrigin> for StepOrigin {
    fn from(stored: StoredOrigin) -> StepOrigin {
        match stored {
            StoredOrigin { again: true, .. } => StepOrigin::Repeated,
            StoredOrigin { chosen: true, .. } => StepOrigin::Chosen,
            StoredOrigin { chosen: false, .. } => StepOrigin::ReturnToApp,
        }
    }
}

impl From<StepOrigin> for StoredOrigin {
    fn from(origin: StepOrigin) -> StoredOrigin {
        StoredOrigin {
            chosen: origin != StepOrigin::ReturnToApp,
            again: origin == StepOrigin::Repeated,
        }
    }
}

/// Number of steps that a journal in memory recalls at once.
const MEMORY_PART: usize = 64;

/// A journal that lasts as long as the process.
#[derive(Debug, Default)]
pub struct MemoryExplorationJournal {
    steps: Mutex<Vec<RecordedStep>>,
}

impl MemoryExplorationJournal {
    /// All recorded steps.
    pub fn recall_steps(&self) -> Result<Vec<RecordedStep>, JournalError> {
        Ok(self.lock().clone())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RecordedStep>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ExplorationJournal for MemoryExplorationJournal {
    fn next_number(&self) -> Result<u64, JournalError> {
        Ok(self.lock().last().map_or(0, |record| record.number + 1))
    }

    fn recall_part(&self, from: u64) -> Result<Vec<RecordedStep>, JournalError> {
        let steps = self.lock();
        let rest = steps.iter().filter(|record| record.number >= from);
        Ok(rest.take(MEMORY_PART).cloned().collect())
    }

    fn record_step(&self, record: &RecordedStep) -> Result<(), JournalError> {
        self.lock().push(record.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::action::Action;

    use super::*;

    #[test]
    fn steps_are_stored_as_earlier_versions_stored_them() {
        let step = Step::new(Action::Wait { millis: 7 });
        let written = serde_json::to_string(&step).unwrap();
        let cases = [
            (StepOrigin::Chosen, "true,\"again\":false"),
            (StepOrigin::Repeated, "true,\"again\":true"),
            (StepOrigin::ReturnToApp, "false,\"again\":false"),
        ];
        for (origin, flags) in cases {
            let event = RecordedEvent::Stepped {
                step: step.clone(),
                node: Some(3),
                origin,
                quiet: true,
            };
            let stored = format!(
                "{{\"number\":0,\"walker\":2,\"did\":{{\"stepped\":{{\"step\":{written},\"node\":3,\"chosen\":{flags},\
                 \"quiet\":true}}}},\"problems\":[],\"passed\":[],\"branches\":[],\"took\":0}}"
            );
            let record = RecordedStep::new(2, event);
            assert_eq!(serde_json::to_string(&record).unwrap(), stored);
            assert_eq!(
                serde_json::from_str::<RecordedStep>(&stored).unwrap(),
                record
            );
        }
    }

    #[test]
    fn snapshots_are_stored_as_earlier_versions_stored_them() {
        let cases = [
            (
                RecordedEvent::SnapshotTaken {
                    id: SnapshotId(4),
                    bytes: 5,
                    whole_phone: true,
                },
                "{\"saved\":{\"id\":4,\"bytes\":5}}",
            ),
            (
                RecordedEvent::SnapshotRestored { id: SnapshotId(4) },
                "{\"restored\":{\"id\":4}}",
            ),
            (
                RecordedEvent::SnapshotDiscarded { id: SnapshotId(4) },
                "{\"dropped\":{\"id\":4}}",
            ),
            (RecordedEvent::SnapshotsLost, "\"forgotten\""),
        ];
        for (event, stored) in cases {
            assert_eq!(
                serde_json::from_str::<RecordedEvent>(stored).unwrap(),
                event
            );
        }
    }
}
