//! A job: settings become devices, engine and reporters, and at the end a state, files and an answer.
//! Every command that works on phones goes through here.

mod explore;
pub mod explorer;
mod play;
mod policy;
mod reduce;
mod reduction_source;
mod reductions;
mod report_page;
mod suite;
mod widget_correction;

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use explore::{ExplorationPlan, ExploreResult, explore};
pub use play::{PlayError, describe_verdict, play};
pub use policy::{load_or_solve_policy, load_prior, solve_policy};
pub use reduce::{ReductionOracle, ReductionPlan, ReductionResult, reduce};
pub use reduction_source::{ReductionSource, device_for};
pub use reductions::{ReducedTrace, reduce_all, reduce_one};
pub use report_page::{AppReport, render_report};
use retap_device::CancellationToken;
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::seed::Seed;
use retap_shared::micros::Micros;
use retap_shared::verdict::Outcome;
pub use suite::{
    ReducedSuite, SUITE_DIRECTORY, SUITE_MANIFEST, TraceSuite, check_suite, measure_json,
    run_suite_reduction,
};

use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::devices::{self, ConnectedPhones};
use crate::exit::CommandExit;
use crate::options::{PhoneSelection, RunOptions};
use crate::report::console::{Console, LineStyle};
use crate::report::event_log::{self, EventLog};
use crate::report::progress::ProgressReporter;
use crate::report::{self, Reporter};
use crate::run::Run;
use crate::run::manifest::{RunManifest, RunState};
use crate::run::store::{SqliteStore, StoreError, StoreJournal};
use crate::sanitise_terminal::{self, LINE_WIDTH};
use crate::shutdown;

pub struct ActiveRun {
    run: Run,
    store: SqliteStore,
    event_log: Arc<EventLog>,
    context: CommandContext,
    sink: EventSink,
    began: Instant,
}

/// Where a job puts what it makes.
#[derive(Clone, Debug, Default)]
pub struct RunLocation {
    /// The run's directory; without one it gets a name below `runs/`.
    pub out: Option<PathBuf>,
    pub store: Option<PathBuf>,
}

/// What a job's work came to.
#[derive(Debug)]
pub struct CommandResult<T> {
    pub outcome: Outcome,
    pub finding_count: usize,
    pub value: T,
}

#[derive(Debug, thiserror::Error)]
pub enum ActiveRunError {
    #[error("could not write `{}`", .path.display())]
    Events { path: PathBuf, source: io::Error },
    #[error("could not start the runtime")]
    Runtime(#[source] io::Error),
}

impl ActiveRun {
    /// A new run. Without a store it forgets what it observed when it ends.
    pub fn start(
        settings: RunOptions,
        seed: u64,
        place: &RunLocation,
        shell: &CommandContext,
    ) -> Result<ActiveRun, CommandError> {
        let (store, path) = match &place.store {
            Some(path) => (SqliteStore::open(path)?, path.as_path()),
            None => (SqliteStore::in_memory()?, Path::new("")),
        };
        let run = Run::start(settings, seed, place.out.as_deref(), path)?;
        ActiveRun::open(run, store, shell)
    }

    /// A run that was killed or stopped, with what it had observed. `store` is where it is now, if it was moved;
    /// `mine` chooses the settings that the command can go on with.
    pub fn resume<S>(
        path: &Path,
        store: Option<&Path>,
        shell: &CommandContext,
        mine: impl Fn(&RunOptions) -> Option<S>,
    ) -> Result<(ActiveRun, S), CommandError> {
        let (run, settings) = Run::resume(path, mine)?;
        let store = SqliteStore::open(store.unwrap_or(&run.manifest().store))?;
        let job = ActiveRun::open(run, store, shell)?;
        if !job.store.has_journals_of(&job.run.manifest().job)? {
            let text = "the store knows nothing of this run; it starts from the beginning".into();
            (job.sink)(RunEvent::Warning { text });
        }
        Ok((job, settings))
    }

    fn open(
        run: Run,
        store: SqliteStore,
        shell: &CommandContext,
    ) -> Result<ActiveRun, CommandError> {
        let path = run.directory().path().join(event_log::EVENTS_FILE);
        let lines = EventLog::open(&path, shell.cancellation.clone())
            .map_err(|source| ActiveRunError::Events { path, source })?;
        let lines = Arc::new(lines);
        let began = Instant::now();
        let narrator = Arc::new(ProgressReporter::new(Arc::clone(&shell.console)));
        let sink = report::event_sink(
            vec![Arc::clone(&lines) as Arc<dyn Reporter>, narrator],
            began,
        );
        Ok(ActiveRun {
            run,
            store,
            event_log: lines,
            context: shell.clone(),
            sink,
            began,
        })
    }

    pub fn seed(&self) -> Seed {
        Seed(self.run.manifest().seed)
    }

