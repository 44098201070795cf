//! Exploration. An `Explorer` chooses, whoever drives a phone does it and tells what it led to:
//!
//! - `choose` plans, `observe` learns. Whatever an explorer knows it knows from `observe`, so that a run that was killed is
//!   rebuilt by telling it again what is in the journal, where every step is before the next one is taken.
//! - `sessions` of a fixed number of events have an explorer each, that forgets: what comes out does not depend on how many
//!   phones there were. `random` is explored so.
//! - A `whole` exploration has one explorer for all phones. Each phone is a walker with a number, chance of its own and a
//!   way of its own; the explorer may ask for more than an event: a restart, a state saved or gone back to.

mod ape;
mod auto;
mod canvas;
mod diary;
mod exploration;
mod found;
mod guard;
pub mod journal;
mod monkey;
mod progress;
mod proof;
mod random;
mod seeded;
mod session;
mod sessions;
mod snapshots;
mod start;
mod stuck;
mod system;
mod timetravel;
mod trail;
mod walker;
mod way;
mod whole;
mod work;

pub use ape::{Ape, ApeRules, UnknownRule};
pub use auto::Auto;
pub use exploration::{Counts, CrashPoint, Exploration};
pub use found::{Found, Scene};
pub use guard::{Guard, Selector};
pub use monkey::{Mix, Monkey, UnknownShare};
use progress::Progress;
pub use random::Random;
use retap_device::event::{RunEvent, Sink};
use retap_device::seed::{Rng, Seed};
use retap_device::stop::Stop;
use retap_device::{JournalError, Pool, PoolError};
use retap_shared::action::{Action, SystemKinds};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::{AppInfo, Capabilities, CheckpointId, Fault, Settle};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::Step;
use retap_shared::verdict::Outcome;
pub use seeded::Seeded;
pub use sessions::Sessions;
pub use stuck::{Stuck, StuckRules};
pub use timetravel::{TimeTravel, TravelRules};
pub use way::Way;
pub use whole::explore_whole;
use work::Work;

use crate::journal::Journal;

/// Decides what to do next.
pub trait Explorer: Send {
    fn name(&self) -> &str;

    /// How long to wait after a step, if not as the run says.
    fn settle(&self) -> Option<Settle> {
        None
    }

    /// Whether it wants system events where a phone can do them.
    fn wants_system_events(&self) -> bool {
        false
    }

    /// The phone that this walker has from now on can do these.
    fn meet(&mut self, _walker: usize, _can: SystemKinds) {}

    /// What this walker does next. All chance comes from `rng`.
    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move;

    /// What something led to: what this explorer chose, and what was done besides, such as bringing the app back.
    fn observe(&mut self, _seen: &Seen<'_>) {}

    /// What it has learned that a person may want to read, by the names of files.
    fn learned(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

pub type MakeExplorer<'a> = dyn Fn() -> Box<dyn Explorer> + Sync + 'a;

/// Where a walker is.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub walker: usize,
    pub screen: &'a SharedScreen,
    pub can: Capabilities,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    Act(Choice),
    /// A step of an earlier time once more, found by its widget.
    Again(Step),
    /// The same, of a trace that somebody has recorded: nobody travels by it.
    Recorded(Step),
    /// Stop the app and launch it, with its data or without.
    Restart {
        clear: bool,
    },
    /// Save the phone's state; where only an app's data can be saved, the app begins anew after it.
    Save,
    /// Go back to one that this walker saved.
    Restore(CheckpointId),
    Drop(CheckpointId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub action: Action,
    /// The node of the screen that it is meant for.
    pub node: Option<usize>,
}

/// Something that was done on a phone, and what it led to.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub walker: usize,
    pub did: Did<'a>,
    /// What is there now; `None` if the app has failed: a clean start comes next.
    pub screen: Option<&'a SharedScreen>,
    /// Whether that is the app's own.
    pub inside: bool,
    pub problems: &'a [Fingerprint],
    pub took: Micros,
    /// What nobody in this run had seen before.
    pub new: New,
    /// The steps from the last clean start to here.
    pub way: &'a Way,
}

#[derive(Clone, Copy, Debug)]
pub enum Did<'a> {
    Started {
        clean: bool,
    },
    Stepped {
        step: &'a Step,
        node: Option<usize>,
        before: &'a SharedScreen,
        /// The explorer chose it. Otherwise it was to bring the app back.
        chosen: bool,
        quiet: bool,
        branches: &'a [u32],
    },
    /// The phone cannot do that; nothing has happened.
    Refused,
    /// Unless it is of the whole phone, it is of the app's data, and the app has begun anew, as it will when that is restored.
    Saved {
        id: CheckpointId,
        bytes: u64,
        whole: bool,
    },
    Restored {
        id: CheckpointId,
    },
    Dropped {
        id: CheckpointId,
    },
    /// The phone was lost, or the host: whatever this walker had saved is gone.
    Forgotten,
}

/// How much of something is new to the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct New {
    pub activities: u32,
    pub screens: u32,
    pub branches: u32,
}

