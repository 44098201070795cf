//! `retap bench`.

mod crash;
mod explore;
mod noisy;
mod suite;

use clap::{Args, Subcommand};
use retap_reduce::policy::PolicyParameters;
use retap_shared::micros::Micros;
use serde_json::json;

use crate::bench::device::{self, comparison};
use crate::bench::reduction::own_cost;
use crate::bench::{link, policy, simulated};
use crate::cli::arguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::devices::{self, DevicesError};
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::shutdown;
use crate::wording::group_thousands;

/// Measure how fast Retap is
#[derive(Debug, Args)]
pub struct BenchCommand {
    #[command(subcommand)]
    what: BenchSubcommand,
}

#[derive(Debug, Subcommand)]
enum BenchSubcommand {
    Simulated(BenchSimulatedCommand),
    Link(BenchLinkCommand),
    Policy(BenchPolicyCommand),
    Noisy(noisy::BenchNoisyCommand),
    OwnCost(BenchOwnCostCommand),
    Crash(crash::BenchCrashCommand),
    Oracle(crash::BenchOracleCommand),
    Suite(suite::BenchSuiteCommand),
    Explore(Box<explore::BenchExploreCommand>),
    Model(explore::BenchModelCommand),
    Device(BenchDeviceCommand),
}

/// Events a second on simulated phones, on one core, without noise, and what saving a state and going back takes
#[derive(Debug, Args)]
struct BenchSimulatedCommand {
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
struct BenchLinkCommand {
    /// Only this way for the datagrams
    #[arg(long, value_enum)]
    transport: Option<link::BenchTransport>,
    /// Samples in each of fifteen blocks
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=10_000), default_value_t = 200)]
    samples: u32,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// How long the optimal policy of a round takes to solve, with the paper's prior, 18 of 20 runs to pass
#[derive(Debug, Args)]
struct BenchPolicyCommand {
    /// Number of candidates; default: 2 to 5
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    /// Runs in one round
    #[arg(long, value_name = "M", default_value_t = 15)]
    parallel: u32,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What a reduction costs beside the phones, with an oracle that answers at once
#[derive(Debug, Args)]
struct BenchOwnCostCommand {
    /// Events of the trace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=1_000_000), default_value_t = 10_000)]
    events: u32,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What the requests to a phone cost, and how many events a second it takes
#[derive(Debug, Args)]
struct BenchDeviceCommand {
    /// The phone, as for `retap explore`
    #[arg(long, value_name = "PHONE")]
    device: String,
    /// The app, if the phone has more than one
    #[arg(long)]
    app: Option<String>,
    /// How many random events
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, default_value_t = 500)]
    events: u64,
    /// How many of each other request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 30)]
    samples: u32,
    /// After how many milliseconds without a change the screen counts as quiet
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(0..=5_000), default_value_t = 200)]
    quiet: u32,
    /// A phone of the same kind that is reached in another way: both take turns with the same events
    #[arg(long, value_name = "PHONE")]
    against: Option<String>,
    /// Also the way of `adb shell input tap` and an XML dump through a file, for a phone on adb
    #[arg(long)]
    stock: bool,
    /// The number that makes the choices
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl BenchCommand {
    pub fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        match &self.what {
            BenchSubcommand::Simulated(simulated) => simulated.run(shell),
            BenchSubcommand::Link(link) => link.run(shell),
            BenchSubcommand::Policy(policy) => policy.run(shell),
            BenchSubcommand::Noisy(noisy) => noisy.run(shell),
            BenchSubcommand::OwnCost(own_cost) => own_cost.run(shell),
            BenchSubcommand::Crash(crash) => crash.run(shell),
            BenchSubcommand::Oracle(oracle) => oracle.run(shell),
            BenchSubcommand::Suite(suite) => suite.run(shell),
            BenchSubcommand::Explore(explore) => explore.run(shell),
            BenchSubcommand::Model(model) => model.run(shell),
            BenchSubcommand::Device(device) => device.run(shell),
        }
    }
}

impl BenchPolicyCommand {
    fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        let sizes = self.candidates.map_or(2..=5, |only| only..=only);
        for candidates in sizes {
            let rules = PolicyParameters {
                candidates,
                parallel: self.parallel,
                runs: 20,
                successes: 18,
            };
            let solved = policy::measure(rules, shell)?;
            shell.console.result(&if self.json {
                solved.to_json()
            } else {
                solved.to_words()
            })?;
        }
        Ok(CommandExit::Done)
    }
}

