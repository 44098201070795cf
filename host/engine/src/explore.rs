//! Exploration: sessions of a fixed number of events, each a unit of work with its own seed, handed to free devices.
//! What comes out depends on the seed and the app, not on how many devices there were.

mod exploration;
mod found;
mod progress;
mod random;
mod session;
mod work;

use retap_shared::action::Action;
use retap_shared::protocol::{AppInfo, Fault, Settle};
use retap_shared::screen::Screen;
use retap_shared::verdict::Outcome;

use crate::event::{RunEvent, Sink};
use crate::journal::{Journal, JournalError};
use crate::pool::{Pool, PoolError};
use crate::seed::{Rng, Seed};
use crate::stop::Stop;
pub use exploration::Exploration;
pub use found::Found;
use progress::Progress;
pub use random::Random;
use work::Work;

/// Decides what to do next. A new one is made for every session.
pub trait Explorer: Send {
    fn name(&self) -> &str;

    /// What to do on this screen. All chance comes from `rng`.
    fn choose(&mut self, screen: &Screen, rng: &mut Rng) -> Choice;
}

pub type MakeExplorer<'a> = dyn Fn() -> Box<dyn Explorer> + Sync + 'a;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub action: Action,
    /// The node of the screen that it is meant for.
    pub node: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploreSettings {
    pub app: AppInfo,
    pub events: u64,
    /// A session starts clean and has this many events; the last one has what is left.
    pub session_events: u32,
    pub settle: Settle,
    /// What a session did from each clean start on is handed to the journal.
    pub keep_traces: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ExploreError {
    #[error("a session of no events explores nothing; allow it at least one")]
    EmptySessions,
    #[error(
        "{events} events in sessions of {session_events} are too many sessions; allow more events a session"
    )]
    TooManySessions { events: u64, session_events: u32 },
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("`{device}` cannot start `{app}`")]
    Refused {
        device: String,
        app: String,
        #[source]
        fault: Fault,
    },
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Explores an app until its events are used up or `stop` is asked. Sessions that the journal knows are not played
/// again; a session is in the journal before it counts as ended.
pub async fn explore(
    pool: &Pool,
    make: &MakeExplorer<'_>,
    settings: &ExploreSettings,
    seed: Seed,
    journal: &dyn Journal,
    sink: &Sink,
    stop: &Stop,
) -> Result<Exploration, ExploreError> {
    let sessions = settings.sessions()?;
    sink(started(settings, sessions, make().name()));

    let mut records = journal.recall_sessions()?;
    records.retain(|&session, _| session < sessions);
    let progress = Progress::new(&settings.app.app.package, sink);
    records.values().for_each(|session| progress.recall(session));

    let missing = (0..sessions).filter(|session| !records.contains_key(session));
    let work = Work { pool, make, settings, seed, journal, sink, stop, progress: &progress };
    let played = work.play(missing.collect()).await?;
    records.extend(played.records);

    let outcome = if played.stopped { Outcome::Interrupted } else { Outcome::Done };
    let exploration = Exploration::of(records.into_values(), outcome);
    sink(ended(settings, &exploration));
    Ok(exploration)
}

impl ExploreSettings {
    pub fn new(app: AppInfo, events: u64) -> ExploreSettings {
        ExploreSettings { app, events, session_events: 500, settle: Settle::default(), keep_traces: false }
    }

    fn sessions(&self) -> Result<u32, ExploreError> {
        let (events, session_events) = (self.events, self.session_events);
        if session_events == 0 {
            return Err(ExploreError::EmptySessions);
        }
        let sessions = events.div_ceil(u64::from(session_events));
        u32::try_from(sessions).map_err(|_| ExploreError::TooManySessions { events, session_events })
    }

    /// How many events a session has.
    fn events_of(&self, session: u32) -> u32 {
        let before = u64::from(session) * u64::from(self.session_events);
        let left = self.events.saturating_sub(before);
        u32::try_from(left).unwrap_or(u32::MAX).min(self.session_events)
    }
}

fn started(settings: &ExploreSettings, sessions: u32, explorer: &str) -> RunEvent {
    RunEvent::ExplorationStarted {
        app: settings.app.app.package.clone(),
        explorer: explorer.to_owned(),
        events: settings.events,
        sessions,
        activities_total: u32::try_from(settings.app.activities.len()).unwrap_or(u32::MAX),
        branches_total: settings.app.branches,
    }
}

fn ended(settings: &ExploreSettings, exploration: &Exploration) -> RunEvent {
    RunEvent::ExplorationEnded {
        app: settings.app.app.package.clone(),
        events: exploration.events,
        problems: u32::try_from(exploration.found.len()).unwrap_or(u32::MAX),
        took: exploration.took,
    }
}
