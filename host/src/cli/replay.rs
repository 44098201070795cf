//! `retap replay`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use retap_device::run_event::RunEvent;
use retap_device::seed::Seed;
use retap_shared::protocol::PlayReply;
use retap_shared::trace::{ReplayPace, Trace, TraceClaim};
use retap_shared::verdict::Verdict;
use serde_json::json;

use crate::cli::arguments::{self, GlobalArguments, MappingArguments, PhoneArguments};
use crate::cli::claim_json;
use crate::cli::named_choice::{choice_parser, help_with_default};
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::config::Config;
use crate::device_spec::PhoneSelection;
use crate::devices::{ConnectedPhones, ConnectionContext, FindingRetracer};
use crate::exit::CommandExit;
use crate::format::mapping;
use crate::operations::{self, ClockKind, TraceWithoutTimes, describe_verdict, summary};
use crate::options::{DEFAULT_TIMES, MappingOptions};
use crate::report::progress::ProgressReporter;
use crate::run::findings::read_trace;
use crate::wording::pluralise;
use crate::{devices, target};

/// Play traces again and see whether they still do what they did
///
/// Exit code 0 if every run reached the target of its trace, 5 if only some did, 3 if none did.
#[derive(Debug, Default, Args)]
pub struct ReplayCommand {
    /// `.retap` files, such as `crashes/ID/reduced.retap` of a run; all of them on the same phones
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=10_000),
        help = help_with_default("Runs of each trace", DEFAULT_TIMES)
    )]
    times: Option<u32>,
    /// When the next step comes [default: the pace of each trace, which is `quiet` unless its reduction found otherwise]
    #[arg(long, value_parser = choice_parser::<ReplayPace>())]
    pace: Option<ReplayPace>,
    /// Print one JSON object per run
    #[arg(long)]
    json: bool,
    /// Seed of the noise of simulated phones [default: random]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed)]
    seed: Option<u64>,
    #[command(flatten)]
    mapping: MappingArguments,
    #[command(flatten)]
    phones: PhoneArguments,
}

/// Traces to play, the phones for them, and how often.
struct ReplayPlan<'a> {
    traces: &'a [Trace],
    selection: PhoneSelection,
    times: u32,
    seed: Seed,
    mappings: MappingOptions,
}

/// Runs that were made, and those that reached the target.
#[derive(Clone, Copy, Debug, Default)]
struct ReplayedRuns {
    runs: u32,
    reached: u32,
}

