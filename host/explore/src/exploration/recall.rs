//! What a resumed exploration does with the steps of earlier processes. On repeatable phones the workers do them again, each
//! compared with the journal, so that phones, strategy and random numbers are where they were. Otherwise the strategy only
//! observes them.

use std::collections::VecDeque;

use retap_device::run_event::RunEvent;

use super::Exploration;
use super::state::ExplorationState;
use crate::error::ExploreError;
use crate::journal::{RecordedEvent, RecordedStep};

/// How far the recorded steps were repeated.
#[derive(Default)]
pub(super) struct StepRecall {
    /// Number of the step after the last recorded one.
    end: u64,
    /// Recorded steps that come next.
    part: VecDeque<RecordedStep>,
    /// A phone did something else than it did before.
    has_diverged: bool,
}

/// What the journal says about a step that was done.
pub(super) enum RecallResult {
    /// It is new.
    NotRecorded,
    /// The journal has it.
    Repeated,
    /// The journal has another one in its place, or had one before.
    Diverged,
}

impl StepRecall {
    pub(super) fn has_diverged(&self) -> bool {
        self.has_diverged
    }
}

impl Exploration<'_> {
    /// Begins with the steps of the journal. They are observed at once, unless the phones can repeat them.
    pub(crate) fn begin_recall(&self) -> Result<(), ExploreError> {
        let end = self.context.journal.next_number()?;
        if end == 0 {
            return Ok(());
        }
        self.lock_state().recall.end = end;
        if self.settings.repeatable_phones {
            Ok(())
        } else {
            self.observe_recorded()?;
            self.lose_snapshots()
        }
    }

    /// True as long as recorded steps are repeated.
    pub(crate) fn is_repeating(&self) -> bool {
        let state = self.lock_state();
        state.next_number < state.recall.end
    }

    /// True if a phone did something else than it did before.
    pub(crate) fn has_diverged(&self) -> bool {
        self.lock_state().recall.has_diverged
    }

    /// Goes on after a phone that did something else than before: the rest of the journal is observed, and the workers begin
    /// with a clean start. False if there was none.
    pub(crate) fn recover_from_divergence(&self) -> Result<bool, ExploreError> {
        if !self.has_diverged() {
            return Ok(false);
        }
        self.emit(RunEvent::Warning {
            text: "the phones do not repeat what is recorded, as phones of another version may not; the run continues from \
                   a clean start"
                .into(),
        });
        self.observe_recorded()?;
        self.lock_state().recall.has_diverged = false;
        self.lose_snapshots()?;
        Ok(true)
    }

    /// Observes the recorded steps that were not repeated.
    pub(crate) fn observe_recorded(&self) -> Result<(), ExploreError> {
        loop {
            let from = self.lock_state().next_number;
            let part = self.context.journal.recall_part(from)?;
            if part.is_empty() {
                return Ok(());
            }
            for record in part {
                let mut events = self.lock_state().recall(&record, self.settings);
                events.retain(is_reported_again);
                events.into_iter().for_each(|event| self.emit(event));
            }
        }
    }

    /// The snapshots of the earlier process are lost, which becomes a step of each worker if any of them goes on.
    fn lose_snapshots(&self) -> Result<(), ExploreError> {
        let workers = self.lock_state().workers.len();
        if !(0..workers).any(|worker| self.is_within_limit(worker)) {
            return Ok(());
        }
        (0..workers).try_for_each(|worker| {
            self.commit(&mut RecordedStep::new(worker, RecordedEvent::SnapshotsLost))
        })
    }

    pub(super) fn compare_with_journal(
        &self,
        state: &mut ExplorationState,
        record: &RecordedStep,
    ) -> Result<RecallResult, ExploreError> {
        let number = state.next_number;
        let recall = &mut state.recall;
        if recall.has_diverged {
            return Ok(RecallResult::Diverged);
        }
        if number >= recall.end {
            return Ok(RecallResult::NotRecorded);
        }
        if recall.part.is_empty() {
            recall.part = self.context.journal.recall_part(number)?.into();
        }
        let recorded = recall.part.pop_front();
        if recorded.is_some_and(|recorded| recorded.is_repeated_by(record)) {
            Ok(RecallResult::Repeated)
        } else {
            recall.has_diverged = true;
            recall.part = VecDeque::new();
            Ok(RecallResult::Diverged)
        }
    }
}

/// True for the events of a recalled step that reporters get again: what is covered, and each finding once. Reports count
/// with them, and a log may have missed the last ones.
pub(super) fn is_reported_again(event: &RunEvent) -> bool {
    matches!(
        event,
        RunEvent::Covered { .. } | RunEvent::ProblemFound { first: true, .. }
    )
}
