//! A reduction as a job: the engine's with the store in front, then one more run of the result for its screens.

use std::sync::Arc;

use retap_device::DevicePool;
use retap_device::run_event::RunEvent;
use retap_reduce::oracle::{
    ActivityMachine, ActivityMachineError, ActivityMachineSettings, JournaledOracle, OracleError,
    PooledOracle, ReplayConditions, ResumeStatistics,
};
use retap_reduce::policy::{self, PriorError, SuccessRatePrior};
use retap_reduce::trace_reduction::{
    self, ReduceError, ReduceSettings, Reduction, ReductionAlgorithm, SchedulerKind,
    StateGranularity,
};
use retap_shared::bytes::Png;
use retap_shared::finding::Finding;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::PlayReply;
use retap_shared::trace::Trace;
use retap_shared::verdict::{Outcome, Verdict};

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::operations::{self, ActiveRun, play, widget_correction};
use crate::options::{self, Algorithm, Scheduler};
use crate::run::findings::{ReductionCurve, StoredReduction};

/// How often the result is run again as proof, where one run each was enough to find it.
const CHECK_RUNS: u32 = 3;
/// For more candidates the heuristic takes over.
const POLICY_CANDIDATES: usize = 5;

/// What a trace was cut down to.
#[derive(Debug)]
pub struct ReductionResult {
    pub reduction: Reduction,
    pub resumed: ResumeStatistics,
    /// A last run of the result with its screens; none if there is no result.
    pub recorded: Option<PlayReply>,
    /// What the phone showed before each step of the result, and last; empty where it gives no pixels.
    pub pictures: Vec<Png>,
}

/// How to cut down; one run each, and as many at once as there are phones, if nothing is said.
#[derive(Clone, Debug, Default)]
pub struct ReductionPlan {
    algorithm: ReductionAlgorithm,
    settings: ReduceSettings,
    parallel_runs: Option<u32>,
    snapshots: bool,
}

impl ReductionPlan {
    /// With the policy if one is asked for: recalled, or solved now.
    pub fn prepare(
        job: &ActiveRun,
        asked: &options::ReduceOptions,
    ) -> Result<ReductionPlan, CommandError> {
        let options::ReduceOptions {
            runs,
            successes,
            nd3min,
            ..
        } = *asked;
        let prior = match &asked.prior {
            Some(text) => SuccessRatePrior::parse(text)?,
            None => SuccessRatePrior::published(),
        };
        let mut rules = ReductionPlan {
            algorithm: match asked.algorithm {
                Algorithm::Auto => ReductionAlgorithm::Auto,
                Algorithm::Dd => ReductionAlgorithm::Dd,
                Algorithm::Nd3min => ReductionAlgorithm::Nd3min,
                Algorithm::Hdd => ReductionAlgorithm::Hdd,
                Algorithm::Bhdd => ReductionAlgorithm::Bhdd,
                Algorithm::Lhdd => ReductionAlgorithm::Lhdd,
                Algorithm::LhddNoPreselection => ReductionAlgorithm::LhddNoPreselection,
            },
            settings: ReduceSettings {
                runs,
                successes,
                check_runs: if runs == 1 { CHECK_RUNS } else { runs },
                original_successes: asked.original_successes,
                parts: nd3min.parts as usize,
                scheduling: scheduling(nd3min.scheduler),
                keep_rate: asked.keep_rate,
                simplify: !asked.only_delete,
                hierarchy: match asked.hierarchy {
                    options::Hierarchy::Activity => StateGranularity::Activity,
                    options::Hierarchy::Screen => StateGranularity::Screen,
                },
                ..ReduceSettings::default()
            },
            parallel_runs: asked.parallel,
            snapshots: true,
        };
        if asked.algorithm == Algorithm::Nd3min && nd3min.scheduler == Scheduler::Optimal {
            let parallel = asked.parallel.unwrap_or(asked.count);
            let candidates = (nd3min.parts as usize).clamp(2, POLICY_CANDIDATES);
            let rounds = policy::PolicyParameters {
                candidates,
                parallel,
                runs,
                successes,
            };
            rules.settings.policy = Some(Arc::new(
                operations::load_or_solve_policy(&rounds, &prior, job.store(), job.context())?.0,
            ));
        }
        rules.settings.prior = Arc::new(prior);
        Ok(rules)
    }
}

fn scheduling(scheduler: Scheduler) -> SchedulerKind {
    match scheduler {
        Scheduler::RoundRobin => SchedulerKind::RoundRobin,
        Scheduler::Greedy => SchedulerKind::Greedy,
        Scheduler::Heuristic => SchedulerKind::Heuristic,
        Scheduler::Optimal => SchedulerKind::Optimal,
    }
}

/// Who is asked whether a candidate still does it.
#[derive(Clone, Copy, Debug)]
pub enum ReductionOracle<'a> {
    Phones(&'a DevicePool),
    /// The recording itself: an activity machine.
    Recording,
}

