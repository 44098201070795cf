//! `retap bench suite`: whole suites on simulated apps.

use clap::{Args, ValueEnum};
use retap_reduce::suite::SuiteReductionAlgorithm;

use crate::bench::suite::{self as bench, SuiteBenchOptions, SuiteMeasurement};
use crate::cli::{abstraction, arguments};
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::devices;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::options::SuiteAlgorithm;

/// What cutting down whole suites leaves and costs: suites that `explore` records on simulated apps, in virtual time
#[derive(Debug, Args)]
pub struct BenchSuiteCommand {
    /// Only these apps
    #[arg(long, value_name = "NAME")]
    app: Vec<String>,
    /// Only these algorithms
    #[arg(long, value_enum)]
    algorithm: Vec<SuiteAlgorithm>,
    /// Events of each suite
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, default_value_t = 8_500)]
    events: u64,
    /// Events between two clean starts; several, separated by commas, make a suite each
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100_000), default_value = "17")]
    session_events: Vec<u32>,
    /// Replay spliced traces of 1 to 10 fragments instead, and count the replayable ones (DetReduce's Tables 4 and 5)
    #[arg(long, conflicts_with = "algorithm")]
    splices: bool,
    /// Maximum number of runs of each reduction
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_runs: Option<u64>,
    /// In how many runs a trace must visit the same screens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 10)]
    replays: u32,
    /// How many phones work side by side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 1)]
    count: u32,
    /// Which screens count as the same, as for `reduce-suite`
    #[arg(long, value_name = "activity|widgets|ape|FILE")]
    abstraction: Option<String>,
    /// Parameters of the simulated phones, such as `noise=0.002`
    #[arg(long, value_name = "TEXT", default_value = "")]
    parameters: String,
    /// The number that makes the suites
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl BenchSuiteCommand {
    pub fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        for app in self.apps() {
            devices::check(&format!("sim:{app}"))?;
        }
        for &session_events in &self.session_events {
            let rules = SuiteBenchOptions {
                events: self.events,
                session_events,
                replays: self.replays,
                phones: self.count,
                max_runs: self.max_runs,
                abstraction: abstraction::parse_abstraction(self.abstraction.as_deref())?,
                parameters: self.parameters.clone(),
            };
            let Some(all) = self.run_session_length(&rules, shell)? else {
                return Ok(CommandExit::Interrupted);
            };
            if !self.json {
                for line in bench::pooled(&all) {
                    shell.console.result(&line)?;
                }
            }
        }
        Ok(CommandExit::Done)
    }

    fn apps(&self) -> Vec<String> {
        let all = retap_simulator::app_names();
        if self.app.is_empty() {
            all.iter().map(ToString::to_string).collect()
        } else {
            self.app.clone()
        }
    }

    /// Measures all apps with one session length. None if it was stopped.
    fn run_session_length(
        &self,
        rules: &SuiteBenchOptions,
        shell: &CommandContext,
    ) -> Result<Option<Vec<SuiteMeasurement>>, CommandError> {
        let stop = &shell.cancellation;
        let mut all = Vec::new();
        for app in self.apps() {
            let recording = bench::traces(&app, rules, self.seed, stop);
            let traces = operations::block_on(ClockKind::Virtual, recording)??;
            if stop.is_cancelled() {
                return Ok(None);
            }
            if self.splices {
                let survey = bench::survey(&app, &traces, rules, self.seed, stop);
                let Some(survey) = operations::block_on(ClockKind::Virtual, survey)?? else {
                    return Ok(None);
                };
                self.print(shell, &survey.to_json(), &survey.in_words())?;
                continue;
            }
            for algorithm in self.algorithms() {
                let run = bench::run(&app, &traces, algorithm, rules, self.seed, stop);
                let Some(smaller) = operations::block_on(ClockKind::Virtual, run)?? else {
                    return Ok(None);
                };
                self.print(shell, &smaller.to_json(), &smaller.in_words())?;
                all.push(smaller);
            }
        }
        Ok(Some(all))
    }

    fn algorithms(&self) -> Vec<SuiteReductionAlgorithm> {
        let asked = if self.algorithm.is_empty() {
            SuiteAlgorithm::value_variants()
        } else {
            &self.algorithm
        };
        let engine = |algorithm: &SuiteAlgorithm| match algorithm {
            SuiteAlgorithm::Detreduce => SuiteReductionAlgorithm::DetReduce,
            SuiteAlgorithm::Auto => SuiteReductionAlgorithm::Auto,
        };
        asked.iter().rev().map(engine).collect()
    }

    fn print(&self, shell: &CommandContext, json: &str, words: &str) -> Result<(), CommandError> {
        let line = if self.json { json } else { words };
        Ok(shell.console.result(line)?)
    }
}
