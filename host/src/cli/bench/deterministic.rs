//! `retap bench deterministic`.

use clap::Args;

use crate::bench::reduction::deterministic_grid::{self, GridCase};
use crate::cli::arguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};

/// Cost of reducing targets that are always reached, by the length of the trace and the places of the needed events
#[derive(Debug, Args)]
pub struct BenchDeterministicCommand {
    /// Traces per length and set of needed events
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000), default_value_t = 20)]
    seeds: u64,
    /// Seed of the first trace; the others follow
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    first_seed: u64,
    /// Only traces of this length
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(20..=100_000))]
    events: Option<u32>,
    /// Runs end with the last needed event
    #[arg(long)]
    stop_at_target: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl BenchDeterministicCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let lengths = match self.events {
            Some(length) => vec![length],
            None => deterministic_grid::LENGTHS.to_vec(),
        };
        let mut highest_ratio = 0.0_f64;
        for &length in &lengths {
            for needed_events in deterministic_grid::NEEDED_EVENTS {
                let case = GridCase {
                    length,
                    needed_events,
                    first_seed: self.first_seed,
                    seeds: self.seeds,
                    stops_at_target: self.stop_at_target,
                };
                let measured = deterministic_grid::measure(case, &context.cancellation);
                let Some(cell) = operations::block_on(ClockKind::Virtual, measured)?? else {
                    return Ok(CommandExit::Interrupted);
                };
                highest_ratio = highest_ratio.max(cell.events_ratio());
                context.console.result(&if self.json {
                    cell.to_json()
                } else {
                    cell.to_words()
                })?;
            }
        }
        if !self.json {
            context.console.result(&format!(
                "highest ratio of played events, auto to the best of dd, probdd and cdd: {highest_ratio:.2}"
            ))?;
        }
        Ok(CommandExit::Done)
    }
}
