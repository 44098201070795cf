//! `retap bench noisy`.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use retap_reduce::policy::{PolicyParameters, SchedulePolicy, SuccessRatePrior};

use crate::bench::reduction::noisy::{NoisyAlgorithm, NoisyCase, NoisyMeasurement};
use crate::bench::reduction::{noisy, noisy_app};
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};

/// What reducing traces of a target costs that is reached only sometimes, in virtual time, on a grid of chances and needed events
#[derive(Debug, Args)]
pub struct BenchNoisyCommand {
    /// Only these algorithms
    #[arg(long, value_enum)]
    algorithm: Vec<NoisyAlgorithm>,
    /// Number of seeds of each cell of the grid
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), default_value_t = 20)]
    seeds: u64,
    /// Events of each trace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=100_000), default_value_t = 500)]
    events: u32,
    /// Instead of the grid: crash traces that `explore` records on the simulated mail app with noise, from each seed
    #[arg(long, conflicts_with = "events")]
    mail: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl BenchNoisyCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let algorithms = match self.algorithm.is_empty() {
            true => NoisyAlgorithm::value_variants(),
            false => self.algorithm.as_slice(),
        };
        let policy = match algorithms.contains(&NoisyAlgorithm::Nd3minOptimal) {
            true => Some(Arc::new(solve_policy(context)?)),
            false => None,
        };
        if self.mail {
            return self.run_on_mail_app(algorithms, policy.as_ref(), context);
        }
        for (success_rate, spurious_rate) in noisy::GRID {
            for needed_events in noisy::NEEDED_EVENTS {
                for &algorithm in algorithms {
                    let case = NoisyCase {
                        success_rate,
                        spurious_rate,
                        needed_events,
                        seed: 0,
                        events: self.events,
                    };
                    let cell = self.run_cell(&case, algorithm, policy.as_ref(), context)?;
                    if context.cancellation.is_cancelled() {
                        return Ok(CommandExit::Interrupted);
                    }
                    if !self.json {
                        context.console.result(&to_words(&cell))?;
                    }
                }
            }
        }
        Ok(CommandExit::Done)
    }

    /// Runs one cell of the grid with every seed, until it is cancelled.
    fn run_cell(
        &self,
        case: &NoisyCase,
        algorithm: NoisyAlgorithm,
        policy: Option<&Arc<SchedulePolicy>>,
        context: &CommandContext,
    ) -> Result<Vec<NoisyMeasurement>, CommandError> {
        let mut cell = Vec::new();
        for seed in 0..self.seeds {
            let case = NoisyCase {
                seed,
                ..case.clone()
            };
            let run = noisy::run(case, algorithm, policy, &context.cancellation);
            let measured = operations::block_on(ClockKind::Virtual, run)??;
            if context.cancellation.is_cancelled() {
                break;
            }
            if self.json {
                context.console.result(&measured.to_json())?;
            }
            cell.push(measured);
        }
        Ok(cell)
    }

    fn run_on_mail_app(
        &self,
        algorithms: &[NoisyAlgorithm],
        policy: Option<&Arc<SchedulePolicy>>,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        for seed in 0..self.seeds {
            let recording = noisy_app::traces(seed, &context.cancellation);
            for trace in operations::block_on(ClockKind::Virtual, recording)?? {
                for &algorithm in algorithms {
                    let run =
                        noisy_app::run(&trace, algorithm, policy, seed, &context.cancellation);
                    let reduced = operations::block_on(ClockKind::Virtual, run)??;
                    if context.cancellation.is_cancelled() {
                        return Ok(CommandExit::Interrupted);
                    }
                    context.console.result(&if self.json {
                        reduced.to_json()
                    } else {
                        reduced.to_words()
                    })?;
                }
            }
        }
        Ok(CommandExit::Done)
    }
}

/// The policy of the optimal scheduler, as published: 18 of 20 runs to pass.
fn solve_policy(context: &CommandContext) -> Result<SchedulePolicy, CommandError> {
    let parameters = PolicyParameters {
        candidates: 5,
        parallel: noisy::PHONES as u32,
        runs: 20,
        successes: 18,
    };
    let prior = SuccessRatePrior::published();
    Ok(operations::solve_policy(&parameters, &prior, context)?)
}

/// A cell of the grid in a line: means, and the median size.
fn to_words(cell: &[NoisyMeasurement]) -> String {
    let Some(first) = cell.first() else {
        return String::new();
    };
    let mean =
        |of: fn(&NoisyMeasurement) -> f64| cell.iter().map(of).sum::<f64>() / cell.len() as f64;
    let mut sizes: Vec<usize> = cell.iter().map(|one| one.kept.len()).collect();
    sizes.sort_unstable();
    let right = cell.iter().filter(|one| one.is_right()).count();
    let NoisyCase {
        success_rate: with,
        spurious_rate: without,
        needed_events: kind,
        ..
    } = &first.case;
    format!(
        "{with:.2}/{without:.1} {:<12}{:<20}{:>8.1} steps {:>8.0} runs {:>8.0} s {:>4} events left, {right} of {} right",
        kind.to_string(),
        first.algorithm.to_string(),
        mean(|one| one.steps as f64),
        mean(|one| one.runs as f64),
        mean(|one| one.seconds),
        sizes[sizes.len() / 2],
        cell.len(),
    )
}
