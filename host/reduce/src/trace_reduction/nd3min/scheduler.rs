//! Which runs a round of ND3MIN consists of: how many of each candidate that is neither decided nor dead, on m phones.
//! Never more of one candidate than it may have in all.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::named_choice::{NamedChoice, named_choice_text};
use crate::policy::{AttemptTally, SchedulePolicy};

/// From this share of successes on a candidate is held to be a good one.
const GOOD_SHARE: f64 = 0.8;

/// A scheduler of ND3MIN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchedulerKind {
    /// One attempt of each candidate in turn until the round is full: the paper's baseline.
    RoundRobin,
    /// All attempts of the first candidate, then all of the second.
    Greedy,
    /// Figure 3: first attempts that prove good candidates, then attempts that refute bad ones.
    #[default]
    Heuristic,
    /// The optimal policy for up to as many candidates as it was solved for, the heuristic for more.
    Optimal,
}

impl NamedChoice for SchedulerKind {
    const KIND: &'static str = "scheduler";
    const ALL: &'static [SchedulerKind] = &[
        SchedulerKind::RoundRobin,
        SchedulerKind::Greedy,
        SchedulerKind::Heuristic,
        SchedulerKind::Optimal,
    ];

    fn name(self) -> &'static str {
        match self {
            SchedulerKind::RoundRobin => "round-robin",
            SchedulerKind::Greedy => "greedy",
            SchedulerKind::Heuristic => "heuristic",
            SchedulerKind::Optimal => "optimal",
        }
    }

    fn description(self) -> &'static str {
        match self {
            SchedulerKind::RoundRobin => "One run of each candidate in turn",
            SchedulerKind::Greedy => "All runs of one candidate after the other",
            SchedulerKind::Heuristic => "First prove good candidates, then refute bad ones",
            SchedulerKind::Optimal => {
                "The policy with the fewest expected rounds; solved once and stored"
            }
        }
    }
}

named_choice_text!(SchedulerKind);

/// What every round must keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoundLimits {
    /// Runs in a round.
    pub(super) parallel: u32,
    /// A candidate passes with `successes` of `runs`.
    pub(super) runs: u32,
    pub(super) successes: u32,
    /// How many candidates there were in the first round.
    pub(super) candidates: usize,
}

pub(super) trait Scheduler: Send + Sync {
    /// Runs for each candidate. Some are given out as long as any may still be made.
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32>;
}

/// The scheduler of a name; without a policy the optimal one is the heuristic.
pub(super) fn make_scheduler(
    scheduling: SchedulerKind,
    policy: Option<Arc<SchedulePolicy>>,
) -> Box<dyn Scheduler> {
    match (scheduling, policy) {
        (SchedulerKind::RoundRobin, _) => Box::new(RoundRobinScheduler),
        (SchedulerKind::Greedy, _) => Box::new(GreedyScheduler),
        (SchedulerKind::Optimal, Some(policy)) => Box::new(OptimalScheduler { policy }),
        (SchedulerKind::Heuristic | SchedulerKind::Optimal, _) => Box::new(HeuristicScheduler),
    }
}

#[derive(Clone, Copy, Debug)]
struct RoundRobinScheduler;
#[derive(Clone, Copy, Debug)]
struct GreedyScheduler;
#[derive(Clone, Copy, Debug)]
struct HeuristicScheduler;
#[derive(Clone, Debug)]
struct OptimalScheduler {
    policy: Arc<SchedulePolicy>,
}

impl Scheduler for RoundRobinScheduler {
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32> {
        let mut round = RoundSchedule::new(candidates, limits);
        round.round_robin(&round.all());
        round.runs
    }
}

impl Scheduler for GreedyScheduler {
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32> {
        let mut round = RoundSchedule::new(candidates, limits);
        (0..candidates.len()).for_each(|place| round.add(place, u32::MAX));
        round.runs
    }
}

impl Scheduler for HeuristicScheduler {
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32> {
        let mut round = RoundSchedule::new(candidates, limits);
        let (known, unknown): (Vec<usize>, Vec<usize>) =
            (0..candidates.len()).partition(|&place| candidates[place].runs() > 0);
        // The first round shows something of every one; with more candidates than phones, the rounds after it too.
        if known.is_empty() {
            round.round_robin(&round.all());
            return round.runs;
        }
        unknown.iter().for_each(|&place| round.add(place, 1));
        round.by_success_rate(known);
        round.round_robin(&unknown);
        round.runs
    }
}

impl Scheduler for OptimalScheduler {
    fn schedule(&self, candidates: &[AttemptTally], limits: &RoundLimits) -> Vec<u32> {
        let rules = self.policy.parameters();
        let fits = (rules.parallel, rules.runs, rules.successes)
            == (limits.parallel, limits.runs, limits.successes);
        // As in the paper: what began with more candidates is the heuristic's until it ends.
        let fits = fits && limits.candidates <= rules.candidates;
        let planned = if fits {
            self.policy.schedule(candidates)
        } else {
            None
        };
        planned.unwrap_or_else(|| HeuristicScheduler.schedule(candidates, limits))
    }
}

