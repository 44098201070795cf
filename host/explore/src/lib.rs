//! Exploration. An `Explorer` chooses, whoever drives a phone does it and tells what it led to:
//!
//! - `choose` plans, `observe` learns. Whatever an explorer knows it knows from `observe`, so that a run that was killed is
//!   rebuilt by telling it again what is in the journal, where every step is before the next one is taken.
//! - `sessions` of a fixed number of events have an explorer each, that forgets: what comes out does not depend on how many
//!   phones there were. `random` is explored so.
//! - A `whole` exploration has one explorer for all phones. Each phone is a walker with a number, chance of its own and a
//!   way of its own; the explorer may ask for more than an event: a restart, a state saved or gone back to.

mod app_start;
mod canvas_raster;
mod confirm;
mod constraints;
mod driver;
mod finding_record;
pub mod journal;
mod progress;
mod recent_log;
mod result;
mod session;
mod snapshots;
mod step_path;
mod strategies;
mod system_events;
mod work;
mod worker;
mod worker_state;

pub use constraints::{Constraints, WidgetSelector};
pub use driver::run_exploration;
pub use finding_record::{FindingContext, FindingRecord};
use progress::Progress;
pub use result::{ExplorationCounts, ExplorationResult, FindingPoint};
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::seed::{Rng, Seed};
use retap_device::{CancellationToken, DevicePool, JournalError, PoolError};
use retap_shared::action::{Action, SystemEventKinds};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::{AppInfo, Capabilities, RequestFailure, Settle, SnapshotId};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::Step;
use retap_shared::verdict::Outcome;
pub use step_path::StepPath;
pub use strategies::{
    ApeExplorer, ApeParameterError, ApeParameters, AutoExplorer, EventMix, EventMixError,
    MonkeyExplorer, RandomExplorer, Sessions, StuckDetector, StuckParameters, TimeTravelExplorer,
    TimeTravelParameters, TraceSeededExplorer,
};
use work::Work;

use crate::journal::ExplorationJournal;

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
    fn set_worker_capabilities(&mut self, _walker: usize, _can: SystemEventKinds) {}

    /// What this walker does next. All chance comes from `rng`.
    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision;

    /// What something led to: what this explorer chose, and what was done besides, such as bringing the app back.
    fn observe(&mut self, _seen: &StepObservation<'_>) {}

    /// What it has learned that a person may want to read, by the names of files.
    fn learned_files(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

pub type MakeExplorer<'a> = dyn Fn() -> Box<dyn Explorer> + Sync + 'a;

/// Where a walker is.
#[derive(Clone, Copy, Debug)]
pub struct WorkerView<'a> {
    pub worker: usize,
    pub screen: &'a SharedScreen,
    pub capabilities: Capabilities,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Act(ChosenAction),
    /// A step of an earlier time once more, found by its widget.
    RepeatStep(Step),
    /// The same, of a trace that somebody has recorded: nobody travels by it.
    PlaySeedStep(Step),
    /// Stop the app and launch it, with its data or without.
    Restart {
        clear_data: bool,
    },
    /// Save the phone's state; where only an app's data can be saved, the app begins anew after it.
    TakeSnapshot,
    /// Go back to one that this walker saved.
    RestoreSnapshot(SnapshotId),
    DiscardSnapshot(SnapshotId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenAction {
    pub action: Action,
    /// The node of the screen that it is meant for.
    pub node: Option<usize>,
}

/// Something that was done on a phone, and what it led to.
#[derive(Clone, Copy, Debug)]
pub struct StepObservation<'a> {
    pub worker: usize,
    pub event: ObservedEvent<'a>,
    /// What is there now; `None` if the app has failed: a clean start comes next.
    pub screen: Option<&'a SharedScreen>,
    /// Whether that is the app's own.
    pub in_app: bool,
    pub findings: &'a [Fingerprint],
    pub took: Micros,
    /// What nobody in this run had seen before.
    pub gain: CoverageGainCount,
    /// The steps from the last clean start to here.
    pub path: &'a StepPath,
}

#[derive(Clone, Copy, Debug)]
pub enum ObservedEvent<'a> {
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
    SnapshotTaken {
        id: SnapshotId,
        bytes: u64,
        whole_phone: bool,
    },
    SnapshotRestored {
        id: SnapshotId,
    },
    SnapshotDiscarded {
        id: SnapshotId,
    },
    /// The phone was lost, or the host: whatever this walker had saved is gone.
    SnapshotsLost,
}

/// How much of something is new to the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageGainCount {
    pub activities: u32,
    pub screens: u32,
    pub branches: u32,
}

