//! Probabilistic delta debugging (ProbDD) by Wang, Shen, Chen, Xiong and Zhang: every step has a probability of being needed, an
//! attempt deletes the steps with the highest expected gain, and a failure raises the probabilities of what it deleted.

use super::deletion_plan::{DeletionOutcomes, DeletionPlan, reduce_steps};
use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

/// Probability of every step at the beginning, as published.
const INITIAL_PROBABILITY: f64 = 0.1;
/// Steps with this probability are not deleted any more, as in the authors' implementation.
const CONVERGED: f64 = 0.8;

/// Reduces `best`, which is known to pass.
pub(super) async fn probdd(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    reduce_steps(evaluator, best, |steps| {
        ProbabilisticModel::new(steps, INITIAL_PROBABILITY)
    })
    .await
}

/// Kept steps by ascending probability; equal ones in their order.
#[derive(Clone, Debug)]
struct ProbabilisticModel(Vec<StepProbability>);

#[derive(Clone, Copy, Debug)]
struct StepProbability {
    step: u32,
    needed: f64,
}

impl ProbabilisticModel {
    fn new(steps: &[u32], needed: f64) -> ProbabilisticModel {
        let steps = steps.iter().map(|&step| StepProbability { step, needed });
        ProbabilisticModel(steps.collect())
    }

    /// Number of steps, from the least probable on, with the highest expected gain: steps times the probability that none of
    /// them is needed. Of equal gains it is the larger number.
    fn deletion_size(&self) -> usize {
        let mut none_needed = 1.0;
        let mut last_gain = 0.0;
        for (size, step) in self.0.iter().enumerate() {
            none_needed *= 1.0 - step.needed;
            let gain = (size + 1) as f64 * none_needed;
            if last_gain > gain {
                return size;
            }
            last_gain = gain;
        }
        self.0.len()
    }
}

impl DeletionPlan for ProbabilisticModel {
    fn next_deletion(&self) -> Option<DeletionOutcomes<ProbabilisticModel>> {
        if self.0.iter().all(|step| step.needed >= CONVERGED) {
            return None;
        }
        let (deleted, others) = self.0.split_at(self.deletion_size());
        let none_needed: f64 = deleted.iter().map(|step| 1.0 - step.needed).product();
        let raised = deleted.iter().map(|&StepProbability { step, needed }| {
            let needed = needed / (1.0 - none_needed);
            StepProbability { step, needed }
        });
        let mut failing: Vec<StepProbability> = raised.chain(others.iter().copied()).collect();
        failing.sort_by(|one, other| {
            let by_probability = one.needed.total_cmp(&other.needed);
            by_probability.then(one.step.cmp(&other.step))
        });
        Some(DeletionOutcomes {
            passing: ProbabilisticModel(others.to_vec()),
            failing: ProbabilisticModel(failing),
        })
    }

    fn kept_items(&self) -> Vec<u32> {
        let mut steps: Vec<u32> = self.0.iter().map(|step| step.step).collect();
        steps.sort_unstable();
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::super::deletion_plan::tried_candidates;
    use super::*;

    /// Steps as letters: `a` is the first.
    fn letters(steps: &[u32]) -> String {
        steps
            .iter()
            .map(|step| (b'a' + *step as u8) as char)
            .collect()
    }

    /// The example in the tests of Perses, whose ProbDD begins with 0.25: eight elements, of which c and h are needed.
    #[test]
    fn candidates_are_those_of_the_published_example() {
        let model = ProbabilisticModel::new(&[0, 1, 2, 3, 4, 5, 6, 7], 0.25);
        let passes = |kept: &[u32]| kept.contains(&2) && kept.contains(&7);
        let tried: Vec<String> = tried_candidates(model, passes)
            .iter()
            .map(|kept| letters(kept))
            .collect();
        let published = [
            "efgh", "abcd", "cdefgh", "efgh", "cdgh", "cd", "dgh", "cgh", "ch", "c",
        ];
        assert_eq!(tried, published);
    }

    /// The probabilities after one failure that both papers print for four elements at 0.25 each.
    #[test]
    fn a_failure_raises_the_probabilities_of_what_was_deleted() {
        let model = ProbabilisticModel::new(&[0, 1, 2, 3, 4, 5, 6, 7], 0.25);
        assert_eq!(model.deletion_size(), 4);
        let failing = model.next_deletion().unwrap().failing;
        let raised: Vec<f64> = failing.0[4..].iter().map(|step| step.needed).collect();
        assert_eq!(failing.kept_items(), model.kept_items());
        for needed in raised {
            assert!((needed - 0.3657).abs() < 1e-4, "{needed}");
        }
    }
}
