//! `retap bench`.

use clap::{Args, Subcommand};
use serde_json::json;

use crate::bench::simulated;
use crate::cli::arguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::job;
use crate::shell::Shell;
use crate::words::thousands;

/// Measure how fast Retap is
#[derive(Debug, Args)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Simulated(Simulated),
}

/// Events a second on simulated phones, on one core, without noise
#[derive(Debug, Args)]
struct Simulated {
    /// Only this app
    #[arg(long)]
    app: Option<String>,
    /// How many events for each app
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, default_value_t = 300_000)]
    events: u64,
    /// The number that makes the choices
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Bench {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let What::Simulated(Simulated { app, events, seed, json }) = &self.what;
        let apps = app.as_ref().map_or_else(|| retap_simulator::apps().to_vec(), |app| vec![app.as_str()]);
        for app in apps {
            if shell.stop.asked() {
                return Ok(Exit::Interrupted);
            }
            let speed = job::block_on(simulated::events_per_second(app, *events, *seed))??;
            shell.console.result(&if *json {
                json!({ "bench": "simulated", "app": app, "events_per_second": speed }).to_string()
            } else {
                format!("{app:<10} {:>12} events a second", thousands(speed))
            })?;
        }
        Ok(Exit::Done)
    }
}
