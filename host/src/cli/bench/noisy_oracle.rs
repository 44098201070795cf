//! `retap bench noisy-oracle`.

use std::path::PathBuf;

use clap::Args;

use crate::bench::reduction::noisy::{NoisyCase, NoisyFamily, SingleAttempt};
use crate::cli::bench::event_numbers::read_event_numbers;
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;

/// One attempt at a part of a trace of `retap bench noisy`, for other reducers: exit code 0 if it reaches the target
#[derive(Debug, Args)]
pub struct BenchNoisyOracleCommand {
    /// File with the numbers of the kept events, one per line, from 1 on
    numbers: PathBuf,
    /// The family of noise
    #[arg(long, value_enum, value_name = "NAME")]
    family: NoisyFamily,
    /// Which of its cells, from 1 on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 1)]
    cell: u32,
    /// The seed of the trace
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Number of the attempt: the same number gives the same result
    #[arg(long, value_name = "N", default_value_t = 0)]
    attempt: u64,
    /// Events of the trace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=100_000), default_value_t = 500)]
    events: u32,
}

impl BenchNoisyOracleCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let cells = self.family.cells();
        let Some(cell) = cells.get(self.cell as usize - 1).copied() else {
            return Err(NoSuchCell {
                family: self.family,
                cell: self.cell,
                cells: cells.len(),
            }
            .into());
        };
        let case = NoisyCase {
            cell,
            seed: self.seed,
            events: self.events,
        };
        let kept = read_event_numbers(&self.numbers, self.events as usize)?;
        let attempt = SingleAttempt::draw(case, &kept, self.attempt);
        context.console.result(&attempt.to_json())?;
        Ok(if attempt.reached {
            CommandExit::Done
        } else {
            CommandExit::DoesNotReproduce
        })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("family `{family}` has {cells} cells and no number {cell}")]
struct NoSuchCell {
    family: NoisyFamily,
    cell: u32,
    cells: usize,
}

impl UserError for NoSuchCell {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        format!("name a cell from 1 to {}", self.cells)
    }
}
