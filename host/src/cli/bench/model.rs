//! `retap bench model`.

use clap::Args;

use crate::bench::model;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;

/// Cost of APE's model as it grows, on an app that is a table and on no phone
#[derive(Debug, Args)]
pub struct BenchModelCommand {
    /// Number of screens of the app
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000), default_value_t = 10_000)]
    states: u32,
    /// Number of steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=100_000_000), default_value_t = 100_000)]
    steps: u32,
    /// Seed of app and choices
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl BenchModelCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let measured = model::measure(self.states as usize, self.steps as usize, self.seed);
        context.console.result(&if self.json {
            measured.to_json()
        } else {
            measured.to_words()
        })?;
        Ok(CommandExit::Done)
    }
}
