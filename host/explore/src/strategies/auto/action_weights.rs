//! What weighs how much, and drawing by weight.

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::actions::ActionKind;
use retap_model::ape::ModelActionId;

/// What weighs less is no reason to go anywhere.
pub(super) const MATTERS: u32 = 4;

/// In a rich app going back is as good as a tap: what is behind may be better than the rest of what is here.
pub(super) fn action_weight(what: ActionKind, is_rich: bool) -> u32 {
    match what {
        ActionKind::Back if is_rich => ActionKind::Tap.weight(),
        ActionKind::Rotate => 3,
        ActionKind::System(_) => 2,
        other => other.weight(),
    }
}

pub(super) fn draw_by_weight(
    from: &[(ModelActionId, u64)],
    rng: &mut Rng,
) -> Option<ModelActionId> {
    let sum: u64 = from.iter().map(|(_, weight)| *weight).sum();
    let mut left = rng.random_range(0..sum.max(1));
    for (action, weight) in from {
        if left < *weight {
            return Some(*action);
        }
        left -= weight;
    }
    from.last().map(|(action, _)| *action)
}
