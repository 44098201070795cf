//! What must survive the process, so that a killed exploration can be resumed. The host keeps it in its store; tests
//! keep it in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use retap_device::JournalError;
use retap_model::CoverageGain;
use retap_shared::Text;
use retap_shared::bytes::Png;
use retap_shared::finding::Finding;
use retap_shared::micros::Micros;
use retap_shared::protocol::SnapshotId;
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{Step, Trace};
use serde::{Deserialize, Serialize};

use crate::FindingRecord;

pub trait ExplorationJournal: Send + Sync {
    /// Finished sessions by number.
    fn recall_sessions(&self) -> Result<BTreeMap<u32, SessionRecord>, JournalError>;
    fn note_session(&self, session: &SessionRecord) -> Result<(), JournalError>;

    /// All that the walkers of a whole exploration have done, in the order of its completion.
    fn recall_steps(&self) -> Result<Vec<RecordedStep>, JournalError>;
    fn record_step(&self, record: &RecordedStep) -> Result<(), JournalError>;

    /// A problem that a whole exploration has met for the first time, for whoever wants to have it at hand at once: what is
    /// recalled is the walk.
    fn record_finding(&self, _: &FindingRecord) -> Result<(), JournalError> {
        Ok(())
    }
}

/// One thing that a walker did, and what it led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedStep {
    pub number: u64,
    pub walker: u32,
    pub did: RecordedEvent,
    /// What is there now. It is stored beside the records, once however often it is met.
    #[serde(skip)]
    pub screen: Option<SharedScreen>,
    pub problems: Vec<Finding>,
    /// Activities that were in front on the way.
    pub passed: Vec<Text>,
    pub branches: Vec<u32>,
    pub took: Micros,
    /// Of a problem that is new to the run. For whoever notes the record: it is not recalled.
    #[serde(skip)]
    pub picture: Option<Png>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedEvent {
    Started {
        clean: bool,
    },
    Stepped {
        step: Step,
        node: Option<usize>,
        chosen: bool,
        again: bool,
        quiet: bool,
    },
    Refused,
    /// Unless it is of the whole phone, the app was stopped for it and has begun anew, with its data.
    Saved {
        id: SnapshotId,
        bytes: u64,
        #[serde(default = "of_the_whole_phone")]
        whole: bool,
    },
    Restored {
        id: SnapshotId,
    },
    Dropped {
        id: SnapshotId,
    },
    Forgotten,
}

/// What runs of an earlier version have noted nothing else of.
fn of_the_whole_phone() -> bool {
    true
}

/// All that an exploration needs to know of a session once it is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub session: u32,
    pub events: u32,
    pub took: Micros,
    /// How often it started the app clean, and what that took; nothing in what earlier versions have noted.
    #[serde(default)]
    pub starts: u32,
    #[serde(default)]
    pub starting: Micros,
    /// What it covered and when, in order: from all sessions' gains the curve of the whole exploration is made.
    pub gains: Vec<CoverageGain>,
    pub found: Vec<FindingRecord>,
    /// What it did from each clean start on, where that is wanted. For whoever notes the session: it is not recalled.
    #[serde(skip)]
    pub traces: Vec<Trace>,
}

/// A journal that lasts as long as the process.
#[derive(Debug, Default)]
pub struct MemoryExplorationJournal {
    sessions: Mutex<BTreeMap<u32, SessionRecord>>,
    steps: Mutex<Vec<RecordedStep>>,
}

impl ExplorationJournal for MemoryExplorationJournal {
    fn recall_sessions(&self) -> Result<BTreeMap<u32, SessionRecord>, JournalError> {
        Ok(self
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone())
    }

    fn note_session(&self, session: &SessionRecord) -> Result<(), JournalError> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.insert(session.session, session.clone());
        Ok(())
    }

    fn recall_steps(&self) -> Result<Vec<RecordedStep>, JournalError> {
        Ok(self
            .steps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone())
    }

    fn record_step(&self, record: &RecordedStep) -> Result<(), JournalError> {
        self.steps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(record.clone());
        Ok(())
    }
}
