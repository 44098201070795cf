//! Recorded traces as seeds: they are played first, each from a clean start, and the strategy under it learns from their steps as
//! from any others. Progress is counted by observations, so that a resumed run does not play them again.

use std::collections::{HashMap, VecDeque};

use retap_device::seed::Rng;
use retap_shared::action::{Action, SystemEventKinds};
use retap_shared::protocol::Settle;
use retap_shared::trace::Step;

use crate::journal::{RecordedEvent, StepOrigin};
use crate::{Decision, Explorer, StepObservation, WorkerView};

/// Wait at the end of a trace in milliseconds, for late findings; as long as in a replay.
const FINAL_WAIT_MILLIS: u32 = 2_500;

/// Plays traces before another strategy decides.
pub struct TraceSeededExplorer {
    inner: Box<dyn Explorer>,
    pending_traces: VecDeque<Vec<Step>>,
    playbacks: HashMap<usize, TracePlayback>,
}

/// A trace that a worker plays, and the number of its steps that were played.
struct TracePlayback {
    steps: Vec<Step>,
    played: usize,
}

impl TracePlayback {
    fn next_step(&self) -> Option<&Step> {
        self.steps.get(self.played)
    }
}

impl TraceSeededExplorer {
    /// Plays these traces, and then leaves the decisions to `inner`.
    pub fn new(inner: Box<dyn Explorer>, traces: Vec<Vec<Step>>) -> TraceSeededExplorer {
        TraceSeededExplorer {
            inner,
            pending_traces: traces.into(),
            playbacks: HashMap::new(),
        }
    }
}

impl Explorer for TraceSeededExplorer {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn settle(&self) -> Option<Settle> {
        self.inner.settle()
    }

    fn wants_system_events(&self) -> bool {
        self.inner.wants_system_events()
    }

    fn set_worker_capabilities(&mut self, worker: usize, supported: SystemEventKinds) {
        self.inner.set_worker_capabilities(worker, supported);
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        match self
            .playbacks
            .get(&at.worker)
            .and_then(TracePlayback::next_step)
        {
            Some(step) => Decision::PlaySeedStep(step.clone()),
            None if !self.pending_traces.is_empty() => Decision::Restart { clear_data: true },
            None => self.inner.decide(at, rng),
        }
    }

    fn observe(&mut self, observation: &StepObservation<'_>) {
        let playback = self.playbacks.get_mut(&observation.worker);
        match &observation.record.event {
            RecordedEvent::Started { clean: true } => {
                let steps = self.pending_traces.pop_front();
                let playback = steps.map(|steps| TracePlayback {
                    steps: with_final_wait(steps),
                    played: 0,
                });
                self.playbacks.remove(&observation.worker);
                self.playbacks
                    .extend(playback.map(|playback| (observation.worker, playback)));
            }
            // A trace that leaves the app contains the steps that brought it back. They are not played twice.
            RecordedEvent::Stepped {
                step,
                origin: StepOrigin::ReturnToApp,
                ..
            } => {
                if let Some(playback) = playback.filter(|playback| {
                    playback
                        .next_step()
                        .is_some_and(|next| next.action == step.action)
                }) {
                    playback.played += 1;
                }
            }
            RecordedEvent::Stepped { .. } | RecordedEvent::Refused => {
                if let Some(playback) = playback {
                    playback.played += 1;
                }
            }
            // An interrupted trace is played again from its start.
            RecordedEvent::SnapshotsLost => {
                let lost = self
                    .playbacks
                    .remove(&observation.worker)
                    .filter(|lost| lost.next_step().is_some());
                lost.into_iter()
                    .for_each(|lost| self.pending_traces.push_front(lost.steps));
            }
            _ => {}
        }
        if !observation.findings.is_empty() {
            self.playbacks.remove(&observation.worker);
        }
        self.inner.observe(observation);
    }

    fn learned_files(&self) -> Vec<(&'static str, String)> {
        self.inner.learned_files()
    }
}

/// Adds the final wait, if it is not there.
fn with_final_wait(mut steps: Vec<Step>) -> Vec<Step> {
    let wait = Action::Wait {
        millis: FINAL_WAIT_MILLIS,
    };
    if steps.last().is_none_or(|last| last.action != wait) {
        steps.push(Step::new(wait));
    }
    steps
}

impl std::fmt::Debug for TraceSeededExplorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceSeededExplorer")
            .field("inner", &self.inner.name())
            .finish_non_exhaustive()
    }
}
