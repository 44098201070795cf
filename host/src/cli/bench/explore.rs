//! `retap bench explore`.

use clap::Args;
use retap_reduce::named_choice::NamedChoice;

use crate::bench::explore::{self, ExploreBenchCase, ExploreMeasurement};
use crate::cli::arguments;
use crate::cli::explorer_arguments::ExplorerArguments;
use crate::cli::named_choice::{choice_parser, help_with_default};
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::config::ExploreConfig;
use crate::device_spec::{DeviceList, DeviceSpec, DeviceSpecError, PhoneSelection};
use crate::devices;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::options::ExplorerKind;

/// Phone time of each phone, unless events or minutes are given.
const DEFAULT_MINUTES: u32 = 60;

/// Explorers side by side: coverage and crashes after the same time, or after as many events
///
/// Each line has medians over the seeds. Â12 is the probability that a run of this explorer has more than a run of the
/// first one; 0.5 means no difference.
#[derive(Debug, Args)]
pub struct BenchExploreCommand {
    /// The phones of one comparison; may be given several times [default: all simulated apps with realistic latencies]
    #[arg(long, value_name = "PHONE")]
    device: Vec<DeviceList>,
    /// Number of phones of each phone named
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 1)]
    count: u32,
    /// Only these explorers
    #[arg(long, value_parser = choice_parser::<ExplorerKind>())]
    explorer: Vec<ExplorerKind>,
    /// Number of events of all phones together
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, conflicts_with = "minutes")]
    events: Option<u64>,
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=100_000),
        help = help_with_default("Minutes of phone time for each phone", DEFAULT_MINUTES)
    )]
    minutes: Option<u32>,
    /// Number of seeds of each phone and explorer
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..), default_value_t = 20)]
    seeds: u64,
    /// The first seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    first_seed: u64,
    /// Print coverage over time too, as `[events, seconds, activities, screens, branches]`
    #[arg(long, requires = "json")]
    curve: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    explorer_arguments: ExplorerArguments,
}

impl BenchExploreCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let explorers = match self.explorer.is_empty() {
            true => ExplorerKind::ALL,
            false => &self.explorer,
        };
        let explorer_options = self.explorer_arguments.options(&ExploreConfig::default())?;
        for device in self.devices()? {
            devices::check(&device)?;
            let devices = PhoneSelection {
                device,
                count: self.count,
            };
            let mut first: Vec<ExploreMeasurement> = Vec::new();
            for &explorer in explorers {
                let case = ExploreBenchCase {
                    devices: devices.clone(),
                    explorer,
                    events: self.events.unwrap_or_default(),
                    minutes: self
                        .minutes
                        .or(self.events.is_none().then_some(DEFAULT_MINUTES)),
                    explorer_options: explorer_options.clone(),
                    seed: 0,
                };
                let row = self.run_row(&case, context)?;
                if context.cancellation.is_cancelled() {
                    return Ok(CommandExit::Interrupted);
                }
                if !self.json {
                    context.console.result(&to_words(&row, &first))?;
                }
                if first.is_empty() {
                    first = row;
                }
            }
        }
        Ok(CommandExit::Done)
    }

    /// The named phones, or all simulated ones.
    fn devices(&self) -> Result<Vec<DeviceList>, DeviceSpecError> {
        if !self.device.is_empty() {
            return Ok(self.device.clone());
        }
        let with_latency = |app: &&str| {
            let spec = DeviceSpec::simulated(&format!("{app}?latency=realistic"))?;
            Ok(DeviceList::from(spec))
        };
        retap_simulator::app_names()
            .iter()
            .map(with_latency)
            .collect()
    }

    /// Runs an explorer with every seed, until it is cancelled.
    fn run_row(
        &self,
        case: &ExploreBenchCase,
        context: &CommandContext,
    ) -> Result<Vec<ExploreMeasurement>, CommandError> {
        let clock = ClockKind::for_devices(&case.devices.device);
        let mut row = Vec::new();
        for seed in self.first_seed..self.first_seed + self.seeds {
            let case = ExploreBenchCase {
                seed,
                ..case.clone()
            };
            let measured = operations::block_on(clock, explore::run(case, &context.cancellation))??;
            if context.cancellation.is_cancelled() {
                break;
            }
            if self.json {
                context.console.result(&measured.to_json(self.curve))?;
            }
            row.push(measured);
        }
        Ok(row)
    }
}

/// Medians of an explorer on a phone, and Â12 against the first explorer.
fn to_words(row: &[ExploreMeasurement], first: &[ExploreMeasurement]) -> String {
    let Some(one) = row.first() else {
        return String::new();
    };
    let cell = |of: fn(&ExploreMeasurement) -> f64| {
        let effect = match first {
            [] => String::new(),
            first => format!(" (Â12 {:.2})", effect_size(row, first, of)),
        };
        format!("{}{effect}", median(row, of))
    };
    format!(
        "{:<32}{:<16}{:>9} events  activities {:<15} screens {:<17} branches {:<17} crashes {:<14} {:>6.0} µs a step",
        one.case.devices.device.to_string(),
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

/// Vargha and Delaney's Â12: the probability that a run of the one has more than a run of the other; ties count half.
fn effect_size(
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
