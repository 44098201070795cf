//! Explorers that forget, as one for a whole exploration: each walker has its own, and a new one after every clean start.

use std::collections::HashMap;

use retap_device::seed::Rng;

use crate::{Decision, Explorer, ObservedEvent, StepObservation, WorkerView};

pub struct Sessions {
    name: String,
    make: Box<dyn Fn() -> Box<dyn Explorer> + Send>,
    events: u32,
    /// Each walker's explorer, and its events since the last start.
    walkers: HashMap<usize, (Box<dyn Explorer>, u32)>,
}

impl Sessions {
    /// A session has so many events.
    pub fn new(make: impl Fn() -> Box<dyn Explorer> + Send + 'static, events: u32) -> Sessions {
        Sessions {
            name: make().name().to_owned(),
            make: Box::new(make),
            events,
            walkers: HashMap::new(),
        }
    }
}

impl Explorer for Sessions {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        let (explorer, events) = self
            .walkers
            .entry(at.worker)
            .or_insert_with(|| ((self.make)(), 0));
        if *events >= self.events {
            Decision::Restart { clear_data: true }
        } else {
            explorer.decide(at, rng)
        }
    }

    fn observe(&mut self, seen: &StepObservation<'_>) {
        let (_, events) = self
            .walkers
            .entry(seen.worker)
            .or_insert_with(|| ((self.make)(), 0));
        match seen.event {
            // A problem is followed by a clean start too, and the session goes on.
            ObservedEvent::Started { .. } if *events < self.events => {}
            ObservedEvent::Started { .. } => {
                self.walkers.remove(&seen.worker);
            }
            ObservedEvent::Stepped { .. } | ObservedEvent::Refused => *events += 1,
            _ => {}
        }
    }
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
