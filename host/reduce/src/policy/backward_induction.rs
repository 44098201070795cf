//! Backward induction over all states: those with fewer candidates alive first, and among them those with more attempts, because
//! a round only leads to such states.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::open_tallies::OpenTallies;
use super::policy_solver::{PackedSchedule, PolicySolver};
use super::prior::SuccessRatePrior;
use super::states::{open_states, pack, unpack};
use super::value_table::ValueTable;
use super::{PolicyParameters, SchedulePolicy};

/// States that begin with the same two tallies. One worker solves them together.
type StateGroup = Vec<usize>;

/// Callback with the number of solved states and of all states. Returns false to cancel.
pub type SolveProgress<'a> = &'a (dyn Fn(u64, u64) -> bool + Sync);

/// Solves a policy. `None` if `progress` cancels.
pub(super) fn solve(
    parameters: &PolicyParameters,
    prior: &SuccessRatePrior,
    threads: usize,
    progress: SolveProgress<'_>,
) -> Option<SchedulePolicy> {
    let tallies = OpenTallies::new(parameters, prior);
    let layers: Vec<Vec<u64>> = (1..=parameters.candidates)
        .map(|alive| open_states(parameters, &tallies, alive))
        .collect();
    let mut induction = BackwardInduction {
        parameters,
        tallies: &tallies,
        table: ValueTable::new(parameters, &tallies),
        threads,
        progress,
        solved: 0,
        all: layers.iter().map(|states| states.len() as u64).sum(),
    };
    let mut schedules = Vec::new();
    let mut expected_rounds = 0.0;
    for (states, alive) in layers.iter().zip(1..) {
        let solved = induction.solve_layer(states, alive)?;
        if alive == parameters.candidates {
            let start = states.binary_search(&pack(&vec![0; alive])).ok()?;
            expected_rounds = solved[start].0;
        }
        schedules.extend(solved.iter().flat_map(|(_, schedule)| &schedule[..alive]));
    }
    Some(SchedulePolicy::from_parts(
        *parameters,
        prior.hash(),
        expected_rounds,
        schedules,
        &tallies,
        layers,
    ))
}

/// Values of the states that are solved so far.
struct BackwardInduction<'a> {
    parameters: &'a PolicyParameters,
    tallies: &'a OpenTallies,
    table: ValueTable,
    threads: usize,
    progress: SolveProgress<'a>,
    solved: u64,
    all: u64,
}

impl BackwardInduction<'_> {
    /// Solves all states with this number of candidates alive: values and schedules, in the order of the states.
    fn solve_layer(&mut self, states: &[u64], alive: usize) -> Option<Vec<(f64, PackedSchedule)>> {
        let mut layer = vec![(0.0, PackedSchedule::default()); states.len()];
        let rounds = groups_by_round(states, alive, self.parameters, self.tallies);
        for groups in rounds.into_values().rev() {
            let solutions = self.solve_round(&groups, states, alive)?;
            for (group, solutions) in groups.iter().zip(solutions) {
                self.solved += group.len() as u64;
                for (&state, (value, schedule)) in group.iter().zip(solutions) {
                    let dead = self.parameters.candidates - alive;
                    let members: Vec<u8> = unpack(states[state], alive)
                        .chain(std::iter::repeat_n(self.tallies.dead(), dead))
                        .collect();
                    self.table.insert(&members, value);
                    layer[state] = (value, schedule);
                }
            }
        }
        Some(layer)
    }

    fn solve_round(
        &self,
        groups: &[StateGroup],
        states: &[u64],
        alive: usize,
    ) -> Option<Vec<Vec<(f64, PackedSchedule)>>> {
        solve_in_parallel(
            groups,
            self.threads,
            || {
                let mut solver = PolicySolver::new(self.parameters, self.tallies, &self.table);
                move |group: &StateGroup| {
                    let members: Vec<u64> = group.iter().map(|&state| states[state]).collect();
                    solver.solve(&members, alive)
                }
            },
            &|finished| (self.progress)(self.solved + finished as u64, self.all),
        )
    }
}

/// Groups by the number of full rounds that were played. A round leads to the next number, or to fewer candidates alive.
fn groups_by_round(
    states: &[u64],
    alive: usize,
    parameters: &PolicyParameters,
    tallies: &OpenTallies,
) -> BTreeMap<u32, Vec<StateGroup>> {
    let mut rounds: BTreeMap<u32, Vec<StateGroup>> = BTreeMap::new();
    let tail = |state: u64| state >> (8 * alive.saturating_sub(2));
    for (number, &state) in states.iter().enumerate() {
        let attempts: u32 = unpack(state, alive)
            .map(|tally| tallies.attempts(tally))
            .sum();
        let groups = rounds.entry(attempts / parameters.parallel).or_default();
        match groups.last_mut() {
            Some(group) if tail(states[group[0]]) == tail(state) => group.push(number),
            _ => groups.push(vec![number]),
        }
    }
    rounds
}

/// Solutions of all groups, in order. Each thread has a worker of its own. `None` if `progress` cancels.
fn solve_in_parallel<S: Send, W: FnMut(&StateGroup) -> S>(
    groups: &[StateGroup],
    threads: usize,
    worker: impl Fn() -> W + Sync,
    progress: &(dyn Fn(usize) -> bool + Sync),
) -> Option<Vec<S>> {
    let next = AtomicUsize::new(0);
    let finished = AtomicUsize::new(0);
    let cancelled = AtomicBool::new(false);
    let solutions = Mutex::new(Vec::with_capacity(groups.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, groups.len().max(1)) {
            scope.spawn(|| {
                let mut worker = worker();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(group) = groups
                        .get(number)
                        .filter(|_| !cancelled.load(Ordering::Relaxed))
                    else {
                        break;
                    };
                    let solution = worker(group);
                    let finished = finished.fetch_add(group.len(), Ordering::Relaxed) + group.len();
                    solutions
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((number, solution));
                    if !progress(finished) {
                        cancelled.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    if cancelled.into_inner() {
        return None;
    }
    let mut solutions = solutions
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    solutions.sort_unstable_by_key(|(number, _)| *number);
    Some(
        solutions
            .into_iter()
            .map(|(_, solution)| solution)
            .collect(),
    )
}