impl CoverageGainCount {
    pub fn is_empty(self) -> bool {
        self == CoverageGainCount::default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploreSettings {
    pub app: AppInfo,
    pub event_limit: u64,
    /// The end comes when every phone has worked for so long, by its own clock, and not after `events`.
    pub time_limit: Option<Micros>,
    /// A session starts clean and has this many events; the last one has what is left.
    pub session_events: u32,
    pub settle: Settle,
    /// What a session did from each clean start on is handed to the journal.
    pub keep_traces: bool,
    /// A problem that is new to the run is photographed.
    pub screenshots: bool,
    /// Sessions know nothing of it: it is for whole explorations.
    pub constraints: Constraints,
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
        fault: RequestFailure,
    },
    #[error("what must come before the exploration of `{app}` fails on `{device}`: {why}")]
    SetupFailed {
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
    pool: &DevicePool,
    make: &MakeExplorer<'_>,
    settings: &ExploreSettings,
    seed: Seed,
    journal: &dyn ExplorationJournal,
    sink: &EventSink,
    stop: &CancellationToken,
) -> Result<ExplorationResult, ExploreError> {
    let sessions = settings.sessions()?;
    sink(started_event(settings, sessions, make().name()));

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
    let exploration = ExplorationResult {
        recalled_events: recalled,
        ..ExplorationResult::of(records.into_values(), outcome)
    };
    sink(ended_event(settings, &exploration));
    Ok(exploration)
}

impl ExploreSettings {
    pub fn new(app: AppInfo, events: u64) -> ExploreSettings {
        let settle = Settle::default();
        let guard = Constraints::default();
        let keep_traces = false;
        let pictures = false;
        ExploreSettings {
            app,
            event_limit: events,
            time_limit: None,
            session_events: 500,
            settle,
            keep_traces,
            screenshots: pictures,
            constraints: guard,
        }
    }

    fn sessions(&self) -> Result<u32, ExploreError> {
        let events = self.event_limit;
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
        let left = self.event_limit.saturating_sub(before);
        u32::try_from(left)
            .unwrap_or(u32::MAX)
            .min(self.session_events)
    }

    /// A phone that does not tell which activity is in front is taken to show the app.
    fn is_in_app(&self, activity: &str) -> bool {
        let package = activity.split('/').next().unwrap_or_default();
        (package.is_empty() || package == self.app.app.package)
            && !self.constraints.forbids_activity(activity)
    }
}

/// A choice as it goes to the phone and into the trace.
fn to_step(choice: ChosenAction, screen: &Screen) -> Step {
    Step {
        action: choice.action,
        widget: choice.node.map(|node| screen.widget(node)),
        activity: screen.activity().clone(),
        screen: Some(screen.hash()),
    }
}

fn started_event(settings: &ExploreSettings, sessions: u32, explorer: &str) -> RunEvent {
    RunEvent::ExplorationStarted {
        app: settings.app.app.package.clone(),
        explorer: explorer.to_owned(),
        events: if settings.time_limit.is_some() {
            0
        } else {
            settings.event_limit
        },
        sessions,
        activities_total: u32::try_from(settings.app.activities.len()).unwrap_or(u32::MAX),
        branches_total: settings.app.branches,
    }
}

fn ended_event(settings: &ExploreSettings, exploration: &ExplorationResult) -> RunEvent {
    RunEvent::ExplorationEnded {
        app: settings.app.app.package.clone(),
        events: exploration.events,
        problems: u32::try_from(exploration.findings.len()).unwrap_or(u32::MAX),
        took: exploration.took,
    }
}
