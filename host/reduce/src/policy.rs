//! What a scheduler may know in advance: the prior over candidates, and the policy that is optimal for it: how many runs of
//! each candidate to start next, so that the fewest rounds are needed until one has passed or all are dead.

mod backward_induction;
mod open_tallies;
mod policy_solver;
mod prior;
mod states;
mod value_table;

#[cfg(test)]
mod brute_force;

pub use backward_induction::SolveProgress;
use open_tallies::OpenTallies;
pub use prior::{
    AttemptTally, GOOD_SUCCESS_RATE, PriorError, PriorPoint, SuccessRatePrior, binomial,
    pass_probability,
};
use states::{multiset_count, open_states, pack};
use value_table::ValueTable;

/// A state is packed into eight bytes.
pub const MOST_CANDIDATES: usize = 8;
const FEWEST_CANDIDATES: usize = 2;
/// A pair is one byte, and one is kept for the dead.
const MOST_PAIRS: u64 = 254;
const MOST_PARALLEL: u32 = 255;

/// What a policy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PolicyParameters {
    pub candidates: usize,
    /// Runs in one round: the number of phones.
    pub parallel: u32,
    /// A candidate passes with `successes` of `runs`.
    pub runs: u32,
    pub successes: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SchedulePolicy {
    parameters: PolicyParameters,
    prior: u64,
    expected_rounds: f64,
    /// By how many are alive, from one on: the states in order.
    states: Vec<Vec<u64>>,
    /// Runs for each candidate, state after state.
    schedules: Vec<u8>,
    tallies: Vec<AttemptTally>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("a policy is for {FEWEST_CANDIDATES} to {MOST_CANDIDATES} candidates, not for {0}")]
    Candidates(usize),
    #[error("a round has 1 to {MOST_PARALLEL} runs, not {0}")]
    Parallel(u32),
    #[error("{successes} successes of {runs} runs cannot decide anything")]
    Undecidable { successes: u32, runs: u32 },
    #[error(
        "{successes} successes of {runs} runs leave too much open for a table: {pairs} pairs where {MOST_PAIRS} can be told apart"
    )]
    Pairs {
        successes: u32,
        runs: u32,
        pairs: u64,
    },
    #[error("the policy would take about {} MiB of memory, and {} MiB are allowed", .needed >> 20, .allowed >> 20)]
    Memory { needed: u64, allowed: u64 },
    #[error("the policy was stopped before it was solved")]
    Stopped,
    #[error("what was kept of the policy is damaged")]
    Damaged,
}

impl PolicyParameters {
    /// Whether there can be such a policy, and whether it fits into so much memory.
    pub fn validate(&self, memory: u64) -> Result<(), PolicyError> {
        let PolicyParameters {
            candidates,
            parallel,
            runs,
            successes,
        } = *self;
        if !(FEWEST_CANDIDATES..=MOST_CANDIDATES).contains(&candidates) {
            return Err(PolicyError::Candidates(candidates));
        }
        if !(1..=MOST_PARALLEL).contains(&parallel) {
            return Err(PolicyError::Parallel(parallel));
        }
        if !(1..=runs).contains(&successes) {
            return Err(PolicyError::Undecidable { successes, runs });
        }
        if self.tally_count() > MOST_PAIRS {
            return Err(PolicyError::Pairs {
                successes,
                runs,
                pairs: self.tally_count(),
            });
        }
        let needed = self.memory_needed();
        // Places in the table are numbers of four bytes.
        let memory = memory.min(u64::from(u32::MAX) * 8);
        if needed > memory {
            Err(PolicyError::Memory {
                needed,
                allowed: memory,
            })
        } else {
            Ok(())
        }
    }

    /// How many pairs of successes and failures are neither decided nor dead.
    fn tally_count(&self) -> u64 {
        u64::from(self.successes) * u64::from(self.runs - self.successes + 1)
    }

