//! An exploration as a job: the engine's, with every crash in the run's directory as soon as its session has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use retap_device::seed::Seed;
use retap_device::{JournalError, Pool};
use retap_explore::journal::{Journal, SessionRecord, WalkRecord};
use retap_explore::{
    self, Exploration, ExploreError, ExploreSettings, Found, MakeExplorer, Random,
};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::AppInfo;
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;
use tokio::sync::mpsc::UnboundedSender;

use crate::care;
use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::{Job, explorer};
use crate::run::crashes::{self, Crash};
use crate::run::directory::Directory;
use crate::run::store::{JobJournal, Known};
use crate::settings::{Care, Explorer, Tuning};

/// Where the traces of sessions go, inside the run.
const TRACES: &str = "traces";

#[derive(Debug)]
pub struct Explored {
    pub app: AppInfo,
    pub explorer: Explorer,
    /// How many events were asked for, unless it was time, and how many sessions that makes; none where one explorer makes the
    /// whole.
    pub wanted: Option<u64>,
    pub sessions: u64,
    pub exploration: Exploration,
    /// Each with what earlier runs knew of it.
    pub crashes: Vec<(Crash, Option<Known>)>,
    /// Real time.
    pub took: Duration,
}

/// What to explore and how far.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub app: AppInfo,
    pub explorer: Explorer,
    pub events: u64,
    pub minutes: Option<u32>,
    pub session_events: u32,
    /// What was done from each clean start on becomes a file of the run.
    pub keep_traces: bool,
    pub tuning: Tuning,
    pub care: Care,
    /// System events may happen.
    pub system: bool,
}

impl Wanted {
    pub fn settings(&self) -> Result<ExploreSettings, Failure> {
        Ok(ExploreSettings {
            time: self
                .minutes
                .map(|minutes| Micros::from_millis(u64::from(minutes) * 60_000)),
            session_events: self.session_events,
            guard: care::guard(&self.care)?,
            keep_traces: self.keep_traces,
            pictures: true,
            ..ExploreSettings::new(self.app.clone(), self.events)
        })
    }

    /// Whether it can be begun on these phones.
    pub fn check(&self) -> Result<(), Failure> {
        self.settings()?;
        care::check_app(&self.care, &self.app.app.package)?;
        explorer::check_app(&self.app.app.package, self.system)?;
        explorer::make(self).map(|_| ())
    }

    /// Whether sessions are independent of each other, so that their number is known.
    fn in_sessions(&self) -> bool {
        self.explorer == Explorer::Random && self.minutes.is_none() && self.care == Care::default()
    }
}

/// `seed` is the exploration's own: a job may make several. `met` is told of every crash that no earlier run knows, as soon as
/// it is met.
pub async fn explore(
    job: &Job,
    pool: &Pool,
    wanted: &Wanted,
    seed: Seed,
    met: Option<UnboundedSender<Crash>>,
) -> Result<Explored, Failure> {
    let began = Instant::now();
    let Wanted {
        app,
        explorer,
        events,
        session_events,
        ..
    } = wanted.clone();
    let settings = wanted.settings()?;
    let journal = job.journal(&format!("explore-{}", app.app.package))?;
    let keeping = Keeping {
        journal: journal.clone(),
        directory: Arc::clone(job.run().directory()),
        written: Mutex::default(),
        app: app.app.clone(),
        met,
    };
    let sink = job.sink();
    let stop = job.stop();
    let exploration = if wanted.in_sessions() {
        let make: &MakeExplorer<'_> = &|| Box::new(Random::default());
        retap_explore::explore(pool, make, &settings, seed, &keeping, sink, stop).await?
    } else {
        let explorer = explorer::make(wanted)?;
        retap_explore::explore_whole(pool, explorer, &settings, seed, &keeping, sink, stop).await?
    };

    for (name, text) in &exploration.learned {
        job.run().directory().write(name, text.as_bytes())?;
    }
    for (number, (walker, trace)) in exploration.traces.iter().enumerate() {
        job.run().directory().write(
            &format!("{TRACES}/{walker}-{number}.retap"),
            trace.to_text().as_bytes(),
        )?;
    }
    let mut crashes = Vec::new();
    crashes::forget_apart(job.run().directory())?;
    for found in &exploration.found {
        // Those of an earlier time, and those that were proven last, nobody has been told of yet.
        keeping.note_found(found).map_err(ExploreError::Journal)?;
        // Written again: which session met it first does not depend on which one ended first.
        let mut crash = Crash::from(found);
        crash.write(job.run().directory())?;
        crash.recall_picture(job.run().directory());
        journal.saw(&app.app, crash.fingerprint, crash.times)?;
        let known = journal.known(&app.app, crash.fingerprint)?;
        crashes.push((crash, known));
    }
    let sessions = if wanted.in_sessions() {
        events.div_ceil(u64::from(session_events))
    } else {
        0
    };
    for found in &exploration.apart {
        let mut crash = Crash::from(found);
        crash.recall_picture(job.run().directory());
        crash.write_apart(job.run().directory(), exploration.outcome == Outcome::Done)?;
    }
    let wanted = wanted.minutes.is_none().then_some(events);
    Ok(Explored {
        app,
        explorer,
        wanted,
        sessions,
        exploration,
        crashes,
        took: began.elapsed(),
    })
}

