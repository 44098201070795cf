//! Tests of the policy against brute force: every schedule, every outcome, every order of the candidates.

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
    parameters: PolicyParameters,
    prior: &'a SuccessRatePrior,
    values: HashMap<Vec<AttemptTally>, f64>,
}

impl BruteForceSolver<'_> {
    /// Minimum expected number of rounds from a state, over all schedules of up to `parallel` attempts.
    fn value(&mut self, state: &[AttemptTally]) -> f64 {
        let PolicyParameters {
            runs,
            successes,
            parallel,
            ..
        } = self.parameters;
        let dead = |tally: &AttemptTally| tally.failures > runs - successes;
        if state.iter().any(|tally| tally.successes >= successes) || state.iter().all(dead) {
            return 0.0;
        }
        if let Some(value) = self.values.get(state) {
            return *value;
        }
        let mut best = f64::INFINITY;
        for schedule in self.schedules(state, parallel) {
            if schedule.iter().any(|&runs| runs > 0) {
                best = best.min(1.0 + self.value_after(state, &schedule, 0, &mut Vec::new()));
            }
        }
        self.values.insert(state.to_vec(), best);
        best
    }

    fn schedules(&self, state: &[AttemptTally], left: u32) -> Vec<Vec<u32>> {
        let Some((first, rest)) = state.split_first() else {
            return vec![Vec::new()];
        };
        let most = left.min(self.parameters.runs - first.successes - first.failures);
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

    fn value_after(
        &mut self,
        state: &[AttemptTally],
        schedule: &[u32],
        candidate: usize,
        next: &mut Vec<AttemptTally>,
    ) -> f64 {
        if candidate == state.len() {
            return self.value(&next.clone());
        }
        let from = state[candidate];
        let more = schedule[candidate];
        let mut sum = 0.0;
        for failures in 0..=more {
            let to = tally(from.successes + more - failures, from.failures + failures);
            let probability = binomial(more, failures) * self.prior.marginal_likelihood(to)
                / self.prior.marginal_likelihood(from);
            if probability > 0.0 {
                next.push(to);
                sum += probability * self.value_after(state, schedule, candidate + 1, next);
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
    let parameters = PolicyParameters {
        candidates,
        parallel,
        runs,
        successes,
    };
    SchedulePolicy::solve(&parameters, prior, ENOUGH, 2, &|_, _| true).unwrap()
}

/// Schedules with idle phones are tried too.
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
            let parameters = PolicyParameters {
                candidates,
                parallel,
                runs,
                successes,
            };
            let mut brute = BruteForceSolver {
                parameters,
                prior: &prior,
                values: HashMap::new(),
            };
            let expected = brute.value(&vec![AttemptTally::default(); candidates]);
            let policy = solved(candidates, parallel, runs, successes, &prior);
            assert!(
                (policy.expected_rounds() - expected).abs() < 1e-9,
                "{parameters:?}: {} instead of {expected}",
                policy.expected_rounds()
            );
        }
    }
}

/// The schedules must lead to the expected number of rounds.
#[test]
fn following_the_policy_takes_the_expected_number_of_rounds() {
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
                .flat_map(|(before, probability): (Vec<AttemptTally>, f64)| {
                    (0..=more).map(move |failures| {
                        let to = tally(from.successes + more - failures, from.failures + failures);
                        let one = binomial(more, failures) * prior.marginal_likelihood(to)
                            / prior.marginal_likelihood(*from);
                        ([before.as_slice(), &[to]].concat(), probability * one)
                    })
                })
                .collect();
        }
        1.0 + next
            .into_iter()
            .filter(|(_, probability)| *probability > 0.0)
            .map(|(state, probability)| probability * followed(policy, prior, &state))
            .sum::<f64>()
    }
    let prior = SuccessRatePrior::published();
    for (candidates, parallel, runs, successes) in [(2, 4, 6, 5), (3, 4, 5, 4)] {
        let policy = solved(candidates, parallel, runs, successes, &prior);
        let rounds = followed(&policy, &prior, &vec![AttemptTally::default(); candidates]);
        assert!(
            (rounds - policy.expected_rounds()).abs() < 1e-9,
            "{rounds} instead of {}",
            policy.expected_rounds()
        );
    }
}

