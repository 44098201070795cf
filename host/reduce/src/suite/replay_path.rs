//! Paths of transitions that a replay can follow from a clean start.

use retap_model::mixed;

use super::item_set::ItemSet;
use super::replayer::SuiteStepOrigin;

/// One transition: an action, the state it leads to, and its coverage.
#[derive(Clone, Debug)]
pub(super) struct ReplayTransition {
    pub(super) origin: SuiteStepOrigin,
    pub(super) action: u32,
    pub(super) to: u32,
    pub(super) covers: ItemSet,
}

/// Transitions from a clean start on.
pub(super) type ReplayPath = Vec<ReplayTransition>;

/// States of a path, `start` first.
pub(super) fn states(path: &[ReplayTransition], start: u32) -> Vec<u32> {
    std::iter::once(start)
        .chain(path.iter().map(|transition| transition.to))
        .collect()
}

/// Number of transitions of several paths.
pub(super) fn transition_count(paths: &[ReplayPath]) -> u64 {
    paths.iter().map(|path| path.len() as u64).sum()
}

/// Key of a sequence of actions that continues `sequence` with `action`. The key of the empty sequence is 0.
pub(super) fn extend_key(sequence: u64, action: u32) -> u64 {
    mixed(sequence, u64::from(action) + 1)
}
