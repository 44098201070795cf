//! A run at work: its directory, its journal in the store, and the reporters of its events.
//! It starts and resumes runs, and leaves each in the state that its work ended in.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use retap_device::CancellationToken;
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::seed::Seed;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;

use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::device_spec::PhoneSelection;
use crate::devices::{ConnectedPhones, ConnectionContext, FindingRetracer};
use crate::exit::CommandExit;
use crate::operations::clock::{ClockKind, block_on};
use crate::options::RunOptions;
use crate::report::console::{Console, LineStyle};
use crate::report::event_log::EventLog;
use crate::report::progress::ProgressReporter;
use crate::report::{self, Reporter};
use crate::run::Run;
use crate::run::directory::RunDirectory;
use crate::run::manifest::{RunManifest, RunState};
use crate::run::store::{SqliteStore, StoreError, StoreJournal};
use crate::sanitise_terminal::{self, LINE_WIDTH};
use crate::shell_command;

/// A run that this process works on.
pub struct ActiveRun {
    run: Run,
    store: SqliteStore,
    event_log: Arc<EventLog>,
    context: CommandContext,
    sink: EventSink,
    /// For runs whose options name a mapping.
    retracer: Option<Arc<FindingRetracer>>,
    started: Instant,
}

/// Directory and store of a run.
#[derive(Clone, Debug, Default)]
pub struct RunLocation {
    /// Directory of the run; without one it gets a name below `runs/`.
    pub out: Option<PathBuf>,
    /// Store of the run; without one the journal is kept in memory.
    pub store: Option<PathBuf>,
}

/// Result of a command's work.
#[derive(Debug)]
pub struct CommandResult<T> {
    pub outcome: Outcome,
    pub finding_count: usize,
    pub value: T,
    /// Why the work ended early. The value has what was done until then.
    pub error: Option<CommandError>,
}

/// End of a run: its value is printed first, then its error.
#[derive(Debug)]
pub struct CommandEnd<T> {
    pub value: T,
    outcome: Outcome,
    error: Option<CommandError>,
}

