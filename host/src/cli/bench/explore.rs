//! `retap bench explore`.

use clap::{Args, ValueEnum};

use crate::bench::explore::{self, Case, Measured};
use crate::bench::model;
use crate::cli::arguments;
use crate::cli::tuning::Tuned;
use crate::config::Config;
use crate::devices;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::job::{self, Clock};
use crate::settings::Explorer;
use crate::shell::Shell;

/// Explorers side by side: coverage and crashes after the same time, or after as many events
#[derive(Debug, Args)]
pub struct Explore {
    /// The phone, or several; all simulated apps with realistic latencies if not said
    #[arg(long, value_name = "PHONE")]
    device: Vec<String>,
    /// How many phones of that kind work side by side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 1)]
    count: u32,
    /// Only these explorers
    #[arg(long, value_enum)]
    explorer: Vec<Explorer>,
    /// How many events of all phones together
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, conflicts_with = "minutes")]
    events: Option<u64>,
    /// How long each phone works, by its own clock; 60 if nothing is said
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
    tuning: Tuned,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What APE's model costs as it grows, on an app that is a table and on no phone
#[derive(Debug, Args)]
pub struct Model {
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

impl Model {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let measured = model::measure(self.states as usize, self.steps as usize, self.seed);
        shell.console.result(&if self.json {
            measured.to_json()
        } else {
            measured.to_words()
        })?;
        Ok(Exit::Done)
    }
}

impl Explore {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let all = Explorer::value_variants();
        let explorers = if self.explorer.is_empty() {
            all
        } else {
            &self.explorer
        };
        let apps = retap_simulator::apps()
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
            let mut first: Vec<Measured> = Vec::new();
            for &explorer in explorers {
                let mut row = Vec::new();
                for seed in self.first_seed..self.first_seed + self.seeds {
                    let case = Case {
                        device: device.clone(),
                        count: self.count,
                        explorer,
                        events: self.events.unwrap_or_default(),
                        minutes: self.minutes.or(self.events.is_none().then_some(60)),
                        tuning: tuning.clone(),
                        seed,
                    };
                    let measured =
                        job::block_on(Clock::of(device), explore::run(case, &shell.stop))??;
                    if shell.stop.asked() {
                        return Ok(Exit::Interrupted);
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
        Ok(Exit::Done)
    }
}

/// Medians of an explorer on a phone, and how often it is ahead of the first explorer.
fn in_words(row: &[Measured], first: &[Measured]) -> String {
    let Some(one) = row.first() else {
        return String::new();
    };
    let cell = |of: fn(&Measured) -> f64| {
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
        cell(|one| one.exploration.crashes.len() as f64),
        median(row, |one| one.host_us_per_step),
    )
}

fn median(row: &[Measured], of: fn(&Measured) -> f64) -> f64 {
    let mut values: Vec<f64> = row.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    let low = values.get((values.len() - 1) / 2);
    let high = values.get(values.len() / 2);
    low.zip(high)
        .map_or(0.0, |(low, high)| f64::midpoint(*low, *high))
}

/// Vargha and Delaney's Â12: how probably a run of the one has more than a run of the other, ties counting half.
fn ahead(one: &[Measured], other: &[Measured], of: fn(&Measured) -> f64) -> f64 {
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
