//! Knowledge of schedulers: the prior over the success rates of candidates, and the policy that is optimal for it. A policy says
//! how many attempts of each candidate the next round consists of, so that the expected number of rounds until one candidate
//! has passed or all are dead is minimal.

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

/// Maximum number of candidates of a policy: a state is packed into eight bytes.
pub const MAX_CANDIDATES: usize = 8;
const MIN_CANDIDATES: usize = 2;
/// A tally is one byte, and one value stands for dead candidates.
const MAX_TALLIES: u64 = 254;
const MAX_PARALLEL: u32 = 255;

/// Parameters of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PolicyParameters {
    /// Maximum number of candidates.
    pub candidates: usize,
    /// Attempts in one round: the number of phones.
    pub parallel: u32,
    /// Maximum number of attempts per candidate.
    pub runs: u32,
    /// Number of successes with which a candidate passes.
    pub successes: u32,
}

/// The optimal schedule for every state of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulePolicy {
    parameters: PolicyParameters,
    prior: u64,
    expected_rounds: f64,
    /// Sorted states, by the number of candidates that are alive, from one on.
    states: Vec<Vec<u64>>,
    /// Attempts for each candidate, state after state.
    schedules: Vec<u8>,
    tallies: Vec<AttemptTally>,
}

/// A policy that cannot be solved or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Too few or too many candidates.
    #[error("a policy is for {MIN_CANDIDATES} to {MAX_CANDIDATES} candidates, not for {0}")]
    Candidates(usize),
    /// Too few or too many attempts in a round.
    #[error("a round has 1 to {MAX_PARALLEL} runs, not {0}")]
    Parallel(u32),
    /// No candidate could pass, or none could fail.
    #[error("{successes} successes of {runs} runs cannot decide anything")]
    Undecidable {
        /// Successes that were asked for.
        successes: u32,
        /// Attempts that were asked for.
        runs: u32,
    },
    /// More undecided tallies than a table can index.
    #[error(
        "{successes} successes of {runs} runs have too many undecided tallies for a policy: {tallies}, and {MAX_TALLIES} are \
         possible"
    )]
    Tallies {
        /// Successes that were asked for.
        successes: u32,
        /// Attempts that were asked for.
        runs: u32,
        /// Number of undecided tallies.
        tallies: u64,
    },
    /// The table does not fit into the allowed memory.
    #[error("the policy would take about {} MiB of memory, and {} MiB are allowed", .needed >> 20, .allowed >> 20)]
    Memory {
        /// Bytes that solving takes.
        needed: u64,
        /// Bytes that are allowed.
        allowed: u64,
    },
    /// Solving was cancelled.
    #[error("the policy was cancelled before it was solved")]
    Stopped,
    /// The stored schedules do not belong to the parameters.
    #[error("the stored policy is damaged")]
    Damaged,
}

impl PolicyParameters {
    /// Rejects parameters without a policy, and policies that need more than `memory` bytes.
    pub fn validate(&self, memory: u64) -> Result<(), PolicyError> {
        let PolicyParameters {
            candidates,
            parallel,
            runs,
            successes,
        } = *self;
        if !(MIN_CANDIDATES..=MAX_CANDIDATES).contains(&candidates) {
            return Err(PolicyError::Candidates(candidates));
        }
        if !(1..=MAX_PARALLEL).contains(&parallel) {
            return Err(PolicyError::Parallel(parallel));
        }
        if !(1..=runs).contains(&successes) {
            return Err(PolicyError::Undecidable { successes, runs });
        }
        if self.tally_count() > MAX_TALLIES {
            return Err(PolicyError::Tallies {
                successes,
                runs,
                tallies: self.tally_count(),
            });
        }
        let needed = self.memory_needed();
        // Indices of the table have four bytes.
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

    /// Number of undecided tallies.
    fn tally_count(&self) -> u64 {
        u64::from(self.successes) * u64::from(self.runs - self.successes + 1)
    }

    /// Approximate memory for solving, in bytes: values, states with their schedules, and the rows of two threads.
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
    /// Solves the policy exactly for this prior, in at most `memory` bytes.
    pub fn solve(
        parameters: &PolicyParameters,
        prior: &SuccessRatePrior,
        memory: u64,
        threads: usize,
        progress: SolveProgress<'_>,
    ) -> Result<SchedulePolicy, PolicyError> {
        parameters.validate(memory)?;
        backward_induction::solve(parameters, prior, threads, progress).ok_or(PolicyError::Stopped)
    }

    fn from_parts(
        parameters: PolicyParameters,
        prior: u64,
        expected_rounds: f64,
        schedules: Vec<u8>,
        open_tallies: &OpenTallies,
        states: Vec<Vec<u64>>,
    ) -> SchedulePolicy {
        SchedulePolicy {
            parameters,
            prior,
            expected_rounds,
            states,
            schedules,
            tallies: open_tallies.tallies().to_vec(),
        }
    }

    /// Parameters that the policy was solved for.
    pub fn parameters(&self) -> &PolicyParameters {
        &self.parameters
    }

    /// Hash of the prior that the policy is optimal for.
    pub fn prior(&self) -> u64 {
        self.prior
    }

    /// V0: expected number of rounds before the first attempt.
    pub fn expected_rounds(&self) -> f64 {
        self.expected_rounds
    }

    /// Number of undecided states.
    pub fn states(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Attempts of each candidate in the next round. `None` for states that the policy does not contain: a candidate has
    /// passed or is dead, or there are too many candidates.
    pub fn schedule(&self, candidates: &[AttemptTally]) -> Option<Vec<u32>> {
        let index_of = |tally| {
            self.tallies
                .iter()
                .position(|known| known == tally)
                .map(|index| index as u8)
        };
        let tallies: Vec<u8> = candidates.iter().map(index_of).collect::<Option<_>>()?;
        let mut order: Vec<usize> = (0..tallies.len()).collect();
        order.sort_by_key(|&candidate| tallies[candidate]);
        let sorted: Vec<u8> = order.iter().map(|&candidate| tallies[candidate]).collect();
        let layer = self.states.get(sorted.len().checked_sub(1)?)?;
        let state = layer.binary_search(&pack(&sorted)).ok()?;
        let before: usize = (1..)
            .zip(&self.states[..sorted.len() - 1])
            .map(|(alive, states)| alive * states.len())
            .sum();
        let first = before + state * sorted.len();
        let mut runs = vec![0; sorted.len()];
        for (candidate, attempts) in order.into_iter().zip(&self.schedules[first..]) {
            runs[candidate] = u32::from(*attempts);
        }
        Some(runs)
    }

    /// Schedules to store; `from_stored` makes the policy of them, its parameters and its prior.
    pub fn schedules(&self) -> &[u8] {
        &self.schedules
    }

    /// Policy that was solved before.
    pub fn from_stored(
        parameters: PolicyParameters,
        prior: &SuccessRatePrior,
        expected_rounds: f64,
        schedules: Vec<u8>,
    ) -> Result<SchedulePolicy, PolicyError> {
        parameters.validate(u64::MAX)?;
        let open_tallies = OpenTallies::new(&parameters, prior);
        let states: Vec<Vec<u64>> = (1..=parameters.candidates)
            .map(|alive| open_states(&parameters, &open_tallies, alive))
            .collect();
        let length: usize = (1..)
            .zip(&states)
            .map(|(alive, states)| alive * states.len())
            .sum();
        if schedules.len() != length {
            return Err(PolicyError::Damaged);
        }
        Ok(SchedulePolicy::from_parts(
            parameters,
            prior.hash(),
            expected_rounds,
            schedules,
            &open_tallies,
            states,
        ))
    }
}
