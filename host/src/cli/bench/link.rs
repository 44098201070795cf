//! `retap bench link`.

use clap::Args;

use crate::bench::link;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};

/// Cost of a request over the link, compared with a raw TCP ping-pong on this machine
#[derive(Debug, Args)]
pub struct BenchLinkCommand {
    /// Only this transport
    #[arg(long, value_enum)]
    transport: Option<link::BenchTransport>,
    /// Samples in each of fifteen blocks
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=10_000), default_value_t = 200)]
    samples: u32,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl BenchLinkCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let all = [link::BenchTransport::Udp, link::BenchTransport::Stream];
        for transport in all
            .into_iter()
            .filter(|transport| self.transport.is_none_or(|only| only == *transport))
        {
            if context.cancellation.is_cancelled() {
                return Ok(CommandExit::Interrupted);
            }
            let measured = operations::block_on(
                ClockKind::Real,
                link::measure(transport, self.samples as usize),
            )??;
            for case in measured {
                context.console.result(&if self.json {
                    case.to_json()
                } else {
                    case.to_string()
                })?;
            }
        }
        Ok(CommandExit::Done)
    }
}
