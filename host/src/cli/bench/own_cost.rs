//! `retap bench own-cost`.

use clap::Args;

use crate::bench::reduction::own_cost;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};

/// Cost of a reduction without its phones, with an oracle that answers at once
#[derive(Debug, Args)]
pub struct BenchOwnCostCommand {
    /// Events of the trace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=1_000_000), default_value_t = 10_000)]
    events: u32,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl BenchOwnCostCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        for reducer in own_cost::REDUCERS {
            let measured = operations::block_on(
                ClockKind::Virtual,
                own_cost::measure(reducer, self.events, &context.cancellation),
            )??;
            if context.cancellation.is_cancelled() {
                return Ok(CommandExit::Interrupted);
            }
            context.console.result(&if self.json {
                measured.to_json()
            } else {
                measured.to_words()
            })?;
        }
        Ok(CommandExit::Done)
    }
}
