//! The policy against a program that knows nothing clever: every schedule, every outcome, every order of the candidates.

use std::collections::HashMap;

use super::{
    AttemptTally, PolicyError, PolicyParameters, SchedulePolicy, SuccessRatePrior, binomial,
};

const ENOUGH: u64 = 1 << 30;

fn tally(successes: u32, failures: u32) -> AttemptTally {
    AttemptTally {
        successes,
        failures,
    }
}

struct BruteForceSolver<'a> {
    rules: PolicyParameters,
    prior: &'a SuccessRatePrior,
    known: HashMap<Vec<AttemptTally>, f64>,
}

impl BruteForceSolver<'_> {
    /// The fewest rounds to be expected from here, over all schedules of up to `parallel` runs.
    fn value(&mut self, state: &[AttemptTally]) -> f64 {
        let PolicyParameters {
            runs,
            successes,
            parallel,
            ..
        } = self.rules;
        let dead = |tally: &AttemptTally| tally.failures > runs - successes;
        if state.iter().any(|tally| tally.successes >= successes) || state.iter().all(dead) {
            return 0.0;
        }
        if let Some(known) = self.known.get(state) {
            return *known;
        }
        let mut best = f64::INFINITY;
        for schedule in self.schedules(state, parallel) {
            if schedule.iter().any(|&runs| runs > 0) {
                best = best.min(1.0 + self.after(state, &schedule, 0, &mut Vec::new()));
            }
        }
        self.known.insert(state.to_vec(), best);
        best
    }

    fn schedules(&self, state: &[AttemptTally], left: u32) -> Vec<Vec<u32>> {
        let Some((first, rest)) = state.split_first() else {
            return vec![Vec::new()];
        };
        let most = left.min(self.rules.runs - first.successes - first.failures);
        let mut all = Vec::new();
        for runs in 0..=most {
            all.extend(
                self.schedules(rest, left - runs)
                    .into_iter()
                    .map(|more| [vec![runs], more].concat()),
            );
        }
        all
    }

    fn after(
        &mut self,
        state: &[AttemptTally],
        schedule: &[u32],
        place: usize,
        next: &mut Vec<AttemptTally>,
    ) -> f64 {
        if place == state.len() {
            return self.value(&next.clone());
        }
        let from = state[place];
        let more = schedule[place];
        let mut sum = 0.0;
        for failures in 0..=more {
            let to = tally(from.successes + more - failures, from.failures + failures);
            let chance = binomial(more, failures) * self.prior.marginal_likelihood(to)
                / self.prior.marginal_likelihood(from);
            if chance > 0.0 {
                next.push(to);
                sum += chance * self.after(state, schedule, place + 1, next);
                next.pop();
            }
        }
        sum
    }
}

fn solved(
    candidates: usize,
    parallel: u32,
    runs: u32,
    successes: u32,
    prior: &SuccessRatePrior,
) -> SchedulePolicy {
    let rules = PolicyParameters {
        candidates,
        parallel,
        runs,
        successes,
    };
    SchedulePolicy::solve(&rules, prior, ENOUGH, 2, &|_, _| true).unwrap()
}

/// Schedules that leave phones idle are tried too: they are never better.
#[test]
fn no_other_schedule_is_better() {
    let even = SuccessRatePrior::parse("p,w\n0.1,1\n0.5,1\n0.7,2\n0.95,3\n").unwrap();
    for prior in [SuccessRatePrior::published(), even] {
        for (candidates, parallel, runs, successes) in [
            (2, 1, 3, 2),
            (2, 3, 5, 4),
            (2, 4, 6, 4),
            (3, 2, 3, 2),
            (3, 4, 4, 3),
            (3, 5, 3, 3),
            (4, 3, 2, 2),
        ] {
            let rules = PolicyParameters {
                candidates,
                parallel,
                runs,
                successes,
            };
            let mut brute = BruteForceSolver {
                rules,
                prior: &prior,
                known: HashMap::new(),
            };
            let expected = brute.value(&vec![AttemptTally::default(); candidates]);
            let policy = solved(candidates, parallel, runs, successes, &prior);
            assert!(
                (policy.expected_rounds() - expected).abs() < 1e-9,
                "{rules:?}: {} or {expected}",
                policy.expected_rounds()
            );
        }
    }
}