/// A journal that also puts every new crash of a session into the run's directory.
struct Keeping {
    journal: JobJournal,
    directory: Arc<Directory>,
    written: Mutex<BTreeSet<Fingerprint>>,
    app: App,
    met: Option<UnboundedSender<Crash>>,
}

impl Keeping {
    fn keep(&self, found: &Found) -> Result<(), Box<dyn Error + Send + Sync>> {
        let is_new = self
            .written
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(found.fingerprint);
        if !is_new {
            return Ok(());
        }
        let crash = Crash::from(found);
        crash.write(&self.directory)?;
        if let Some(met) = &self.met
            && self.journal.known(&self.app, crash.fingerprint)?.is_none()
        {
            // Who does not listen any more does not want it.
            let _ = met.send(crash);
        }
        Ok(())
    }
}

impl Journal for Keeping {
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
            .try_for_each(|found| self.note_found(found))
    }

    fn recall_walks(&self) -> Result<Vec<WalkRecord>, JournalError> {
        self.journal.recall_walks()
    }

    fn note_walk(&self, record: &WalkRecord) -> Result<(), JournalError> {
        if let Some(picture) = &record.picture {
            for problem in &record.problems {
                let fingerprint = problem.fingerprint();
                crashes::write_picture(&self.directory, fingerprint, picture).map_err(|error| {
                    JournalError {
                        what: format!("keep the picture of the crash {fingerprint}"),
                        source: Box::new(error),
                    }
                })?;
            }
        }
        self.journal.note_walk(record)
    }

    fn note_found(&self, found: &Found) -> Result<(), JournalError> {
        self.keep(found).map_err(|error| JournalError {
            what: format!("keep the crash {}", found.fingerprint),
            source: error,
        })
    }
}

impl Explained for ExploreError {
    fn exit(&self) -> Exit {
        match self {
            ExploreError::Pool(_) => Exit::NoPhone,
            ExploreError::EmptySessions
            | ExploreError::TooManySessions { .. }
            | ExploreError::Before { .. }
            | ExploreError::Refused { .. }
            | ExploreError::Journal(_) => Exit::Usage,
        }
    }

    fn help(&self) -> String {
        match self {
            ExploreError::Pool(_) => "see why the phones were lost, then go on with `--resume`".into(),
            ExploreError::EmptySessions | ExploreError::TooManySessions { .. } => {
                "choose another number with `--session-events`".into()
            }
            ExploreError::Before { .. } => {
                "see with `retap replay` what the trace that `before` names does, and record it anew".into()
            }
            ExploreError::Refused { .. } => "see whether the app can be started by hand".into(),
            ExploreError::Journal(_) => {
                "make room or give the right to write there, then go on with `--resume`; what was observed is kept".into()
            }
        }
    }
}
