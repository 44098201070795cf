//! From model actions to actions on a screen.

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::actions::CandidateAction;
use retap_model::ape::{ApeModel, ModelActionId, ModelScreen};
use retap_shared::screen::Screen;

use crate::ChosenAction;

/// Draws one of the GUI actions that a model action stands for, with its details. `candidates` are those that the model got
/// with the screen.
pub(super) fn concrete_action(
    model: &ApeModel,
    model_screen: &ModelScreen,
    action: ModelActionId,
    candidates: &[CandidateAction],
    screen: &Screen,
    rng: &mut Rng,
) -> Option<ChosenAction> {
    let indices: Vec<usize> = model.gui_actions(model_screen, action).collect();
    let index = *indices.get(rng.random_range(0..indices.len().max(1)))?;
    let candidate = candidates.get(index)?;
    Some(ChosenAction {
        action: candidate.to_action(screen, rng),
        node: candidate.node,
    })
}
