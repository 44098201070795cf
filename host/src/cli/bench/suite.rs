//! `retap bench suite`: whole suites on simulated apps.

use clap::Args;
use retap_reduce::named_choice::NamedChoice;
use retap_reduce::suite::SuiteReductionAlgorithm;

use crate::bench::suite::{self as bench, SuiteBenchOptions, SuiteMeasurement};
use crate::cli::named_choice::choice_parser;
use crate::cli::{abstraction, arguments};
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};

/// Results and cost of suite reduction: suites that `explore` records on simulated apps, in virtual time
#[derive(Debug, Args)]
pub struct BenchSuiteCommand {
    /// Only these apps
    #[arg(long, value_name = "NAME")]
    app: Vec<String>,
    /// Only these algorithms
    #[arg(long, value_parser = choice_parser::<SuiteReductionAlgorithm>())]
    algorithm: Vec<SuiteReductionAlgorithm>,
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
    /// Runs in which a trace must visit the same screens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 10)]
    replays: u32,
    /// Number of phones that work side by side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 1)]
    count: u32,
    /// Which screens count as the same, as for `reduce-suite` [default: widgets]
    #[arg(long, value_name = "activity|widgets|ape|FILE")]
    abstraction: Option<String>,
    /// Parameters of the simulated phones, such as `noise=0.002`
    #[arg(long, value_name = "TEXT", default_value = "")]
    parameters: String,
    /// Seed of the suites
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl BenchSuiteCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        for &session_events in &self.session_events {
            let options = SuiteBenchOptions {
                events: self.events,
                session_events,
                replays: self.replays,
                phones: self.count,
                max_runs: self.max_runs,
                abstraction: abstraction::parse_abstraction(self.abstraction.as_deref())?,
                parameters: self.parameters.clone(),
            };
            let Some(all) = self.run_session_length(&options, context)? else {
                return Ok(CommandExit::Interrupted);
            };
            if !self.json {
                for line in bench::pooled(&all) {
                    context.console.result(&line)?;
                }
            }
        }
        Ok(CommandExit::Done)
    }

    fn apps(&self) -> Vec<&str> {
        match self.app.is_empty() {
            true => retap_simulator::app_names().to_vec(),
            false => self.app.iter().map(String::as_str).collect(),
        }
    }

    /// Measures all apps with one session length. None if it was stopped.
    fn run_session_length(
        &self,
        options: &SuiteBenchOptions,
        context: &CommandContext,
    ) -> Result<Option<Vec<SuiteMeasurement>>, CommandError> {
        let stop = &context.cancellation;
        let mut all = Vec::new();
        for app in self.apps() {
            let recording = bench::traces(app, options, self.seed, stop);
            let traces = operations::block_on(ClockKind::Virtual, recording)??;
            if stop.is_cancelled() {
                return Ok(None);
            }
            if self.splices {
                let survey = bench::survey(app, &traces, options, self.seed, stop);
                let Some(survey) = operations::block_on(ClockKind::Virtual, survey)?? else {
                    return Ok(None);
                };
                self.print(context, &survey.to_json(), &survey.in_words())?;
                continue;
            }
            for algorithm in self.algorithms() {
                let run = bench::run(app, &traces, algorithm, options, self.seed, stop);
                let Some(smaller) = operations::block_on(ClockKind::Virtual, run)?? else {
                    return Ok(None);
                };
                self.print(context, &smaller.to_json(), &smaller.in_words())?;
                all.push(smaller);
            }
        }
        Ok(Some(all))
    }

    fn algorithms(&self) -> Vec<SuiteReductionAlgorithm> {
        let asked = match self.algorithm.is_empty() {
            true => SuiteReductionAlgorithm::ALL,
            false => &self.algorithm,
        };
        asked.iter().rev().copied().collect()
    }

    fn print(&self, context: &CommandContext, json: &str, words: &str) -> Result<(), CommandError> {
        let line = if self.json { json } else { words };
        Ok(context.console.result(line)?)
    }
}
