//! The operation `explore`: runs an exploration, and puts every finding into the run's directory as soon as it is found.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use retap_device::seed::Seed;
use retap_device::{DevicePool, JournalError};
use retap_explore::journal::{ExplorationContext, ExplorationJournal, RecordedStep};
use retap_explore::{
    ExplorationEnd, ExplorationResult, ExploreError, ExploreSettings, FindingRecord, explore_to_end,
};
use retap_shared::finding::Finding;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::AppInfo;
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;
use tokio::sync::mpsc::UnboundedSender;

use crate::command_error::{CommandError, UserError};
use crate::constraints;
use crate::exit::CommandExit;
use crate::operations::clock::ClockKind;
use crate::operations::{ActiveRun, explorer};
use crate::options::{
    AppConstraints, CodeCoverage, DEFAULT_SESSION_EVENTS, ExploreOptions, ExplorerKind,
    ExplorerOptions,
};
use crate::run::baseline::{BaselineError, FindingBaseline};
use crate::run::directory::RunDirectory;
use crate::run::findings::{self, StoredFinding};
use crate::run::known_finding::KnownFinding;
use crate::run::store::{StoreError, StoreJournal};

/// Directory of the kept traces, inside the run's directory.
const TRACES: &str = "traces";

/// A finding, and what was known of it before the run.
pub type FindingWithHistory = (StoredFinding, Option<KnownFinding>);

#[derive(Debug)]
pub struct ExploreResult {
    pub app: AppInfo,
    pub explorer: ExplorerKind,
    pub coverage: CodeCoverage,
    /// Number of events that were asked for, unless the limit was a time.
    pub planned_events: Option<u64>,
    /// Number of sessions that the planned events make; 0 if the strategy has none.
    pub sessions: u64,
    pub exploration: ExplorationResult,
    pub findings: Vec<FindingWithHistory>,
    /// Real time.
    pub took: Duration,
    /// Why the exploration ended early. The rest is what was found until then.
    pub error: Option<CommandError>,
}

/// What to explore and how far.
#[derive(Clone, Debug)]
pub struct ExplorationPlan {
    pub app: AppInfo,
    pub explorer: ExplorerKind,
    pub events: u64,
    pub minutes: Option<u32>,
    pub session_events: u32,
    /// The trace from each clean start becomes a file of the run.
    pub keep_traces: bool,
    pub explorer_options: ExplorerOptions,
    pub constraints: AppConstraints,
    /// System events may happen.
    pub allow_system: bool,
    /// File of the known findings; without one, the store knows them.
    pub baseline: Option<PathBuf>,
}

impl ExplorationPlan {
    /// Plan with the default options.
    pub fn new(app: AppInfo, explorer: ExplorerKind, events: u64) -> ExplorationPlan {
        ExplorationPlan {
            app,
            explorer,
            events,
            minutes: None,
            session_events: DEFAULT_SESSION_EVENTS,
            keep_traces: false,
            explorer_options: ExplorerOptions::default(),
            constraints: AppConstraints::default(),
            allow_system: true,
            baseline: None,
        }
    }

    /// Plan with the options of a run, for an app that its phones have.
    pub fn of(options: &ExploreOptions, app: AppInfo, allow_system: bool) -> ExplorationPlan {
        ExplorationPlan {
            app,
            explorer: options.explorer,
            events: options.events,
            minutes: options.minutes,
            session_events: options.session_events,
            keep_traces: options.keep_traces,
            explorer_options: options.explorer_options.clone(),
            constraints: options.constraints.clone(),
            allow_system,
            baseline: options.baseline.clone(),
        }
    }

    /// Settings of the engine.
    pub fn settings(&self) -> Result<ExploreSettings, CommandError> {
        Ok(ExploreSettings {
            time_limit: self
                .minutes
                .map(|minutes| Micros::from_millis(u64::from(minutes) * 60_000)),
            constraints: constraints::to_engine_constraints(&self.constraints)?,
            keep_traces: self.keep_traces,
            screenshots: true,
            ..ExploreSettings::new(self.app.clone(), self.events)
        })
    }

