//! The best schedule for a state. All schedules of the head's candidates are tried; what the two of the tail add to each
//! is a row, one number for each way to share what is left between them, and rows serve all states with the same tail.

use super::open_tallies::OpenTallies;
use super::states::unpack;
use super::value_table::ValueTable;
use super::{MOST_CANDIDATES, PolicyParameters};

/// Runs for each candidate, in the order of the state's pairs.
pub(super) type PackedSchedule = [u8; MOST_CANDIDATES];

const NO_ROW: u32 = u32::MAX;
/// Rows are filled up to a multiple of this, so that they are added without a remainder.
const LANES: usize = 4;
/// Schedules nearer than this are equally good.
const EPSILON: f64 = 1e-12;

pub(super) struct PolicySolver<'a> {
    parameters: &'a PolicyParameters,
    pairs: &'a OpenTallies,
    table: &'a ValueTable,
    /// By pair and further runs: the chance not to pass, and the chance to be dead.
    survival_chance: Vec<Vec<f64>>,
    death_chance: Vec<Vec<f64>>,
    tail: TailSplits,
    /// By head and what is left for the tail: where its row begins.
    rows: Vec<u32>,
    filled: Vec<u32>,
    row_values: Vec<f64>,
    /// After each candidate of the head: the sets that it may have become, each with its chance.
    head_outcomes: Vec<Vec<(u32, f64)>>,
    head: Vec<u8>,
    dead: usize,
    row_sum: Vec<f64>,
    current: PackedSchedule,
    best: (f64, PackedSchedule),
}

/// What two candidates may become.
#[derive(Default)]
struct TailSplits {
    /// By the runs that both have together.
    shares: Vec<TailSplit>,
}

#[derive(Default)]
struct TailSplit {
    /// What the first may get.
    from: u32,
    to: u32,
    /// For each way to share: tails with a dead one, and the others.
    outcomes: Vec<[Vec<(u32, f64)>; 2]>,
    /// Over all ways: the least chance that neither passes, the highest that both are dead.
    survival_chance: f64,
    death_chance: f64,
}

