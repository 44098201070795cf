//! The undecided tallies of one candidate, and the tallies that further attempts lead to.

use super::PolicyParameters;
use super::prior::{AttemptTally, SuccessRatePrior, binomial};

/// All tallies that have neither passed nor died, by index. The index after the last one stands for every dead candidate.
#[derive(Clone, Debug)]
pub(super) struct OpenTallies {
    tallies: Vec<AttemptTally>,
    runs: u32,
    /// Outcomes by tally, then by further attempts. Their probabilities lack that of passing to add up to 1.
    outcomes: Vec<Vec<Vec<TallyOutcome>>>,
}

/// A tally after further attempts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TallyOutcome {
    pub(super) tally: u8,
    pub(super) probability: f64,
}

impl OpenTallies {
    pub(super) fn new(parameters: &PolicyParameters, prior: &SuccessRatePrior) -> OpenTallies {
        let mut tallies: Vec<AttemptTally> = (0..parameters.successes)
            .flat_map(|successes| {
                (0..=parameters.runs - parameters.successes).map(move |failures| AttemptTally {
                    successes,
                    failures,
                })
            })
            .collect();
        tallies.sort_unstable_by_key(|tally| (tally.successes + tally.failures, tally.failures));
        let mut open = OpenTallies {
            tallies,
            runs: parameters.runs,
            outcomes: Vec::new(),
        };
        for tally in 0..open.tallies.len() {
            let most = open.attempts_left(tally as u8).min(parameters.parallel);
            let outcomes = (0..=most)
                .map(|more| open.outcomes_of(open.tallies[tally], more, parameters, prior))
                .collect();
            open.outcomes.push(outcomes);
        }
        let dead = TallyOutcome {
            tally: open.dead(),
            probability: 1.0,
        };
        open.outcomes.push(vec![vec![dead]]);
        open
    }

    pub(super) fn tallies(&self) -> &[AttemptTally] {
        &self.tallies
    }

    /// Index of dead candidates.
    pub(super) fn dead(&self) -> u8 {
        self.tallies.len() as u8
    }

    /// Number of indices, the dead one included.
    pub(super) fn kind_count(&self) -> usize {
        self.tallies.len() + 1
    }

    /// Attempts of a tally; 0 for the dead one, where the number is unknown.
    pub(super) fn attempts(&self, tally: u8) -> u32 {
        self.tallies
            .get(tally as usize)
            .map_or(0, |tally| tally.successes + tally.failures)
    }

    /// Further attempts that a tally may have.
    pub(super) fn attempts_left(&self, tally: u8) -> u32 {
        if tally == self.dead() {
            0
        } else {
            self.runs - self.attempts(tally)
        }
    }

    pub(super) fn index_of(&self, tally: AttemptTally) -> Option<u8> {
        self.tallies
            .iter()
            .position(|known| *known == tally)
            .map(|index| index as u8)
    }

    /// Outcomes of `more` attempts in which the candidate does not pass.
    pub(super) fn outcomes(&self, tally: u8, more: u32) -> &[TallyOutcome] {
        &self.outcomes[tally as usize][more as usize]
    }

    fn outcomes_of(
        &self,
        from: AttemptTally,
        more: u32,
        parameters: &PolicyParameters,
        prior: &SuccessRatePrior,
    ) -> Vec<TallyOutcome> {
        let likelihood = prior.marginal_likelihood(from);
        let mut dead = 0.0;
        let mut outcomes = Vec::new();
        for failures in 0..=more {
            let tally = AttemptTally {
                successes: from.successes + more - failures,
                failures: from.failures + failures,
            };
            // A prior that rules out the observations predicts nothing.
            let probability = if likelihood > 0.0 {
                binomial(more, failures) * prior.marginal_likelihood(tally) / likelihood
            } else {
                0.0
            };
            if tally.failures > parameters.runs - parameters.successes {
                dead += probability;
            } else if let Some(tally) = self.index_of(tally) {
                outcomes.push(TallyOutcome { tally, probability });
            }
        }
        if likelihood <= 0.0 {
            dead = 1.0;
        }
        outcomes.retain(|outcome| outcome.probability > 0.0);
        if dead > 0.0 {
            outcomes.push(TallyOutcome {
                tally: self.dead(),
                probability: dead,
            });
        }
        outcomes
    }
}
