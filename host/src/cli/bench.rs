//! `retap bench`.

mod crash;
mod explore;
mod suite;

use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use retap_reduce::policy::{Prior, Rules};
use retap_shared::micros::Micros;
use serde_json::json;

use crate::bench::noisy::{Case, Competitor, Reduced};
use crate::bench::{beside, device, link, noisy, noisy_app, own_cost, policy, simulated};
use crate::cli::arguments;
use crate::devices::{self, DevicesError};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::farewell;
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
    Policy(Policy),
    Noisy(Noisy),
    OwnCost(OwnCost),
    Crash(crash::Crash),
    Oracle(crash::Oracle),
    Suite(suite::Suite),
    Explore(Box<explore::Explore>),
    Model(explore::Model),
    Device(Device),
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

/// How long the optimal policy of a round takes to solve, with the paper's prior, 18 of 20 runs to pass
#[derive(Debug, Args)]
struct Policy {
    /// Only for this many candidates; 2 to 5 if not said
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    /// Runs in one round
    #[arg(long, value_name = "M", default_value_t = 15)]
    parallel: u32,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What reducing traces of a target costs that is reached only sometimes, in virtual time, on a grid of chances and needed events
#[derive(Debug, Args)]
struct Noisy {
    /// Only these algorithms
    #[arg(long, value_enum)]
    algorithm: Vec<Competitor>,
    /// How many seeds for each cell of the grid
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), default_value_t = 20)]
    seeds: u64,
    /// Events of each trace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=100_000), default_value_t = 500)]
    events: u32,
    /// Instead of the grid: crash traces that `explore` records on the simulated mail app with noise, from each seed
    #[arg(long, conflicts_with = "events")]
    mail: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What a reduction costs beside the phones, with an oracle that answers at once
#[derive(Debug, Args)]
struct OwnCost {
    /// Events of the trace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=1_000_000), default_value_t = 10_000)]
    events: u32,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What the requests to a phone cost, and how many events a second it takes
#[derive(Debug, Args)]
struct Device {
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

impl Bench {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        match &self.what {
            What::Simulated(simulated) => simulated.run(shell),
            What::Link(link) => link.run(shell),
            What::Policy(policy) => policy.run(shell),
            What::Noisy(noisy) => noisy.run(shell),
            What::OwnCost(own_cost) => own_cost.run(shell),
            What::Crash(crash) => crash.run(shell),
            What::Oracle(oracle) => oracle.run(shell),
            What::Suite(suite) => suite.run(shell),
            What::Explore(explore) => explore.run(shell),
            What::Model(model) => model.run(shell),
            What::Device(device) => device.run(shell),
        }
    }
}

impl Policy {
    fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let sizes = self.candidates.map_or(2..=5, |only| only..=only);
        for candidates in sizes {
            let rules = Rules {
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
        Ok(Exit::Done)
    }
}

impl Noisy {
    fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let all = Competitor::value_variants();
        let competitors = if self.algorithm.is_empty() {
            all
        } else {
            self.algorithm.as_slice()
        };
        let policy = match competitors.contains(&Competitor::Nd3minOptimal) {
            true => {
                let parallel = noisy::PHONES as u32;
                let rules = Rules {
                    candidates: 5,
                    parallel,
                    runs: 20,
                    successes: 18,
                };
                Some(Arc::new(job::solve(&rules, &Prior::paper(), shell)?))
            }
            false => None,
        };
        if self.mail {
            return self.on_mail(competitors, policy.as_ref(), shell);
        }
        for (with, without) in noisy::GRID {
            for kind in noisy::KINDS {
                for &competitor in competitors {
                    let mut cell = Vec::new();
                    for seed in 0..self.seeds {
                        let case = Case {
                            with,
                            without,
                            kind,
                            seed,
                            events: self.events,
                        };
                        let run = noisy::run(case, competitor, policy.as_ref(), &shell.stop);
                        cell.push(job::block_on(Clock::Jumping, run)??);
                        if shell.stop.asked() {
                            return Ok(Exit::Interrupted);
                        }
                        if self.json {
                            shell.console.result(&cell[cell.len() - 1].to_json())?;
                        }
                    }
                    if !self.json {
                        shell.console.result(&in_words(&cell))?;
                    }
                }
            }
        }
        Ok(Exit::Done)
    }
}

impl Noisy {
    fn on_mail(
        &self,
        competitors: &[Competitor],
        policy: Option<&Arc<retap_reduce::policy::Policy>>,
        shell: &Shell,
    ) -> Result<Exit, Failure> {
        for seed in 0..self.seeds {
            for trace in job::block_on(Clock::Jumping, noisy_app::traces(seed, &shell.stop))?? {
                for &competitor in competitors {
                    let run = noisy_app::run(&trace, competitor, policy, seed, &shell.stop);
                    let reduced = job::block_on(Clock::Jumping, run)??;
                    if shell.stop.asked() {
                        return Ok(Exit::Interrupted);
                    }
                    shell.console.result(&if self.json {
                        reduced.to_json()
                    } else {
                        reduced.to_words()
                    })?;
                }
            }
        }
        Ok(Exit::Done)
    }
}

impl OwnCost {
    fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        for reducer in own_cost::REDUCERS {
            let measured = job::block_on(
                Clock::Jumping,
                own_cost::measure(reducer, self.events, &shell.stop),
            )??;
            if shell.stop.asked() {
                return Ok(Exit::Interrupted);
            }
            shell.console.result(&if self.json {
                measured.to_json()
            } else {
                measured.to_words()
            })?;
        }
        Ok(Exit::Done)
    }
}

