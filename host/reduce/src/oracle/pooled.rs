//! The oracle over the pool: each question is played by whichever phone is free.

use std::fmt;

use retap_device::run_event::EventSink;
use retap_device::{Device, DeviceError, DevicePool};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Play, PlayReply, Settle};
use retap_shared::target::Target;
use retap_shared::trace::{App, StartMode, Step, Trace};
use retap_shared::verdict::Verdict;

use super::prefix_snapshots::{PrefixPlan, PrefixSnapshots, ResumeStatistics};
use super::{AppState, Candidate, Observation, Oracle, OracleError, OracleQuery};

/// Longer than Android waits before it reports that an app does not respond.
const LINGER: Micros = Micros::from_millis(6_000);

/// What all runs of one reduction have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayConditions {
    pub app: App,
    pub start: StartMode,
    pub target: Target,
    pub settle: Settle,
    /// How long to wait after the last step for what comes late.
    pub linger: Micros,
    /// Where a phone can save its state, candidates that begin alike go on from it.
    pub snapshots: bool,
}

impl ReplayConditions {
    /// As the trace says; one that names no target is meant to reach any problem.
    pub fn of(trace: &Trace) -> ReplayConditions {
        ReplayConditions {
            app: trace.header.app.clone(),
            start: trace.header.start,
            target: trace.header.target.clone().unwrap_or(Target::AnyProblem),
            settle: Settle::default(),
            linger: LINGER,
            snapshots: false,
        }
    }
}

pub struct PooledOracle {
    pool: DevicePool,
    conditions: ReplayConditions,
    sink: EventSink,
    prefixes: PrefixSnapshots,
}

impl PooledOracle {
    pub fn new(pool: &DevicePool, conditions: ReplayConditions, sink: &EventSink) -> PooledOracle {
        PooledOracle {
            pool: pool.clone(),
            conditions,
            sink: sink.clone(),
            prefixes: PrefixSnapshots::default(),
        }
    }

    async fn run(&self, question: OracleQuery) -> Result<Observation, OracleError> {
        let mut deaths = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            match self.play(&mut lease, &question).await {
                Ok(seen) => return Ok(seen),
                Err(error) => {
                    self.prefixes.forget_device(lease.name());
                    let device = lease.name().to_owned();
                    let refused = |fault| OracleError::Refused { device, fault };
                    lease
                        .release_failed(error, &mut deaths, &self.sink)
                        .map_err(refused)?;
                }
            }
        }
    }

    /// How many runs went on from a saved state, and how many steps that saved.
    pub fn resume_statistics(&self) -> ResumeStatistics {
        self.prefixes.statistics()
    }

    async fn play(
        &self,
        device: &mut Device,
        question: &OracleQuery,
    ) -> Result<Observation, DeviceError> {
        let ReplayConditions {
            start,
            linger,
            snapshots,
            ..
        } = self.conditions;
        if let Some(place) = question.candidate.local_target() {
            // The next step would have come as soon as the screen was quiet, so that nothing late counts.
            let part = self.play_request(question.candidate.to_steps(), start, Micros::ZERO);
            return Ok(local_observation(
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
        let may_resume = snapshots && !question.from_start && start == StartMode::Clean;
        if may_resume && device.description().capabilities.snapshots {
            return self.resume(device, &question.candidate).await;
        }
        Ok(device
            .play(self.play_request(question.candidate.to_steps(), start, linger))
            .await?
            .into())
    }

    /// From the longest saved beginning, and with a stop on the way to save a longer one if others have that in common.
    async fn resume(
        &self,
        device: &mut Device,
        candidate: &Candidate,
    ) -> Result<Observation, DeviceError> {
        let ReplayConditions {
            mut start,
            linger,
            settle,
            ..
        } = self.conditions;
        let PrefixPlan {
            resume_from: from,
            save_at,
        } = self.prefixes.plan(device.name(), candidate, settle.quiet);
        let mut steps = candidate.to_steps();
        let mut played = 0;
        let mut took = Micros::ZERO;
        let mut left_out = 0;
        if let Some((id, length)) = from {
            let restored = device.restore_snapshot(id).await?;
            self.prefixes.record_restored(length, restored.took);
            took += restored.took;
            steps.drain(..length);
            (start, left_out) = (StartMode::Continue, length);
        }
        if let Some(length) = save_at {
            let first: Vec<Step> = steps.drain(..length - left_out).collect();
            let part = device
                .play(self.play_request(first, start, Micros::ZERO))
                .await?;
            (played, took) = (part.played, took + part.took);
            if part.verdict != Verdict::TargetNotReached {
                return Ok(Observation {
                    took,
                    ..part.into()
                });
            }
            let saved = device.take_snapshot().await?;
            took += saved.took;
            if let Some(old) = self
                .prefixes
                .record_saved(device.name(), candidate, length, &saved)
            {
                device.discard_snapshot(old).await?;
            }
            start = StartMode::Continue;
        }
        let last: Observation = device
            .play(self.play_request(steps, start, linger))
            .await?
            .into();
        Ok(Observation {
            played: played + last.played,
            took: took + last.took,
            ..last
        })
    }

    fn play_request(&self, steps: Vec<Step>, start: StartMode, linger: Micros) -> Play {
        let ReplayConditions {
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
            final_wait: linger,
            record: false,
        }
    }
}

impl Oracle for PooledOracle {
    fn ask(&self, question: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(self.run(question))
    }
}

impl From<PlayReply> for Observation {
    fn from(played: PlayReply) -> Observation {
        let PlayReply {
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
fn local_observation(run: PlayReply, place: &AppState) -> Observation {
    let there = run.screens.last().is_some_and(|screen| match place {
        AppState::Activity(name) => screen.activity() == name,
        AppState::Screen(hash) => screen.hash() == *hash,
    });
    let verdict = match run.verdict {
        Verdict::Problem(problem) => Verdict::Problem(problem),
        _ if there => Verdict::TargetReached,
        _ => Verdict::TargetNotReached,
    };
    Observation::from(PlayReply { verdict, ..run })
}

impl fmt::Debug for PooledOracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pooled")
            .field("pool", &self.pool)
            .field("conditions", &self.conditions)
            .finish_non_exhaustive()
    }
}
