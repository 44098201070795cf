//! The oracle over a pool of phones: each attempt is played by the next free phone.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use retap_device::run_event::{EventSink, RunEvent};
use retap_device::{Device, DeviceError, DevicePool};
use retap_shared::connection::{BoxFuture, FreshStartError};
use retap_shared::micros::Micros;
use retap_shared::protocol::{Play, PlayReply, Settle, SnapshotId};
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace};
use retap_shared::verdict::Verdict;

use super::prefix_snapshots::{PrefixPlan, PrefixSnapshots, ResumeStatistics};
use super::{AppState, Candidate, Observation, Oracle, OracleError, OracleQuery};
use crate::named_choice::NamedChoice;

/// Wait after the last step: longer than Android takes to report an ANR.
const FINAL_WAIT: Micros = Micros::from_millis(6_000);

/// Maximum number of times that a play is repeated because the phone did not take each of its steps.
const MAX_REPEATS: u32 = 2;

/// Conditions that all attempts of one reduction share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayConditions {
    /// App under test.
    pub app: App,
    /// Start before the first step.
    pub start: StartMode,
    /// Target to reach.
    pub target: Target,
    /// When the next step comes.
    pub pace: ReplayPace,
    /// Settling after each step.
    pub settle: Settle,
    /// Wait after the last step for late findings.
    pub final_wait: Micros,
    /// Candidates with a common prefix resume from snapshots, on phones that have them.
    pub snapshots: bool,
}

impl ReplayConditions {
    /// Conditions of a trace; without a target any finding counts.
    pub fn of(trace: &Trace) -> ReplayConditions {
        ReplayConditions {
            app: trace.header.app.clone(),
            start: trace.header.start,
            target: trace.header.target.clone().unwrap_or(Target::AnyProblem),
            pace: trace.header.pace,
            settle: Settle::default(),
            final_wait: FINAL_WAIT,
            snapshots: false,
        }
    }
}

impl NamedChoice for ReplayPace {
    const KIND: &'static str = "pace";
    const ALL: &'static [ReplayPace] = &[ReplayPace::Quiet, ReplayPace::Recorded];

    fn name(self) -> &'static str {
        match self {
            ReplayPace::Quiet => "quiet",
            ReplayPace::Recorded => "recorded",
        }
    }

    fn description(self) -> &'static str {
        match self {
            ReplayPace::Quiet => "Each step waits until the screen has settled",
            ReplayPace::Recorded => {
                "Each step comes as long after the one before as it was recorded"
            }
        }
    }
}

/// Plays candidates on phones.
pub struct PooledOracle {
    pool: DevicePool,
    conditions: ReplayConditions,
    events: EventSink,
    prefixes: PrefixSnapshots,
    /// Phones that cannot be started anew. Each is reported once.
    started_elsewhere: Mutex<BTreeSet<String>>,
}

impl PooledOracle {
    /// Oracle over `pool`.
    pub fn new(
        pool: &DevicePool,
        conditions: ReplayConditions,
        events: &EventSink,
    ) -> PooledOracle {
        PooledOracle {
            pool: pool.clone(),
            conditions,
            events: events.clone(),
            prefixes: PrefixSnapshots::default(),
            started_elsewhere: Mutex::default(),
        }
    }

