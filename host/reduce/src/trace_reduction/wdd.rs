//! Weighted delta debugging by Zhou, Xu, Zhang, Tian and Sun, as they apply it to ddmin (W_ddmin): parts have the same weight, not
//! the same number of steps, and each is halved by weight. The result is 1-minimal.

use retap_shared::action::Action;
use retap_shared::trace::Step;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

/// Reduces `best`, which is known to pass, and replaces it whenever a smaller candidate passes.
pub(super) async fn wdd(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    if best.is_empty() {
        return Ok(());
    }
    if let Some((_, empty)) = evaluator.first_passing(1, |_| best.only(0..0)).await? {
        *best = empty;
        return Ok(());
    }
    let mut parts = vec![whole(best)];
    while best.len() > 1 && best.len() > parts.len() {
        parts = parts.iter().flat_map(|part| halves(part)).collect();
        let subset = |number: usize| best.keeping(steps_of(&parts[number]));
        if let Some((_, smaller)) = evaluator.first_passing(parts.len(), subset).await? {
            *best = smaller;
            parts = vec![whole(best)];
            continue;
        }
        if parts.is_empty() {
            break;
        }
        remove_parts(evaluator, best, &mut parts).await?;
    }
    let mut single_steps: Vec<Vec<WeightedStep>> =
        whole(best).into_iter().map(|step| vec![step]).collect();
    remove_parts(evaluator, best, &mut single_steps).await
}

/// A kept step, by its index in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WeightedStep {
    step: u32,
    weight: usize,
}

fn whole(candidate: &Candidate) -> Vec<WeightedStep> {
    let weights = candidate.steps().map(weight);
    let steps = candidate.kept().iter().zip(weights);
    steps
        .map(|(&step, weight)| WeightedStep { step, weight })
        .collect()
}

/// Size of a step: the points and characters of its action.
fn weight(step: &Step) -> usize {
    match &step.action {
        Action::Text { text, .. } => text.chars().count().max(1),
        Action::Pinch { .. } => 4,
        Action::Swipe { .. } => 2,
        Action::Tap(_)
        | Action::LongPress(_)
        | Action::Key(_)
        | Action::Rotate(_)
        | Action::Launch
        | Action::Wait { .. }
        | Action::System(_) => 1,
    }
}

/// Two parts of about the same weight. A part of one step has been tried and is not divided: nothing is left of it.
fn halves(part: &[WeightedStep]) -> Vec<Vec<WeightedStep>> {
    if part.len() < 2 {
        return Vec::new();
    }
    let total: usize = part.iter().map(|step| step.weight).sum();
    let mut cut = 1;
    let mut sum = part[0].weight;
    while cut < part.len() - 1 {
        let with_next = sum + part[cut].weight;
        // The step in the middle goes where it makes the smaller difference; into the first part if both are equal.
        if 2 * with_next > total && total.abs_diff(2 * sum) < 2 * with_next - total {
            break;
        }
        sum = with_next;
        cut += 1;
        if 2 * sum >= total {
            break;
        }
    }
    vec![part[..cut].to_vec(), part[cut..].to_vec()]
}

fn steps_of(part: &[WeightedStep]) -> Vec<u32> {
    part.iter().map(|step| step.step).collect()
}

/// Removes parts from `best` while any can be removed, from the first on.
async fn remove_parts(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
    parts: &mut Vec<Vec<WeightedStep>>,
) -> Result<(), ReductionStop> {
    loop {
        let complement = |number: usize| {
            let removed = steps_of(&parts[number]);
            let kept = best.kept().iter().copied();
            best.keeping(
                kept.filter(|step| removed.binary_search(step).is_err())
                    .collect::<Vec<u32>>(),
            )
        };
        match evaluator.first_passing(parts.len(), complement).await? {
            Some((number, smaller)) => {
                *best = smaller;
                parts.remove(number);
            }
            None => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(weights: &[usize]) -> usize {
        let step = |(step, &weight): (usize, &usize)| WeightedStep {
            step: step as u32,
            weight,
        };
        let part: Vec<WeightedStep> = weights.iter().enumerate().map(step).collect();
        halves(&part)[0].len()
    }

    #[test]
    fn parts_are_halved_by_weight_and_not_by_number() {
        assert_eq!(cut(&[1, 1, 1, 1]), 2);
        assert_eq!(cut(&[1, 1, 1, 1, 1]), 3);
        assert_eq!(cut(&[8, 1, 1, 1, 1, 1, 1]), 1);
        assert_eq!(cut(&[1, 1, 1, 1, 1, 1, 8]), 6);
        assert_eq!(cut(&[2, 2, 9, 2, 2]), 3);
        assert_eq!(cut(&[1, 1]), 1);
    }
}
