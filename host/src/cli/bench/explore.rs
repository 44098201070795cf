//! `retap bench explore`.

use clap::{Args, ValueEnum};

use crate::bench::explore::{self, ExploreBenchCase, ExploreMeasurement};
use crate::bench::model;
use crate::cli::arguments;
use crate::cli::explorer_arguments::ExplorerArguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::config::Config;
use crate::devices;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::options::ExplorerKind;

/// Explorers side by side: coverage and crashes after the same time, or after as many events
#[derive(Debug, Args)]
pub struct BenchExploreCommand {
    /// The phone, or several; default: all simulated apps with realistic latencies
    #[arg(long, value_name = "PHONE")]
    device: Vec<String>,
    /// How many phones of that kind work side by side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 1)]
    count: u32,
    /// Only these explorers
    #[arg(long, value_enum)]
    explorer: Vec<ExplorerKind>,
    /// How many events of all phones together
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, conflicts_with = "minutes")]
    events: Option<u64>,
    /// Minutes of phone time for each phone; default: 60
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    minutes: Option<u32>,
    /// How many seeds for each phone and explorer
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..), default_value_t = 20)]
    seeds: u64,
    /// The first of them
    #[arg(long, value_name = "S", default_value_t = 1)]
    first_seed: u64,
    /// How coverage grew is told too, as `[events, seconds, activities, screens, branches]`
    #[arg(long, requires = "json")]
    curve: bool,
    #[command(flatten)]
    tuning: ExplorerArguments,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What APE's model costs as it grows, on an app that is a table and on no phone
#[derive(Debug, Args)]
pub struct BenchModelCommand {
    /// How many screens the app has
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000), default_value_t = 10_000)]
    states: u32,
    /// How many steps are taken
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=100_000_000), default_value_t = 100_000)]
    steps: u32,
    /// The number that makes app and choices
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl BenchModelCommand {
    pub fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        let measured = model::measure(self.states as usize, self.steps as usize, self.seed);
        shell.console.result(&if self.json {
            measured.to_json()
        } else {
            measured.to_words()
        })?;
        Ok(CommandExit::Done)
    }
}

impl BenchExploreCommand {
    pub fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        let all = ExplorerKind::value_variants();
        let explorers = if self.explorer.is_empty() {
            all
        } else {
            &self.explorer
        };
        let apps = retap_simulator::app_names()
            .iter()
            .map(|app| format!("sim:{app}?latency=realistic"));
        let devices = if self.device.is_empty() {
            apps.collect()
        } else {
            self.device.clone()
        };
        let tuning = self.tuning.tuning(&Config::default())?;
        for device in &devices {
            devices::check(device)?;
            let mut first: Vec<ExploreMeasurement> = Vec::new();
            for &explorer in explorers {
                let mut row = Vec::new();
                for seed in self.first_seed..self.first_seed + self.seeds {
                    let case = ExploreBenchCase {
                        device: device.clone(),
                        count: self.count,
                        explorer,
                        events: self.events.unwrap_or_default(),
                        minutes: self.minutes.or(self.events.is_none().then_some(60)),
                        tuning: tuning.clone(),
                        seed,
                    };
                    let measured = operations::block_on(
                        ClockKind::for_device(device),
                        explore::run(case, &shell.cancellation),
                    )??;
                    if shell.cancellation.is_cancelled() {
                        return Ok(CommandExit::Interrupted);
                    }
                    if self.json {
                        shell.console.result(&measured.to_json(self.curve))?;
                    }
                    row.push(measured);
                }
                if !self.json {
                    shell.console.result(&in_words(&row, &first))?;
                }
                if first.is_empty() {
                    first = row;
                }
            }
        }
        Ok(CommandExit::Done)
    }
}

/// Medians of an explorer on a phone, and how often it is ahead of the first explorer.
fn in_words(row: &[ExploreMeasurement], first: &[ExploreMeasurement]) -> String {
    let Some(one) = row.first() else {
        return String::new();
    };
    let cell = |of: fn(&ExploreMeasurement) -> f64| {
        let ahead = match first {
            [] => String::new(),
            first => format!(" ({:.2})", ahead(row, first, of)),
        };
        format!("{}{ahead}", median(row, of))
    };
    format!(
        "{:<32}{:<16}{:>9} events  activities {:<12} screens {:<14} branches {:<14} crashes {:<10} {:>6.0} µs a step",
        one.case.device,
        one.case.explorer.name(),
        median(row, |one| one.exploration.events as f64),
        cell(|one| f64::from(one.last().activities)),
        cell(|one| f64::from(one.last().screens)),
        cell(|one| f64::from(one.last().branches)),
        cell(|one| one.exploration.first_seen.len() as f64),
        median(row, |one| one.host_us_per_step),
    )
}

fn median(row: &[ExploreMeasurement], of: fn(&ExploreMeasurement) -> f64) -> f64 {
    let mut values: Vec<f64> = row.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    let low = values.get((values.len() - 1) / 2);
    let high = values.get(values.len() / 2);
    low.zip(high)
        .map_or(0.0, |(low, high)| f64::midpoint(*low, *high))
}

/// Vargha and Delaney's Â12: how probably a run of the one has more than a run of the other, ties counting half.
fn ahead(
    one: &[ExploreMeasurement],
    other: &[ExploreMeasurement],
    of: fn(&ExploreMeasurement) -> f64,
) -> f64 {
    let pairs = one
        .iter()
        .flat_map(|one| other.iter().map(move |other| (of(one), of(other))));
    let score = |(one, other): (f64, f64)| match one.total_cmp(&other) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    pairs.map(score).sum::<f64>() / (one.len() * other.len()).max(1) as f64
}
