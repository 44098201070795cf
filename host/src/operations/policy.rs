//! The optimal policy of a round: loaded from the store, or solved and stored.

use std::path::Path;

use retap_reduce::policy::{
    PolicyError, PolicyParameters, PriorError, SchedulePolicy, SuccessRatePrior,
};

use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::report::console::ProgressStatus;
use crate::run::store::SqliteStore;
use crate::{input_file, os};

/// Maximum memory for a policy.
const MEMORY_LIMIT: u64 = 4 << 30;

#[derive(Debug, thiserror::Error)]
pub enum PriorFileError {
    #[error("could not read the prior `{path}`")]
    Read {
        path: String,
        source: std::io::Error,
    },
    #[error("the prior `{path}` is malformed")]
    Parse { path: String, source: PriorError },
}

/// Loads a policy from the store or solves it. Returns true with it if it was loaded.
pub fn load_or_solve_policy(
    parameters: &PolicyParameters,
    prior: &SuccessRatePrior,
    store: &SqliteStore,
    context: &CommandContext,
) -> Result<(SchedulePolicy, bool), CommandError> {
    parameters.validate(memory())?;
    if let Some(known) = store.policy(parameters, prior)? {
        return Ok((known, true));
    }
    let policy = solve_policy(parameters, prior, context)?;
    store.keep_policy(&policy)?;
    Ok((policy, false))
}

/// Solves a policy. The bar is no run event: `retap policy` and `retap bench policy` solve policies without a run.
pub fn solve_policy(
    parameters: &PolicyParameters,
    prior: &SuccessRatePrior,
    context: &CommandContext,
) -> Result<SchedulePolicy, PolicyError> {
    parameters.validate(memory())?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let progress = |done, total| ProgressStatus {
        what: format!("policy for {} candidates", parameters.candidates),
        done,
        total: Some(total),
        unit: "states",
        note: format!("{} at once", parameters.parallel),
    };
    context.console.begin_progress(&progress(0, 1));
    let solved = SchedulePolicy::solve(parameters, prior, memory(), threads, &|done, total| {
        context.console.progress(&progress(done, total));
        !context.cancellation.is_cancelled()
    });
    context.console.end_progress();
    solved
}

/// Loads a prior by name: `paper`, `learned`, or a file.
pub fn load_prior(name: &str, store: &SqliteStore) -> Result<SuccessRatePrior, CommandError> {
    match name {
        "paper" => Ok(SuccessRatePrior::published()),
        "learned" => Ok(SuccessRatePrior::fitted(&store.tallies()?)),
        path => {
            let failed = |source| PriorFileError::Read {
                path: path.to_owned(),
                source,
            };
            let text = input_file::read_to_string(Path::new(path)).map_err(failed)?;
            let failed = |source| PriorFileError::Parse {
                path: path.to_owned(),
                source,
            };
            Ok(SuccessRatePrior::parse(&text).map_err(failed)?)
        }
    }
}

fn memory() -> u64 {
    os::free_memory().map_or(MEMORY_LIMIT, |free| free.min(MEMORY_LIMIT))
}

impl UserError for PolicyError {
    fn exit(&self) -> CommandExit {
        match self {
            PolicyError::Stopped => CommandExit::Interrupted,
            PolicyError::Damaged => CommandExit::InternalError,
            _ => CommandExit::Usage,
        }
    }

    fn help(&self) -> String {
        match self {
            PolicyError::Candidates(_) => {
                "use `--scheduler heuristic`, which has no such limit".into()
            }
            PolicyError::Parallel(_) => "name the number of phones with `--parallel`".into(),
            PolicyError::Undecidable { .. } => "set `--successes` to at most `--runs`".into(),
            PolicyError::Tallies { .. } => {
                "reduce `--runs`, raise `--successes`, or use `--scheduler heuristic`".into()
            }
            PolicyError::Memory { .. } => {
                "reduce `--candidates` or `--runs`, or use `--scheduler heuristic`".into()
            }
            PolicyError::Stopped => "nothing was stored; run the command again".into(),
            PolicyError::Damaged => "name another store with `--store`".into(),
        }
    }
}

impl UserError for PriorFileError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "name `paper`, `learned`, or a file with the line `p,probability` and then a probability and its weight a line".into()
    }
}
