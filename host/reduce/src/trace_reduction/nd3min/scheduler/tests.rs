//! The schedulers on the paper's examples, and what every schedule must keep to.

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
    // Dead candidates are not in the list any more.
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

/// Section 4.2's example: thirteen attempts prove the third candidate, and two are left for the first.
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

/// Two candidates are good. The better one needs 11 attempts, which leaves 4; the other needs 13, which fit into a round of
/// their own: it is deferred and gets the 4. The bad one gets nothing.
#[test]
fn a_candidate_whose_proof_fits_into_the_next_round_is_deferred() {
    assert_eq!(
        HeuristicScheduler.schedule(&tallies(&[(1, 3), (7, 0), (6, 1)]), &PAPER),
        [0, 11, 4]
    );
}

/// Two candidates need ten attempts each: only one of them fits. A third that needs five comes before the second.
#[test]
fn proofs_that_fit_together_are_packed_into_one_round() {
    assert_eq!(
        HeuristicScheduler.schedule(&tallies(&[(8, 0), (8, 0), (14, 1)]), &PAPER),
        [10, 0, 5]
    );
}

/// One more failure kills (0, 2): one attempt. (1, 1) has a share of one half and lacks two failures: four attempts. Then one
/// each, by their share of successes.
#[test]
fn a_bad_candidate_gets_the_expected_number_of_attempts_that_kill_it() {
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

/// A search that began with many candidates does not use the policy, even if few are left.
#[test]
fn the_policy_schedules_only_searches_that_began_with_few_candidates() {
    let parameters = crate::policy::PolicyParameters {
        candidates: 3,
        parallel: 15,
        runs: 20,
        successes: 18,
    };
    let prior = crate::policy::SuccessRatePrior::published();
    let policy = SchedulePolicy::solve(&parameters, &prior, 1 << 30, 1, &|_, _| true).unwrap();
    let optimal = OptimalScheduler {
        policy: Arc::new(policy),
    };
    let left = tallies(&[(1, 1), (0, 2)]);
    let scheduled = |candidates| {
        optimal.schedule(
            &left,
            &RoundLimits {
                candidates,
                ..PAPER
            },
        )
    };
    assert_eq!(Some(scheduled(3)), optimal.policy.schedule(&left));
    assert_eq!(scheduled(4), HeuristicScheduler.schedule(&left, &PAPER));
    assert_ne!(scheduled(3), scheduled(4));
}

#[test]
fn with_more_candidates_than_phones_each_is_tried_once_before_any_is_proven() {
    let fresh = tallies(&[(0, 0); 20]);
    let first = HeuristicScheduler.schedule(&fresh, &PAPER);
    assert_eq!(
        (first[..15].to_vec(), first[15..].to_vec()),
        (vec![1; 15], vec![0; 5])
    );
    let mut after_first = tallies(&[(0, 1); 20]);
    after_first[3] = AttemptTally {
        successes: 1,
        failures: 0,
    };
    after_first[15..].fill(AttemptTally::default());
    let second = HeuristicScheduler.schedule(&after_first, &PAPER);
    assert_eq!(second[15..], [1; 5]);
    assert_eq!(second.iter().sum::<u32>(), 15);
}

#[test]
fn every_round_is_as_full_as_the_limits_allow() {
    for scheduling in SchedulerKind::ALL {
        let scheduler = make_scheduler(*scheduling, None);
        for parallel in [1, 4, 15, 40] {
            let limits = RoundLimits { parallel, ..PAPER };
            for first in 0..18 {
                for failures in 0..3 {
                    let candidates =
                        tallies(&[(first, failures), (17 - first, 0), (0, failures), (17, 2)]);
                    let runs = scheduler.schedule(&candidates, &limits);
                    let left: u32 = candidates.iter().map(|tally| 20 - tally.runs()).sum();
                    assert_eq!(
                        runs.iter().sum::<u32>(),
                        parallel.min(left),
                        "{scheduling}: {candidates:?}"
                    );
                    assert!(
                        runs.iter()
                            .zip(&candidates)
                            .all(|(runs, tally)| runs + tally.runs() <= 20)
                    );
                }
            }
        }
    }
}