/// What it plans must also lead to what it promises.
#[test]
fn following_the_policy_takes_as_long_as_it_says() {
    fn followed(policy: &SchedulePolicy, prior: &SuccessRatePrior, state: &[AttemptTally]) -> f64 {
        let PolicyParameters {
            runs, successes, ..
        } = *policy.parameters();
        if state.iter().any(|tally| tally.successes >= successes) {
            return 0.0;
        }
        let alive: Vec<AttemptTally> = state
            .iter()
            .copied()
            .filter(|tally| tally.failures <= runs - successes)
            .collect();
        if alive.is_empty() {
            return 0.0;
        }
        let schedule = policy.schedule(&alive).unwrap();
        let mut next = vec![(Vec::new(), 1.0)];
        for (from, more) in alive.iter().zip(schedule) {
            next = next
                .into_iter()
                .flat_map(|(before, chance): (Vec<AttemptTally>, f64)| {
                    (0..=more).map(move |failures| {
                        let to = tally(from.successes + more - failures, from.failures + failures);
                        let one = binomial(more, failures) * prior.marginal_likelihood(to)
                            / prior.marginal_likelihood(*from);
                        ([before.as_slice(), &[to]].concat(), chance * one)
                    })
                })
                .collect();
        }
        1.0 + next
            .into_iter()
            .filter(|(_, chance)| *chance > 0.0)
            .map(|(state, chance)| chance * followed(policy, prior, &state))
            .sum::<f64>()
    }
    let prior = SuccessRatePrior::published();
    for (candidates, parallel, runs, successes) in [(2, 4, 6, 5), (3, 4, 5, 4)] {
        let policy = solved(candidates, parallel, runs, successes, &prior);
        let takes = followed(&policy, &prior, &vec![AttemptTally::default(); candidates]);
        assert!(
            (takes - policy.expected_rounds()).abs() < 1e-9,
            "{takes} or {}",
            policy.expected_rounds()
        );
    }
}

#[test]
fn the_known_values_come_out() {
    for (candidates, states, start) in [
        (2, 151, 1.625),
        (3, 3_379, 1.807),
        (4, 55_563, 1.988),
        (5, 729_705, 2.187),
    ] {
        let policy = solved(candidates, 15, 20, 18, &SuccessRatePrior::published());
        assert_eq!(policy.states(), states);
        assert!(
            (policy.expected_rounds() - start).abs() < 0.0005,
            "{candidates}: {}",
            policy.expected_rounds()
        );
    }
}

#[test]
fn a_schedule_follows_its_candidates_whatever_their_order() {
    let policy = solved(3, 15, 20, 18, &SuccessRatePrior::published());
    let good = tally(12, 0);
    let fair = tally(0, 0);
    let bad = tally(1, 2);
    let [first, second, third] = policy.schedule(&[good, fair, bad]).unwrap()[..] else {
        panic!()
    };
    assert_eq!(first + second + third, 15);
    assert_eq!(
        policy.schedule(&[bad, good, fair]),
        Some(vec![third, first, second])
    );
    // While all three are alive only full rounds can have been played, and 12 + 1 + 3 runs are none.
    assert_eq!(policy.schedule(&[good, tally(1, 0), bad]), None);
    assert_eq!(policy.schedule(&[good, tally(18, 0)]), None);
}

#[test]
fn what_was_kept_is_the_policy_again() {
    let prior = SuccessRatePrior::published();
    let policy = solved(3, 15, 20, 18, &prior);
    let kept = policy.schedules().to_vec();
    let again = SchedulePolicy::from_stored(
        *policy.parameters(),
        &prior,
        policy.expected_rounds(),
        kept.clone(),
    )
    .unwrap();
    assert_eq!(again, policy);
    let cut = SchedulePolicy::from_stored(
        *policy.parameters(),
        &prior,
        policy.expected_rounds(),
        kept[1..].to_vec(),
    );
    assert_eq!(cut, Err(PolicyError::Damaged));
}

#[test]
fn rules_that_make_no_sense_or_need_too_much_are_refused_before_any_work() {
    let rules = PolicyParameters {
        candidates: 5,
        parallel: 15,
        runs: 20,
        successes: 18,
    };
    let never: super::SolveProgress<'_> = &|_, _| panic!("it was begun");
    let refused = |rules: PolicyParameters, memory| {
        SchedulePolicy::solve(&rules, &SuccessRatePrior::published(), memory, 1, never).unwrap_err()
    };
    assert_eq!(
        refused(
            PolicyParameters {
                candidates: 1,
                ..rules
            },
            ENOUGH
        ),
        PolicyError::Candidates(1)
    );
    assert_eq!(
        refused(
            PolicyParameters {
                candidates: 9,
                ..rules
            },
            ENOUGH
        ),
        PolicyError::Candidates(9)
    );
    assert_eq!(
        refused(
            PolicyParameters {
                parallel: 0,
                ..rules
            },
            ENOUGH
        ),
        PolicyError::Parallel(0)
    );
    assert!(matches!(
        refused(PolicyParameters { runs: 17, ..rules }, ENOUGH),
        PolicyError::Undecidable { .. }
    ));
    assert!(matches!(
        refused(
            PolicyParameters {
                runs: 100,
                successes: 50,
                ..rules
            },
            ENOUGH
        ),
        PolicyError::Pairs { .. }
    ));
    assert!(matches!(
        refused(
            PolicyParameters {
                candidates: 7,
                ..rules
            },
            ENOUGH
        ),
        PolicyError::Memory { .. }
    ));
    assert!(matches!(
        refused(rules, 1 << 20),
        PolicyError::Memory { .. }
    ));
    let stopped = SchedulePolicy::solve(
        &PolicyParameters {
            candidates: 3,
            ..rules
        },
        &SuccessRatePrior::published(),
        ENOUGH,
        2,
        &|_, _| false,
    );
    assert_eq!(stopped, Err(PolicyError::Stopped));
}
