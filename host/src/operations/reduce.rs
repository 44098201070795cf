//! Reduction of one trace: the engine's reducer with the journal before its oracle, then one recorded run of the result.

use std::sync::Arc;
use std::time::Duration;

use retap_device::DevicePool;
use retap_device::run_event::RunEvent;
use retap_reduce::oracle::{
    ActivityMachine, ActivityMachineError, ActivityMachineSettings, JournaledOracle, OracleError,
    PooledOracle, ReplayConditions, ResumeStatistics,
};
use retap_reduce::policy::{self, PriorError, SuccessRatePrior};
use retap_reduce::trace_reduction::{
    self, ReduceError, ReduceSettings, Reduction, ReductionAlgorithm, SchedulerKind,
};
use retap_shared::protocol::PlayReply;
use retap_shared::trace::{ReplayPace, Trace, TraceClaim};
use retap_shared::verdict::{Outcome, Verdict};

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::operations::failure_guard::FailureGuard;
use crate::operations::{self, ActiveRun, play, widget_correction};
use crate::options::ReduceOptions;
use crate::run::findings::RecordedReduction;
use crate::run::store::StoreJournal;

/// Runs of the result's check, where each candidate had one attempt.
const CHECK_RUNS: u32 = 3;
/// Maximum number of candidates of a policy; above it the heuristic decides.
const POLICY_CANDIDATES: usize = 5;

/// How to reduce. By default each candidate has one attempt, and there are as many at once as phones.
#[derive(Clone, Debug, Default)]
pub struct ReductionPlan {
    algorithm: ReductionAlgorithm,
    settings: ReduceSettings,
    parallel_runs: Option<u32>,
    snapshots: bool,
    /// Pace of all runs; without one the trace's, and the recorded pace where a trace never reproduces at quiet pace.
    pace: Option<ReplayPace>,
}

impl ReductionPlan {
    /// Plan for the given options. The optimal policy, if asked for, is loaded or solved here.
    pub fn prepare(
        run: &ActiveRun,
        options: &ReduceOptions,
    ) -> Result<ReductionPlan, CommandError> {
        let prior = match &options.prior {
            Some(text) => SuccessRatePrior::parse(text)?,
            None => SuccessRatePrior::published(),
        };
        let mut plan = ReductionPlan {
            algorithm: options.algorithm,
            settings: options.engine(),
            parallel_runs: options.parallel,
            snapshots: true,
            pace: options.pace,
        };
        let scheduler = options.nd3min.scheduler;
        if options.algorithm == ReductionAlgorithm::Nd3min && scheduler == SchedulerKind::Optimal {
            let parameters = policy::PolicyParameters {
                candidates: (options.nd3min.parts as usize).clamp(2, POLICY_CANDIDATES),
                parallel: options.parallel.unwrap_or(options.count),
                runs: options.runs,
                successes: options.successes,
            };
            let (policy, _) =
                operations::load_or_solve_policy(&parameters, &prior, run.store(), run.context())?;
            plan.settings.policy = Some(Arc::new(policy));
        }
        plan.settings.prior = Arc::new(prior);
        Ok(plan)
    }

    fn settings_for(&self, pool: &DevicePool) -> ReduceSettings {
        ReduceSettings {
            parallel: self
                .parallel_runs
                .map_or_else(|| pool.len(), |parallel| parallel as usize),
            ..self.settings.clone()
        }
    }
}

impl ReduceOptions {
    /// Settings of the engine.
    pub fn engine(&self) -> ReduceSettings {
        ReduceSettings {
            runs: self.runs,
            successes: self.successes,
            check_runs: if self.runs == 1 {
                CHECK_RUNS
            } else {
                self.runs
            },
            original_successes: self.original_successes,
            max_runs: self.max_runs,
            max_time: self
                .minutes
                .map(|minutes| Duration::from_secs(60 * u64::from(minutes))),
            parts: self.nd3min.parts as usize,
            scheduling: self.nd3min.scheduler,
            keep_rate: self.keep_rate,
            simplify: !self.only_delete,
            hierarchy: self.hierarchy,
            ..ReduceSettings::default()
        }
    }
}

/// Oracle of a reduction.
#[derive(Clone, Copy, Debug)]
pub enum ReductionOracle<'a> {
    Phones(&'a DevicePool),
    /// An activity machine, made from the recorded trace.
    Recording,
}