/// A cell of the grid in a line: means, and the median size.
fn in_words(cell: &[Reduced]) -> String {
    let Some(first) = cell.first() else {
        return String::new();
    };
    let mean = |of: fn(&Reduced) -> f64| cell.iter().map(of).sum::<f64>() / cell.len() as f64;
    let mut sizes: Vec<usize> = cell.iter().map(|one| one.kept.len()).collect();
    sizes.sort_unstable();
    let right = cell.iter().filter(|one| one.is_right()).count();
    let Case {
        with,
        without,
        kind,
        ..
    } = &first.case;
    format!(
        "{with:.2}/{without:.1} {:<12}{:<20}{:>8.1} steps {:>8.0} runs {:>8.0} s {:>4} events left, {right} of {} right",
        kind.to_string(),
        first.competitor.to_string(),
        mean(|one| one.steps as f64),
        mean(|one| one.runs as f64),
        mean(|one| one.seconds),
        sizes[sizes.len() / 2],
        cell.len(),
    )
}

impl Link {
    fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let all = [link::Transport::Udp, link::Transport::Stream];
        for transport in all
            .into_iter()
            .filter(|way| self.transport.is_none_or(|only| only == *way))
        {
            if shell.stop.asked() {
                return Ok(Exit::Interrupted);
            }
            let measured =
                job::block_on(Clock::Real, link::measure(transport, self.samples as usize))??;
            for case in measured {
                shell.console.result(&if self.json {
                    case.to_json()
                } else {
                    case.to_string()
                })?;
            }
        }
        Ok(Exit::Done)
    }
}

impl Device {
    fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let options = device::Options {
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
        let tell = |case: device::Measured| {
            Ok(shell.console.result(&if self.json {
                case.to_json()
            } else {
                case.to_string()
            })?)
        };
        job::block_on(Clock::of(&self.device), async {
            tokio::select! {
                measured = async {
                    device::measure(&options, tell).await?;
                    self.beside(&options, shell).await
                } => measured.map(|()| Exit::Done),
                () = shell.stop.wait() => Ok(Exit::Interrupted),
            }
        })?
    }

    async fn beside(&self, options: &device::Options, shell: &Shell) -> Result<(), Failure> {
        // The agent of what was measured before is still being ended.
        farewell::all().await;
        if let Some(against) = &self.against {
            let turns = beside::take_turns(options, against).await?;
            shell.console.result(&if self.json {
                turns.to_json()
            } else {
                turns.to_words()
            })?;
            farewell::all().await;
        }
        if self.stock {
            let stock = beside::stock(options).await?;
            shell.console.result(&if self.json {
                stock.to_json()
            } else {
                stock.to_words()
            })?;
        }
        Ok(())
    }
}

impl Simulated {
    fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let Simulated {
            app,
            events,
            seed,
            json,
        } = self;
        let all = || {
            retap_simulator::apps()
                .iter()
                .copied()
                .chain([simulated::LARGE_SCREENS])
                .collect()
        };
        let apps: Vec<&str> = app.as_ref().map_or_else(all, |app| vec![app.as_str()]);
        for app in apps {
            if shell.stop.asked() {
                return Ok(Exit::Interrupted);
            }
            let measured = job::block_on(Clock::Jumping, simulated::measure(app, *events, *seed))??;
            let simulated::Measured {
                events_per_second,
                by_clock,
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
                let [events, by_clock] = [events_per_second, by_clock].map(thousands);
                format!(
                    "{app:<10} {events:>12} events a second of processor time ({by_clock} on the clock), {nodes} nodes a screen, a snapshot and back in {snapshot_micros} µs"
                )
            })?;
        }
        Ok(Exit::Done)
    }
}
