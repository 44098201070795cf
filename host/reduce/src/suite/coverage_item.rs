//! Coverage as items: each activity, abstract screen, branch and finding is one.

use retap_shared::Text;
use retap_shared::fingerprint::Fingerprint;

use super::replayer::ReplayObservation;

/// Something that a trace can cover.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum CoverageItem {
    Activity(Text),
    Screen(u64),
    Branch(u32),
    Finding(Fingerprint),
}

impl CoverageItem {
    pub(super) fn is_finding(&self) -> bool {
        matches!(self, CoverageItem::Finding(_))
    }
}

/// Items that an observation covers.
pub(super) fn coverage_items(
    observation: &ReplayObservation,
) -> impl Iterator<Item = CoverageItem> {
    let ReplayObservation {
        state,
        inside,
        activities,
        branches,
        problems,
        ..
    } = observation;
    let screen = inside.then_some(CoverageItem::Screen(*state));
    screen
        .into_iter()
        .chain(activities.iter().cloned().map(CoverageItem::Activity))
        .chain(branches.iter().copied().map(CoverageItem::Branch))
        .chain(problems.iter().copied().map(CoverageItem::Finding))
}
