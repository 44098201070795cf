//! The best schedule for a state. All schedules of the head's candidates are tried; what the two of the tail add to each
//! is a row, one number for each way to share what is left between them, and rows serve all states with the same tail.

use super::pairs::Pairs;
use super::states::unpacked;
use super::table::Table;
use super::{MOST_CANDIDATES, Rules};

/// Runs for each candidate, in the order of the state's pairs.
pub(super) type Schedule = [u8; MOST_CANDIDATES];

const NONE: u32 = u32::MAX;
/// Rows are filled up to a multiple of this, so that they are added without a remainder.
const LANES: usize = 4;
/// Schedules nearer than this are equally good.
const EPSILON: f64 = 1e-12;

pub(super) struct Worker<'a> {
    rules: &'a Rules,
    pairs: &'a Pairs,
    table: &'a Table,
    /// By pair and further runs: the chance not to pass, and the chance to be dead.
    stay: Vec<Vec<f64>>,
    die: Vec<Vec<f64>>,
    tail: Tail,
    /// By head and what is left for the tail: where its row begins.
    rows: Vec<u32>,
    filled: Vec<u32>,
    numbers: Vec<f64>,
    /// After each candidate of the head: the sets that it may have become, each with its chance.
    reached: Vec<Vec<(u32, f64)>>,
    head: Vec<u8>,
    dead: usize,
    sum: Vec<f64>,
    now: Schedule,
    best: (f64, Schedule),
}

/// What two candidates may become.
#[derive(Default)]
struct Tail {
    /// By the runs that both have together.
    shares: Vec<Share>,
}