    async fn run(&self, query: OracleQuery) -> Result<Observation, OracleError> {
        let mut failures = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            match self.play_started(&mut lease, &query).await {
                Ok(observation) => return Ok(observation),
                Err(error) => {
                    self.prefixes.forget_device(lease.name());
                    let device = lease.name().to_owned();
                    let refused = |fault| OracleError::Refused { device, fault };
                    lease
                        .release_failed(error, &mut failures, &self.events)
                        .map_err(refused)?;
                }
            }
        }
    }

    /// Plays the attempt, on the phone as it is or freshly started.
    async fn play_started(
        &self,
        device: &mut Device,
        query: &OracleQuery,
    ) -> Result<Observation, DeviceError> {
        let fresh_phone = query.fresh_phone && self.start_fresh(device).await?;
        let observation = self.play(device, query).await?;
        Ok(Observation {
            phone: device.name().to_owned(),
            fresh_phone,
            ..observation
        })
    }

    /// Starts a phone anew. False if this host cannot, which is reported once.
    async fn start_fresh(&self, device: &mut Device) -> Result<bool, DeviceError> {
        let name = device.name().to_owned();
        match device.start_fresh().await {
            Ok(()) => {
                self.prefixes.forget_device(&name);
                Ok(true)
            }
            Err(FreshStartError::Interrupted(interruption)) => Err(interruption.into()),
            Err(why @ FreshStartError::StartedElsewhere) => {
                let mut known = self
                    .started_elsewhere
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                if known.insert(name.clone()) {
                    let text = format!("`{name}` is not started anew for the proof: {why}");
                    (self.events)(RunEvent::Warning { text });
                }
                Ok(false)
            }
        }
    }

    /// Number of attempts that resumed from a snapshot, and of the steps that this saved.
    pub fn resume_statistics(&self) -> ResumeStatistics {
        self.prefixes.statistics()
    }

    async fn play(
        &self,
        device: &mut Device,
        query: &OracleQuery,
    ) -> Result<Observation, DeviceError> {
        let ReplayConditions {
            start,
            final_wait,
            snapshots,
            pace,
            ..
        } = self.conditions;
        if let Some(state) = query.candidate.local_target() {
            // The next step would have followed as soon as the screen had settled, so there is no final wait.
            let request = self.play_request(query.candidate.to_steps(), start, Micros::ZERO);
            return Ok(local_observation(
                device
                    .play(Play {
                        target: None,
                        record: true,
                        ..request
                    })
                    .await?,
                state,
            ));
        }
        // A snapshot takes time in which no step comes.
        let keeps_pace = pace == ReplayPace::Quiet;
        let may_resume = snapshots && keeps_pace && !query.from_start && start == StartMode::Clean;
        if may_resume && device.description().capabilities.snapshots {
            return self.resume(device, &query.candidate).await;
        }
        let request = self.play_request(query.candidate.to_steps(), start, final_wait);
        Ok(play_taken(device, request).await?.into())
    }

    /// Resumes from the longest saved prefix, and saves a longer one if other candidates share it.
    async fn resume(
        &self,
        device: &mut Device,
        candidate: &Candidate,
    ) -> Result<Observation, DeviceError> {
        let quiet = self.conditions.settle.quiet;
        let PrefixPlan {
            resume_from,
            save_at,
        } = self.prefixes.plan(device.name(), candidate, quiet);
        let mut start = self.conditions.start;
        let mut steps = candidate.to_steps();
        let mut played = 0;
        let mut took = Micros::ZERO;
        let mut resumed = 0;
        if let Some((id, length)) = resume_from {
            took += self.restore_prefix(device, id, length).await?;
            steps.drain(..length);
            start = StartMode::Continue;
            resumed = length;
        }
        if let Some(length) = save_at {
            let prefix: Vec<Step> = steps.drain(..length - resumed).collect();
            let request = self.play_request(prefix, start, Micros::ZERO);
            let reply = device.play(request).await?;
            played = reply.played;
            took += reply.took;
            if reply.verdict != Verdict::TargetNotReached {
                let ended: Observation = reply.into();
                return Ok(Observation {
                    took,
                    reached_after: after(resumed, ended.reached_after),
                    ..ended
                });
            }
            resumed = length;
            took += self.save_prefix(device, candidate, length).await?;
            start = StartMode::Continue;
        }
        let request = self.play_request(steps, start, self.conditions.final_wait);
        let last: Observation = device.play(request).await?.into();
        Ok(Observation {
            played: played + last.played,
            took: took + last.took,
            reached_after: after(resumed, last.reached_after),
            ..last
        })
    }

    /// Restores the state after the first `length` steps. Returns the time that it took.
    async fn restore_prefix(
        &self,
        device: &mut Device,
        id: SnapshotId,
        length: usize,
    ) -> Result<Micros, DeviceError> {
        let restored = device.restore_snapshot(id).await?;
        self.prefixes.record_restored(length, restored.took);
        Ok(restored.took)
    }

    /// Saves the state after the first `length` steps, and discards the oldest one if there are too many. Returns the time that
    /// the snapshot took.
    async fn save_prefix(
        &self,
        device: &mut Device,
        candidate: &Candidate,
        length: usize,
    ) -> Result<Micros, DeviceError> {
        let saved = device.take_snapshot().await?;
        let oldest = self
            .prefixes
            .record_saved(device.name(), candidate, length, &saved);
        if let Some(oldest) = oldest {
            device.discard_snapshot(oldest).await?;
        }
        Ok(saved.took)
    }

    fn play_request(&self, steps: Vec<Step>, start: StartMode, final_wait: Micros) -> Play {
        let ReplayConditions {
            app,
            target,
            pace,
            settle,
            ..
        } = self.conditions.clone();
        Play {
            app,
            start,
            steps,
            target: Some(target),
            pace,
            settle,
            final_wait,
            record: false,
        }
    }
}

/// Plays a candidate from its start. Steps that the phone did not take say nothing about it: it is played again, unless the
/// same ones are refused again.
async fn play_taken(device: &mut Device, request: Play) -> Result<PlayReply, DeviceError> {
    let mut reply = device.play(request.clone()).await?;
    for _ in 0..MAX_REPEATS {
        let is_reached = reply.verdict == Verdict::TargetReached;
        if is_reached || reply.refusals.is_empty() || request.start == StartMode::Continue {
            break;
        }
        let before = reply;
        reply = device.play(request.clone()).await?;
        reply.took += before.took;
        let refused = |reply: &PlayReply| -> Vec<u32> {
            reply.refusals.iter().map(|refusal| refusal.step).collect()
        };
        if refused(&before) == refused(&reply) {
            break;
        }
    }
    Ok(reply)
}

impl Oracle for PooledOracle {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(self.run(query))
    }
}

impl From<PlayReply> for Observation {
    fn from(reply: PlayReply) -> Observation {
        let PlayReply {
            verdict,
            played,
            took,
            ..
        } = reply;
        Observation::new(verdict, played, took)
    }
}

/// Number of steps after which the target was reached, with those that were not played again.
fn after(resumed: usize, reached_after: Option<u32>) -> Option<u32> {
    let resumed = u32::try_from(resumed).unwrap_or(u32::MAX);
    reached_after.map(|steps| steps.saturating_add(resumed))
}

/// Observation of a candidate with a local target: reached if the replay ended in that state without a finding.
fn local_observation(reply: PlayReply, state: &AppState) -> Observation {
    let is_there = reply.screens.last().is_some_and(|screen| match state {
        AppState::Activity(name) => screen.activity() == name,
        AppState::Screen(hash) => screen.hash() == *hash,
    });
    let verdict = match reply.verdict {
        Verdict::Problem(finding) => Verdict::Problem(finding),
        _ if is_there => Verdict::TargetReached,
        _ => Verdict::TargetNotReached,
    };
    Observation::from(PlayReply { verdict, ..reply })
}

impl fmt::Debug for PooledOracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledOracle")
            .field("pool", &self.pool)
            .field("conditions", &self.conditions)
            .finish_non_exhaustive()
    }
}
