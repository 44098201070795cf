//! An exploration as a job: the engine's, with every crash in the run's directory as soon as its session has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use retap_device::seed::Seed;
use retap_device::{DevicePool, JournalError};
use retap_explore::journal::{ExplorationJournal, RecordedStep, SessionRecord};
use retap_explore::{
    self, ExplorationResult, ExploreError, ExploreSettings, FindingRecord, MakeExplorer,
    RandomExplorer,
};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::AppInfo;
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;
use tokio::sync::mpsc::UnboundedSender;

use crate::command_error::{CommandError, UserError};
use crate::constraints;
use crate::exit::CommandExit;
use crate::operations::{ActiveRun, explorer};
use crate::options::{AppConstraints, ExplorerKind, ExplorerOptions};
use crate::run::directory::RunDirectory;
use crate::run::findings::{self, StoredFinding};
use crate::run::store::{KnownFinding, StoreJournal};

/// Where the traces of sessions go, inside the run.
const TRACES: &str = "traces";

#[derive(Debug)]
pub struct ExploreResult {
    pub app: AppInfo,
    pub explorer: ExplorerKind,
    /// How many events were asked for, unless it was time, and how many sessions that makes; none where one explorer makes the
    /// whole.
    pub planned_events: Option<u64>,
    pub sessions: u64,
    pub exploration: ExplorationResult,
    /// Each with what earlier runs knew of it.
    pub findings: Vec<(StoredFinding, Option<KnownFinding>)>,
    /// Real time.
    pub took: Duration,
}

/// What to explore and how far.
#[derive(Clone, Debug)]
pub struct ExplorationPlan {
    pub app: AppInfo,
    pub explorer: ExplorerKind,
    pub events: u64,
    pub minutes: Option<u32>,
    pub session_events: u32,
    /// What was done from each clean start on becomes a file of the run.
    pub keep_traces: bool,
    pub explorer_options: ExplorerOptions,
    pub constraints: AppConstraints,
    /// System events may happen.
    pub allow_system: bool,
}

impl ExplorationPlan {
    pub fn settings(&self) -> Result<ExploreSettings, CommandError> {
        Ok(ExploreSettings {
            time_limit: self
                .minutes
                .map(|minutes| Micros::from_millis(u64::from(minutes) * 60_000)),
            session_events: self.session_events,
            constraints: constraints::to_engine_constraints(&self.constraints)?,
            keep_traces: self.keep_traces,
            screenshots: true,
            ..ExploreSettings::new(self.app.clone(), self.events)
        })
    }

    /// Whether it can be begun on these phones.
    pub fn check(&self) -> Result<(), CommandError> {
        self.settings()?;
        constraints::check_traces_are_of(&self.constraints, &self.app.app.package)?;
        explorer::check_app(&self.app.app.package, self.allow_system)?;
        explorer::make(self).map(|_| ())
    }

    /// Whether sessions are independent of each other, so that their number is known.
    fn in_sessions(&self) -> bool {
        self.explorer == ExplorerKind::Random
            && self.minutes.is_none()
            && self.constraints == AppConstraints::default()
    }
}

/// `seed` is the exploration's own: a job may make several. `met` is told of every crash that no earlier run knows, as soon as
/// it is met.
pub async fn explore(
    job: &ActiveRun,
    pool: &DevicePool,
    wanted: &ExplorationPlan,
    seed: Seed,
    met: Option<UnboundedSender<StoredFinding>>,
) -> Result<ExploreResult, CommandError> {
    let began = Instant::now();
    let ExplorationPlan {
        app,
        explorer,
        events,
        session_events,
        ..
    } = wanted.clone();
    let settings = wanted.settings()?;
    let journal = job.journal(&format!("explore-{}", app.app.package))?;
    let keeping = FindingJournal {
        journal: journal.clone(),
        directory: Arc::clone(job.run().directory()),
        written: Mutex::default(),
        app: app.app.clone(),
        new_findings: met,
    };
    let sink = job.sink();
    let stop = job.cancellation();
    let exploration = if wanted.in_sessions() {
        let make: &MakeExplorer<'_> = &|| Box::new(RandomExplorer::default());
        retap_explore::explore(pool, make, &settings, seed, &keeping, sink, stop).await?
    } else {
        let explorer = explorer::make(wanted)?;
        retap_explore::run_exploration(pool, explorer, &settings, seed, &keeping, sink, stop)
            .await?
    };

    for (name, text) in &exploration.learned_files {
        job.run().directory().write(name, text.as_bytes())?;
    }
    for (number, (walker, trace)) in exploration.traces.iter().enumerate() {
        job.run().directory().write(
            &format!("{TRACES}/{walker}-{number}.retap"),
            trace.to_text().as_bytes(),
        )?;
    }
    let mut crashes = Vec::new();
    findings::remove_unconfirmed(job.run().directory())?;
    for found in &exploration.findings {
        // Those of an earlier time, and those that were proven last, nobody has been told of yet.
        keeping
            .record_finding(found)
            .map_err(ExploreError::Journal)?;
        // Written again: which session met it first does not depend on which one ended first.
        let mut crash = StoredFinding::from(found);
        crash.write(job.run().directory())?;
        crash.load_picture(job.run().directory());
        journal.record_finding(&app.app, crash.fingerprint, crash.occurrences)?;
        let known = journal.known_finding(&app.app, crash.fingerprint)?;
        crashes.push((crash, known));
    }
    let sessions = if wanted.in_sessions() {
        events.div_ceil(u64::from(session_events))
    } else {
        0
    };
    for found in &exploration.unconfirmed {
        let mut crash = StoredFinding::from(found);
        crash.load_picture(job.run().directory());
        crash.write_unconfirmed(job.run().directory(), exploration.outcome == Outcome::Done)?;
    }
    let wanted = wanted.minutes.is_none().then_some(events);
    Ok(ExploreResult {
        app,
        explorer,
        planned_events: wanted,
        sessions,
        exploration,
        findings: crashes,
        took: began.elapsed(),
    })
}

