//! The operation `explore`: runs an exploration, and puts every finding into the run's directory as soon as it is found.

mod finding_journal;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use finding_journal::FindingJournal;
use retap_device::DevicePool;
use retap_device::seed::Seed;
use retap_explore::journal::ExplorationContext;
use retap_explore::{
    ExplorationEnd, ExplorationResult, ExploreError, ExploreSettings, explore_to_end,
};
use retap_shared::micros::Micros;
use retap_shared::protocol::AppInfo;
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
use crate::run::findings::StoredFinding;
use crate::run::known_finding::KnownFinding;

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
    let finding_journal = FindingJournal::new(run, plan, journal, found_findings)?;
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
