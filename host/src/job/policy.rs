//! The optimal policy of a round of runs: recalled from the store, or solved and kept there.

use std::path::Path;

use retap_reduce::policy::{Policy, PolicyError, Prior, PriorError, Rules};

use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::os;
use crate::report::console::Progress;
use crate::run::store::Store;
use crate::shell::Shell;

/// More than this no policy is worth.
const MEMORY: u64 = 4 << 30;

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
pub fn policy(
    rules: &Rules,
    prior: &Prior,
    store: &Store,
    shell: &Shell,
) -> Result<(Policy, bool), Failure> {
    rules.check(memory())?;
    if let Some(known) = store.policy(rules, prior)? {
        return Ok((known, true));
    }
    let policy = solve(rules, prior, shell)?;
    store.keep_policy(&policy)?;
    Ok((policy, false))
}

/// With a bar, and a stop when somebody asks for it.
pub fn solve(rules: &Rules, prior: &Prior, shell: &Shell) -> Result<Policy, PolicyError> {
    rules.check(memory())?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let progress = |done, total| Progress {
        what: format!("policy for {} candidates", rules.candidates),
        done,
        total: Some(total),
        unit: "states",
        note: format!("{} at once", rules.parallel),
    };
    shell.console.begin_progress(&progress(0, 1));
    let solved = Policy::solve(rules, prior, memory(), threads, &|done, total| {
        shell.console.progress(&progress(done, total));
        !shell.stop.asked()
    });
    shell.console.end_progress();
    solved
}

/// `paper`, `learned`, or a file.
pub fn prior(name: &str, store: &Store) -> Result<Prior, Failure> {
    match name {
        "paper" => Ok(Prior::paper()),
        "learned" => Ok(Prior::learned(&store.tallies()?)),
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
            Ok(Prior::parse(&text).map_err(failed)?)
        }
    }
}

fn memory() -> u64 {
    os::free_memory().map_or(MEMORY, |free| free.min(MEMORY))
}

impl Explained for PolicyError {
    fn exit(&self) -> Exit {
        match self {
            PolicyError::Stopped => Exit::Interrupted,
            PolicyError::Damaged => Exit::OwnFault,
            _ => Exit::Usage,
        }
    }

    fn help(&self) -> String {
        match self {
            PolicyError::Candidates(_) => {
                "the heuristic serves any number: `--scheduler heuristic`".into()
            }
            PolicyError::Parallel(_) => "name the number of phones with `--parallel`".into(),
            PolicyError::Decides { .. } => {
                "ask for at most as many `--successes` as `--runs`".into()
            }
            PolicyError::Pairs { .. } => {
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

impl Explained for PriorFileError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        "name `paper`, `learned`, or a file with the line `p,probability` and then a probability and its weight a line".into()
    }
}
