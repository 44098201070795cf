//! Snapshots of one worker: when to take one, which there are, and which to discard.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

use retap_shared::protocol::{Capabilities, SnapshotId};

use super::travel_costs::TravelCosts;

/// Snapshots of a phone, by the state that they were taken in.
#[derive(Debug)]
pub(super) struct SnapshotKeeper<S> {
    snapshots: HashMap<S, TravelSnapshot<S>>,
    /// Number of steps from a clean start to the current state, if a snapshot of it may be worthwhile.
    candidate: Option<usize>,
    is_requested: bool,
    /// The phone refused a snapshot: it cannot take any.
    is_refused: bool,
}

/// A snapshot that a worker can travel by.
#[derive(Clone, Copy, Debug)]
pub(super) struct TravelSnapshot<S> {
    pub(super) id: SnapshotId,
    pub(super) bytes: u64,
    /// State after a restore: the saved one, or, if only the app's data are restored, the one that the app starts in with them.
    pub(super) resulting_state: S,
}

/// A snapshot as the phone has taken it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TakenSnapshot {
    pub(super) id: SnapshotId,
    pub(super) bytes: u64,
    /// The whole phone was saved, not only the app's data.
    pub(super) whole_phone: bool,
}

impl TakenSnapshot {
    /// Snapshot to travel by.
    pub(super) fn leading_to<S>(self, resulting_state: S) -> TravelSnapshot<S> {
        TravelSnapshot {
            id: self.id,
            bytes: self.bytes,
            resulting_state,
        }
    }
}

impl<S> Default for SnapshotKeeper<S> {
    fn default() -> SnapshotKeeper<S> {
        SnapshotKeeper {
            snapshots: HashMap::new(),
            candidate: None,
            is_requested: false,
            is_refused: false,
        }
    }
}

impl<S: Copy + Eq + Hash> SnapshotKeeper<S> {
    /// Proposes a snapshot of the current state, which is this number of steps away from a clean start.
    pub(super) fn propose(&mut self, steps: usize) {
        self.candidate = Some(steps);
    }

    /// Withdraws the proposal.
    pub(super) fn withdraw(&mut self) {
        self.candidate = None;
    }

    /// The phone has refused no snapshot yet.
    pub(super) fn is_supported(&self) -> bool {
        !self.is_refused
    }

    /// Decides about the proposal; true if a snapshot is to be taken.
    pub(super) fn take_request(&mut self, costs: &TravelCosts, phone: Capabilities) -> bool {
        let is_worthwhile = self.candidate.take().is_some_and(|steps| {
            let steps_after = if phone.snapshots { 0 } else { steps };
            costs.is_snapshot_worthwhile(steps, steps_after)
        });
        self.is_requested |= is_worthwhile;
        is_worthwhile
    }

    /// The phone has taken the requested snapshot.
    pub(super) fn end_request(&mut self) {
        self.is_requested = false;
    }

    /// The phone has refused something: if it was a snapshot, no further one is taken.
    pub(super) fn record_refusal(&mut self) {
        self.is_refused |= std::mem::take(&mut self.is_requested);
    }

    /// Adds a snapshot of a state. It replaces an earlier one.
    pub(super) fn insert(&mut self, state: S, snapshot: TravelSnapshot<S>) {
        self.snapshots.insert(state, snapshot);
    }

    /// Removes a snapshot that was discarded.
    pub(super) fn remove(&mut self, id: SnapshotId) {
        self.snapshots.retain(|_, snapshot| snapshot.id != id);
    }

    /// Snapshot of a state.
    pub(super) fn get(&self, state: S) -> Option<&TravelSnapshot<S>> {
        self.snapshots.get(&state)
    }

    /// Snapshot of the least valuable state, if all together exceed a limit in bytes. Of equally valuable ones the oldest.
    pub(super) fn to_discard(
        &self,
        byte_limit: u64,
        compare_values: impl Fn(S, S) -> Ordering,
    ) -> Option<SnapshotId> {
        let bytes: u64 = self.snapshots.values().map(|snapshot| snapshot.bytes).sum();
        if bytes <= byte_limit {
            return None;
        }
        let least = self
            .snapshots
            .iter()
            .min_by(|(one, a), (other, b)| compare_values(**one, **other).then(a.id.cmp(&b.id)));
        least.map(|(_, snapshot)| snapshot.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(id: u32, bytes: u64) -> TravelSnapshot<u64> {
        TravelSnapshot {
            id: SnapshotId(id),
            bytes,
            resulting_state: u64::from(id),
        }
    }

    #[test]
    fn above_the_limit_the_oldest_of_the_least_valuable_snapshots_is_discarded() {
        let mut keeper = SnapshotKeeper::default();
        for id in [3, 1, 2] {
            keeper.insert(u64::from(id), snapshot(id, 10));
        }
        let value = |state: u64| if state == 1 { 5 } else { 0 };
        let compare = |one, other| value(one).cmp(&value(other));
        assert_eq!(keeper.to_discard(30, compare), None);
        assert_eq!(keeper.to_discard(29, compare), Some(SnapshotId(2)));
        keeper.remove(SnapshotId(2));
        assert_eq!(keeper.to_discard(19, compare), Some(SnapshotId(3)));
    }

    #[test]
    fn only_the_refusal_of_a_snapshot_ends_the_requests() {
        let mut keeper = SnapshotKeeper::<u64>::default();
        keeper.record_refusal();
        assert!(keeper.is_supported());
        keeper.is_requested = true;
        keeper.record_refusal();
        assert!(!keeper.is_supported());
    }
}
