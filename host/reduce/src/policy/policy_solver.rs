//! The best schedule for a state. A state is split into a tail of two candidates and a head of the others. All schedules of the
//! head are tried; for each of its outcomes a row holds the expected value per split of the remaining attempts over the tail.
//! Rows are shared by all states with the same tail.

use super::open_tallies::{OpenTallies, TallyOutcome};
use super::states::unpack;
use super::value_table::ValueTable;
use super::{MAX_CANDIDATES, PolicyParameters};

/// Attempts for each candidate, in the order of the state's tallies.
pub(super) type PackedSchedule = [u8; MAX_CANDIDATES];

const NO_ROW: u32 = u32::MAX;
/// Rows are padded to a multiple of this, so that they are added without a remainder.
const LANES: usize = 4;
/// Values that differ by less are equal.
const EPSILON: f64 = 1e-12;

/// Solves states one after the other, with rows that it keeps for the current tail.
pub(super) struct PolicySolver<'a> {
    parameters: &'a PolicyParameters,
    tallies: &'a OpenTallies,
    table: &'a ValueTable,
    /// Probability of not passing, by tally and further attempts.
    survival_probability: Vec<Vec<f64>>,
    /// Probability of being dead, by tally and further attempts.
    death_probability: Vec<Vec<f64>>,
    tail: TailSplits,
    /// Start of each row, by head and number of attempts for the tail.
    rows: Vec<u32>,
    /// Entries of `rows` that are in use.
    filled: Vec<u32>,
    row_values: Vec<f64>,
    /// Outcomes of the head up to each of its candidates, as multisets with their probabilities.
    head_outcomes: Vec<Vec<(u32, f64)>>,
    head: Vec<u8>,
    /// Number of dead candidates in the head.
    dead: usize,
    row_sum: Vec<f64>,
    current: PackedSchedule,
    best: (f64, PackedSchedule),
}

/// Splits of attempts over the two candidates of a tail.
#[derive(Default)]
struct TailSplits {
    /// By the number of attempts of both.
    splits: Vec<TailSplit>,
}

/// All splits of one number of attempts.
#[derive(Default)]
struct TailSplit {
    /// Minimum number of attempts of the first candidate.
    from: u32,
    /// Maximum number of attempts of the first candidate.
    to: u32,
    /// Outcomes of each split: tails with a dead candidate, and the others.
    outcomes: Vec<[Vec<(u32, f64)>; 2]>,
    /// Minimum over all splits of the probability that neither passes.
    survival_probability: f64,
    /// Maximum over all splits of the probability that both are dead.
    death_probability: f64,
}

