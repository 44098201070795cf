//! `retap policy`.

use std::time::Instant;

use clap::Args;
use retap_reduce::policy::PolicyParameters;
use retap_reduce::trace_reduction::NOISY_RUNS;
use serde_json::json;

use crate::cli::arguments::GlobalArguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations;
use crate::run::store::SqliteStore;
use crate::wording::group_thousands;

/// Solve how to share phones among candidates in the fewest rounds
///
/// The policy is kept in the store; `reduce --algorithm nd3min --scheduler optimal` uses it at once.
#[derive(Debug, Args)]
pub struct PolicyCommand {
    /// Number of candidates, 2 to 8; each further one takes about fifteen times the work
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 5
    )]
    candidates: usize,
    /// Runs in one round: the number of phones
    #[arg(
        long,
        value_name = "M",
        allow_negative_numbers = true,
        default_value_t = 15
    )]
    parallel: u32,
    /// Maximum number of runs of a candidate
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = NOISY_RUNS)]
    runs: u32,
    /// Runs that must reach the target [default: nine of ten]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    successes: Option<u32>,
    /// Prior of candidates: `paper`, `learned` from the runs in the store, or a table
    #[arg(long, value_name = "FILE|learned|paper", default_value = "paper")]
    prior: String,
    /// Print the result as a JSON object
    #[arg(long)]
    json: bool,
}

impl PolicyCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let PolicyCommand {
            candidates,
            parallel,
            runs,
            ..
        } = *self;
        let successes = self
            .successes
            .unwrap_or_else(|| runs.saturating_mul(9).div_ceil(10));
        let parameters = PolicyParameters {
            candidates,
            parallel,
            runs,
            successes,
        };
        let store = SqliteStore::open(&global.store(&global.config()?))?;
        let prior = operations::load_prior(&self.prior, &store)?;
        let began = Instant::now();
        let (policy, known) =
            operations::load_or_solve_policy(&parameters, &prior, &store, context)?;
        let states = policy.states();
        let seconds = began.elapsed().as_secs_f64();
        context.console.result(&if self.json {
            let start = policy.expected_rounds();
            let prior = format!("{:016x}", prior.hash());
            json!({
                "result": "policy", "candidates": candidates, "parallel": parallel, "runs": runs, "successes": successes,
                "prior": prior, "states": states, "rounds": start, "seconds": seconds, "known": known,
            })
            .to_string()
        } else {
            let how = if known { "loaded from the store" } else { "solved and stored" };
            format!(
                "{candidates} candidates, {parallel} runs a round, {successes} of {runs} to pass: {how} in {seconds:.1} s\n  \
                 {} states, {:.3} expected rounds",
                group_thousands(states as u64),
                policy.expected_rounds(),
            )
        })?;
        Ok(CommandExit::Done)
    }
}