    /// About how much memory solving takes: values, states with their schedules, and rows of two threads.
    pub fn memory_needed(&self) -> u64 {
        let all = multiset_count(self.tally_count(), self.candidates) / u64::from(self.parallel);
        let fewer = multiset_count(self.tally_count() + 1, self.candidates - 1);
        let states = all.saturating_add(fewer).saturating_mul(32);
        let heads = multiset_count(self.tally_count() + 1, self.candidates - 2);
        let rows = heads
            .saturating_mul(u64::from(self.parallel) + 1)
            .saturating_mul(2 * 12);
        ValueTable::size(self)
            .saturating_mul(8)
            .saturating_add(states)
            .saturating_add(rows)
    }
}

impl SchedulePolicy {
    /// Exact for this prior. Refused if it needs more than `memory` bytes.
    pub fn solve(
        rules: &PolicyParameters,
        prior: &SuccessRatePrior,
        memory: u64,
        threads: usize,
        progress: SolveProgress<'_>,
    ) -> Result<SchedulePolicy, PolicyError> {
        rules.validate(memory)?;
        backward_induction::solve(rules, prior, threads, progress).ok_or(PolicyError::Stopped)
    }

    fn from_parts(
        rules: PolicyParameters,
        prior: u64,
        start: f64,
        schedules: Vec<u8>,
        pairs: &OpenTallies,
        states: Vec<Vec<u64>>,
    ) -> SchedulePolicy {
        SchedulePolicy {
            parameters: rules,
            prior,
            expected_rounds: start,
            states,
            schedules,
            tallies: pairs.tallies().to_vec(),
        }
    }

    pub fn parameters(&self) -> &PolicyParameters {
        &self.parameters
    }

    /// The hash of the prior that it is optimal for.
    pub fn prior(&self) -> u64 {
        self.prior
    }

    /// V0: the rounds that are to be expected when nothing has been run yet.
    pub fn expected_rounds(&self) -> f64 {
        self.expected_rounds
    }

    /// States in which something is left to decide.
    pub fn states(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// How many runs of each candidate to start next. `None` for states that the policy does not know: one has passed
    /// or is dead, or there are more than it was made for.
    pub fn schedule(&self, candidates: &[AttemptTally]) -> Option<Vec<u32>> {
        let number = |tally| {
            self.tallies
                .iter()
                .position(|known| known == tally)
                .map(|pair| pair as u8)
        };
        let pairs: Vec<u8> = candidates.iter().map(number).collect::<Option<_>>()?;
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&place| pairs[place]);
        let sorted: Vec<u8> = order.iter().map(|&place| pairs[place]).collect();
        let layer = self.states.get(sorted.len().checked_sub(1)?)?;
        let state = layer.binary_search(&pack(&sorted)).ok()?;
        let before: usize = (1..)
            .zip(&self.states[..sorted.len() - 1])
            .map(|(alive, states)| alive * states.len())
            .sum();
        let first = before + state * sorted.len();
        let mut runs = vec![0; sorted.len()];
        for (place, planned) in order.into_iter().zip(&self.schedules[first..]) {
            runs[place] = u32::from(*planned);
        }
        Some(runs)
    }

    /// What must be kept to have it again, beside the rules and the prior's hash.
    pub fn schedules(&self) -> &[u8] {
        &self.schedules
    }

    /// One that was solved before.
    pub fn from_stored(
        rules: PolicyParameters,
        prior: &SuccessRatePrior,
        start: f64,
        schedules: Vec<u8>,
    ) -> Result<SchedulePolicy, PolicyError> {
        rules.validate(u64::MAX)?;
        let pairs = OpenTallies::new(&rules, prior);
        let states: Vec<Vec<u64>> = (1..=rules.candidates)
            .map(|alive| open_states(&rules, &pairs, alive))
            .collect();
        let length: usize = (1..)
            .zip(&states)
            .map(|(alive, states)| alive * states.len())
            .sum();
        if schedules.len() != length {
            return Err(PolicyError::Damaged);
        }
        Ok(SchedulePolicy::from_parts(
            rules,
            prior.hash(),
            start,
            schedules,
            &pairs,
            states,
        ))
    }
}
