//! The oracle over the pool: each question is played by whichever phone is free.

use std::fmt;

use retap_device::event::Sink;
use retap_device::{Device, DeviceError, Pool};
use retap_shared::connection::Pending;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Play, Played, Settle, Target};
use retap_shared::trace::{App, Start, Step, Trace};
use retap_shared::verdict::Verdict;

use super::prefixes::{Prefixes, Resumed, Way};
use super::{Candidate, Observation, Oracle, OracleError, Place, Question};

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
    /// Where a phone can save its state, candidates that begin alike go on from it.
    pub snapshots: bool,
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
            snapshots: false,
        }
    }
}

pub struct Pooled {
    pool: Pool,
    conditions: Conditions,
    sink: Sink,
    prefixes: Prefixes,
}

impl Pooled {
    pub fn new(pool: &Pool, conditions: Conditions, sink: &Sink) -> Pooled {
        Pooled {
            pool: pool.clone(),
            conditions,
            sink: sink.clone(),
            prefixes: Prefixes::default(),
        }
    }

    async fn run(&self, question: Question) -> Result<Observation, OracleError> {
        let mut deaths = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            match self.play(&mut lease, &question).await {
                Ok(seen) => return Ok(seen),
                Err(error) => {
                    self.prefixes.forget(lease.name());
                    let device = lease.name().to_owned();
                    let refused = |fault| OracleError::Refused { device, fault };
                    lease
                        .fail(error, &mut deaths, &self.sink)
                        .map_err(refused)?;
                }
            }
        }
    }

    /// How many runs went on from a saved state, and how many steps that saved.
    pub fn resumed(&self) -> Resumed {
        self.prefixes.resumed()
    }

    async fn play(
        &self,
        device: &mut Device,
        question: &Question,
    ) -> Result<Observation, DeviceError> {
        let Conditions {
            start,
            linger,
            snapshots,
            ..
        } = self.conditions;
        if let Some(place) = question.steps.place() {
            // The next step would have come as soon as the screen was quiet, so that nothing late counts.
            let part = self.part(question.steps.to_steps(), start, Micros::ZERO);
            return Ok(arrived(
                device
                    .play(Play {
                        target: None,
                        record: true,
                        ..part
                    })
                    .await?,
                place,
            ));
        }
        let may_resume = snapshots && !question.from_start && start == Start::Clean;
        if may_resume && device.described().can.checkpoints {
            return self.resume(device, &question.steps).await;
        }
        Ok(device
            .play(self.part(question.steps.to_steps(), start, linger))
            .await?
            .into())
    }

    /// From the longest saved beginning, and with a stop on the way to save a longer one if others have that in common.
    async fn resume(
        &self,
        device: &mut Device,
        candidate: &Candidate,
    ) -> Result<Observation, DeviceError> {
        let Conditions {
            mut start,
            linger,
            settle,
            ..
        } = self.conditions;
        let Way { from, save_at } = self.prefixes.way(device.name(), candidate, settle.quiet);
        let mut steps = candidate.to_steps();
        let mut played = 0;
        let mut took = Micros::ZERO;
        let mut left_out = 0;
        if let Some((id, length)) = from {
            let restored = device.restore(id).await?;
            self.prefixes.restored(length, restored.took);
            took += restored.took;
            steps.drain(..length);
            (start, left_out) = (Start::Continue, length);
        }
        if let Some(length) = save_at {
            let first: Vec<Step> = steps.drain(..length - left_out).collect();
            let part = device.play(self.part(first, start, Micros::ZERO)).await?;
            (played, took) = (part.played, took + part.took);
            if part.verdict != Verdict::TargetNotReached {
                return Ok(Observation {
                    took,
                    ..part.into()
                });
            }
            let saved = device.save().await?;
            took += saved.took;
            if let Some(old) = self
                .prefixes
                .saved(device.name(), candidate, length, &saved)
            {
                device.forget(old).await?;
            }
            start = Start::Continue;
        }
        let last: Observation = device.play(self.part(steps, start, linger)).await?.into();
        Ok(Observation {
            played: played + last.played,
            took: took + last.took,
            ..last
        })
    }

    fn part(&self, steps: Vec<Step>, start: Start, linger: Micros) -> Play {
        let Conditions {
            app,
            target,
            settle,
            ..
        } = self.conditions.clone();
        Play {
            app,
            start,
            steps,
            target: Some(target),
            settle,
            linger,
            record: false,
        }
    }
}

impl Oracle for Pooled {
    fn ask(&self, question: Question) -> Pending<'_, Result<Observation, OracleError>> {
        Box::pin(self.run(question))
    }
}

impl From<Played> for Observation {
    fn from(played: Played) -> Observation {
        let Played {
            verdict,
            played,
            took,
            ..
        } = played;
        Observation {
            reached: verdict == Verdict::TargetReached,
            verdict,
            played,
            took,
        }
    }
}

/// Whether a run without a problem ended at a place.
fn arrived(run: Played, place: &Place) -> Observation {
    let there = run.screens.last().is_some_and(|screen| match place {
        Place::Activity(name) => screen.activity() == name,
        Place::Screen(hash) => screen.hash() == *hash,
    });
    let verdict = match run.verdict {
        Verdict::Problem(problem) => Verdict::Problem(problem),
        _ if there => Verdict::TargetReached,
        _ => Verdict::TargetNotReached,
    };
    Observation::from(Played { verdict, ..run })
}

impl fmt::Debug for Pooled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pooled")
            .field("pool", &self.pool)
            .field("conditions", &self.conditions)
            .finish_non_exhaustive()
    }
}