/// `part` names this reduction among those of the job.
pub async fn reduce(
    job: &ActiveRun,
    ground: ReductionOracle<'_>,
    trace: &Trace,
    rules: &ReductionPlan,
    part: &str,
) -> Result<ReductionResult, CommandError> {
    let journal = job.journal(&format!("reduce-{part}"))?;
    let ReductionOracle::Phones(pool) = ground else {
        let recording = ActivityMachine::of(trace, ActivityMachineSettings::default())?;
        let is_auto = rules.algorithm == ReductionAlgorithm::Auto;
        let recording = if is_auto {
            recording.ending_early()
        } else {
            recording
        };
        let oracle = JournaledOracle::new(recording, &journal, job.sink());
        // What a step does is nothing to a machine of activities: it would take any simpler one.
        let settings = ReduceSettings {
            simplify: false,
            ..rules.settings.clone()
        };
        let reduction = trace_reduction::reduce(
            trace,
            rules.algorithm,
            &settings,
            &oracle,
            job.sink(),
            job.cancellation(),
        )
        .await?;
        return Ok(ReductionResult {
            reduction,
            resumed: ResumeStatistics::default(),
            recorded: None,
            pictures: Vec::new(),
        });
    };
    let conditions = ReplayConditions {
        snapshots: rules.snapshots,
        ..ReplayConditions::of(trace)
    };
    let phones = PooledOracle::new(pool, conditions, job.sink());
    let oracle = JournaledOracle::new(&phones, &journal, job.sink());
    let parallel = rules
        .parallel_runs
        .map_or_else(|| pool.len(), |parallel| parallel as usize);
    let settings = ReduceSettings {
        parallel,
        ..rules.settings.clone()
    };
    let mut reduction = trace_reduction::reduce(
        trace,
        rules.algorithm,
        &settings,
        &oracle,
        job.sink(),
        job.cancellation(),
    )
    .await?;
    let resumed = phones.resume_statistics();
    if resumed.runs > 0 {
        let ResumeStatistics { runs, steps } = resumed;
        (job.sink())(RunEvent::Resumed { runs, steps });
    }
    let recorded = match reduction.outcome {
        Outcome::Done | Outcome::BudgetSpent => {
            Some(record_result(job, pool, &mut reduction).await?)
        }
        Outcome::DoesNotReproduce | Outcome::Interrupted => None,
    };
    let pictures = match &recorded {
        Some(_) => play::pictures(pool, &reduction.trace).await,
        None => Vec::new(),
    };
    Ok(ReductionResult {
        reduction,
        resumed,
        recorded,
        pictures,
    })
}

/// One more run of the result, for its screens. Steps that met other widgets than they name get the right ones, if the result
/// then still does it.
async fn record_result(
    job: &ActiveRun,
    pool: &DevicePool,
    reduction: &mut Reduction,
) -> Result<PlayReply, CommandError> {
    let recorded = play::play(pool, &reduction.trace, true, job.sink()).await?;
    let steady = reduction
        .result
        .as_ref()
        .is_some_and(|check| check.successes == check.runs);
    let Some(anchored) =
        widget_correction::with_touched_widgets(&reduction.trace, &recorded).filter(|_| steady)
    else {
        return Ok(recorded);
    };
    let again = play::play(pool, &anchored, true, job.sink()).await?;
    if again.verdict != Verdict::TargetReached {
        return Ok(recorded);
    }
    reduction.trace = anchored;
    Ok(again)
}

impl ReductionResult {
    /// For the crash's files; none if nothing was proven.
    pub fn stored_reduction(&self) -> Option<StoredReduction> {
        let Reduction {
            trace,
            runs,
            result,
            outcome,
            history,
            belief,
            ..
        } = &self.reduction;
        if *outcome == Outcome::DoesNotReproduce {
            return None;
        }
        let (successes, replays) = result
            .as_ref()
            .map_or((0, 0), |check| (check.successes, check.runs));
        let (screens, hits) = self
            .recorded
            .clone()
            .map_or_else(Default::default, |run| (run.screens, run.located_by));
        let pictures = self.pictures.clone();
        let shrinking = ReductionCurve {
            history: history.clone(),
            belief: belief.clone(),
            resumed: self.resumed,
        };
        let trace = trace.clone();
        Some(StoredReduction {
            trace,
            runs: *runs,
            successes,
            replays,
            screens,
            pictures,
            hits,
            curve: shrinking,
        })
    }

    /// The problem that the result ran into, if any.
    pub fn finding(&self) -> Option<&Finding> {
        let happened = &self.recorded.as_ref()?.events;
        happened.iter().find_map(|happening| match &happening.kind {
            PhoneEventKind::Finding(problem) => Some(problem),
            PhoneEventKind::Activity(_) => None,
        })
    }
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
            ReduceError::Settings { .. } => "ask for at most as many `--successes` as `--runs`".into(),
            ReduceError::Parts(_) => "ask for 2 `--parts` or more".into(),
            ReduceError::Original { .. } => {
                "ask for at most as many with `--original-successes` as `--runs`".into()
            }
            ReduceError::Oracle(OracleError::Pool(_)) => {
                "see why the phones were lost, then go on with `--resume`".into()
            }
            ReduceError::Oracle(OracleError::Refused { .. }) => {
                "name a phone with `--device` that has the trace's app".into()
            }
            ReduceError::Oracle(OracleError::Journal(_)) => {
                "make room or give the right to write there, then go on with `--resume`; what was observed is kept".into()
            }
        }
    }
}

impl UserError for ActivityMachineError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "name a trace that says in which activity each step was recorded, or leave `--oracle recording` away"
            .into()
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
