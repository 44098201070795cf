//! Measured costs of travels on the phones of this run: starts, steps, snapshots and restores.

use retap_shared::micros::Micros;

use crate::StepObservation;
use crate::journal::RecordedEvent;

/// Mean durations. All costs are in microseconds of phone time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TravelCosts {
    start: DurationMean,
    step: DurationMean,
    snapshot: DurationMean,
    restore: DurationMean,
}

#[derive(Clone, Copy, Debug, Default)]
struct DurationMean {
    sum: u64,
    count: u64,
}

impl TravelCosts {
    /// Records the duration of a step.
    pub(super) fn observe(&mut self, observation: &StepObservation<'_>) {
        match observation.record.event {
            RecordedEvent::Started { clean: true } => self.start.add(observation.record.took),
            RecordedEvent::Stepped { .. } => self.step.add(observation.record.took),
            RecordedEvent::SnapshotTaken { .. } => self.snapshot.add(observation.record.took),
            RecordedEvent::SnapshotRestored { .. } => self.restore.add(observation.record.took),
            _ => {}
        }
    }

    /// Cost of a restore. Before the first one, that of a snapshot; before that, nothing: so both are tried once.
    pub(super) fn restore_cost(&self) -> u64 {
        self.restore.mean().or(self.snapshot.mean()).unwrap_or(0)
    }

    /// A snapshot of a state that is `steps` away from a clean start is likely to save more than it costs: by how much faster its
    /// restore is, and by the share of earlier snapshots that were restored. `steps_after` are left to do after the snapshot
    /// and after its restore: none if the whole phone is saved.
    pub(super) fn is_snapshot_worthwhile(&self, steps: usize, steps_after: usize) -> bool {
        let cost_after = self.transitions_cost(steps_after);
        let saving = self
            .replay_cost(steps)
            .saturating_sub(self.restore_cost() + cost_after);
        let cost = self.snapshot.mean().unwrap_or(0) + cost_after;
        let restores = self.restore.count + 1;
        let snapshots = self.snapshot.count + 1;
        u128::from(saving) * u128::from(restores) > u128::from(cost) * u128::from(snapshots)
    }

    /// Cost of a clean start and this number of steps. A path that leads elsewhere is not tried again, and costs no more.
    pub(super) fn replay_cost(&self, steps: usize) -> u64 {
        self.start.mean().unwrap_or(0) + self.transitions_cost(steps)
    }

    /// Cost of this number of steps from the current state.
    pub(super) fn transitions_cost(&self, steps: usize) -> u64 {
        self.step_cost() * steps as u64
    }

    /// Cost of one step.
    pub(super) fn step_cost(&self) -> u64 {
        self.step.mean().unwrap_or(0)
    }
}

impl DurationMean {
    fn add(&mut self, took: Micros) {
        self.sum += took.0;
        self.count += 1;
    }

    fn mean(&self) -> Option<u64> {
        self.sum.checked_div(self.count)
    }
}
