//! The oracle over the pool: each question is played by whichever phone is free.

use std::fmt;

use retap_shared::connection::Pending;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Play, Played, Settle, Target};
use retap_shared::trace::{App, Start, Trace};
use retap_shared::verdict::Verdict;

use super::{Candidate, Observation, Oracle, OracleError, Question};
use crate::event::Sink;
use crate::pool::Pool;

/// Longer than Android waits before it reports that an app does not respond.
const LINGER: Micros = Micros::from_millis(6_000);

/// What all runs of one reduction have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditions {
    pub app: App,
    pub start: Start,
    pub target: Target,
    pub settle: Settle,
    /// How long to wait after the last step for what comes late.
    pub linger: Micros,
}

impl Conditions {
    /// As the trace says; one that names no target is meant to reach any problem.
    pub fn of(trace: &Trace) -> Conditions {
        Conditions {
            app: trace.header.app.clone(),
            start: trace.header.start,
            target: trace.header.target.clone().unwrap_or(Target::AnyProblem),
            settle: Settle::default(),
            linger: LINGER,
        }
    }
}

pub struct Pooled {
    pool: Pool,
    conditions: Conditions,
    sink: Sink,
}

impl Pooled {
    pub fn new(pool: &Pool, conditions: Conditions, sink: &Sink) -> Pooled {
        Pooled { pool: pool.clone(), conditions, sink: sink.clone() }
    }

    async fn run(&self, question: Question) -> Result<Observation, OracleError> {
        let mut deaths = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            match lease.play(self.play(&question.steps)).await {
                Ok(played) => return Ok(Observation::from(played)),
                Err(error) => {
                    let device = lease.name().to_owned();
                    let refused = |fault| OracleError::Refused { device, fault };
                    lease.fail(error, &mut deaths, &self.sink).map_err(refused)?;
                }
            }
        }
    }

    fn play(&self, candidate: &Candidate) -> Play {
        let Conditions { app, start, target, settle, linger } = self.conditions.clone();
        let steps = candidate.to_steps();
        Play { app, start, steps, target: Some(target), settle, linger, record: false }
    }
}

impl Oracle for Pooled {
    fn ask(&self, question: Question) -> Pending<'_, Result<Observation, OracleError>> {
        Box::pin(self.run(question))
    }
}

impl From<Played> for Observation {
    fn from(played: Played) -> Observation {
        let Played { verdict, played, took, .. } = played;
        Observation { reached: verdict == Verdict::TargetReached, verdict, played, took }
    }
}

impl fmt::Debug for Pooled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pooled")
            .field("pool", &self.pool)
            .field("conditions", &self.conditions)
            .finish_non_exhaustive()
    }
}
