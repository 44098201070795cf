//! What weighs how much, and drawing by weight.

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::actions::What;
use retap_model::ape::ActionId;

/// What weighs less is no reason to go anywhere.
pub(super) const MATTERS: u32 = 4;

/// In a rich app going back is as good as a tap: what is behind may be better than the rest of what is here.
pub(super) fn weight(what: What, is_rich: bool) -> u32 {
    match what {
        What::Back if is_rich => What::Tap.weight(),
        What::Rotate => 3,
        What::System(_) => 2,
        other => other.weight(),
    }
}

pub(super) fn draw(from: &[(ActionId, u64)], rng: &mut Rng) -> Option<ActionId> {
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
