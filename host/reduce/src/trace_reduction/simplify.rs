//! The second pass: steps of a reduced trace are replaced by simpler ones while the trace still passes. It removes no step and
//! can follow any algorithm.

use retap_shared::action::Action;
use retap_shared::trace::Step;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;
use crate::simplify::simpler;

/// Replaces steps of `best`, which is known to pass, by simpler ones while it passes.
pub(super) async fn simplify(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    for index in 0..best.len() {
        let mut steps = best.to_steps();
        let recorded = steps[index].action.clone();
        loop {
            let alternatives = simpler(&steps[index].action);
            let candidate = |number: usize| {
                best.with_replaced_steps(with_action(&steps, index, &alternatives[number]))
            };
            let passing = evaluator
                .first_passing(alternatives.len(), candidate)
                .await?;
            let Some((number, _)) = passing else {
                break;
            };
            steps = with_action(&steps, index, &alternatives[number]);
        }
        if steps[index].action != recorded {
            *best = best.with_replaced_steps(steps);
        }
    }
    Ok(())
}

fn with_action(steps: &[Step], index: usize, action: &Action) -> Vec<Step> {
    let mut steps = steps.to_vec();
    steps[index].action = action.clone();
    steps
}
