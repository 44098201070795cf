//! Recorded traces as seeds: they are played first, each from a clean start, and the explorer learns from them as from
//! anything else. What was played is known by what was observed, so that a run that is gone on with does not begin anew.

use std::collections::{HashMap, VecDeque};

use retap_device::seed::Rng;
use retap_shared::action::{Action, SystemEventKinds};
use retap_shared::protocol::Settle;
use retap_shared::trace::Step;

use crate::journal::{RecordedEvent, StepOrigin};
use crate::{Decision, Explorer, StepObservation, WorkerView};

/// What a trace leads to may come so long after its last step, as in a replay.
const LINGER_MILLIS: u32 = 2_500;

pub struct TraceSeededExplorer {
    inner: Box<dyn Explorer>,
    pending_traces: VecDeque<Vec<Step>>,
    playbacks: HashMap<usize, TracePlayback>,
}

/// A trace that a walker plays, and how much of it has been.
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

    fn set_worker_capabilities(&mut self, walker: usize, can: SystemEventKinds) {
        self.inner.set_worker_capabilities(walker, can);
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

    fn observe(&mut self, seen: &StepObservation<'_>) {
        let playing = self.playbacks.get_mut(&seen.worker);
        match &seen.record.event {
            RecordedEvent::Started { clean: true } => {
                let steps = self.pending_traces.pop_front();
                let played = steps.map(|steps| TracePlayback {
                    steps: with_final_wait(steps),
                    played: 0,
                });
                self.playbacks.remove(&seen.worker);
                self.playbacks
                    .extend(played.map(|played| (seen.worker, played)));
            }
            // A trace that leaves the app has the way back in it, as it was gone then. It is not gone twice.
            RecordedEvent::Stepped {
                step,
                origin: StepOrigin::ReturnToApp,
                ..
            } => {
                if let Some(playing) = playing.filter(|one| {
                    one.next_step()
                        .is_some_and(|next| next.action == step.action)
                }) {
                    playing.played += 1;
                }
            }
            RecordedEvent::Stepped { .. } | RecordedEvent::Refused => {
                if let Some(playing) = playing {
                    playing.played += 1;
                }
            }
            // What was interrupted is played once more, from its start.
            RecordedEvent::SnapshotsLost => {
                let lost = self
                    .playbacks
                    .remove(&seen.worker)
                    .filter(|lost| lost.next_step().is_some());
                lost.into_iter()
                    .for_each(|lost| self.pending_traces.push_front(lost.steps));
            }
            _ => {}
        }
        if !seen.findings.is_empty() {
            self.playbacks.remove(&seen.worker);
        }
        self.inner.observe(seen);
    }

    fn learned_files(&self) -> Vec<(&'static str, String)> {
        self.inner.learned_files()
    }
}

/// With a wait at its end, for what comes late.
fn with_final_wait(mut steps: Vec<Step>) -> Vec<Step> {
    let wait = Action::Wait {
        millis: LINGER_MILLIS,
    };
    if steps.last().is_none_or(|last| last.action != wait) {
        steps.push(Step::new(wait));
    }
    steps
}

impl std::fmt::Debug for TraceSeededExplorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seeded")
            .field("inner", &self.inner.name())
            .finish_non_exhaustive()
    }
}
