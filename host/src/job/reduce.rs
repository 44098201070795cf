//! A reduction as a job: the engine's with the store in front, then one more run of the result for its screens.

use std::sync::Arc;

use retap_device::Pool;
use retap_device::event::RunEvent;
use retap_reduce::oracle::{
    Conditions, Invented, Journaled, NotRecorded, OracleError, Pooled, Recording, Resumed,
};
use retap_reduce::policy::{self, Prior, PriorError};
use retap_reduce::trace::{self, Hierarchy, ReduceError, ReduceSettings, Reduction, Scheduling};
use retap_shared::bytes::Png;
use retap_shared::protocol::{Played, What};
use retap_shared::trace::Trace;
use retap_shared::verdict::{Outcome, Problem, Verdict};

use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::{self, Job, anchor, play};
use crate::run::crashes::{Reduced, Shrinking};
use crate::settings::{self, Algorithm, Scheduler};

/// How often the result is run again as proof, where one run each was enough to find it.
const PROOFS: u32 = 3;
/// For more candidates the heuristic takes over.
const POLICY_CANDIDATES: usize = 5;

/// What a trace was cut down to.
#[derive(Debug)]
pub struct Cut {
    pub reduction: Reduction,
    pub resumed: Resumed,
    /// A last run of the result with its screens; none if there is no result.
    pub recorded: Option<Played>,
    /// What the phone showed before each step of the result, and last; empty where it gives no pixels.
    pub pictures: Vec<Png>,
}

/// How to cut down; one run each, and as many at once as there are phones, if nothing is said.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    algorithm: trace::Algorithm,
    settings: ReduceSettings,
    parallel: Option<u32>,
    snapshots: bool,
}

impl Rules {
    /// With the policy if one is asked for: recalled, or solved now.
    pub fn prepare(job: &Job, asked: &settings::Reduce) -> Result<Rules, Failure> {
        let settings::Reduce {
            runs,
            successes,
            nd3min,
            ..
        } = *asked;
        let prior = match &asked.prior {
            Some(text) => Prior::parse(text)?,
            None => Prior::paper(),
        };
        let mut rules = Rules {
            algorithm: match asked.algorithm {
                Algorithm::Auto => trace::Algorithm::Auto,
                Algorithm::Dd => trace::Algorithm::Dd,
                Algorithm::Nd3min => trace::Algorithm::Nd3min,
                Algorithm::Hdd => trace::Algorithm::Hdd,
                Algorithm::Bhdd => trace::Algorithm::Bhdd,
                Algorithm::Lhdd => trace::Algorithm::Lhdd,
                Algorithm::LhddNoPreselection => trace::Algorithm::LhddNoPreselection,
            },
            settings: ReduceSettings {
                runs,
                successes,
                check_runs: if runs == 1 { PROOFS } else { runs },
                original_successes: asked.original_successes,
                parts: nd3min.parts as usize,
                scheduling: scheduling(nd3min.scheduler),
                keep_rate: asked.keep_rate,
                simplify: !asked.only_delete,
                hierarchy: match asked.hierarchy {
                    settings::Hierarchy::Activity => Hierarchy::Activity,
                    settings::Hierarchy::Screen => Hierarchy::Screen,
                },
                ..ReduceSettings::default()
            },
            parallel: asked.parallel,
            snapshots: true,
        };
        if asked.algorithm == Algorithm::Nd3min && nd3min.scheduler == Scheduler::Optimal {
            let parallel = asked.parallel.unwrap_or(asked.count);
            let candidates = (nd3min.parts as usize).clamp(2, POLICY_CANDIDATES);
            let rounds = policy::Rules {
                candidates,
                parallel,
                runs,
                successes,
            };
            rules.settings.policy = Some(Arc::new(
                job::policy(&rounds, &prior, job.store(), job.shell())?.0,
            ));
        }
        rules.settings.prior = Arc::new(prior);
        Ok(rules)
    }
}

fn scheduling(scheduler: Scheduler) -> Scheduling {
    match scheduler {
        Scheduler::RoundRobin => Scheduling::RoundRobin,
        Scheduler::Greedy => Scheduling::Greedy,
        Scheduler::Heuristic => Scheduling::Heuristic,
        Scheduler::Optimal => Scheduling::Optimal,
    }
}

/// Who is asked whether a candidate still does it.
#[derive(Clone, Copy, Debug)]
pub enum Ground<'a> {
    Phones(&'a Pool),
    /// The recording itself: an activity machine.
    Recording,
}

