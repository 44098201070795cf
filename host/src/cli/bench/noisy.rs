//! `retap bench noisy`.

use std::ops::RangeInclusive;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use retap_reduce::policy::{PolicyParameters, SchedulePolicy, SuccessRatePrior};

use crate::bench::reduction::noisy::{
    self, NoisyAlgorithm, NoisyCase, NoisyCell, NoisyFamily, NoisyMeasurement, NoisySummary,
    run_in_order,
};
use crate::bench::reduction::noisy_app::{NoisyApp, NoisyAppMeasurement};
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};

/// Cost of reducing traces whose target is reached only sometimes, and the share of false claims: in virtual time, in cells of
/// several families of noise
#[derive(Debug, Args)]
pub struct BenchNoisyCommand {
    /// Only these algorithms; default: auto, auto-defaults, nd3min-heuristic and dd
    #[arg(long, value_enum)]
    algorithm: Vec<NoisyAlgorithm>,
    /// Only these families; default: all
    #[arg(long, value_enum, value_name = "NAME")]
    family: Vec<NoisyFamily>,
    /// The seeds of each cell: `A..B` with both ends, or how many from 0 on
    #[arg(long, value_name = "A..B|N", value_parser = parse_seeds, default_value = "20")]
    seeds: RangeInclusive<u64>,
    /// Events of each trace
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=100_000), default_value_t = 500)]
    events: u32,
    /// Instead of the families: crash traces that `explore` records on these simulated apps with noise, from each seed
    #[arg(long, value_name = "NAME|all", value_parser = parse_app, conflicts_with_all = ["events", "family"])]
    app: Vec<String>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Stands for all simulated apps.
const ALL_APPS: &str = "all";

/// One reduction to measure.
type NoisyJob = (NoisyCell, NoisyAlgorithm, u64);

impl BenchNoisyCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let algorithms = if self.algorithm.is_empty() {
            NoisyAlgorithm::USUAL.as_slice()
        } else {
            self.algorithm.as_slice()
        };
        let policy = if algorithms.contains(&NoisyAlgorithm::Nd3minOptimal) {
            Some(Arc::new(solve_policy(context)?))
        } else {
            None
        };
        if self.app.is_empty() {
            self.run_families(algorithms, policy.as_ref(), context)
        } else {
            self.run_on_apps(algorithms, policy.as_ref(), context)
        }
    }

    fn run_families(
        &self,
        algorithms: &[NoisyAlgorithm],
        policy: Option<&Arc<SchedulePolicy>>,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let jobs = self.jobs(algorithms);
        let mut summary = NoisySummary::default();
        if !self.json {
            context.console.result(&NoisySummary::header())?;
        }
        let mut left_in_cell = 0;
        let mut cell_jobs = jobs.chunk_by(|one, other| one.0 == other.0);
        run_in_order(
            &jobs,
            |job| self.measure(*job, policy, context),
            |measured| {
                let measured = measured?;
                if context.cancellation.is_cancelled() {
                    return Ok(());
                }
                summary.add(&measured);
                if self.json {
                    context.console.result(&measured.to_json())?;
                    return Ok(());
                }
                if left_in_cell == 0 {
                    left_in_cell = cell_jobs.next().map_or(0, <[NoisyJob]>::len);
                }
                left_in_cell -= 1;
                if left_in_cell == 0 {
                    print(&summary.cell_lines(measured.case.cell), context)?;
                }
                Ok::<(), CommandError>(())
            },
        )?;
        if context.cancellation.is_cancelled() {
            return Ok(CommandExit::Interrupted);
        }
        let lines = if self.json {
            summary.to_json()
        } else {
            summary.total_lines()
        };
        print(&lines, context)?;
        Ok(CommandExit::Done)
    }

    fn jobs(&self, algorithms: &[NoisyAlgorithm]) -> Vec<NoisyJob> {
        let families = if self.family.is_empty() {
            NoisyFamily::value_variants()
        } else {
            self.family.as_slice()
        };
        let mut jobs = Vec::new();
        for cell in families.iter().flat_map(|family| family.cells()) {
            for &algorithm in algorithms {
                jobs.extend(self.seeds.clone().map(|seed| (cell, algorithm, seed)));
            }
        }
        jobs
    }

    fn measure(
        &self,
        (cell, algorithm, seed): NoisyJob,
        policy: Option<&Arc<SchedulePolicy>>,
        context: &CommandContext,
    ) -> Result<NoisyMeasurement, CommandError> {
        let case = NoisyCase {
            cell,
            seed,
            events: self.events,
        };
        let run = noisy::run(case, algorithm, policy, &context.cancellation);
        Ok(operations::block_on(ClockKind::Virtual, run)??)
    }

    fn run_on_apps(
        &self,
        algorithms: &[NoisyAlgorithm],
        policy: Option<&Arc<SchedulePolicy>>,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let names = retap_simulator::app_names().iter().copied();
        let is_named = |name: &&str| self.app.iter().any(|app| app == *name || app == ALL_APPS);
        let apps: Vec<NoisyApp> = names
            .filter(is_named)
            .flat_map(|name| self.seeds.clone().map(move |seed| NoisyApp { name, seed }))
            .collect();
        let mut flaky = Vec::new();
        run_in_order(
            &apps,
            |app| {
                let work = reduce_crashes(*app, algorithms, policy, context);
                operations::block_on(ClockKind::Virtual, work)?
            },
            |reduced| {
                for one in reduced? {
                    context.console.result(&if self.json {
                        one.to_json()
                    } else {
                        one.to_words()
                    })?;
                    flaky.extend(one.is_flaky().then_some(one));
                }
                Ok::<(), CommandError>(())
            },
        )?;
        if context.cancellation.is_cancelled() {
            return Ok(CommandExit::Interrupted);
        }
        for algorithm in algorithms.iter().filter(|_| !self.json) {
            let own = flaky.iter().filter(|one| one.algorithm() == *algorithm);
            let refused = own.clone().filter(|one| one.is_refused()).count();
            let line = format!(
                "{algorithm}: {refused} of {} flaky traces refused",
                own.count()
            );
            context.console.result(&line)?;
        }
        Ok(CommandExit::Done)
    }
}

