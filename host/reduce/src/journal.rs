//! A journal in memory, for tests and benches. The journals' traits are beside what uses them: `oracle` and `suite`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use retap_device::JournalError;

use crate::oracle::{CandidateKey, Observation, ObservationJournal};
use crate::suite::{ReplayJournal, ReplayRecord};

/// A journal that lasts as long as the process.
#[derive(Debug, Default)]
pub struct MemoryReductionJournal {
    observations: Mutex<HashMap<(CandidateKey, u32), Observation>>,
    replays: Mutex<HashMap<(u64, u32), ReplayRecord>>,
}

impl MemoryReductionJournal {
    /// Number of recorded replays of suites.
    pub fn runs(&self) -> usize {
        lock(&self.replays).len()
    }
}

impl ObservationJournal for MemoryReductionJournal {
    fn recall_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
    ) -> Result<Option<Observation>, JournalError> {
        Ok(lock(&self.observations).get(&(candidate, attempt)).cloned())
    }

    fn record_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
        observation: &Observation,
    ) -> Result<(), JournalError> {
        lock(&self.observations).insert((candidate, attempt), observation.clone());
        Ok(())
    }
}

impl ReplayJournal for MemoryReductionJournal {
    fn recall_replay(&self, key: u64, attempt: u32) -> Result<Option<ReplayRecord>, JournalError> {
        Ok(lock(&self.replays).get(&(key, attempt)).cloned())
    }

    fn record_replay(
        &self,
        key: u64,
        attempt: u32,
        replay: &ReplayRecord,
    ) -> Result<(), JournalError> {
        lock(&self.replays).insert((key, attempt), replay.clone());
        Ok(())
    }
}

fn lock<T>(entries: &Mutex<T>) -> MutexGuard<'_, T> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}