    pub fn run(&self) -> &Run {
        &self.run
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

    /// Real time since this process began with it.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The log of one part of the work. Parts have logs of their own: the same steps may be asked about twice.
    pub fn journal(&self, part: &str) -> Result<StoreJournal, StoreError> {
        self.store
            .journal(&format!("{}/{part}", self.run.manifest().job))
    }

    pub async fn connect(&self, devices: &PhoneSelection) -> Result<ConnectedPhones, CommandError> {
        Ok(ConnectedPhones::connect(devices, self.seed()).await?)
    }

    pub fn emit_started(&self, devices: Vec<String>) {
        let command = self.run.manifest().settings.command().to_owned();
        (self.sink)(RunEvent::RunStarted {
            command,
            seed: self.seed().0,
            devices,
        });
    }

    /// Does the work to its end, whatever that is, and leaves the run in the state that says so.
    pub fn execute<T>(
        mut self,
        work: impl AsyncFnOnce(&ActiveRun) -> Result<CommandResult<T>, CommandError>,
    ) -> Result<(CommandExit, T), CommandError> {
        let clock = self.run.manifest().settings.clock();
        let ended = block_on(clock, work(&self)).and_then(|ended| ended);
        self.console().end_progress();
        if let Ok(CommandResult {
            outcome,
            finding_count: problems,
            ..
        }) = &ended
        {
            let problems = u32::try_from(*problems).unwrap_or(u32::MAX);
            let took = Micros::from(self.elapsed());
            (self.sink)(RunEvent::Finished {
                outcome: *outcome,
                problems,
                took,
            });
        }
        // An event that could not be written is why the work was stopped: it comes before what the work says.
        let ended = self.check_events_written().and(ended);
        let state = match &ended {
            Ok(CommandResult {
                outcome: Outcome::Interrupted,
                ..
            }) => RunState::Interrupted,
            Ok(_) => RunState::Done,
            Err(_) => RunState::Failed,
        };
        let noted = self.run.set_state(state);
        let ended = ended?;
        noted?;
        if ended.outcome == Outcome::Interrupted {
            self.print_resume_hint();
        }
        Ok((exit_for(ended.outcome), ended.value))
    }

    fn print_resume_hint(&self) {
        let RunManifest {
            settings, store, ..
        } = self.run.manifest();
        if !store.as_os_str().is_empty() {
            let run = sanitise_terminal::sanitise_line(
                &self.run.directory().path().to_string_lossy(),
                LINE_WIDTH,
            );
            let line = format!(
                "stopped; go on with: retap {} --resume {run}",
                settings.command()
            );
            self.console().print(LineStyle::Warning, &line);
        }
    }

    fn check_events_written(&self) -> Result<(), CommandError> {
        let path = self.run.directory().path().join(event_log::EVENTS_FILE);
        match self.event_log.take_error() {
            Some(source) => Err(ActiveRunError::Events { path, source }.into()),
            None => Ok(()),
        }
    }
}

/// Whose time passes while phones work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    /// Phones that are simulated in this process: their time is slept on a clock that jumps.
    Virtual,
    /// Phones behind a link. A clock that jumps must never meet a socket.
    Real,
}

impl ClockKind {
    pub fn for_device(device: &str) -> ClockKind {
        if devices::is_linked(device) {
            ClockKind::Real
        } else {
            ClockKind::Virtual
        }
    }
}

pub fn block_on<T>(clock: ClockKind, work: impl Future<Output = T>) -> Result<T, CommandError> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    match clock {
        ClockKind::Virtual => runtime.enable_time().start_paused(true),
        ClockKind::Real => runtime.enable_all(),
    };
    Ok(runtime
        .build()
        .map_err(ActiveRunError::Runtime)?
        .block_on(async {
            let done = work.await;
            // Links that were dropped have still to say so: their tasks run once more.
            tokio::task::yield_now().await;
            shutdown::wait_for_all().await;
            done
        }))
}

fn exit_for(outcome: Outcome) -> CommandExit {
    match outcome {
        Outcome::Done | Outcome::BudgetSpent => CommandExit::Done,
        Outcome::DoesNotReproduce => CommandExit::DoesNotReproduce,
        Outcome::Interrupted => CommandExit::Interrupted,
    }
}

impl UserError for ActiveRunError {
    fn exit(&self) -> CommandExit {
        match self {
            ActiveRunError::Events { .. } => CommandExit::Usage,
            ActiveRunError::Runtime(_) => CommandExit::InternalError,
        }
    }

    fn help(&self) -> String {
        match self {
            ActiveRunError::Events { .. } => {
                "make room or give the right to write there; a run goes on with `--resume` and keeps what it has observed"
                    .into()
            }
            ActiveRunError::Runtime(_) => "see whether the system has threads and memory left".into(),
        }
    }
}