/// Reduces all crashes of one exploration, until it is cancelled.
async fn reduce_crashes(
    app: NoisyApp,
    algorithms: &[NoisyAlgorithm],
    policy: Option<&Arc<SchedulePolicy>>,
    context: &CommandContext,
) -> Result<Vec<NoisyAppMeasurement>, CommandError> {
    let mut reduced = Vec::new();
    for trace in app.traces(&context.cancellation).await? {
        for &algorithm in algorithms {
            if context.cancellation.is_cancelled() {
                return Ok(reduced);
            }
            let one = trace.reduce(algorithm, policy, &context.cancellation);
            reduced.push(one.await?);
        }
    }
    Ok(reduced)
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

fn print(lines: &[String], context: &CommandContext) -> Result<(), CommandError> {
    for line in lines {
        context.console.result(line)?;
    }
    Ok(())
}

/// Seeds as `A..B` with both ends, or as a number from 0 on.
fn parse_seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (first.parse().ok(), last.parse().ok()),
        None => {
            let count = text.parse::<u64>().ok();
            (Some(0), count.and_then(|count| count.checked_sub(1)))
        }
    };
    match (first, last) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("two numbers such as `1..100`, or a number from 1 on, are needed".to_owned()),
    }
}

fn parse_app(text: &str) -> Result<String, String> {
    let names = retap_simulator::app_names();
    if text == ALL_APPS || names.contains(&text) {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "one of {} or `{ALL_APPS}` is needed",
            names.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_a_range_with_both_ends_or_a_count() {
        assert_eq!(parse_seeds("3"), Ok(0..=2));
        assert_eq!(parse_seeds("1..100"), Ok(1..=100));
        assert_eq!(parse_seeds("7..7"), Ok(7..=7));
        for wrong in ["0", "", "5..4", "..", "a..b", "-1", "1..", "1..=3"] {
            assert!(parse_seeds(wrong).is_err(), "{wrong}");
        }
    }
}