/// A journal that also puts every new crash of a session into the run's directory.
struct FindingJournal {
    journal: StoreJournal,
    directory: Arc<RunDirectory>,
    written: Mutex<BTreeSet<Fingerprint>>,
    app: App,
    new_findings: Option<UnboundedSender<StoredFinding>>,
}

impl FindingJournal {
    fn store_finding(&self, found: &FindingRecord) -> Result<(), Box<dyn Error + Send + Sync>> {
        let is_new = self
            .written
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(found.fingerprint);
        if !is_new {
            return Ok(());
        }
        let crash = StoredFinding::from(found);
        crash.write(&self.directory)?;
        if let Some(met) = &self.new_findings
            && self
                .journal
                .known_finding(&self.app, crash.fingerprint)?
                .is_none()
        {
            // Who does not listen any more does not want it.
            let _ = met.send(crash);
        }
        Ok(())
    }
}

impl ExplorationJournal for FindingJournal {
    fn recall_sessions(&self) -> Result<BTreeMap<u32, SessionRecord>, JournalError> {
        self.journal.recall_sessions()
    }

    fn note_session(&self, session: &SessionRecord) -> Result<(), JournalError> {
        // Before it is noted: a session that the journal knows is not played again, and its traces are then nowhere else.
        for (number, trace) in session.traces.iter().enumerate() {
            let inside = format!("{TRACES}/{:05}-{:03}.retap", session.session, number + 1);
            self.directory
                .write(&inside, trace.to_text().as_bytes())
                .map_err(|error| JournalError {
                    what: format!("keep the trace `{inside}`"),
                    source: Box::new(error),
                })?;
        }
        self.journal.note_session(session)?;
        session
            .found
            .iter()
            .try_for_each(|found| self.record_finding(found))
    }

    fn recall_steps(&self) -> Result<Vec<RecordedStep>, JournalError> {
        self.journal.recall_steps()
    }

    fn record_step(&self, record: &RecordedStep) -> Result<(), JournalError> {
        if let Some(picture) = &record.picture {
            for problem in &record.problems {
                let fingerprint = problem.fingerprint();
                findings::write_picture(&self.directory, fingerprint, picture).map_err(
                    |error| JournalError {
                        what: format!("keep the picture of the crash {fingerprint}"),
                        source: Box::new(error),
                    },
                )?;
            }
        }
        self.journal.record_step(record)
    }

    fn record_finding(&self, found: &FindingRecord) -> Result<(), JournalError> {
        self.store_finding(found).map_err(|error| JournalError {
            what: format!("keep the crash {}", found.fingerprint),
            source: error,
        })
    }
}

impl UserError for ExploreError {
    fn exit(&self) -> CommandExit {
        match self {
            ExploreError::Pool(_) => CommandExit::NoPhone,
            ExploreError::EmptySessions
            | ExploreError::TooManySessions { .. }
            | ExploreError::SetupFailed { .. }
            | ExploreError::Refused { .. }
            | ExploreError::Journal(_) => CommandExit::Usage,
        }
    }

    fn help(&self) -> String {
        match self {
            ExploreError::Pool(_) => "see why the phones were lost, then go on with `--resume`".into(),
            ExploreError::EmptySessions | ExploreError::TooManySessions { .. } => {
                "choose another number with `--session-events`".into()
            }
            ExploreError::SetupFailed { .. } => {
                "see with `retap replay` what the trace that `before` names does, and record it anew".into()
            }
            ExploreError::Refused { .. } => "see whether the app can be started by hand".into(),
            ExploreError::Journal(_) => {
                "make room or give the right to write there, then go on with `--resume`; what was observed is kept".into()
            }
        }
    }
}
