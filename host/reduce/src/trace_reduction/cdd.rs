//! Counter-based delta debugging (CDD) by Zhang, Xu, Tian, Cheng and Sun: ProbDD without its probabilities. Every round deletes
//! parts of one size, and the size falls by the same factor from round to round.

use super::deletion_plan::{DeletionOutcomes, DeletionPlan, reduce_steps};
use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

/// ProbDD's probability at the beginning, from which the size of the first round follows.
const INITIAL_PROBABILITY: f64 = 0.1;

/// Reduces `best`, which is known to pass.
pub(super) async fn cdd(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    reduce_steps(evaluator, best, |steps| {
        CounterRound::first(steps, INITIAL_PROBABILITY)
    })
    .await
}

/// A round before one of its deletions.
#[derive(Clone, Debug)]
struct CounterRound {
    kept: Vec<u32>,
    /// Number of steps that a deletion of this round removes.
    size: usize,
    /// Number of kept steps whose deletion has failed in this round.
    tried: usize,
}

impl CounterRound {
    /// First round: the size with the highest expected gain if every step is needed with this probability.
    fn first(steps: &[u32], probability: f64) -> CounterRound {
        let size = (-1.0 / (-probability).ln_1p()).round() as usize;
        CounterRound {
            kept: steps.to_vec(),
            size: size.max(1),
            tried: 0,
        }
    }

    /// Next round; `None` after the round of single steps.
    fn next_round(&self) -> Option<CounterRound> {
        // In ProbDD a failed round raises all probabilities by 1 / (1 − 1/e), and the size falls by that.
        let ratio = 1.0 - (-1.0_f64).exp();
        let size = (self.size as f64 * ratio) as usize;
        (self.size > 1).then(|| CounterRound {
            kept: self.kept.clone(),
            size: size.max(1),
            tried: 0,
        })
    }
}

impl DeletionPlan for CounterRound {
    fn next_deletion(&self) -> Option<DeletionOutcomes<CounterRound>> {
        let end = (self.tried + self.size).min(self.kept.len());
        // To delete everything is known to fail.
        if self.tried == end || end - self.tried == self.kept.len() {
            return self.next_round()?.next_deletion();
        }
        let passing = CounterRound {
            kept: [&self.kept[..self.tried], &self.kept[end..]].concat(),
            ..*self
        };
        let failing = CounterRound {
            kept: self.kept.clone(),
            tried: end,
            ..*self
        };
        Some(DeletionOutcomes { passing, failing })
    }

    fn kept_items(&self) -> Vec<u32> {
        self.kept.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::deletion_plan::tried_candidates;
    use super::*;

    /// The sizes that the authors' implementation computes.
    #[test]
    fn sizes_fall_from_round_to_round_as_published() {
        let sizes = |probability: f64| -> Vec<usize> {
            let first = CounterRound::first(&[], probability);
            std::iter::successors(Some(first), CounterRound::next_round)
                .map(|round| round.size)
                .collect()
        };
        assert_eq!(sizes(0.1), [9, 5, 3, 1]);
        assert_eq!(sizes(0.25), [3, 1]);
        assert_eq!(sizes(0.05), [19, 12, 7, 4, 2, 1]);
    }

    /// Worked by hand from the published algorithm: eight elements, of which the third and the last are needed.
    #[test]
    fn every_part_of_a_round_is_deleted_once() {
        let round = CounterRound::first(&[1, 2, 3, 4, 5, 6, 7, 8], 0.25);
        let tried = tried_candidates(round, |kept| kept.contains(&3) && kept.contains(&8));
        let expected: [&[u32]; 8] = [
            &[4, 5, 6, 7, 8],
            &[1, 2, 3, 7, 8],
            &[1, 2, 3],
            &[2, 3, 7, 8],
            &[3, 7, 8],
            &[7, 8],
            &[3, 8],
            &[3],
        ];
        assert_eq!(tried, expected);
    }
}
