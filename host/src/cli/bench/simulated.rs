//! `retap bench simulated`.

use clap::Args;
use serde_json::json;

use crate::bench::simulated::{self, SimulatedMeasurement};
use crate::cli::arguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::wording::group_thousands;

/// Events per second on simulated phones, on one core, without noise, and the time of saving and restoring a snapshot
#[derive(Debug, Args)]
pub struct BenchSimulatedCommand {
    /// Only this app
    #[arg(long)]
    app: Option<String>,
    /// Number of events of each app
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, default_value_t = 300_000)]
    events: u64,
    /// Seed of the choices
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl BenchSimulatedCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let BenchSimulatedCommand {
            app,
            events,
            seed,
            json,
        } = self;
        let all = || {
            retap_simulator::app_names()
                .iter()
                .copied()
                .chain([simulated::LARGE_SCREENS])
                .collect()
        };
        let apps: Vec<&str> = app.as_ref().map_or_else(all, |app| vec![app.as_str()]);
        for app in apps {
            if context.cancellation.is_cancelled() {
                return Ok(CommandExit::Interrupted);
            }
            let measured =
                operations::block_on(ClockKind::Virtual, simulated::measure(app, *events, *seed))??;
            context.console.result(&if *json {
                to_json(app, measured)
            } else {
                to_words(app, measured)
            })?;
        }
        Ok(CommandExit::Done)
    }
}

fn to_json(app: &str, measured: SimulatedMeasurement) -> String {
    json!({
        "bench": "simulated",
        "app": app,
        "events_per_second": measured.events_per_second,
        "by_clock": measured.events_per_wall_second,
        "nodes": measured.nodes,
        "snapshot_micros": measured.snapshot_micros,
    })
    .to_string()
}

fn to_words(app: &str, measured: SimulatedMeasurement) -> String {
    let SimulatedMeasurement {
        events_per_second,
        events_per_wall_second,
        nodes,
        snapshot_micros,
    } = measured;
    let events = group_thousands(events_per_second);
    let by_clock = group_thousands(events_per_wall_second);
    format!(
        "{app:<10} {events:>12} events a second of processor time ({by_clock} on the clock), {nodes} nodes a screen, a snapshot and back in {snapshot_micros} µs"
    )
}
