//! Solves the whole decision process in one pass: states with fewer candidates alive first, among them those with more runs
//! used, since a round only leads there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::open_tallies::OpenTallies;
use super::policy_solver::{PackedSchedule, PolicySolver};
use super::prior::SuccessRatePrior;
use super::states::{open_states, pack, unpack};
use super::value_table::ValueTable;
use super::{PolicyParameters, SchedulePolicy};

/// States that begin with the same two pairs, so that one worker solves them.
type StateGroup = Vec<usize>;

/// Told how many states are done, of how many; says whether to go on.
pub type SolveProgress<'a> = &'a (dyn Fn(u64, u64) -> bool + Sync);

/// `None` if it was told to stop.
pub(super) fn solve(
    rules: &PolicyParameters,
    prior: &SuccessRatePrior,
    threads: usize,
    progress: SolveProgress<'_>,
) -> Option<SchedulePolicy> {
    let pairs = OpenTallies::new(rules, prior);
    let mut table = ValueTable::new(rules, &pairs);
    let layers: Vec<Vec<u64>> = (1..=rules.candidates)
        .map(|alive| open_states(rules, &pairs, alive))
        .collect();
    let all = layers.iter().map(|states| states.len() as u64).sum();
    let mut done = 0;
    let mut schedules = Vec::new();
    let mut start = 0.0;
    for (states, alive) in layers.iter().zip(1..) {
        let mut solved = vec![(0.0, PackedSchedule::default()); states.len()];
        for groups in groups_by_round(states, alive, rules, &pairs)
            .into_values()
            .rev()
        {
            let answers = solve_in_parallel(
                &groups,
                threads,
                || {
                    let mut worker = PolicySolver::new(rules, &pairs, &table);
                    move |group: &StateGroup| {
                        let members: Vec<u64> = group.iter().map(|&state| states[state]).collect();
                        worker.solve(&members, alive)
                    }
                },
                &|finished| {
                    let states: usize = finished;
                    progress(done + states as u64, all)
                },
            )?;
            for (group, answer) in groups.iter().zip(answers) {
                done += group.len() as u64;
                for (&state, (value, schedule)) in group.iter().zip(answer) {
                    let dead = std::iter::repeat_n(pairs.dead(), rules.candidates - alive);
                    let members: Vec<u8> = unpack(states[state], alive).chain(dead).collect();
                    table.insert(&members, value);
                    solved[state] = (value, schedule);
                }
            }
        }
        if alive == rules.candidates {
            let place = states.binary_search(&pack(&vec![0; alive])).ok()?;
            start = solved[place].0;
        }
        schedules.extend(solved.iter().flat_map(|(_, schedule)| &schedule[..alive]));
    }
    Some(SchedulePolicy::from_parts(
        *rules,
        prior.hash(),
        start,
        schedules,
        &pairs,
        layers,
    ))
}

/// Groups by how many full rounds have been played; a round leads from one to the next, or to fewer alive.
fn groups_by_round(
    states: &[u64],
    alive: usize,
    rules: &PolicyParameters,
    pairs: &OpenTallies,
) -> BTreeMap<u32, Vec<StateGroup>> {
    let mut rounds: BTreeMap<u32, Vec<StateGroup>> = BTreeMap::new();
    let tail = |state: u64| state >> (8 * alive.saturating_sub(2));
    for (number, &state) in states.iter().enumerate() {
        let used: u32 = unpack(state, alive).map(|pair| pairs.attempts(pair)).sum();
        let groups = rounds.entry(used / rules.parallel).or_default();
        match groups.last_mut() {
            Some(group) if tail(states[group[0]]) == tail(state) => group.push(number),
            _ => groups.push(vec![number]),
        }
    }
    rounds
}

/// Every group's answer, in order. Each thread has a worker of its own.
fn solve_in_parallel<A: Send, W: FnMut(&StateGroup) -> A>(
    groups: &[StateGroup],
    threads: usize,
    worker: impl Fn() -> W + Sync,
    progress: &(dyn Fn(usize) -> bool + Sync),
) -> Option<Vec<A>> {
    let next = AtomicUsize::new(0);
    let finished = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let answers = Mutex::new(Vec::with_capacity(groups.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, groups.len().max(1)) {
            scope.spawn(|| {
                let mut worker = worker();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(group) = groups
                        .get(number)
                        .filter(|_| !stopped.load(Ordering::Relaxed))
                    else {
                        break;
                    };
                    let answer = worker(group);
                    let finished = finished.fetch_add(group.len(), Ordering::Relaxed) + group.len();
                    answers
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((number, answer));
                    if !progress(finished) {
                        stopped.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    if stopped.into_inner() {
        return None;
    }
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_unstable_by_key(|(number, _)| *number);
    Some(answers.into_iter().map(|(_, answer)| answer).collect())
}
