//! `retap bench`.

use clap::{Args, Subcommand};
use serde_json::json;

use crate::bench::{link, simulated};
use crate::cli::arguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::job::{self, Clock};
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
    Link(Link),
}

/// Events a second on simulated phones, on one core, without noise, and what saving a state and going back takes
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

/// What a request over the link costs, against a raw TCP ping-pong on this machine
#[derive(Debug, Args)]
struct Link {
    /// Only this way for the datagrams
    #[arg(long, value_enum)]
    transport: Option<link::Transport>,
    /// Samples in each of fifteen blocks
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=10_000), default_value_t = 200)]
    samples: u32,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Bench {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        match &self.what {
            What::Simulated(simulated) => simulated.run(shell),
            What::Link(link) => link.run(shell),
        }
    }
}

impl Link {
    fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let all = [link::Transport::Udp, link::Transport::Stream];
        for transport in all.into_iter().filter(|way| self.transport.is_none_or(|only| only == *way)) {
            if shell.stop.asked() {
                return Ok(Exit::Interrupted);
            }
            let measured = job::block_on(Clock::Real, link::measure(transport, self.samples as usize))??;
            for case in measured {
                shell.console.result(&if self.json { case.to_json() } else { case.to_string() })?;
            }
        }
        Ok(Exit::Done)
    }
}

impl Simulated {
    fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let Simulated { app, events, seed, json } = self;
        let all = || retap_simulator::apps().iter().copied().chain([simulated::LARGE_SCREENS]).collect();
        let apps: Vec<&str> = app.as_ref().map_or_else(all, |app| vec![app.as_str()]);
        for app in apps {
            if shell.stop.asked() {
                return Ok(Exit::Interrupted);
            }
            let measured = job::block_on(Clock::Jumping, simulated::measure(app, *events, *seed))??;
            let simulated::Measured { events_per_second, nodes, snapshot_micros } = measured;
            shell.console.result(&if *json {
                let mut line = json!({ "bench": "simulated", "app": app });
                line["events_per_second"] = json!(events_per_second);
                line["nodes"] = json!(nodes);
                line["snapshot_micros"] = json!(snapshot_micros);
                line.to_string()
            } else {
                let events = thousands(events_per_second);
                format!(
                    "{app:<10} {events:>12} events a second, {nodes} nodes a screen, a snapshot and back in {snapshot_micros} µs"
                )
            })?;
        }
        Ok(Exit::Done)
    }
}