    /// Checks whether the exploration can be started on these phones.
    pub fn check(&self) -> Result<(), CommandError> {
        self.settings()?;
        constraints::check_traces_are_of(&self.constraints, &self.app.app.package)?;
        explorer::check_app(&self.app.app.package, self.allow_system)?;
        self.read_baseline()?;
        // The seed makes no difference to the check.
        explorer::make(self, Seed(0)).map(|_| ())
    }

    /// The baseline, which must be of the app.
    fn read_baseline(&self) -> Result<Option<FindingBaseline>, BaselineError> {
        let Some(path) = &self.baseline else {
            return Ok(None);
        };
        let baseline = FindingBaseline::read(path)?;
        baseline.check_app(&self.app.app.package, path)?;
        Ok(Some(baseline))
    }

    /// Number of sessions that the events make; 0 if the strategy has none, or if the limit is a time.
    fn session_count(&self) -> u64 {
        if self.explorer == ExplorerKind::Random && self.minutes.is_none() {
            self.events.div_ceil(u64::from(self.session_events))
        } else {
            0
        }
    }
}

/// The run was recorded by a version that kept finished sessions of `random` in its journal instead of steps.
#[derive(Debug, thiserror::Error)]
#[error("this run was started by an earlier version of Retap and cannot be resumed by this one")]
pub struct RecordedInSessions;

/// Explores one app. `seed` is the exploration's own: a run may have several. `found_findings` receives every finding as soon as it
/// is found.
pub async fn explore(
    run: &ActiveRun,
    pool: &DevicePool,
    plan: &ExplorationPlan,
    seed: Seed,
    found_findings: Option<UnboundedSender<StoredFinding>>,
) -> Result<ExploreResult, CommandError> {
    let began = Instant::now();
    // Simulated phones of this process are the only ones that run on a virtual clock, and that end with the process.
    let repeatable_phones =
        ClockKind::for_run(&run.run().manifest().settings) == ClockKind::Virtual;
    let settings = ExploreSettings {
        repeatable_phones,
        ..plan.settings()?
    };
    run.note_app(&plan.app.app)?;
    let journal = run.journal(&format!("explore-{}", plan.app.app.package))?;
    if journal.has_recorded_sessions()? {
        return Err(RecordedInSessions.into());
    }
    let finding_journal = FindingJournal {
        journal,
        directory: Arc::clone(run.run().directory()),
        written: Mutex::default(),
        app: plan.app.app.clone(),
        baseline: plan.read_baseline()?,
        mapping: run.mapping_path(),
        found_findings,
    };
    let context = ExplorationContext {
        seed,
        events: run.sink(),
        journal: &finding_journal,
        cancellation: run.cancellation(),
    };
    let explorer = explorer::make(plan, seed)?;
    let ExplorationEnd {
        result: exploration,
        error,
    } = explore_to_end(pool, explorer, &settings, context).await;
    let written = write_files(run.run().directory(), &exploration);
    let (findings, stored) = finding_journal.store_results(&exploration);
    // The first error is the cause: on a full disk all of them fail.
    let error = error.map(CommandError::from);
    let error = error.or(written.err()).or(stored.err());
    Ok(ExploreResult {
        app: plan.app.clone(),
        explorer: plan.explorer,
        coverage: run.run().manifest().settings.coverage(),
        planned_events: plan.minutes.is_none().then_some(plan.events),
        sessions: plan.session_count(),
        exploration,
        findings,
        took: began.elapsed(),
        error,
    })
}

/// Writes what the strategy learned, and the traces that are kept.
fn write_files(
    directory: &RunDirectory,
    exploration: &ExplorationResult,
) -> Result<(), CommandError> {
    for (name, text) in &exploration.learned_files {
        directory.write(name, text.as_bytes())?;
    }
    for (number, (worker, trace)) in exploration.traces.iter().enumerate() {
        let path = format!("{TRACES}/{worker}-{number}.retap");
        directory.write(&path, trace.to_text().as_bytes())?;
    }
    Ok(())
}

/// A journal that also puts every new finding into the run's directory.
struct FindingJournal {
    journal: StoreJournal,
    directory: Arc<RunDirectory>,
    written: Mutex<BTreeSet<Fingerprint>>,
    app: App,
    baseline: Option<FindingBaseline>,
    mapping: Option<PathBuf>,
    found_findings: Option<UnboundedSender<StoredFinding>>,
}

