//! Recorded traces as seeds: they are played first, each from a clean start, and the explorer learns from them as from
//! anything else. What was played is known by what was observed, so that a run that is gone on with does not begin anew.

use std::collections::{HashMap, VecDeque};

use retap_device::seed::Rng;
use retap_shared::action::{Action, SystemKinds};
use retap_shared::protocol::Settle;
use retap_shared::trace::Step;

use super::{At, Did, Explorer, Move, Seen};

/// What a trace leads to may come so long after its last step, as in a replay.
const LINGER_MILLIS: u32 = 2_500;

pub struct Seeded {
    inner: Box<dyn Explorer>,
    traces: VecDeque<Vec<Step>>,
    playing: HashMap<usize, Playing>,
}

/// A trace that a walker plays, and how much of it has been.
struct Playing {
    steps: Vec<Step>,
    played: usize,
}

impl Playing {
    fn next(&self) -> Option<&Step> {
        self.steps.get(self.played)
    }
}

impl Seeded {
    pub fn new(inner: Box<dyn Explorer>, traces: Vec<Vec<Step>>) -> Seeded {
        Seeded {
            inner,
            traces: traces.into(),
            playing: HashMap::new(),
        }
    }
}

impl Explorer for Seeded {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn settle(&self) -> Option<Settle> {
        self.inner.settle()
    }

    fn wants_system_events(&self) -> bool {
        self.inner.wants_system_events()
    }

    fn meet(&mut self, walker: usize, can: SystemKinds) {
        self.inner.meet(walker, can);
    }

    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move {
        match self.playing.get(&at.walker).and_then(Playing::next) {
            Some(step) => Move::Recorded(step.clone()),
            None if !self.traces.is_empty() => Move::Restart { clear: true },
            None => self.inner.choose(at, rng),
        }
    }

    fn observe(&mut self, seen: &Seen<'_>) {
        let playing = self.playing.get_mut(&seen.walker);
        match seen.did {
            Did::Started { clean: true } => {
                let steps = self.traces.pop_front();
                let played = steps.map(|steps| Playing {
                    steps: lingering(steps),
                    played: 0,
                });
                self.playing.remove(&seen.walker);
                self.playing
                    .extend(played.map(|played| (seen.walker, played)));
            }
            // A trace that leaves the app has the way back in it, as it was gone then. It is not gone twice.
            Did::Stepped {
                step,
                chosen: false,
                ..
            } => {
                if let Some(playing) =
                    playing.filter(|one| one.next().is_some_and(|next| next.action == step.action))
                {
                    playing.played += 1;
                }
            }
            Did::Stepped { .. } | Did::Refused => {
                if let Some(playing) = playing {
                    playing.played += 1;
                }
            }
            // What was interrupted is played once more, from its start.
            Did::Forgotten => {
                let lost = self
                    .playing
                    .remove(&seen.walker)
                    .filter(|lost| lost.next().is_some());
                lost.into_iter()
                    .for_each(|lost| self.traces.push_front(lost.steps));
            }
            _ => {}
        }
        if !seen.problems.is_empty() {
            self.playing.remove(&seen.walker);
        }
        self.inner.observe(seen);
    }

    fn learned(&self) -> Vec<(&'static str, String)> {
        self.inner.learned()
    }
}

/// With a wait at its end, for what comes late.
fn lingering(mut steps: Vec<Step>) -> Vec<Step> {
    let wait = Action::Wait {
        millis: LINGER_MILLIS,
    };
    if steps.last().is_none_or(|last| last.action != wait) {
        steps.push(Step::new(wait));
    }
    steps
}

impl std::fmt::Debug for Seeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seeded")
            .field("inner", &self.inner.name())
            .finish_non_exhaustive()
    }
}
