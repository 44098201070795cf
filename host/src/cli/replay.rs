//! `retap replay`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use retap_device::run_event::RunEvent;
use retap_device::seed::Seed;
use retap_shared::protocol::PlayReply;
use retap_shared::trace::Trace;
use retap_shared::verdict::Verdict;
use serde_json::json;

use crate::cli::arguments::{self, GlobalArguments, PhoneArguments};
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::operations::{self, describe_verdict};
use crate::options::{DEFAULT_TIMES, PhoneSelection};
use crate::report::progress::ProgressReporter;
use crate::report::{self, Reporter};
use crate::run::findings::read_trace;
use crate::wording::pluralise;
use crate::{devices, target};

/// Play traces again and see whether they still do what they did
///
/// Ends with 0 if every run reached what its trace is for, with 3 if not.
#[derive(Debug, Args)]
pub struct ReplayCommand {
    /// `.retap` files, such as `crashes/ID/reduced.retap` of a run; all of them on the same phones
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    #[command(flatten)]
    phones: PhoneArguments,
    /// Runs of each trace; default: 3
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    times: Option<u32>,
    /// The number that makes the noise of simulated phones
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed)]
    seed: Option<u64>,
    /// One JSON object a run
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
#[error(
    "{}: {reached} of {} reached it",
    if *.traces == 1 { "the trace does not reproduce" } else { "not every trace reproduces" },
    pluralise(u64::from(*.runs), "run")
)]
struct TargetNotReached {
    traces: usize,
    reached: u32,
    runs: u32,
}

impl ReplayCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        shell: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let config = global.config()?;
        let traces = self
            .traces
            .iter()
            .map(|path| read_trace(path))
            .collect::<Result<Vec<_>, _>>()?;
        let named = self.phones.device(&config)?;
        let device = match traces.first() {
            Some(first) => operations::device_for(first, named.as_deref())?,
            None => return Ok(CommandExit::Done),
        };
        devices::check(&device)?;
        let phones = PhoneSelection {
            device,
            count: self.phones.count(&config),
        };
        let times = self.times.or(config.replay.times).unwrap_or(DEFAULT_TIMES);
        let seed = Seed(arguments::seed(self.seed, &config));
        let reached = operations::block_on(
            operations::ClockKind::for_device(&phones.device),
            self.replay(&traces, &phones, times, seed, shell),
        )??;
        if shell.cancellation.is_cancelled() {
            return Ok(CommandExit::Interrupted);
        }
        let runs = times.saturating_mul(u32::try_from(traces.len()).unwrap_or(u32::MAX));
        if reached < runs {
            return Err(TargetNotReached {
                traces: traces.len(),
                reached,
                runs,
            }
            .into());
        }
        Ok(CommandExit::Done)
    }

    /// How many of the runs did it.
    async fn replay(
        &self,
        traces: &[Trace],
        phones: &PhoneSelection,
        times: u32,
        seed: Seed,
        shell: &CommandContext,
    ) -> Result<u32, CommandError> {
        let phones = devices::ConnectedPhones::connect(phones, seed).await?;
        let narrator = Arc::new(ProgressReporter::new(Arc::clone(&shell.console)));
        let sink = report::event_sink(vec![narrator as Arc<dyn Reporter>], Instant::now());
        let mut reached = 0;
        for (trace, path) in traces.iter().zip(&self.traces) {
            phones.app_of(trace, &sink)?;
            for run in 1..=times {
                if shell.cancellation.is_cancelled() {
                    return Ok(reached);
                }
                let played = operations::play(&phones.pool, trace, false, &sink).await?;
                let did_it = has_reached_target(trace, &played);
                reached += u32::from(did_it);
                let verdict = in_words(trace, &played);
                let took = played.took;
                sink(RunEvent::Replayed {
                    run,
                    runs: times,
                    reached: did_it,
                    verdict,
                    took,
                });
                shell
                    .console
                    .result(&self.line(path, trace, &played, run, times))?;
            }
        }
        Ok(reached)
    }

    fn line(&self, path: &Path, trace: &Trace, played: &PlayReply, run: u32, runs: u32) -> String {
        let verdict = in_words(trace, played);
        let took = played.took;
        if self.json {
            return json!({
                "result": "replay", "trace": path.display().to_string(), "run": run,
                "reached": has_reached_target(trace, played), "verdict": verdict, "played": played.played,
                "steps": trace.steps.len(), "phone_seconds": took.0 as f64 / 1e6,
            })
            .to_string();
        }
        let of = if self.traces.len() == 1 {
            String::new()
        } else {
            format!("{}: ", path.display())
        };
        format!(
            "{of}run {run} of {runs}: {verdict}, after {} and {took} of phone time",
            steps_of(trace, played)
        )
    }
}

/// A trace that is for nothing in particular has done it when it was played to its end.
fn has_reached_target(trace: &Trace, played: &PlayReply) -> bool {
    match &trace.header.target {
        Some(_) => played.verdict == Verdict::TargetReached,
        None => {
            played.played as usize == trace.steps.len()
                && played.verdict == Verdict::TargetNotReached
        }
    }
}

fn in_words(trace: &Trace, played: &PlayReply) -> String {
    match (&trace.header.target, &played.verdict) {
        (Some(target), Verdict::TargetReached) => format!("reached {}", target::describe(target)),
        (None, Verdict::TargetNotReached) => "played to its end".to_owned(),
        (_, verdict) => describe_verdict(verdict),
    }
}

fn steps_of(trace: &Trace, played: &PlayReply) -> String {
    match (played.played as usize, trace.steps.len()) {
        (all, steps) if all == steps => pluralise(steps as u64, "step"),
        (played, steps) => format!("{played} of {}", pluralise(steps as u64, "step")),
    }
}

impl UserError for TargetNotReached {
    fn exit(&self) -> CommandExit {
        CommandExit::DoesNotReproduce
    }

    fn help(&self) -> String {
        "see whether app and phone are those that the trace was made with; it may also work only sometimes"
            .into()
    }
}
