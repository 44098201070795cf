//! What is known of one candidate, as the policy sees it: successes and failures so far, and where a number of further
//! runs may lead.

use super::PolicyParameters;
use super::prior::{AttemptTally, SuccessRatePrior, binomial};

/// All pairs that are neither decided nor dead, by number. The number after the last one stands for every dead candidate.
#[derive(Clone, Debug)]
pub(super) struct OpenTallies {
    tallies: Vec<AttemptTally>,
    runs: u32,
    /// By pair, then by further runs. What is missing to a probability of 1 is the chance that the candidate passes.
    outcomes: Vec<Vec<Vec<TallyOutcome>>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TallyOutcome {
    pub(super) pair: u8,
    pub(super) chance: f64,
}

impl OpenTallies {
    pub(super) fn new(rules: &PolicyParameters, prior: &SuccessRatePrior) -> OpenTallies {
        let mut tallies: Vec<AttemptTally> = (0..rules.successes)
            .flat_map(|successes| {
                (0..=rules.runs - rules.successes).map(move |failures| AttemptTally {
                    successes,
                    failures,
                })
            })
            .collect();
        tallies.sort_unstable_by_key(|tally| (tally.successes + tally.failures, tally.failures));
        let mut pairs = OpenTallies {
            tallies,
            runs: rules.runs,
            outcomes: Vec::new(),
        };
        for pair in 0..pairs.tallies.len() {
            let most = pairs.attempts_left(pair as u8).min(rules.parallel);
            let outcomes =
                (0..=most).map(|more| pairs.outcomes_of(pairs.tallies[pair], more, rules, prior));
            let outcomes = outcomes.collect();
            pairs.outcomes.push(outcomes);
        }
        pairs.outcomes.push(vec![vec![TallyOutcome {
            pair: pairs.dead(),
            chance: 1.0,
        }]]);
        pairs
    }

    pub(super) fn tallies(&self) -> &[AttemptTally] {
        &self.tallies
    }

    pub(super) fn dead(&self) -> u8 {
        self.tallies.len() as u8
    }

    /// The pairs, and the dead one.
    pub(super) fn kind_count(&self) -> usize {
        self.tallies.len() + 1
    }

    /// Runs that a pair has had. Of a dead one nobody knows.
    pub(super) fn attempts(&self, pair: u8) -> u32 {
        self.tallies
            .get(pair as usize)
            .map_or(0, |tally| tally.successes + tally.failures)
    }

    /// Runs that a pair may still have.
    pub(super) fn attempts_left(&self, pair: u8) -> u32 {
        if pair == self.dead() {
            0
        } else {
            self.runs - self.attempts(pair)
        }
    }

    pub(super) fn index_of(&self, tally: AttemptTally) -> Option<u8> {
        self.tallies
            .iter()
            .position(|known| *known == tally)
            .map(|number| number as u8)
    }

    /// Where `more` runs lead if the candidate does not pass by them.
    pub(super) fn outcomes(&self, pair: u8, more: u32) -> &[TallyOutcome] {
        &self.outcomes[pair as usize][more as usize]
    }

    fn outcomes_of(
        &self,
        from: AttemptTally,
        more: u32,
        rules: &PolicyParameters,
        prior: &SuccessRatePrior,
    ) -> Vec<TallyOutcome> {
        let seen = prior.marginal_likelihood(from);
        let mut dead = 0.0;
        let mut outcomes = Vec::new();
        for failures in 0..=more {
            let tally = AttemptTally {
                successes: from.successes + more - failures,
                failures: from.failures + failures,
            };
            let chance = binomial(more, failures) * prior.marginal_likelihood(tally) / seen;
            // A prior that rules out what was seen says nothing about what comes.
            let chance = if seen > 0.0 { chance } else { 0.0 };
            if tally.failures > rules.runs - rules.successes {
                dead += chance;
            } else if let Some(pair) = self.index_of(tally) {
                outcomes.push(TallyOutcome { pair, chance });
            }
        }
        if seen <= 0.0 {
            dead = 1.0;
        }
        outcomes.retain(|outcome| outcome.chance > 0.0);
        if dead > 0.0 {
            outcomes.push(TallyOutcome {
                pair: self.dead(),
                chance: dead,
            });
        }
        outcomes
    }
}