impl<'a> PolicySolver<'a> {
    pub(super) fn new(
        parameters: &'a PolicyParameters,
        tallies: &'a OpenTallies,
        table: &'a ValueTable,
    ) -> PolicySolver<'a> {
        let probabilities = |of: &dyn Fn(&TallyOutcome) -> f64| -> Vec<Vec<f64>> {
            let attempts = |tally: u8| 0..=tallies.attempts_left(tally).min(parameters.parallel);
            let sum = |tally, more| tallies.outcomes(tally, more).iter().map(of).sum();
            (0..=tallies.dead())
                .map(|tally| attempts(tally).map(|more| sum(tally, more)).collect())
                .collect()
        };
        let dead = tallies.dead();
        PolicySolver {
            parameters,
            tallies,
            table,
            survival_probability: probabilities(&|outcome| outcome.probability),
            death_probability: probabilities(&|outcome| {
                if outcome.tally == dead {
                    outcome.probability
                } else {
                    0.0
                }
            }),
            tail: TailSplits::default(),
            rows: vec![NO_ROW; table.heads.members.len() * (parameters.parallel as usize + 1)],
            filled: Vec::new(),
            row_values: Vec::new(),
            head_outcomes: vec![Vec::new(); parameters.candidates],
            head: Vec::new(),
            dead: 0,
            row_sum: Vec::new(),
            current: PackedSchedule::default(),
            best: (0.0, PackedSchedule::default()),
        }
    }

    /// Solves states that begin with the same two tallies. The schedule of each state is the first guess for the next one.
    pub(super) fn solve(&mut self, states: &[u64], alive: usize) -> Vec<(f64, PackedSchedule)> {
        let Some(&first) = states.first() else {
            return Vec::new();
        };
        let mut members = unpack(first, alive).chain([self.tallies.dead()]);
        let tail = (
            members.next().unwrap_or_default(),
            members.next().unwrap_or_default(),
        );
        self.set_tail(tail);
        let mut previous = PackedSchedule::default();
        states
            .iter()
            .map(|&state| {
                let solved = self.solve_one(state, alive, &previous);
                previous = solved.1;
                solved
            })
            .collect()
    }

    fn set_tail(&mut self, tail: (u8, u8)) {
        for row in self.filled.drain(..) {
            self.rows[row as usize] = NO_ROW;
        }
        self.row_values.clear();
        self.tail = self.tail_splits(tail);
    }

    fn solve_one(
        &mut self,
        state: u64,
        alive: usize,
        previous: &PackedSchedule,
    ) -> (f64, PackedSchedule) {
        let PolicySolver {
            parameters,
            tallies,
            ..
        } = *self;
        let left: u32 = unpack(state, alive)
            .map(|tally| tallies.attempts_left(tally))
            .sum();
        if left <= parameters.parallel {
            let mut all = PackedSchedule::default();
            unpack(state, alive)
                .zip(&mut all)
                .for_each(|(tally, runs)| *runs = tallies.attempts_left(tally) as u8);
            return (1.0, all);
        }
        self.head.clear();
        self.head.extend(unpack(state, alive).skip(2));
        self.dead = parameters.candidates - 2 - self.head.len();
        let dead = (0..self.dead).fold(0, |set, size| {
            self.table.heads.insert(size, set, tallies.dead())
        });
        self.head_outcomes[0] = vec![(dead, 1.0)];
        self.best = (f64::INFINITY, PackedSchedule::default());
        self.try_previous(previous);
        self.search_head(0, parameters.parallel, 1.0, 1.0);
        (1.0 + self.best.0, self.best.1)
    }

    /// Starts with the schedule of the previous state: a good bound prunes most others.
    fn try_previous(&mut self, schedule: &PackedSchedule) {
        let mut left = self.parameters.parallel;
        for (depth, wanted) in (0..self.head.len()).zip(&schedule[2..]) {
            let runs = u32::from(*wanted)
                .min(self.tallies.attempts_left(self.head[depth]))
                .min(left);
            self.current[depth + 2] = runs as u8;
            self.extend_head(depth, runs);
            left -= runs;
        }
        self.split_tail(left);
    }

    /// Tries all ways to give the candidates of the head from `depth` on some of the `left` attempts. `survival` and `death` are
    /// the probabilities that none of the candidates before has passed, and that all of them are dead.
    fn search_head(&mut self, depth: usize, left: u32, survival: f64, death: f64) {
        if depth == self.head.len() {
            self.split_tail(left);
            return;
        }
        let tally = self.head[depth];
        let last = depth + 1 == self.head.len();
        let mut most = self.tallies.attempts_left(tally).min(left);
        // Equal candidates are interchangeable: the first gets the most.
        if depth > 0 && self.head[depth - 1] == tally {
            most = most.min(u32::from(self.current[depth + 1]));
        }
        for runs in (0..=most).rev() {
            let survival = survival * self.survival_probability[tally as usize][runs as usize];
            let death = death * self.death_probability[tally as usize][runs as usize];
            let split = &self.tail.splits[(left - runs) as usize];
            // A search that has not ended takes at least one more round.
            if last
                && (split.from > split.to
                    || survival * split.survival_probability - death * split.death_probability
                        >= self.best.0 - EPSILON)
            {
                continue;
            }
            self.current[depth + 2] = runs as u8;
            self.extend_head(depth, runs);
            self.search_head(depth + 1, left - runs, survival, death);
        }
    }

    /// Computes the outcomes of the head up to `depth` if its last candidate gets `runs` attempts.
    fn extend_head(&mut self, depth: usize, runs: u32) {
        let (before, after) = self.head_outcomes.split_at_mut(depth + 1);
        let before = &before[depth];
        let after = &mut after[0];
        let outcomes = self.tallies.outcomes(self.head[depth], runs);
        after.clear();
        for &(set, probability) in before {
            after.extend(outcomes.iter().map(|outcome| {
                (
                    self.table
                        .heads
                        .insert(self.dead + depth, set, outcome.tally),
                    probability * outcome.probability,
                )
            }));
        }
    }

    /// Finds the best split of the `left` attempts over the tail.
    fn split_tail(&mut self, left: u32) {
        let TailSplit { from, to, .. } = self.tail.splits[left as usize];
        if from > to {
            return;
        }
        let length = ((to - from + 1) as usize).next_multiple_of(LANES);
        self.row_sum.clear();
        self.row_sum.resize(length, 0.0);
        for number in 0..self.head_outcomes[self.head.len()].len() {
            let (head, probability) = self.head_outcomes[self.head.len()][number];
            let row = self.row(head, left);
            let row = self.row_values[row..row + length].chunks_exact(LANES);
            for (sum, row) in self.row_sum.chunks_exact_mut(LANES).zip(row) {
                (0..LANES).for_each(|lane| sum[lane] += probability * row[lane]);
            }
        }
        for (runs, &sum) in (from..=to).zip(&self.row_sum) {
            if sum < self.best.0 - EPSILON {
                self.current[0] = runs as u8;
                self.current[1] = (left - runs) as u8;
                self.best = (sum, self.current);
            }
        }
    }

    /// Start of the row of a head. The row is filled on first use.
    fn row(&mut self, head: u32, left: u32) -> usize {
        let index = head as usize * (self.parameters.parallel as usize + 1) + left as usize;
        if self.rows[index] != NO_ROW {
            return self.rows[index] as usize;
        }
        let start = self.row_values.len();
        let (dead, living) = self.table.values_of_head(head);
        for [with_dead, others] in &self.tail.splits[left as usize].outcomes {
            let with_dead: f64 = with_dead
                .iter()
                .map(|&(tail, probability)| probability * dead(tail))
                .sum();
            let others: f64 = others
                .iter()
                .map(|&(tail, probability)| probability * living(tail))
                .sum();
            self.row_values.push(with_dead + others);
        }
        let end = start + (self.row_values.len() - start).next_multiple_of(LANES);
        self.row_values.resize(end, 0.0);
        self.rows[index] = start as u32;
        self.filled.push(index as u32);
        start
    }

    fn tail_splits(&self, (one, other): (u8, u8)) -> TailSplits {
        let splits = (0..=self.parameters.parallel).map(|left| self.tail_split(one, other, left));
        TailSplits {
            splits: splits.collect(),
        }
    }

    fn tail_split(&self, one: u8, other: u8, left: u32) -> TailSplit {
        let to = self.tallies.attempts_left(one).min(left);
        let mut from = left.saturating_sub(self.tallies.attempts_left(other));
        if one == other {
            from = from.max(left.div_ceil(2));
        }
        let mut split = TailSplit {
            from,
            to,
            outcomes: Vec::new(),
            survival_probability: f64::INFINITY,
            death_probability: 0.0,
        };
        for runs in from..=to {
            split
                .outcomes
                .push(self.outcomes(one, runs, other, left - runs));
            let both = |probabilities: &[Vec<f64>]| {
                probabilities[one as usize][runs as usize]
                    * probabilities[other as usize][(left - runs) as usize]
            };
            split.survival_probability = split
                .survival_probability
                .min(both(&self.survival_probability));
            split.death_probability = split.death_probability.max(both(&self.death_probability));
        }
        split
    }

    fn outcomes(&self, one: u8, runs: u32, other: u8, others_runs: u32) -> [Vec<(u32, f64)>; 2] {
        let mut outcomes = [Vec::new(), Vec::new()];
        for first in self.tallies.outcomes(one, runs) {
            for second in self.tallies.outcomes(other, others_runs) {
                let tail = self.table.tail(first.tally, second.tally);
                outcomes[usize::from(!self.table.has_dead(tail))]
                    .push((tail, first.probability * second.probability));
            }
        }
        outcomes
    }
}