impl New {
    pub fn is_nothing(self) -> bool {
        self == New::default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploreSettings {
    pub app: AppInfo,
    pub events: u64,
    /// The end comes when every phone has worked for so long, by its own clock, and not after `events`.
    pub time: Option<Micros>,
    /// A session starts clean and has this many events; the last one has what is left.
    pub session_events: u32,
    pub settle: Settle,
    /// What a session did from each clean start on is handed to the journal.
    pub keep_traces: bool,
    /// A problem that is new to the run is photographed.
    pub pictures: bool,
    /// Sessions know nothing of it: it is for whole explorations.
    pub guard: Guard,
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
    #[error("what must come before the exploration of `{app}` fails on `{device}`: {why}")]
    Before {
        device: String,
        app: String,
        why: String,
    },
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Explores an app in sessions until its events are used up or `stop` is asked. Sessions that the journal knows are not
/// played again; a session is in the journal before it counts as ended.
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
    records
        .values()
        .for_each(|session| progress.recall(session));

    let missing = (0..sessions).filter(|session| !records.contains_key(session));
    let recalled = records
        .values()
        .map(|session| u64::from(session.events))
        .sum();
    let work = Work {
        pool,
        make,
        settings,
        seed,
        journal,
        sink,
        stop,
        progress: &progress,
    };
    let played = work.play(missing.collect()).await?;
    records.extend(played.records);

    let outcome = if played.stopped {
        Outcome::Interrupted
    } else {
        Outcome::Done
    };
    let exploration = Exploration {
        recalled,
        ..Exploration::of(records.into_values(), outcome)
    };
    sink(ended(settings, &exploration));
    Ok(exploration)
}

impl ExploreSettings {
    pub fn new(app: AppInfo, events: u64) -> ExploreSettings {
        let settle = Settle::default();
        let guard = Guard::default();
        let keep_traces = false;
        let pictures = false;
        ExploreSettings {
            app,
            events,
            time: None,
            session_events: 500,
            settle,
            keep_traces,
            pictures,
            guard,
        }
    }

    fn sessions(&self) -> Result<u32, ExploreError> {
        let events = self.events;
        let session_events = self.session_events;
        if session_events == 0 {
            return Err(ExploreError::EmptySessions);
        }
        let sessions = events.div_ceil(u64::from(session_events));
        u32::try_from(sessions).map_err(|_| ExploreError::TooManySessions {
            events,
            session_events,
        })
    }

    /// How many events a session has.
    fn events_of(&self, session: u32) -> u32 {
        let before = u64::from(session) * u64::from(self.session_events);
        let left = self.events.saturating_sub(before);
        u32::try_from(left)
            .unwrap_or(u32::MAX)
            .min(self.session_events)
    }

    /// A phone that does not tell which activity is in front is taken to show the app.
    fn is_inside(&self, activity: &str) -> bool {
        let package = activity.split('/').next().unwrap_or_default();
        (package.is_empty() || package == self.app.app.package)
            && !self.guard.forbids_activity(activity)
    }
}

/// A choice as it goes to the phone and into the trace.
fn step_of(choice: Choice, screen: &Screen) -> Step {
    Step {
        action: choice.action,
        widget: choice.node.map(|node| screen.widget(node)),
        activity: screen.activity().clone(),
        screen: Some(screen.hash()),
    }
}

fn started(settings: &ExploreSettings, sessions: u32, explorer: &str) -> RunEvent {
    RunEvent::ExplorationStarted {
        app: settings.app.app.package.clone(),
        explorer: explorer.to_owned(),
        events: if settings.time.is_some() {
            0
        } else {
            settings.events
        },
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