#[test]
fn states_and_expected_rounds_equal_known_values() {
    for (candidates, states, rounds) in [
        (2, 151, 1.625),
        (3, 3_379, 1.807),
        (4, 55_563, 1.988),
        (5, 729_705, 2.187),
    ] {
        let policy = solved(candidates, 15, 20, 18, &SuccessRatePrior::published());
        assert_eq!(policy.states(), states);
        assert!(
            (policy.expected_rounds() - rounds).abs() < 0.0005,
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
    // While all three are alive only full rounds can have been played, and 12 + 1 + 3 attempts are not one.
    assert_eq!(policy.schedule(&[good, tally(1, 0), bad]), None);
    assert_eq!(policy.schedule(&[good, tally(18, 0)]), None);
}

#[test]
fn a_stored_policy_is_the_same_policy() {
    let prior = SuccessRatePrior::published();
    let policy = solved(3, 15, 20, 18, &prior);
    let stored = policy.schedules().to_vec();
    let restored = SchedulePolicy::from_stored(
        *policy.parameters(),
        &prior,
        policy.expected_rounds(),
        stored.clone(),
    )
    .unwrap();
    assert_eq!(restored, policy);
    let damaged = SchedulePolicy::from_stored(
        *policy.parameters(),
        &prior,
        policy.expected_rounds(),
        stored[1..].to_vec(),
    );
    assert_eq!(damaged, Err(PolicyError::Damaged));
}

const PAPER: PolicyParameters = PolicyParameters {
    candidates: 5,
    parallel: 15,
    runs: 20,
    successes: 18,
};

#[test]
fn impossible_parameters_are_rejected_before_solving() {
    let few = PolicyParameters {
        candidates: 1,
        ..PAPER
    };
    assert_eq!(rejection(few, ENOUGH), PolicyError::Candidates(1));
    let many = PolicyParameters {
        candidates: 9,
        ..PAPER
    };
    assert_eq!(rejection(many, ENOUGH), PolicyError::Candidates(9));
    let no_phone = PolicyParameters {
        parallel: 0,
        ..PAPER
    };
    assert_eq!(rejection(no_phone, ENOUGH), PolicyError::Parallel(0));
    let undecidable = PolicyParameters { runs: 17, ..PAPER };
    assert!(matches!(
        rejection(undecidable, ENOUGH),
        PolicyError::Undecidable { .. }
    ));
    let too_many_tallies = PolicyParameters {
        runs: 100,
        successes: 50,
        ..PAPER
    };
    assert!(matches!(
        rejection(too_many_tallies, ENOUGH),
        PolicyError::Tallies { .. }
    ));
}

#[test]
fn policies_that_need_too_much_memory_are_rejected_before_solving() {
    let large = PolicyParameters {
        candidates: 7,
        ..PAPER
    };
    assert!(matches!(
        rejection(large, ENOUGH),
        PolicyError::Memory { .. }
    ));
    assert!(matches!(
        rejection(PAPER, 1 << 20),
        PolicyError::Memory { .. }
    ));
}

#[test]
fn solving_can_be_cancelled() {
    let parameters = PolicyParameters {
        candidates: 3,
        ..PAPER
    };
    let cancelled = SchedulePolicy::solve(
        &parameters,
        &SuccessRatePrior::published(),
        ENOUGH,
        2,
        &|_, _| false,
    );
    assert_eq!(cancelled, Err(PolicyError::Stopped));
}

fn rejection(parameters: PolicyParameters, memory: u64) -> PolicyError {
    let never: super::SolveProgress<'_> = &|_, _| panic!("solving was started");
    SchedulePolicy::solve(
        &parameters,
        &SuccessRatePrior::published(),
        memory,
        1,
        never,
    )
    .unwrap_err()
}