#[derive(Default)]
struct Share {
    /// What the first may get.
    from: u32,
    to: u32,
    /// For each way to share: tails with a dead one, and the others.
    outcomes: Vec<[Vec<(u32, f64)>; 2]>,
    /// Over all ways: the least chance that neither passes, the highest that both are dead.
    stay: f64,
    die: f64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(rules: &'a Rules, pairs: &'a Pairs, table: &'a Table) -> Worker<'a> {
        let chances = |of: &dyn Fn(&super::pairs::Outcome) -> f64| -> Vec<Vec<f64>> {
            let runs = |pair: u8| 0..=pairs.left(pair).min(rules.parallel);
            let sum = |pair, more| pairs.outcomes(pair, more).iter().map(of).sum();
            (0..=pairs.dead())
                .map(|pair| runs(pair).map(|more| sum(pair, more)).collect())
                .collect()
        };
        let dead = pairs.dead();
        Worker {
            rules,
            pairs,
            table,
            stay: chances(&|outcome| outcome.chance),
            die: chances(&|outcome| {
                if outcome.pair == dead {
                    outcome.chance
                } else {
                    0.0
                }
            }),
            tail: Tail::default(),
            rows: vec![NONE; table.heads.members.len() * (rules.parallel as usize + 1)],
            filled: Vec::new(),
            numbers: Vec::new(),
            reached: vec![Vec::new(); rules.candidates],
            head: Vec::new(),
            dead: 0,
            sum: Vec::new(),
            now: Schedule::default(),
            best: (0.0, Schedule::default()),
        }
    }

    /// Solves states that begin with the same two pairs, each from scratch but with the last one's schedule as a start.
    pub(super) fn solve(&mut self, states: &[u64], alive: usize) -> Vec<(f64, Schedule)> {
        let Some(&first) = states.first() else {
            return Vec::new();
        };
        let mut members = unpacked(first, alive).chain([self.pairs.dead()]);
        let tail = (
            members.next().unwrap_or_default(),
            members.next().unwrap_or_default(),
        );
        self.begin(tail);
        let mut before = Schedule::default();
        states
            .iter()
            .map(|&state| {
                let solved = self.solve_one(state, alive, &before);
                before = solved.1;
                solved
            })
            .collect()
    }

    fn begin(&mut self, tail: (u8, u8)) {
        for row in self.filled.drain(..) {
            self.rows[row as usize] = NONE;
        }
        self.numbers.clear();
        self.tail = self.tail(tail);
    }

    fn solve_one(&mut self, state: u64, alive: usize, before: &Schedule) -> (f64, Schedule) {
        let Worker { rules, pairs, .. } = *self;
        let left: u32 = unpacked(state, alive).map(|pair| pairs.left(pair)).sum();
        if left <= rules.parallel {
            let mut all = Schedule::default();
            unpacked(state, alive)
                .zip(&mut all)
                .for_each(|(pair, runs)| *runs = pairs.left(pair) as u8);
            return (1.0, all);
        }
        self.head.clear();
        self.head.extend(unpacked(state, alive).skip(2));
        self.dead = rules.candidates - 2 - self.head.len();
        let dead = (0..self.dead).fold(0, |set, size| {
            self.table.heads.with(size, set, pairs.dead())
        });
        self.reached[0] = vec![(dead, 1.0)];
        self.best = (f64::INFINITY, Schedule::default());
        self.try_first(before);
        self.descend(0, rules.parallel, 1.0, 1.0);
        (1.0 + self.best.0, self.best.1)
    }

    /// A good schedule to begin with, so that most others need not be looked at: the one of the state before.
    fn try_first(&mut self, schedule: &Schedule) {
        let mut left = self.rules.parallel;
        for (depth, wanted) in (0..self.head.len()).zip(&schedule[2..]) {
            let runs = u32::from(*wanted)
                .min(self.pairs.left(self.head[depth]))
                .min(left);
            self.now[depth + 2] = runs as u8;
            self.advance(depth, runs);
            left -= runs;
        }
        self.share(left);
    }

    /// All ways to give the head's candidates from `depth` on some of the runs that are `left`.
    fn descend(&mut self, depth: usize, left: u32, stay: f64, die: f64) {
        if depth == self.head.len() {
            self.share(left);
            return;
        }
        let pair = self.head[depth];
        let last = depth + 1 == self.head.len();
        let mut most = self.pairs.left(pair).min(left);
        // Equal candidates may change places: the first gets the most.
        if depth > 0 && self.head[depth - 1] == pair {
            most = most.min(u32::from(self.now[depth + 1]));
        }
        for runs in (0..=most).rev() {
            let stay = stay * self.stay[pair as usize][runs as usize];
            let die = die * self.die[pair as usize][runs as usize];
            let share = &self.tail.shares[(left - runs) as usize];
            // Whatever has not ended takes one step more at least.
            if last
                && (share.from > share.to
                    || stay * share.stay - die * share.die >= self.best.0 - EPSILON)
            {
                continue;
            }
            self.now[depth + 2] = runs as u8;
            self.advance(depth, runs);
            self.descend(depth + 1, left - runs, stay, die);
        }
    }

    /// What the head up to `depth` may become if its last candidate gets `runs`.
    fn advance(&mut self, depth: usize, runs: u32) {
        let (before, after) = self.reached.split_at_mut(depth + 1);
        let before = &before[depth];
        let after = &mut after[0];
        let outcomes = self.pairs.outcomes(self.head[depth], runs);
        after.clear();
        for &(set, chance) in before {
            after.extend(outcomes.iter().map(|outcome| {
                (
                    self.table.heads.with(self.dead + depth, set, outcome.pair),
                    chance * outcome.chance,
                )
            }));
        }
    }

    /// The best way to share the runs that are `left` between the two of the tail.
    fn share(&mut self, left: u32) {
        let Share { from, to, .. } = self.tail.shares[left as usize];
        if from > to {
            return;
        }
        let length = ((to - from + 1) as usize).next_multiple_of(LANES);
        self.sum.clear();
        self.sum.resize(length, 0.0);
        for number in 0..self.reached[self.head.len()].len() {
            let (head, chance) = self.reached[self.head.len()][number];
            let row = self.row(head, left);
            let row = self.numbers[row..row + length].chunks_exact(LANES);
            for (sum, row) in self.sum.chunks_exact_mut(LANES).zip(row) {
                (0..LANES).for_each(|lane| sum[lane] += chance * row[lane]);
            }
        }
        for (runs, &sum) in (from..=to).zip(&self.sum) {
            if sum < self.best.0 - EPSILON {
                self.now[0] = runs as u8;
                self.now[1] = (left - runs) as u8;
                self.best = (sum, self.now);
            }
        }
    }

    /// Where the row of a head begins; it is made when it is asked for the first time.
    fn row(&mut self, head: u32, left: u32) -> usize {
        let place = head as usize * (self.rules.parallel as usize + 1) + left as usize;
        if self.rows[place] != NONE {
            return self.rows[place] as usize;
        }
        let start = self.numbers.len();
        let (dead, living) = self.table.beside(head);
        for [with_dead, others] in &self.tail.shares[left as usize].outcomes {
            let with_dead: f64 = with_dead
                .iter()
                .map(|&(tail, chance)| chance * dead(tail))
                .sum();
            let others: f64 = others
                .iter()
                .map(|&(tail, chance)| chance * living(tail))
                .sum();
            self.numbers.push(with_dead + others);
        }
        let end = start + (self.numbers.len() - start).next_multiple_of(LANES);
        self.numbers.resize(end, 0.0);
        self.rows[place] = start as u32;
        self.filled.push(place as u32);
        start
    }

    fn tail(&self, (one, other): (u8, u8)) -> Tail {
        let shares = (0..=self.rules.parallel).map(|left| self.share_of(one, other, left));
        Tail {
            shares: shares.collect(),
        }
    }

    fn share_of(&self, one: u8, other: u8, left: u32) -> Share {
        let to = self.pairs.left(one).min(left);
        let mut from = left.saturating_sub(self.pairs.left(other));
        if one == other {
            from = from.max(left.div_ceil(2));
        }
        let mut share = Share {
            from,
            to,
            outcomes: Vec::new(),
            stay: f64::INFINITY,
            die: 0.0,
        };
        for runs in from..=to {
            share
                .outcomes
                .push(self.outcomes(one, runs, other, left - runs));
            let both = |chances: &[Vec<f64>]| {
                chances[one as usize][runs as usize]
                    * chances[other as usize][(left - runs) as usize]
            };
            share.stay = share.stay.min(both(&self.stay));
            share.die = share.die.max(both(&self.die));
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
