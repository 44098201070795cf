//! The strategy `random`: sessions of a fixed number of events, each from a clean start and with a seed of its own.
//!
//! The choices of a session depend on its number and on the screens alone, not on the worker that runs it. The event limit holds
//! for all workers together: with several phones the last sessions are shorter, and so are those whose phone was lost or that
//! were interrupted; the next session begins in their place.

use std::collections::HashMap;
use std::num::NonZeroU32;

use retap_device::seed::{Rng, Seed};

use super::random::RandomExplorer;
use crate::journal::RecordedEvent;
use crate::{Decision, Explorer, StepObservation, WorkerView};

/// Random exploration in sessions.
#[derive(Debug)]
pub struct RandomSessions {
    seed: Seed,
    session_events: NonZeroU32,
    /// Number of the next session, of whichever worker.
    next_session: u64,
    /// The current session of each worker.
    sessions: HashMap<usize, Session>,
}

#[derive(Debug)]
struct Session {
    explorer: RandomExplorer,
    rng: Rng,
    events: u32,
}

impl RandomSessions {
    /// Sessions of this number of events each, with seeds derived from the run's seed.
    pub fn new(seed: Seed, session_events: NonZeroU32) -> RandomSessions {
        RandomSessions {
            seed,
            session_events,
            next_session: 0,
            sessions: HashMap::new(),
        }
    }

    fn begin_session(&mut self, worker: usize) {
        let seed = self.seed.derive("session", self.next_session);
        self.next_session += 1;
        let session = Session {
            explorer: RandomExplorer::default(),
            rng: seed.rng(),
            events: 0,
        };
        self.sessions.insert(worker, session);
    }
}

impl Explorer for RandomSessions {
    fn name(&self) -> &str {
        "random"
    }

    fn decide(&mut self, view: &WorkerView<'_>, _: &mut Rng) -> Decision {
        match self.sessions.get_mut(&view.worker) {
            Some(session) if session.events < self.session_events.get() => {
                session.explorer.decide(view, &mut session.rng)
            }
            _ => Decision::Restart { clear_data: true },
        }
    }

    fn observe(&mut self, observation: &StepObservation<'_>) {
        let worker = observation.worker;
        let session = self.sessions.get_mut(&worker);
        match observation.record.event {
            // The clean start after a finding does not end the session.
            RecordedEvent::Started { clean: true }
                if session
                    .as_ref()
                    .is_none_or(|session| session.events >= self.session_events.get()) =>
            {
                self.begin_session(worker);
            }
            RecordedEvent::Stepped { .. } | RecordedEvent::Refused => {
                session.into_iter().for_each(|session| session.events += 1);
            }
            RecordedEvent::SnapshotsLost => {
                self.sessions.remove(&worker);
            }
            _ => {}
        }
    }
}