/// Reduces a trace. `part` names this reduction among those of the run. An error that ended the reduction early comes with
/// the best result so far.
pub async fn reduce(
    run: &ActiveRun,
    oracle: ReductionOracle<'_>,
    trace: &Trace,
    plan: &ReductionPlan,
    part: &str,
) -> Result<(RecordedReduction, Option<CommandError>), CommandError> {
    let part = format!("reduce-{part}");
    match oracle {
        ReductionOracle::Phones(pool) => reduce_at_pace(run, pool, trace, plan, &part).await,
        ReductionOracle::Recording => {
            let journal = run.journal(&part)?;
            let reduction = reduce_on_recording(run, trace, plan, &journal).await?;
            Ok((reduction, None))
        }
    }
}

/// Reduces on phones at the pace of the plan or of the trace. Without either, at quiet pace first; a trace that never
/// reproduces so is reduced at recorded pace, if it has times.
async fn reduce_at_pace(
    run: &ActiveRun,
    pool: &DevicePool,
    trace: &Trace,
    plan: &ReductionPlan,
    part: &str,
) -> Result<(RecordedReduction, Option<CommandError>), CommandError> {
    let pace = plan.pace.unwrap_or(trace.header.pace);
    if pace == ReplayPace::Quiet {
        // Without times, observations of the same steps are shared wherever the steps come from.
        let untimed = at_pace(trace.clone().without_times(), ReplayPace::Quiet);
        let journal = run.journal(part)?;
        let (reduced, error) = reduce_on_phones(run, pool, &untimed, plan, &journal).await?;
        let is_reproduced = reduced.reduction.outcome != Outcome::DoesNotReproduce;
        let has_other_pace = plan.pace.is_none() && trace.has_times() && !trace.steps.is_empty();
        if is_reproduced || error.is_some() || !has_other_pace {
            return Ok((reduced, error));
        }
        let text = "it never reproduced at quiet pace; it is tried at recorded pace".into();
        (run.sink())(RunEvent::Warning { text });
    }
    TraceWithoutTimes::check(trace, ReplayPace::Recorded)?;
    let timed = at_pace(trace.clone(), ReplayPace::Recorded);
    // The same steps at another pace are another candidate.
    let journal = run.journal(&format!("{part}-recorded-pace"))?;
    reduce_on_phones(run, pool, &timed, plan, &journal).await
}

fn at_pace(mut trace: Trace, pace: ReplayPace) -> Trace {
    trace.header.pace = pace;
    trace
}

/// Recorded pace was asked for, and the trace does not say when its steps were made.
#[derive(Debug, thiserror::Error)]
#[error("the trace has no times, so it cannot be played at recorded pace")]
pub struct TraceWithoutTimes;

impl TraceWithoutTimes {
    /// Refuses a trace without times at recorded pace.
    pub fn check(trace: &Trace, pace: ReplayPace) -> Result<(), TraceWithoutTimes> {
        match pace {
            ReplayPace::Recorded if !trace.has_times() => Err(TraceWithoutTimes),
            _ => Ok(()),
        }
    }
}

impl UserError for TraceWithoutTimes {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "omit `--pace recorded`, or record the trace again with `retap explore`".into()
    }
}

async fn reduce_on_recording(
    run: &ActiveRun,
    trace: &Trace,
    plan: &ReductionPlan,
    journal: &StoreJournal,
) -> Result<RecordedReduction, CommandError> {
    let mut machine = ActivityMachine::of(trace, ActivityMachineSettings::default())?;
    if plan.algorithm == ReductionAlgorithm::Auto {
        machine = machine.ending_early();
    }
    let oracle = JournaledOracle::new(machine, journal, run.sink());
    let settings = ReduceSettings {
        // An activity machine ignores the details of a step: it would accept any simpler one.
        simplify: false,
        ..plan.settings.clone()
    };
    let mut reduction = trace_reduction::reduce(
        trace,
        plan.algorithm,
        &settings,
        &oracle,
        run.sink(),
        run.cancellation(),
    )
    .await?;
    // A claim in a trace is about phones.
    reduction.trace.header.claim = None;
    Ok(RecordedReduction {
        reduction,
        resumed: ResumeStatistics::default(),
        recorded: None,
        pictures: Vec::new(),
    })
}

