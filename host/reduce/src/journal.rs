//! What must survive the process, so that a killed reduction can be resumed. The host keeps it in its store; tests keep
//! it in memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use retap_device::JournalError;

use crate::oracle::{CandidateKey, Observation};
use crate::suite::{ReplayJournal, ReplayRecord};

/// What attempts of candidates have shown.
pub trait ObservationJournal: Send + Sync {
    fn recall_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
    ) -> Result<Option<Observation>, JournalError>;
    fn record_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
        seen: &Observation,
    ) -> Result<(), JournalError>;
}

/// A journal that lasts as long as the process.
#[derive(Debug, Default)]
pub struct MemoryReductionJournal {
    observations: Mutex<HashMap<(CandidateKey, u32), Observation>>,
    runs: Mutex<HashMap<(u64, u32), ReplayRecord>>,
}

impl MemoryReductionJournal {
    /// How many runs of suites it holds.
    pub fn runs(&self) -> usize {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.len()
    }
}

impl ReplayJournal for MemoryReductionJournal {
    fn recall_replay(&self, key: u64, attempt: u32) -> Result<Option<ReplayRecord>, JournalError> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(runs.get(&(key, attempt)).cloned())
    }

    fn record_replay(
        &self,
        key: u64,
        attempt: u32,
        run: &ReplayRecord,
    ) -> Result<(), JournalError> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.insert((key, attempt), run.clone());
        Ok(())
    }
}

impl ObservationJournal for MemoryReductionJournal {
    fn recall_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
    ) -> Result<Option<Observation>, JournalError> {
        let observations = self
            .observations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Ok(observations.get(&(candidate, attempt)).cloned())
    }

    fn record_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
        seen: &Observation,
    ) -> Result<(), JournalError> {
        let mut observations = self
            .observations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        observations.insert((candidate, attempt), seen.clone());
        Ok(())
    }
}