#[derive(Debug, thiserror::Error)]
#[error(
    "{}: {reached} of {} reached it",
    match (*.traces, *.reached) {
        (1, 0) => "the trace does not reproduce",
        (_, 0) => "no trace reproduces",
        (1, _) => "the trace is flaky",
        (_, _) => "some runs reproduce, not all",
    },
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
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let config = global.config()?;
        let traces = self
            .traces
            .iter()
            .map(|path| self.read(path))
            .collect::<Result<Vec<_>, _>>()?;
        let Some(first) = traces.first() else {
            return Ok(CommandExit::Done);
        };
        let first_trace = std::iter::once(first);
        let named = self
            .phones
            .devices_for_traces(first_trace, &config, context)?;
        let selection = PhoneSelection {
            device: operations::devices_for(first, named.as_ref())?,
            count: self.phones.count(&config),
        };
        devices::check(&selection.device)?;
        let mappings = self.mapping.options(&config);
        mapping::check(&mappings)?;
        let plan = ReplayPlan {
            traces: &traces,
            selection,
            times: self.times(&config),
            seed: Seed(arguments::choose_seed(self.seed, &config)),
            mappings,
        };
        self.replay_all(&plan, context)
    }

    /// Makes all runs of a plan. Reports those that were made also if it ends early.
    fn replay_all(
        &self,
        plan: &ReplayPlan<'_>,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let mut tally = ReplayedRuns::default();
        let replayed = operations::block_on(
            ClockKind::for_devices(&plan.selection.device),
            self.replay(plan, &mut tally, context),
        )
        .and_then(|replayed| replayed);
        let ReplayedRuns {
            runs: made,
            reached,
        } = tally;
        let is_interrupted = context.cancellation.is_cancelled();
        if (replayed.is_err() || is_interrupted) && made > 0 && !self.json {
            let runs = pluralise(made.into(), "run");
            let line = format!("ended early: {reached} of {runs} reached the target");
            context.console.result(&line)?;
        }
        replayed?;
        if is_interrupted {
            return Ok(CommandExit::Interrupted);
        }
        let traces = plan.traces.len();
        let runs = plan
            .times
            .saturating_mul(u32::try_from(traces).unwrap_or(u32::MAX));
        if reached < runs {
            return Err(TargetNotReached {
                traces,
                reached,
                runs,
            }
            .into());
        }
        Ok(CommandExit::Done)
    }

    /// Runs of each trace: the command line over `retap.toml` over the default.
    pub fn times(&self, config: &Config) -> u32 {
        self.times.or(config.replay.times).unwrap_or(DEFAULT_TIMES)
    }

    /// Reads a trace, and sets the pace that was asked for.
    fn read(&self, path: &Path) -> Result<Trace, CommandError> {
        let mut trace = read_trace(path)?;
        trace.header.pace = self.pace.unwrap_or(trace.header.pace);
        TraceWithoutTimes::check(&trace, trace.header.pace)?;
        Ok(trace)
    }

    /// Plays all traces until the command is cancelled, and counts the runs.
    async fn replay(
        &self,
        plan: &ReplayPlan<'_>,
        tally: &mut ReplayedRuns,
        context: &CommandContext,
    ) -> Result<(), CommandError> {
        let sink = ProgressReporter::sink(&context.console);
        let retracer = Arc::new(FindingRetracer::new(Arc::clone(&sink)));
        let used = (!plan.mappings.is_empty()).then_some(&retracer);
        let connection = ConnectionContext {
            cancellation: context.cancellation.clone(),
            sink: Arc::clone(&sink),
            retracer: used.cloned(),
            ..ConnectionContext::default()
        };
        let phones = ConnectedPhones::connect_with(&plan.selection, plan.seed, &connection).await?;
        for (trace, path) in plan.traces.iter().zip(&self.traces) {
            let info = phones.app_of(trace, &sink)?;
            if used.is_some() {
                retracer.use_mapping_for(&info.app, &plan.mappings)?;
            }
            let before = *tally;
            for run in 1..=plan.times {
                let played = tokio::select! {
                    biased;
                    () = context.cancellation.cancelled() => return Ok(()),
                    played = operations::play(&phones.pool, trace, false, &sink) => played?,
                };
                let is_reached = has_reached_target(trace, &played);
                tally.runs += 1;
                tally.reached += u32::from(is_reached);
                sink(RunEvent::Replayed {
                    run,
                    runs: plan.times,
                    reached: is_reached,
                    verdict: describe_run(trace, &played),
                    took: played.took,
                });
                context
                    .console
                    .result(&self.line(path, trace, &played, run, plan.times))?;
            }
            if let Some(claim) = trace.header.claim.filter(|_| !self.json) {
                let name = self.name_prefix(path);
                let seen = tally.since(before);
                let lines = claim_beside(&claim, seen);
                context.console.result(&format!("{name}{lines}"))?;
            }
        }
        Ok(())
    }

    fn line(&self, path: &Path, trace: &Trace, played: &PlayReply, run: u32, runs: u32) -> String {
        let verdict = describe_run(trace, played);
        let took = played.took;
        if self.json {
            return json!({
                "result": "replay", "trace": path.display().to_string(), "run": run,
                "reached": has_reached_target(trace, played), "verdict": verdict, "played": played.played,
                "steps": trace.steps.len(), "phone_seconds": took.0 as f64 / 1e6,
                "claim": trace.header.claim.as_ref().map(claim_json::trace_claim),
            })
            .to_string();
        }
        format!(
            "{}run {run} of {runs}: {verdict}, after {} and {took} of phone time",
            self.name_prefix(path),
            steps_of(trace, played)
        )
    }

    /// Name of a trace before its lines, if there are several.
    fn name_prefix(&self, path: &Path) -> String {
        if self.traces.len() == 1 {
            String::new()
        } else {
            format!("{}: ", path.display())
        }
    }
}

/// What the reduction of a trace claims, beside what was seen now.
fn claim_beside(claim: &TraceClaim, seen: ReplayedRuns) -> String {
    let runs = pluralise(seen.runs.into(), "run");
    format!(
        "seen now: {} of {runs}; its reduction claims: {}",
        seen.reached,
        summary::trace_claim(claim)
    )
}

impl ReplayedRuns {
    /// Runs that were made after `before`.
    fn since(self, before: ReplayedRuns) -> ReplayedRuns {
        ReplayedRuns {
            runs: self.runs - before.runs,
            reached: self.reached - before.reached,
        }
    }
}

/// A trace without a target has reached its end if all steps were played.
fn has_reached_target(trace: &Trace, played: &PlayReply) -> bool {
    match &trace.header.target {
        Some(_) => played.verdict == Verdict::TargetReached,
        None => {
            played.played as usize == trace.steps.len()
                && played.verdict == Verdict::TargetNotReached
        }
    }
}

fn describe_run(trace: &Trace, played: &PlayReply) -> String {
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
        match self.reached {
            0 => CommandExit::DoesNotReproduce,
            _ => CommandExit::Flaky,
        }
    }

    fn help(&self) -> String {
        match self.reached {
            0 => "see whether app and phone are those that the trace was made with".into(),
            _ => "reduce the trace with `retap reduce`: a shorter one may reproduce more often"
                .into(),
        }
    }
}
