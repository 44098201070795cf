//! The state that all workers of an exploration share. Every step goes through `commit`, and every step of the journal through the same
//! `ExplorationState::apply`, so that a resumed run has the same state.

mod recall;
mod state;
mod unconfirmed;
mod worker_state;

use std::sync::{Mutex, MutexGuard, PoisonError};

use recall::{RecallResult, is_reported_again};
use retap_device::DevicePool;
use retap_device::run_event::RunEvent;
use retap_shared::finding::Finding;
use state::ExplorationState;
pub(crate) use unconfirmed::UnconfirmedFinding;

use crate::error::ExploreError;
use crate::explorer::Explorer;
use crate::journal::{ExplorationContext, RecordedEvent, RecordedStep};
use crate::result::ExplorationResult;
use crate::settings::ExploreSettings;

/// One exploration: its phones, its settings, and the state that its workers share.
pub(crate) struct Exploration<'a> {
    pub(crate) pool: &'a DevicePool,
    pub(crate) settings: &'a ExploreSettings,
    pub(crate) context: ExplorationContext<'a>,
    state: Mutex<ExplorationState>,
}

impl<'a> Exploration<'a> {
    pub(crate) fn new(
        pool: &'a DevicePool,
        explorer: Box<dyn Explorer>,
        settings: &'a ExploreSettings,
        context: ExplorationContext<'a>,
        workers: usize,
    ) -> Exploration<'a> {
        Exploration {
            pool,
            settings,
            context,
            state: Mutex::new(ExplorationState::new(explorer, workers)),
        }
    }

    pub(crate) fn lock_state(&self) -> MutexGuard<'_, ExplorationState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers a step, records it in the journal and applies it, all under one lock: the journal has the steps in the order in
    /// which the strategy observed them. A step that repeats a recorded one is not recorded again.
    pub(crate) fn commit(&self, record: &mut RecordedStep) -> Result<(), ExploreError> {
        let (events, findings) = {
            let mut state = self.lock_state();
            record.number = state.next_number;
            let is_repeated = match self.compare_with_journal(&mut state, record)? {
                RecallResult::Repeated => true,
                RecallResult::Diverged => return Ok(()),
                RecallResult::NotRecorded => false,
            };
            if !is_repeated {
                let worker = &state.workers[record.worker as usize];
                if matches!(record.event, RecordedEvent::Started { .. }) {
                    record.phone = worker.unrecorded_phone();
                }
                self.context.journal.record_step(record)?;
            }
            state.next_number += 1;
            let known = state.result.findings.len();
            let mut events = state.apply(record, self.settings);
            if is_repeated {
                state.result.recalled_events = state.result.events;
                events.retain(is_reported_again);
            }
            (events, state.result.findings[known..].to_vec())
        };
        events.into_iter().for_each(|event| self.emit(event));
        Ok(findings
            .iter()
            .try_for_each(|finding| self.context.journal.record_finding(finding))?)
    }

    /// True if all events are recorded.
    pub(crate) fn is_complete(&self) -> bool {
        let state = self.lock_state();
        match self.settings.time_limit {
            Some(limit) => state.workers.iter().all(|worker| worker.took >= limit),
            None => state.result.events >= self.settings.event_limit,
        }
    }

    /// True if a worker may begin another event.
    pub(crate) fn is_within_limit(&self, worker: usize) -> bool {
        let state = self.lock_state();
        match self.settings.time_limit {
            _ if state.recall.has_diverged() => false,
            Some(limit) => state.workers[worker].took < limit,
            None => state.events_begun < self.settings.event_limit,
        }
    }

    /// Takes one event of the event limit.
    pub(crate) fn count_event(&self) {
        self.lock_state().events_begun += 1;
    }

    /// True if one of these findings is the first of its fingerprint in this run.
    pub(crate) fn has_new_finding(&self, findings: &[Finding]) -> bool {
        let known = &self.lock_state().known_findings;
        findings
            .iter()
            .any(|finding| !known.contains(&finding.fingerprint()))
    }

    /// The result so far, and the findings that still need a confirmation.
    pub(crate) fn finish(&self) -> (ExplorationResult, Vec<UnconfirmedFinding>) {
        self.lock_state().finish(self.settings)
    }

    /// Reports what a worker did until its end.
    pub(crate) fn report_worker_end(&self, worker: usize) {
        // A worker that ends only to begin anew has not ended.
        if self.has_diverged() {
            return;
        }
        let (events, took) = {
            let state = self.lock_state();
            (state.workers[worker].events, state.workers[worker].took)
        };
        self.emit(RunEvent::SessionEnded {
            session: u32::try_from(worker).unwrap_or(u32::MAX),
            events,
            took,
            recalled: false,
        });
    }

    pub(crate) fn emit(&self, event: RunEvent) {
        (self.context.events)(event);
    }
}
