//! The optimal policy of a round of runs: recalled from the store, or solved and kept there.

use std::path::Path;

use retap_reduce::policy::{
    PolicyError, PolicyParameters, PriorError, SchedulePolicy, SuccessRatePrior,
};

use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::os;
use crate::report::console::ProgressStatus;
use crate::run::store::SqliteStore;

/// More than this no policy is worth.
const MEMORY_LIMIT: u64 = 4 << 30;

#[derive(Debug, thiserror::Error)]
pub enum PriorFileError {
    #[error("could not read the prior `{path}`")]
    Read {
        path: String,
        source: std::io::Error,
    },
    #[error("the prior `{path}` makes no sense")]
    Parse { path: String, source: PriorError },
}

/// A policy, and whether the store had it already.
pub fn load_or_solve_policy(
    rules: &PolicyParameters,
    prior: &SuccessRatePrior,
    store: &SqliteStore,
    shell: &CommandContext,
) -> Result<(SchedulePolicy, bool), CommandError> {
    rules.validate(memory())?;
    if let Some(known) = store.policy(rules, prior)? {
        return Ok((known, true));
    }
    let policy = solve_policy(rules, prior, shell)?;
    store.keep_policy(&policy)?;
    Ok((policy, false))
}

/// With a bar, and a stop when somebody asks for it.
pub fn solve_policy(
    rules: &PolicyParameters,
    prior: &SuccessRatePrior,
    shell: &CommandContext,
) -> Result<SchedulePolicy, PolicyError> {
    rules.validate(memory())?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let progress = |done, total| ProgressStatus {
        what: format!("policy for {} candidates", rules.candidates),
        done,
        total: Some(total),
        unit: "states",
        note: format!("{} at once", rules.parallel),
    };
    shell.console.begin_progress(&progress(0, 1));
    let solved = SchedulePolicy::solve(rules, prior, memory(), threads, &|done, total| {
        shell.console.progress(&progress(done, total));
        !shell.cancellation.is_cancelled()
    });
    shell.console.end_progress();
    solved
}

/// `paper`, `learned`, or a file.
pub fn load_prior(name: &str, store: &SqliteStore) -> Result<SuccessRatePrior, CommandError> {
    match name {
        "paper" => Ok(SuccessRatePrior::published()),
        "learned" => Ok(SuccessRatePrior::fitted(&store.tallies()?)),
        path => {
            let failed = |source| PriorFileError::Read {
                path: path.to_owned(),
                source,
            };
            let text = std::fs::read_to_string(Path::new(path)).map_err(failed)?;
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
                "the heuristic serves any number: `--scheduler heuristic`".into()
            }
            PolicyError::Parallel(_) => "name the number of phones with `--parallel`".into(),
            PolicyError::Undecidable { .. } => {
                "ask for at most as many `--successes` as `--runs`".into()
            }
            PolicyError::Tallies { .. } => {
                "ask for fewer `--runs`, or for more `--successes`, or use `--scheduler heuristic`"
                    .into()
            }
            PolicyError::Memory { .. } => {
                "ask for fewer `--candidates` or `--runs`, or use `--scheduler heuristic`".into()
            }
            PolicyError::Stopped => "nothing of it is kept; ask for it again".into(),
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