impl<T> CommandEnd<T> {
    /// Exit code of the command, or the error that it ends with.
    pub fn exit(self) -> Result<CommandExit, CommandError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(exit_for(self.outcome)),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ActiveRunError {
    #[error("could not start the runtime")]
    Runtime(#[source] io::Error),
}

impl ActiveRun {
    /// Starts a new run. Without a store it cannot be resumed. `copy_inputs` copies what the run reads into its directory.
    pub fn start(
        options: RunOptions,
        seed: u64,
        location: &RunLocation,
        context: &CommandContext,
        copy_inputs: impl FnOnce(&RunDirectory) -> Result<(), CommandError>,
    ) -> Result<ActiveRun, CommandError> {
        let (store, path) = match &location.store {
            Some(path) => (SqliteStore::open(path)?, path.as_path()),
            None => (SqliteStore::in_memory()?, Path::new("")),
        };
        let run = Run::start(options, seed, location.out.as_deref(), path, copy_inputs)?;
        ActiveRun::open(run, store, context)
    }

    /// Resumes a run that was killed or interrupted. `store` replaces the store of the run, if it was moved;
    /// `select` returns the options if they are of the command that resumes.
    pub fn resume<S>(
        path: &Path,
        store: Option<&Path>,
        context: &CommandContext,
        select: impl Fn(&RunOptions) -> Option<S>,
    ) -> Result<(ActiveRun, S), CommandError> {
        let (run, options) = Run::resume(path, select)?;
        let store = SqliteStore::open(store.unwrap_or(&run.manifest().store))?;
        let active = ActiveRun::open(run, store, context)?;
        if !active.store.has_journals_of(&active.run.manifest().job)? {
            let text = "the store has no journal of this run; it starts from the beginning".into();
            (active.sink)(RunEvent::Warning { text });
        }
        Ok((active, options))
    }

    fn open(
        run: Run,
        store: SqliteStore,
        context: &CommandContext,
    ) -> Result<ActiveRun, CommandError> {
        let RunManifest { job, settings, .. } = run.manifest();
        store.note_run(job, run.directory().path(), settings.command())?;
        let event_log = EventLog::open(run.directory(), context.cancellation.clone())?;
        let event_log = Arc::new(event_log);
        let started = Instant::now();
        let progress = Arc::new(ProgressReporter::new(Arc::clone(&context.console)));
        let sink = report::event_sink(
            vec![Arc::clone(&event_log) as Arc<dyn Reporter>, progress],
            started,
        );
        let names_mapping = run.manifest().settings.mappings().is_some();
        let retracer = names_mapping.then(|| Arc::new(FindingRetracer::new(Arc::clone(&sink))));
        Ok(ActiveRun {
            run,
            store,
            event_log,
            context: context.clone(),
            sink,
            retracer,
            started,
        })
    }

    pub fn seed(&self) -> Seed {
        Seed(self.run.manifest().seed)
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    pub fn directory(&self) -> &Arc<RunDirectory> {
        self.run.directory()
    }

    pub fn store(&self) -> &SqliteStore {
        &self.store
    }

    pub fn context(&self) -> &CommandContext {
        &self.context
    }

    pub fn console(&self) -> &Console {
        &self.context.console
    }

    pub fn cancellation(&self) -> &CancellationToken {
        &self.context.cancellation
    }

    pub fn sink(&self) -> &EventSink {
        &self.sink
    }

    /// Real time since this process started or resumed the run.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Journal of one part of the work. Parts have separate journals: the same candidate may be tried in two of them.
    pub fn journal(&self, part: &str) -> Result<StoreJournal, StoreError> {
        self.store
            .journal(&format!("{}/{part}", self.run.manifest().job))
    }

    /// Notes the app of the run, for the list of runs.
    pub fn note_app(&self, app: &App) -> Result<(), StoreError> {
        self.store.note_app(&self.run.manifest().job, &app.package)
    }

    /// Connects the phones of the run.
    pub async fn connect(&self, phones: &PhoneSelection) -> Result<ConnectedPhones, CommandError> {
        let context = ConnectionContext {
            cancellation: self.cancellation().clone(),
            sink: Arc::clone(&self.sink),
            retracer: self.retracer.clone(),
            coverage: self.run.manifest().settings.coverage(),
        };
        Ok(ConnectedPhones::connect_with(phones, self.seed(), &context).await?)
    }

    /// Retraces the findings of an app from now on, if the options name a mapping for its version.
    pub fn retrace_findings_of(&self, app: &App) -> Result<(), CommandError> {
        let mappings = self.run.manifest().settings.mappings();
        match self.retracer.as_ref().zip(mappings) {
            Some((retracer, mappings)) => Ok(retracer.use_mapping_for(app, mappings)?),
            None => Ok(()),
        }
    }

    /// The mapping that findings are retraced with.
    pub fn mapping_path(&self) -> Option<PathBuf> {
        self.retracer.as_ref()?.mapping_path()
    }

    /// Stack of a finding as the phone reported it, if this process retraced it.
    pub fn obfuscated_stack(&self, fingerprint: Fingerprint) -> Option<String> {
        self.retracer.as_ref()?.obfuscated_stack(fingerprint)
    }

    /// Emits the start of the run on these phones.
    pub fn emit_started(&self, devices: Vec<String>) {
        let command = self.run.manifest().settings.command().to_owned();
        (self.sink)(RunEvent::RunStarted {
            command,
            seed: self.seed().0,
            devices,
        });
    }

    /// Emits the heading of a part of the run.
    pub fn heading(&self, text: &str) {
        let text = text.to_owned();
        (self.sink)(RunEvent::Heading { text });
    }

    /// Emits a remark to the reader.
    pub fn note(&self, text: &str) {
        let text = text.to_owned();
        (self.sink)(RunEvent::Note { text });
    }

    /// Writes the page of the run, and returns its path.
    pub fn write_page(&self, html: &str) -> Result<PathBuf, CommandError> {
        self.run.write_page(html)
    }

    /// Does the work to its end, and leaves the run in the state that it ended in.
    pub fn execute<T>(
        mut self,
        work: impl AsyncFnOnce(&ActiveRun) -> Result<CommandResult<T>, CommandError>,
    ) -> Result<CommandEnd<T>, CommandError> {
        let clock = ClockKind::for_run(&self.run.manifest().settings);
        let result = block_on(clock, work(&self)).and_then(|result| result);
        self.console().end_progress();
        if let Ok(result) = &result {
            (self.sink)(RunEvent::Finished {
                outcome: result.outcome,
                problems: u32::try_from(result.finding_count).unwrap_or(u32::MAX),
                took: Micros::from(self.elapsed()),
            });
        }
        // An event that could not be written cancelled the work: that error is the cause of any other.
        let unwritten = self.event_log.take_error().map(CommandError::from);
        let CommandResult {
            outcome,
            value,
            error,
            ..
        } = match (result, unwritten) {
            (Ok(result), unwritten) => CommandResult {
                // An interruption is an outcome: what was done until then is the result.
                error: unwritten.or(result.error.filter(|error| !error.is_interruption())),
                ..result
            },
            (Err(error), None) if error.is_interruption() => {
                let saved = self.run.set_state(RunState::Interrupted).err();
                self.print_resume_hint();
                return Err(saved.unwrap_or(error));
            }
            (Err(error), unwritten) => {
                // The error counts, also where the state cannot be saved.
                let _ = self.run.set_state(RunState::Failed);
                return Err(self.resumable(unwritten.unwrap_or(error)));
            }
        };
        let saved = self.run.set_state(end_state(error.as_ref(), outcome)).err();
        let error = error.or(saved).map(|error| self.resumable(error));
        if outcome == Outcome::Interrupted && error.is_none() {
            self.print_resume_hint();
        }
        Ok(CommandEnd {
            value,
            outcome,
            error,
        })
    }

    /// The error with the command that resumes the run. Where a directory is that was moved, only the user knows.
    fn resumable(&self, error: CommandError) -> CommandError {
        let command = self.resume_command();
        match command.filter(|_| self.directory().check_present().is_ok()) {
            Some(command) => error.resumed_by(command),
            None => error,
        }
    }

    /// Command that resumes the run from any directory; none for a run without a store.
    fn resume_command(&self) -> Option<String> {
        let RunManifest {
            settings, store, ..
        } = self.run.manifest();
        let is_kept = !store.as_os_str().is_empty();
        let directory = shell_command::absolute(self.directory().path());
        is_kept.then(|| {
            format!(
                "retap {} --resume {}",
                settings.command(),
                shell_command::quoted(&directory)
            )
        })
    }

    /// Printed and no run event: the run has ended, and the hint is about the next command.
    fn print_resume_hint(&self) {
        if let Some(command) = self.resume_command() {
            let command = sanitise_terminal::sanitise_line(&command, LINE_WIDTH);
            let line = format!("interrupted; resume with: {command}");
            self.console().print(LineStyle::Warning, &line);
        }
    }
}

fn end_state(error: Option<&CommandError>, outcome: Outcome) -> RunState {
    match (error, outcome) {
        (Some(_), _) => RunState::Failed,
        (None, Outcome::Interrupted) => RunState::Interrupted,
        (None, _) => RunState::Done,
    }
}

fn exit_for(outcome: Outcome) -> CommandExit {
    match outcome {
        Outcome::Done | Outcome::BudgetSpent => CommandExit::Done,
        Outcome::Flaky => CommandExit::Flaky,
        Outcome::DoesNotReproduce => CommandExit::DoesNotReproduce,
        Outcome::Interrupted => CommandExit::Interrupted,
    }
}

impl UserError for ActiveRunError {
    fn exit(&self) -> CommandExit {
        CommandExit::InternalError
    }

    fn help(&self) -> String {
        "see whether the system has threads and memory left".into()
    }
}