impl<'a> PolicySolver<'a> {
    pub(super) fn new(
        rules: &'a PolicyParameters,
        pairs: &'a OpenTallies,
        table: &'a ValueTable,
    ) -> PolicySolver<'a> {
        let chances = |of: &dyn Fn(&super::open_tallies::TallyOutcome) -> f64| -> Vec<Vec<f64>> {
            let runs = |pair: u8| 0..=pairs.attempts_left(pair).min(rules.parallel);
            let sum = |pair, more| pairs.outcomes(pair, more).iter().map(of).sum();
            (0..=pairs.dead())
                .map(|pair| runs(pair).map(|more| sum(pair, more)).collect())
                .collect()
        };
        let dead = pairs.dead();
        PolicySolver {
            parameters: rules,
            pairs,
            table,
            survival_chance: chances(&|outcome| outcome.chance),
            death_chance: chances(&|outcome| {
                if outcome.pair == dead {
                    outcome.chance
                } else {
                    0.0
                }
            }),
            tail: TailSplits::default(),
            rows: vec![NO_ROW; table.heads.members.len() * (rules.parallel as usize + 1)],
            filled: Vec::new(),
            row_values: Vec::new(),
            head_outcomes: vec![Vec::new(); rules.candidates],
            head: Vec::new(),
            dead: 0,
            row_sum: Vec::new(),
            current: PackedSchedule::default(),
            best: (0.0, PackedSchedule::default()),
        }
    }

    /// Solves states that begin with the same two pairs, each from scratch but with the last one's schedule as a start.
    pub(super) fn solve(&mut self, states: &[u64], alive: usize) -> Vec<(f64, PackedSchedule)> {
        let Some(&first) = states.first() else {
            return Vec::new();
        };
        let mut members = unpack(first, alive).chain([self.pairs.dead()]);
        let tail = (
            members.next().unwrap_or_default(),
            members.next().unwrap_or_default(),
        );
        self.set_tail(tail);
        let mut before = PackedSchedule::default();
        states
            .iter()
            .map(|&state| {
                let solved = self.solve_one(state, alive, &before);
                before = solved.1;
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
        before: &PackedSchedule,
    ) -> (f64, PackedSchedule) {
        let PolicySolver {
            parameters: rules,
            pairs,
            ..
        } = *self;
        let left: u32 = unpack(state, alive)
            .map(|pair| pairs.attempts_left(pair))
            .sum();
        if left <= rules.parallel {
            let mut all = PackedSchedule::default();
            unpack(state, alive)
                .zip(&mut all)
                .for_each(|(pair, runs)| *runs = pairs.attempts_left(pair) as u8);
            return (1.0, all);
        }
        self.head.clear();
        self.head.extend(unpack(state, alive).skip(2));
        self.dead = rules.candidates - 2 - self.head.len();
        let dead = (0..self.dead).fold(0, |set, size| {
            self.table.heads.insert(size, set, pairs.dead())
        });
        self.head_outcomes[0] = vec![(dead, 1.0)];
        self.best = (f64::INFINITY, PackedSchedule::default());
        self.try_previous(before);
        self.search_head(0, rules.parallel, 1.0, 1.0);
        (1.0 + self.best.0, self.best.1)
    }

    /// A good schedule to begin with, so that most others need not be looked at: the one of the state before.
    fn try_previous(&mut self, schedule: &PackedSchedule) {
        let mut left = self.parameters.parallel;
        for (depth, wanted) in (0..self.head.len()).zip(&schedule[2..]) {
            let runs = u32::from(*wanted)
                .min(self.pairs.attempts_left(self.head[depth]))
                .min(left);
            self.current[depth + 2] = runs as u8;
            self.extend_head(depth, runs);
            left -= runs;
        }
        self.split_tail(left);
    }

    /// All ways to give the head's candidates from `depth` on some of the runs that are `left`.
    fn search_head(&mut self, depth: usize, left: u32, stay: f64, die: f64) {
        if depth == self.head.len() {
            self.split_tail(left);
            return;
        }
        let pair = self.head[depth];
        let last = depth + 1 == self.head.len();
        let mut most = self.pairs.attempts_left(pair).min(left);
        // Equal candidates may change places: the first gets the most.
        if depth > 0 && self.head[depth - 1] == pair {
            most = most.min(u32::from(self.current[depth + 1]));
        }
        for runs in (0..=most).rev() {
            let stay = stay * self.survival_chance[pair as usize][runs as usize];
            let die = die * self.death_chance[pair as usize][runs as usize];
            let share = &self.tail.shares[(left - runs) as usize];
            // Whatever has not ended takes one step more at least.
            if last
                && (share.from > share.to
                    || stay * share.survival_chance - die * share.death_chance
                        >= self.best.0 - EPSILON)
            {
                continue;
            }
            self.current[depth + 2] = runs as u8;
            self.extend_head(depth, runs);
            self.search_head(depth + 1, left - runs, stay, die);
        }
    }

    /// What the head up to `depth` may become if its last candidate gets `runs`.
    fn extend_head(&mut self, depth: usize, runs: u32) {
        let (before, after) = self.head_outcomes.split_at_mut(depth + 1);
        let before = &before[depth];
        let after = &mut after[0];
        let outcomes = self.pairs.outcomes(self.head[depth], runs);
        after.clear();
        for &(set, chance) in before {
            after.extend(outcomes.iter().map(|outcome| {
                (
                    self.table
                        .heads
                        .insert(self.dead + depth, set, outcome.pair),
                    chance * outcome.chance,
                )
            }));
        }
    }

    /// The best way to share the runs that are `left` between the two of the tail.
    fn split_tail(&mut self, left: u32) {
        let TailSplit { from, to, .. } = self.tail.shares[left as usize];
        if from > to {
            return;
        }
        let length = ((to - from + 1) as usize).next_multiple_of(LANES);
        self.row_sum.clear();
        self.row_sum.resize(length, 0.0);
        for number in 0..self.head_outcomes[self.head.len()].len() {
            let (head, chance) = self.head_outcomes[self.head.len()][number];
            let row = self.row(head, left);
            let row = self.row_values[row..row + length].chunks_exact(LANES);
            for (sum, row) in self.row_sum.chunks_exact_mut(LANES).zip(row) {
                (0..LANES).for_each(|lane| sum[lane] += chance * row[lane]);
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

    /// Where the row of a head begins; it is made when it is asked for the first time.
    fn row(&mut self, head: u32, left: u32) -> usize {
        let place = head as usize * (self.parameters.parallel as usize + 1) + left as usize;
        if self.rows[place] != NO_ROW {
            return self.rows[place] as usize;
        }
        let start = self.row_values.len();
        let (dead, living) = self.table.values_of_head(head);
        for [with_dead, others] in &self.tail.shares[left as usize].outcomes {
            let with_dead: f64 = with_dead
                .iter()
                .map(|&(tail, chance)| chance * dead(tail))
                .sum();
            let others: f64 = others
                .iter()
                .map(|&(tail, chance)| chance * living(tail))
                .sum();
            self.row_values.push(with_dead + others);
        }
        let end = start + (self.row_values.len() - start).next_multiple_of(LANES);
        self.row_values.resize(end, 0.0);
        self.rows[place] = start as u32;
        self.filled.push(place as u32);
        start
    }

    fn tail_splits(&self, (one, other): (u8, u8)) -> TailSplits {
        let shares = (0..=self.parameters.parallel).map(|left| self.tail_split(one, other, left));
        TailSplits {
            shares: shares.collect(),
        }
    }

    fn tail_split(&self, one: u8, other: u8, left: u32) -> TailSplit {
        let to = self.pairs.attempts_left(one).min(left);
        let mut from = left.saturating_sub(self.pairs.attempts_left(other));
        if one == other {
            from = from.max(left.div_ceil(2));
        }
        let mut share = TailSplit {
            from,
            to,
            outcomes: Vec::new(),
            survival_chance: f64::INFINITY,
            death_chance: 0.0,
        };
        for runs in from..=to {
            share
                .outcomes
                .push(self.outcomes(one, runs, other, left - runs));
            let both = |chances: &[Vec<f64>]| {
                chances[one as usize][runs as usize]
                    * chances[other as usize][(left - runs) as usize]
            };
            share.survival_chance = share.survival_chance.min(both(&self.survival_chance));
            share.death_chance = share.death_chance.max(both(&self.death_chance));
        }
        share
    }

    fn outcomes(&self, one: u8, runs: u32, other: u8, others_runs: u32) -> [Vec<(u32, f64)>; 2] {
        let mut outcomes = [Vec::new(), Vec::new()];
        for first in self.pairs.outcomes(one, runs) {
            for second in self.pairs.outcomes(other, others_runs) {
                let tail = self.table.tail(first.pair, second.pair);
                outcomes[usize::from(!self.table.has_dead(tail))]
                    .push((tail, first.chance * second.chance));
            }
        }
        outcomes
    }
}