impl FindingJournal {
    /// What was known of a finding before this run.
    fn known_finding(&self, finding: &Finding) -> Result<Option<KnownFinding>, StoreError> {
        match &self.baseline {
            Some(baseline) => Ok(baseline.known(finding)),
            None => self.journal.known_finding(&self.app, finding),
        }
    }

    /// Writes the findings of the result, in their final form, and counts them in the store. Returns each with what was
    /// known of it, also those that could not be stored.
    fn store_results(
        &self,
        exploration: &ExplorationResult,
    ) -> (Vec<FindingWithHistory>, Result<(), CommandError>) {
        let mut findings = Vec::new();
        let mut stored = Ok(());
        for found in &exploration.findings {
            let mut finding = StoredFinding::from(found);
            let known = self.store_result(found, &mut finding);
            findings.push((finding, *known.as_ref().unwrap_or(&None)));
            stored = stored.and(known.map(|_| ()));
        }
        let stored = stored.and_then(|()| self.store_unconfirmed(exploration));
        (findings, stored)
    }

    /// Stores one finding, and returns what earlier runs knew of it.
    fn store_result(
        &self,
        found: &FindingRecord,
        finding: &mut StoredFinding,
    ) -> Result<Option<KnownFinding>, CommandError> {
        // Recalled findings, and those that were confirmed last, have not been announced yet.
        self.record_finding(found).map_err(ExploreError::Journal)?;
        let known = self.known_finding(&finding.finding)?;
        finding.status = Some(known.into());
        finding.mapping = self.mapping.clone();
        finding.write(&self.directory)?;
        finding.load_picture(&self.directory);
        let fingerprint = finding.fingerprint;
        self.journal
            .record_finding(&self.app, fingerprint, finding.occurrences)?;
        Ok(known)
    }

    fn store_unconfirmed(&self, exploration: &ExplorationResult) -> Result<(), CommandError> {
        findings::remove_unconfirmed(&self.directory)?;
        let is_done = exploration.outcome == Outcome::Done;
        for found in &exploration.unconfirmed {
            let mut finding = StoredFinding::from(found);
            finding.load_picture(&self.directory);
            finding.write_unconfirmed(&self.directory, is_done)?;
        }
        Ok(())
    }

    fn store_finding(&self, found: &FindingRecord) -> Result<(), Box<dyn Error + Send + Sync>> {
        let is_new = self
            .written
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(found.fingerprint);
        if !is_new {
            return Ok(());
        }
        let mut finding = StoredFinding::from(found);
        let known = self.known_finding(&finding.finding)?;
        finding.status = Some(known.into());
        finding.mapping = self.mapping.clone();
        finding.write(&self.directory)?;
        if let Some(sender) = &self.found_findings {
            // A receiver that is gone does not want it.
            let _ = sender.send(finding);
        }
        Ok(())
    }
}

impl ExplorationJournal for FindingJournal {
    fn next_number(&self) -> Result<u64, JournalError> {
        self.journal.next_number()
    }

    fn recall_part(&self, from: u64) -> Result<Vec<RecordedStep>, JournalError> {
        self.journal.recall_part(from)
    }

    fn record_step(&self, record: &RecordedStep) -> Result<(), JournalError> {
        if let Some(picture) = &record.screenshot {
            for finding in &record.findings {
                let fingerprint = finding.fingerprint();
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

impl UserError for RecordedInSessions {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "start a new run with the same settings and without `--resume`, or resume it with the version that started it; its \
         findings and traces stay in its directory"
            .into()
    }
}

impl UserError for ExploreError {
    fn exit(&self) -> CommandExit {
        match self {
            ExploreError::Pool(_) => CommandExit::NoPhone,
            ExploreError::SetupFailed { .. }
            | ExploreError::Refused { .. }
            | ExploreError::Journal(_) => CommandExit::Usage,
        }
    }

    fn help(&self) -> String {
        match self {
            ExploreError::Pool(_) => "see why the phones were lost, then resume with `--resume`".into(),
            ExploreError::SetupFailed { .. } => {
                "see with `retap replay` what the trace that `before` names does, and record it anew".into()
            }
            ExploreError::Refused { .. } => "see whether the app can be started by hand".into(),
            ExploreError::Journal(_) => {
                "free disk space or allow writing there, then resume with `--resume`; all observations are kept".into()
            }
        }
    }
}
