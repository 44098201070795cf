//! Weights of the kinds of actions in `auto`, and the draw by weight.

use retap_device::seed::Rng;
use retap_model::actions::ActionKind;
use retap_model::ape::ModelActionId;
use retap_model::draw_weighted;

/// Least weight of an untried action that is worth a travel. Retap's own figure.
pub(super) const MIN_TRAVEL_WEIGHT: u32 = 4;

/// Weight of a kind of action. In an app that is still rewarding, Back weighs as much as a tap: the states before may be better than
/// the rest of this one.
pub(super) fn action_weight(kind: ActionKind, is_rewarding: bool) -> u32 {
    match kind {
        ActionKind::Back if is_rewarding => ActionKind::Tap.weight(),
        ActionKind::Rotate => 3,
        ActionKind::System(_) => 2,
        other => other.weight(),
    }
}

/// Draws an action by its weight; the last one if all weights are zero.
pub(super) fn draw_action(
    actions: &[(ModelActionId, u64)],
    rng: &mut Rng,
) -> Option<ModelActionId> {
    let drawn = draw_weighted(actions.iter().map(|(_, weight)| *weight), rng);
    let (action, _) = drawn.map_or(actions.last(), |index| actions.get(index))?;
    Some(*action)
}