/// `part` names this reduction among those of the job.
pub async fn reduce(
    job: &Job,
    ground: Ground<'_>,
    trace: &Trace,
    rules: &Rules,
    part: &str,
) -> Result<Cut, Failure> {
    let journal = job.journal(&format!("reduce-{part}"))?;
    let Ground::Phones(pool) = ground else {
        let recording = Recording::of(trace, Invented::default())?;
        let is_auto = rules.algorithm == trace::Algorithm::Auto;
        let recording = if is_auto {
            recording.ending_early()
        } else {
            recording
        };
        let oracle = Journaled::new(recording, &journal, job.sink());
        // What a step does is nothing to a machine of activities: it would take any simpler one.
        let settings = ReduceSettings {
            simplify: false,
            ..rules.settings.clone()
        };
        let reduction = trace::reduce(
            trace,
            rules.algorithm,
            &settings,
            &oracle,
            job.sink(),
            job.stop(),
        )
        .await?;
        return Ok(Cut {
            reduction,
            resumed: Resumed::default(),
            recorded: None,
            pictures: Vec::new(),
        });
    };
    let conditions = Conditions {
        snapshots: rules.snapshots,
        ..Conditions::of(trace)
    };
    let phones = Pooled::new(pool, conditions, job.sink());
    let oracle = Journaled::new(&phones, &journal, job.sink());
    let parallel = rules
        .parallel
        .map_or_else(|| pool.len(), |parallel| parallel as usize);
    let settings = ReduceSettings {
        parallel,
        ..rules.settings.clone()
    };
    let mut reduction = trace::reduce(
        trace,
        rules.algorithm,
        &settings,
        &oracle,
        job.sink(),
        job.stop(),
    )
    .await?;
    let resumed = phones.resumed();
    if resumed.runs > 0 {
        let Resumed { runs, steps } = resumed;
        (job.sink())(RunEvent::Resumed { runs, steps });
    }
    let recorded = match reduction.outcome {
        Outcome::Done | Outcome::BudgetSpent => Some(record(job, pool, &mut reduction).await?),
        Outcome::DoesNotReproduce | Outcome::Interrupted => None,
    };
    let pictures = match &recorded {
        Some(_) => play::pictures(pool, &reduction.trace).await,
        None => Vec::new(),
    };
    Ok(Cut {
        reduction,
        resumed,
        recorded,
        pictures,
    })
}

/// One more run of the result, for its screens. Steps that met other widgets than they name get the right ones, if the result
/// then still does it.
async fn record(job: &Job, pool: &Pool, reduction: &mut Reduction) -> Result<Played, Failure> {
    let recorded = play::play(pool, &reduction.trace, true, job.sink()).await?;
    let steady = reduction
        .result
        .as_ref()
        .is_some_and(|check| check.successes == check.runs);
    let Some(anchored) = anchor::anchored(&reduction.trace, &recorded).filter(|_| steady) else {
        return Ok(recorded);
    };
    let again = play::play(pool, &anchored, true, job.sink()).await?;
    if again.verdict != Verdict::TargetReached {
        return Ok(recorded);
    }
    reduction.trace = anchored;
    Ok(again)
}

impl Cut {
    /// For the crash's files; none if nothing was proven.
    pub fn reduced(&self) -> Option<Reduced> {
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
            .map_or_else(Default::default, |run| (run.screens, run.hits));
        let pictures = self.pictures.clone();
        let shrinking = Shrinking {
            history: history.clone(),
            belief: belief.clone(),
            resumed: self.resumed,
        };
        let trace = trace.clone();
        Some(Reduced {
            trace,
            runs: *runs,
            successes,
            replays,
            screens,
            pictures,
            hits,
            shrinking,
        })
    }

    /// The problem that the result ran into, if any.
    pub fn problem(&self) -> Option<&Problem> {
        let happened = &self.recorded.as_ref()?.happened;
        happened.iter().find_map(|happening| match &happening.what {
            What::Problem(problem) => Some(problem),
            What::Activity(_) => None,
        })
    }
}

impl Explained for ReduceError {
    fn exit(&self) -> Exit {
        match self {
            ReduceError::Oracle(OracleError::Pool(_)) => Exit::NoPhone,
            _ => Exit::Usage,
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

impl Explained for NotRecorded {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        "name a trace that says in which activity each step was recorded, or leave `--oracle recording` away"
            .into()
    }
}

impl Explained for PriorError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        "name `paper`, `learned`, or a table of probabilities and weights with `--prior`".into()
    }
}