struct RoundSchedule<'a> {
    candidates: &'a [AttemptTally],
    limits: &'a RoundLimits,
    runs: Vec<u32>,
    /// How many more fit in.
    free: u32,
}

impl<'a> RoundSchedule<'a> {
    fn new(candidates: &'a [AttemptTally], limits: &'a RoundLimits) -> RoundSchedule<'a> {
        RoundSchedule {
            candidates,
            limits,
            runs: vec![0; candidates.len()],
            free: limits.parallel,
        }
    }

    fn all(&self) -> Vec<usize> {
        (0..self.candidates.len()).collect()
    }

    fn attempts_left(&self, place: usize) -> u32 {
        self.limits
            .runs
            .saturating_sub(self.candidates[place].runs() + self.runs[place])
    }

    fn add(&mut self, place: usize, runs: u32) {
        let runs = runs.min(self.attempts_left(place)).min(self.free);
        self.runs[place] += runs;
        self.free -= runs;
    }

    /// One each until nothing is free, or nobody may have more.
    fn round_robin(&mut self, places: &[usize]) {
        while self.free > 0 && places.iter().any(|&place| self.attempts_left(place) > 0) {
            places.iter().for_each(|&place| self.add(place, 1));
        }
    }

    /// Figure 3.
    fn by_success_rate(&mut self, mut places: Vec<usize>) {
        let share = |place: usize| {
            let tally = self.candidates[place];
            f64::from(tally.successes) / f64::from(tally.runs())
        };
        let successes = |place: usize| self.candidates[place].successes;
        places.sort_by(|&one, &other| {
            share(other)
                .total_cmp(&share(one))
                .then(successes(other).cmp(&successes(one)))
        });
        let good = places.partition_point(|&place| share(place) >= GOOD_SHARE);
        let shares: Vec<f64> = places.iter().map(|&place| share(place)).collect();
        let mut deferred = Vec::new();
        for (&place, &share) in places[..good].iter().zip(&shares) {
            let wanted = self.until_passed(place, share);
            if wanted > self.free && wanted <= self.limits.parallel {
                deferred.push(place);
            } else {
                self.add(place, wanted);
            }
        }
        self.round_robin(&deferred);
        for (&place, &share) in places[good..].iter().zip(&shares[good..]) {
            self.add(place, self.until_dead(place, share));
        }
        self.round_robin(&places);
    }

    /// Runs until it can be expected to have passed.
    fn until_passed(&self, place: usize, share: f64) -> u32 {
        let missing = self.limits.successes - self.candidates[place].successes;
        self.attempts_left(place)
            .min((f64::from(missing) / share).ceil() as u32)
    }

    /// Runs until it can be expected to be dead.
    fn until_dead(&self, place: usize, share: f64) -> u32 {
        let missing =
            self.limits.runs - self.limits.successes + 1 - self.candidates[place].failures;
        self.attempts_left(place)
            .min((f64::from(missing) / (1.0 - share)).ceil() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: RoundLimits = RoundLimits {
        parallel: 15,
        runs: 20,
        successes: 18,
        candidates: 5,
    };

    fn tallies(pairs: &[(u32, u32)]) -> Vec<AttemptTally> {
        pairs
            .iter()
            .map(|&(successes, failures)| AttemptTally {
                successes,
                failures,
            })
            .collect()
    }

    /// Section 4.1's first example, step by step.
    #[test]
    fn greedy_plans_the_papers_example() {
        assert_eq!(
            GreedyScheduler.schedule(&tallies(&[(0, 0), (0, 0), (0, 0)]), &PAPER),
            [15, 0, 0]
        );
        assert_eq!(
            GreedyScheduler.schedule(&tallies(&[(13, 2), (0, 0), (0, 0)]), &PAPER),
            [5, 10, 0]
        );
        // What is dead is not asked about again.
        assert_eq!(GreedyScheduler.schedule(&tallies(&[(0, 0)]), &PAPER), [15]);
        assert_eq!(GreedyScheduler.schedule(&tallies(&[(15, 0)]), &PAPER), [5]);
    }

    #[test]
    fn round_robin_plans_the_papers_example() {
        assert_eq!(
            RoundRobinScheduler.schedule(&tallies(&[(0, 0), (0, 0), (0, 0)]), &PAPER),
            [5, 5, 5]
        );
        assert_eq!(
            RoundRobinScheduler.schedule(&tallies(&[(4, 1), (5, 0)]), &PAPER),
            [8, 7]
        );
        assert_eq!(
            RoundRobinScheduler.schedule(&tallies(&[(11, 2), (12, 0)]), &PAPER),
            [7, 8]
        );
    }

    /// Section 4.2's example: thirteen runs prove the third, and two are left for the first.
    #[test]
    fn the_heuristic_plans_the_papers_example() {
        assert_eq!(
            HeuristicScheduler.schedule(&tallies(&[(0, 0), (0, 0), (0, 0)]), &PAPER),
            [5, 5, 5]
        );
        assert_eq!(
            HeuristicScheduler.schedule(&tallies(&[(4, 1), (2, 3), (5, 0)]), &PAPER),
            [2, 0, 13]
        );
    }

    /// Both look good. The better one needs 11 runs, which leaves 4; the other needs 13, which fit into a round of their
    /// own: it is put off, and gets the 4 as a deferred one. The bad one gets nothing.
    #[test]
    fn what_fits_into_the_next_round_whole_is_put_off() {
        assert_eq!(
            HeuristicScheduler.schedule(&tallies(&[(1, 3), (7, 0), (6, 1)]), &PAPER),
            [0, 11, 4]
        );
    }

    /// Two need ten each: only one of them fits. A third that needs five goes in before the rest of the second.
    #[test]
    fn several_that_fit_together_are_packed_into_one_round() {
        assert_eq!(
            HeuristicScheduler.schedule(&tallies(&[(8, 0), (8, 0), (14, 1)]), &PAPER),
            [10, 0, 5]
        );
    }

    /// One failure more kills (0, 2): one run. (1, 1) has a share of one half and lacks two failures: four runs. Then one
    /// each, in the order of their promise.
    #[test]
    fn what_looks_bad_gets_as_many_runs_as_should_kill_it() {
        let limits = RoundLimits {
            parallel: 5,
            ..PAPER
        };
        assert_eq!(
            HeuristicScheduler.schedule(&tallies(&[(0, 2), (1, 1)]), &limits),
            [1, 4]
        );
        let limits = RoundLimits {
            parallel: 8,
            ..PAPER
        };
        assert_eq!(
            HeuristicScheduler.schedule(&tallies(&[(0, 2), (1, 1)]), &limits),
            [2, 6]
        );
    }

    /// The rest of a round of many is not handed to the policy, even if few are left.
    #[test]
    fn the_policy_plans_only_what_began_with_few_enough() {
        let rules = crate::policy::PolicyParameters {
            candidates: 3,
            parallel: 15,
            runs: 20,
            successes: 18,
        };
        let prior = crate::policy::SuccessRatePrior::published();
        let policy = SchedulePolicy::solve(&rules, &prior, 1 << 30, 1, &|_, _| true).unwrap();
        let optimal = OptimalScheduler {
            policy: Arc::new(policy),
        };
        let left = tallies(&[(1, 1), (0, 2)]);
        let planned = |candidates| {
            optimal.schedule(
                &left,
                &RoundLimits {
                    candidates,
                    ..PAPER
                },
            )
        };
        assert_eq!(Some(planned(3)), optimal.policy.schedule(&left));
        assert_eq!(planned(4), HeuristicScheduler.schedule(&left, &PAPER));
        assert_ne!(planned(3), planned(4));
    }

    #[test]
    fn with_more_candidates_than_phones_each_is_seen_once_before_any_is_proven() {
        let fresh = tallies(&[(0, 0); 20]);
        let first = HeuristicScheduler.schedule(&fresh, &PAPER);
        assert_eq!(
            (first[..15].to_vec(), first[15..].to_vec()),
            (vec![1; 15], vec![0; 5])
        );
        let mut then = tallies(&[(0, 1); 20]);
        then[3] = AttemptTally {
            successes: 1,
            failures: 0,
        };
        then[15..].fill(AttemptTally::default());
        let second = HeuristicScheduler.schedule(&then, &PAPER);
        assert_eq!(second[15..], [1; 5]);
        assert_eq!(second.iter().sum::<u32>(), 15);
    }

    #[test]
    fn no_round_is_too_large_or_empty_and_nobody_gets_more_than_is_left() {
        for scheduling in SchedulerKind::ALL {
            let scheduler = make_scheduler(*scheduling, None);
            for parallel in [1, 4, 15, 40] {
                let limits = RoundLimits { parallel, ..PAPER };
                for first in 0..18 {
                    for failures in 0..3 {
                        let known =
                            tallies(&[(first, failures), (17 - first, 0), (0, failures), (17, 2)]);
                        let runs = scheduler.schedule(&known, &limits);
                        let left: u32 = known.iter().map(|tally| 20 - tally.runs()).sum();
                        assert_eq!(
                            runs.iter().sum::<u32>(),
                            parallel.min(left),
                            "{scheduling}: {known:?}"
                        );
                        assert!(
                            runs.iter()
                                .zip(&known)
                                .all(|(runs, tally)| runs + tally.runs() <= 20)
                        );
                    }
                }
            }
        }
    }
}