async fn reduce_on_phones(
    run: &ActiveRun,
    pool: &DevicePool,
    trace: &Trace,
    plan: &ReductionPlan,
    journal: &StoreJournal,
) -> Result<(RecordedReduction, Option<CommandError>), CommandError> {
    let conditions = ReplayConditions {
        snapshots: plan.snapshots,
        ..ReplayConditions::of(trace)
    };
    let phones = PooledOracle::new(pool, conditions, run.sink());
    let journaled = JournaledOracle::new(&phones, journal, run.sink());
    let oracle = FailureGuard::new(journaled, run.cancellation());
    let mut reduction = trace_reduction::reduce(
        trace,
        plan.algorithm,
        &plan.settings_for(pool),
        &oracle,
        run.sink(),
        oracle.cancellation(),
    )
    .await?;
    let failure = oracle.into_error().map(ReduceError::Oracle);
    let mut error = failure.map(CommandError::from);
    let resumed = announce_resumed(run, &phones);
    let mut recorded = None;
    let mut pictures = Vec::new();
    if reduction.claim.is_some() && reduction.outcome != Outcome::Interrupted {
        let recording = async {
            recorded = Some(record_result(run, pool, &mut reduction).await?);
            pictures = play::pictures(pool, &reduction.trace).await;
            Ok(())
        };
        match run.cancellation().run_until_cancelled(recording).await {
            Some(Ok(())) => {}
            Some(Err(failure)) => error = Some(failure),
            None => reduction.outcome = Outcome::Interrupted,
        }
    }
    // The trace may have been the result of another reduction: what that one claims is about other steps.
    reduction.trace.header.claim = reduction.claim.as_ref().map(TraceClaim::from);
    let recorded = RecordedReduction {
        reduction,
        resumed,
        recorded,
        pictures,
    };
    Ok((recorded, error))
}

/// Returns how much the phones did not have to play again.
fn announce_resumed(run: &ActiveRun, phones: &PooledOracle) -> ResumeStatistics {
    let resumed = phones.resume_statistics();
    let ResumeStatistics { runs, steps } = resumed;
    if runs > 0 {
        (run.sink())(RunEvent::Resumed { runs, steps });
    }
    resumed
}

/// Plays the result once more, for its screens. Steps that met other widgets than they name get the right ones, if the
/// result still reproduces with them.
async fn record_result(
    run: &ActiveRun,
    pool: &DevicePool,
    reduction: &mut Reduction,
) -> Result<PlayReply, CommandError> {
    let recorded = play::play(pool, &reduction.trace, true, run.sink()).await?;
    if let Some(claim) = &mut reduction.claim {
        claim.count_later_run(recorded.verdict == Verdict::TargetReached);
    }
    let is_reliable = reduction
        .result
        .as_ref()
        .is_some_and(|check| check.successes == check.runs);
    let corrected = widget_correction::with_touched_widgets(&reduction.trace, &recorded);
    let Some(corrected) = corrected.filter(|_| is_reliable) else {
        return Ok(recorded);
    };
    let again = play::play(pool, &corrected, true, run.sink()).await?;
    if again.verdict != Verdict::TargetReached {
        return Ok(recorded);
    }
    reduction.trace = corrected;
    Ok(again)
}

impl UserError for ReduceError {
    fn exit(&self) -> CommandExit {
        match self {
            ReduceError::Oracle(OracleError::Pool(_)) => CommandExit::NoPhone,
            _ => CommandExit::Usage,
        }
    }

    fn help(&self) -> String {
        match self {
            ReduceError::Settings { .. } => "set `--successes` to at most `--runs`".into(),
            ReduceError::Budget => "set `--max-runs` and `--minutes` to 1 or more".into(),
            ReduceError::Parts(_) => "set `--parts` to 2 or more".into(),
            ReduceError::Original { .. } => {
                "set `--original-successes` to at most `--runs`".into()
            }
            ReduceError::Oracle(OracleError::Pool(_)) => {
                "see why the phones were lost, then resume with `--resume`".into()
            }
            ReduceError::Oracle(OracleError::Refused { .. }) => {
                "name a phone with `--device` that has the trace's app".into()
            }
            ReduceError::Oracle(OracleError::Journal(_)) => {
                "free disk space or allow writing there, then resume with `--resume`; all observations are kept".into()
            }
        }
    }
}

impl UserError for ActivityMachineError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "name a trace with the activity of each step, or omit `--oracle recording`".into()
    }
}

impl UserError for PriorError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "name `paper`, `learned`, or a table of probabilities and weights with `--prior`".into()
    }
}