impl BenchOwnCostCommand {
    fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        for reducer in own_cost::REDUCERS {
            let measured = operations::block_on(
                ClockKind::Virtual,
                own_cost::measure(reducer, self.events, &shell.cancellation),
            )??;
            if shell.cancellation.is_cancelled() {
                return Ok(CommandExit::Interrupted);
            }
            shell.console.result(&if self.json {
                measured.to_json()
            } else {
                measured.to_words()
            })?;
        }
        Ok(CommandExit::Done)
    }
}

impl BenchLinkCommand {
    fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        let all = [link::BenchTransport::Udp, link::BenchTransport::Stream];
        for transport in all
            .into_iter()
            .filter(|way| self.transport.is_none_or(|only| only == *way))
        {
            if shell.cancellation.is_cancelled() {
                return Ok(CommandExit::Interrupted);
            }
            let measured = operations::block_on(
                ClockKind::Real,
                link::measure(transport, self.samples as usize),
            )??;
            for case in measured {
                shell.console.result(&if self.json {
                    case.to_json()
                } else {
                    case.to_string()
                })?;
            }
        }
        Ok(CommandExit::Done)
    }
}

impl BenchDeviceCommand {
    fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        let options = device::DeviceBenchOptions {
            device: self.device.clone(),
            app: self.app.clone(),
            events: self.events,
            samples: self.samples as usize,
            quiet: Micros::from_millis(u64::from(self.quiet)),
            seed: self.seed,
        };
        devices::check(&self.device)?;
        self.against.as_deref().map_or(Ok(()), devices::check)?;
        if self.stock && !devices::is_on_adb(&self.device) {
            return Err(DevicesError::NotOnAdb {
                option: "--stock",
                spec: self.device.clone(),
            }
            .into());
        }
        let tell = |case: device::DeviceMeasurement| {
            Ok(shell.console.result(&if self.json {
                case.to_json()
            } else {
                case.to_string()
            })?)
        };
        operations::block_on(ClockKind::for_device(&self.device), async {
            tokio::select! {
                measured = async {
                    device::measure(&options, tell).await?;
                    self.compare(&options, shell).await
                } => measured.map(|()| CommandExit::Done),
                () = shell.cancellation.cancelled() => Ok(CommandExit::Interrupted),
            }
        })?
    }

    async fn compare(
        &self,
        options: &device::DeviceBenchOptions,
        shell: &CommandContext,
    ) -> Result<(), CommandError> {
        // The agent of what was measured before is still being ended.
        shutdown::wait_for_all().await;
        if let Some(against) = &self.against {
            let turns = comparison::compare_phones(options, against).await?;
            shell.console.result(&if self.json {
                turns.to_json()
            } else {
                turns.to_words()
            })?;
            shutdown::wait_for_all().await;
        }
        if self.stock {
            let stock = comparison::measure_stock_tools(options).await?;
            shell.console.result(&if self.json {
                stock.to_json()
            } else {
                stock.to_words()
            })?;
        }
        Ok(())
    }
}

impl BenchSimulatedCommand {
    fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
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
            if shell.cancellation.is_cancelled() {
                return Ok(CommandExit::Interrupted);
            }
            let measured =
                operations::block_on(ClockKind::Virtual, simulated::measure(app, *events, *seed))??;
            let simulated::SimulatedMeasurement {
                events_per_second,
                events_per_wall_second: by_clock,
                nodes,
                snapshot_micros,
            } = measured;
            shell.console.result(&if *json {
                let mut line = json!({ "bench": "simulated", "app": app });
                line["events_per_second"] = json!(events_per_second);
                line["by_clock"] = json!(by_clock);
                line["nodes"] = json!(nodes);
                line["snapshot_micros"] = json!(snapshot_micros);
                line.to_string()
            } else {
                let [events, by_clock] = [events_per_second, by_clock].map(group_thousands);
                format!(
                    "{app:<10} {events:>12} events a second of processor time ({by_clock} on the clock), {nodes} nodes a screen, a snapshot and back in {snapshot_micros} µs"
                )
            })?;
        }
        Ok(CommandExit::Done)
    }
}
