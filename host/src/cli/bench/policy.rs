//! `retap bench policy`.

use clap::Args;
use retap_reduce::policy::PolicyParameters;

use crate::bench::policy;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;

/// Time to solve the optimal policy of a round, with the paper's prior, 18 of 20 runs to pass
#[derive(Debug, Args)]
pub struct BenchPolicyCommand {
    /// Number of candidates [default: 2 to 5]
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    /// Runs in one round
    #[arg(long, value_name = "M", default_value_t = 15)]
    parallel: u32,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl BenchPolicyCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let sizes = self.candidates.map_or(2..=5, |only| only..=only);
        for candidates in sizes {
            let parameters = PolicyParameters {
                candidates,
                parallel: self.parallel,
                runs: 20,
                successes: 18,
            };
            let solved = policy::measure(parameters, context)?;
            context.console.result(&if self.json {
                solved.to_json()
            } else {
                solved.to_words()
            })?;
        }
        Ok(CommandExit::Done)
    }
}
