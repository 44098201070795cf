//! A reduction as a job: the engine's with the store in front, then one more run of the result for its screens.

use retap_engine::oracle::{Conditions, Journaled, OracleError, Pooled};
use retap_engine::pool::Pool;
use retap_engine::reduce::{self, ReduceError, ReduceSettings, Reduction};
use retap_shared::protocol::{Played, What};
use retap_shared::trace::Trace;
use retap_shared::verdict::{Outcome, Problem};

use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::{Job, play};
use crate::run::crashes::Reduced;
use crate::settings::{self, Algorithm};

/// How often the result is run again as proof.
const PROOFS: u32 = 3;

/// What a trace was cut down to.
#[derive(Debug)]
pub struct Cut {
    pub reduction: Reduction,
    /// A last run of the result with its screens; none if there is no result.
    pub recorded: Option<Played>,
}

#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub algorithm: Algorithm,
    pub runs: u32,
    pub successes: u32,
}

impl From<&settings::Reduce> for Rules {
    fn from(settings: &settings::Reduce) -> Rules {
        let settings::Reduce { algorithm, runs, successes, .. } = *settings;
        Rules { algorithm, runs, successes }
    }
}

/// `part` names this reduction among those of the job.
pub async fn reduce(job: &Job, pool: &Pool, trace: &Trace, rules: Rules, part: &str) -> Result<Cut, Failure> {
    let journal = job.journal(&format!("reduce-{part}"))?;
    let oracle = Journaled::new(Pooled::new(pool, Conditions::of(trace), job.sink()), &journal, job.sink());
    let Rules { runs, successes, .. } = rules;
    let settings = ReduceSettings { runs, successes, parallel: pool.len(), check_runs: PROOFS };
    let algorithm = match rules.algorithm {
        Algorithm::Auto => reduce::Algorithm::Auto,
        Algorithm::Dd => reduce::Algorithm::Dd,
    };
    let reduction = reduce::reduce(trace, algorithm, &settings, &oracle, job.sink(), job.stop()).await?;
    let recorded = match reduction.outcome {
        Outcome::Done | Outcome::BudgetSpent => {
            Some(play::play(pool, &reduction.trace, true, job.sink()).await?)
        }
        Outcome::DoesNotReproduce | Outcome::Interrupted => None,
    };
    Ok(Cut { reduction, recorded })
}

impl Cut {
    /// For the crash's files; none if nothing was proven.
    pub fn reduced(&self) -> Option<Reduced> {
        let Reduction { trace, runs, result, outcome, .. } = &self.reduction;
        if *outcome == Outcome::DoesNotReproduce {
            return None;
        }
        let (successes, replays) = result.as_ref().map_or((0, 0), |check| (check.successes, check.runs));
        let (screens, hits) =
            self.recorded.clone().map_or_else(Default::default, |run| (run.screens, run.hits));
        Some(Reduced { trace: trace.clone(), runs: *runs, successes, replays, screens, hits })
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
            ReduceError::Settings { .. } | ReduceError::Oracle(_) => Exit::Usage,
        }
    }

    fn help(&self) -> String {
        match self {
            ReduceError::Settings { .. } => "ask for at most as many `--successes` as `--runs`".into(),
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
