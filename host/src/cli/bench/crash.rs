//! `retap bench crash` and `retap bench oracle`: recorded crash traces on an activity machine.

use std::path::PathBuf;

use clap::Args;
use retap_reduce::oracle::ActivityMachineSettings;
use retap_reduce::trace_reduction::ReductionAlgorithm;
use serde_json::json;

use crate::bench::reduction::recorded_crash;
use crate::cli::arguments;
use crate::cli::bench::event_numbers::read_event_numbers;
use crate::cli::named_choice::choice_parser;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};

/// Cost of reducing recorded crash traces, on an activity machine instead of a phone
#[derive(Debug, Args)]
pub struct BenchCrashCommand {
    /// A directory of recorded traces: `.retap` files, or JSON files of SimplyDroid
    #[arg(long, value_name = "DIR")]
    traces: PathBuf,
    #[command(flatten)]
    machine: ActivityMachineArguments,
    /// Only these algorithms
    #[arg(long, value_parser = choice_parser::<ReductionAlgorithm>())]
    algorithm: Vec<ReductionAlgorithm>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Ask the activity machine of a recorded trace about some of its events: exit code 0 if they crash, 3 if not
///
/// For other reducers that run a program as their oracle.
#[derive(Debug, Args)]
pub struct BenchOracleCommand {
    /// A recorded trace: a `.retap` file, or a JSON file of SimplyDroid
    #[arg(long, value_name = "FILE")]
    recording: PathBuf,
    /// A file with the numbers of the events, one a line, the launch being 0
    #[arg(value_name = "EVENTS")]
    events: PathBuf,
    #[command(flatten)]
    machine: ActivityMachineArguments,
}

/// Assumptions that a recording does not decide
#[derive(Clone, Copy, Debug, Args)]
struct ActivityMachineArguments {
    /// Number of events that lead nowhere but are needed for the crash
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=1_000), default_value_t = 0)]
    hidden: u32,
    /// Probability that an event leads somewhere on another screen than its recorded one, 0 to 1
    #[arg(long, value_name = "Q", allow_negative_numbers = true, value_parser = parse_share, default_value_t = 0.0)]
    stray: f64,
    /// Seed of hidden events and strays
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
}

impl BenchCrashCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let traces = recorded_crash::traces(&self.traces)?;
        let algorithms: &[ReductionAlgorithm] = if self.algorithm.is_empty() {
            &recorded_crash::ALGORITHMS
        } else {
            &self.algorithm
        };
        let machine = self.machine.settings();
        let mut reductions = Vec::new();
        for &algorithm in algorithms {
            for (name, trace) in &traces {
                let run =
                    recorded_crash::run(name, trace, algorithm, machine, &context.cancellation);
                let Some(reduced) = operations::block_on(ClockKind::Virtual, run)?? else {
                    return Ok(CommandExit::Interrupted);
                };
                if self.json {
                    context.console.result(&reduced.to_json())?;
                }
                reductions.push(reduced);
            }
        }
        if !self.json {
            context
                .console
                .result("on an activity machine, which is a recording and no phone:")?;
            for line in recorded_crash::in_words(&reductions, algorithms) {
                context.console.result(&line)?;
            }
        }
        Ok(CommandExit::Done)
    }
}

impl BenchOracleCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let recording = recorded_crash::recording(&self.recording, self.machine.settings())?;
        let steps = read_event_numbers(&self.events, recording.len())?;
        let (crashes, played) = recording.play(&steps);
        context
            .console
            .result(&json!({ "crashes": crashes, "played": played }).to_string())?;
        Ok(if crashes {
            CommandExit::Done
        } else {
            CommandExit::DoesNotReproduce
        })
    }
}

impl ActivityMachineArguments {
    fn settings(self) -> ActivityMachineSettings {
        let ActivityMachineArguments {
            hidden,
            stray,
            seed,
        } = self;
        ActivityMachineSettings {
            hidden_events: hidden,
            stray_probability: stray,
            seed,
        }
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a number from 0 to 1 is needed".to_owned())
}
