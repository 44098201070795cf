//! What starting, stepping, saving and restoring take on these phones, as measured.

use retap_shared::micros::Micros;
use retap_shared::protocol::SnapshotId;

use crate::StepObservation;
use crate::journal::RecordedEvent;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TravelCosts {
    start: DurationMean,
    step: DurationMean,
    save: DurationMean,
    restore: DurationMean,
}

/// A state that a walker can go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TravelSnapshot<S> {
    pub(crate) id: SnapshotId,
    pub(crate) bytes: u64,
    /// Where one is after it: in the state itself, or, if only the app's data came back, where the app begins with them.
    pub(crate) resulting_state: S,
}

#[derive(Clone, Copy, Debug, Default)]
struct DurationMean {
    sum: u64,
    count: u64,
}

impl TravelCosts {
    pub(crate) fn observe(&mut self, seen: &StepObservation<'_>) {
        match seen.record.event {
            RecordedEvent::Started { clean: true } => self.start.add(seen.record.took),
            RecordedEvent::Stepped { .. } => self.step.add(seen.record.took),
            RecordedEvent::SnapshotTaken { .. } => self.save.add(seen.record.took),
            RecordedEvent::SnapshotRestored { .. } => self.restore.add(seen.record.took),
            _ => {}
        }
    }

    /// A restore that was never tried is thought to take as long as saving, and that as nothing: so it is tried once.
    pub(crate) fn restore_cost(&self) -> u64 {
        self.restore.mean().or(self.save.mean()).unwrap_or(0)
    }

    /// Whether a snapshot of a state that so many steps lead to is likely to spare more than it takes: by how much going back
    /// is quicker, and by how many of the snapshots so far were of use. `afterwards` are the steps that saving and going back
    /// leave to do: none where the whole phone is saved.
    pub(crate) fn is_snapshot_worthwhile(&self, steps: usize, afterwards: usize) -> bool {
        let on_foot = self.transitions_cost(afterwards);
        let spares = self
            .replay_cost(steps)
            .saturating_sub(self.restore_cost() + on_foot);
        let takes = self.save.mean().unwrap_or(0) + on_foot;
        let uses = self.restore.count + 1;
        let saves = self.save.count + 1;
        u128::from(spares) * u128::from(uses) > u128::from(takes) * u128::from(saves)
    }

    /// A clean start, and so many steps. A way that leads elsewhere is not tried again: it takes no longer.
    pub(crate) fn replay_cost(&self, steps: usize) -> u64 {
        self.start.mean().unwrap_or(0) + self.transitions_cost(steps)
    }

    /// So many steps from where one is.
    pub(crate) fn transitions_cost(&self, steps: usize) -> u64 {
        self.step_cost() * steps as u64
    }

    pub(crate) fn step_cost(&self) -> u64 {
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
