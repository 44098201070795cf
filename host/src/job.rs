//! A job: settings become devices, engine and reporters, and at the end a state, files and an answer.
//! Every command that works on phones goes through here.

mod anchor;
mod explore;
pub mod explorer;
mod page;
mod play;
mod policy;
mod reduce;
mod reductions;
mod source;
mod suite;

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use explore::{Explored, Wanted, explore};
pub use page::{Section, page};
pub use play::{PlayError, play, verdict_in_words};
pub use policy::{policy, prior, solve};
pub use reduce::{Cut, Ground, Rules, reduce};
pub use reductions::{Shortened, reduce_all, shorten};
use retap_device::event::{RunEvent, Sink};
use retap_device::seed::Seed;
use retap_device::stop::Stop;
use retap_shared::micros::Micros;
use retap_shared::verdict::Outcome;
pub use source::{Source, phone_for};
pub use suite::{MANIFEST, SUITE, Smaller, Suite, check_suite, measure, suite};

use crate::devices::{self, Phones};
use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::farewell;
use crate::plain::{self, LONG};
use crate::report::console::{Console, Tone};
use crate::report::json_lines::{self, JsonLines};
use crate::report::narrator::Narrator;
use crate::report::{self, Reporter};
use crate::run::Run;
use crate::run::manifest::{Manifest, State};
use crate::run::store::{JobJournal, Store, StoreError};
use crate::settings::{Devices, Settings};
use crate::shell::Shell;

pub struct Job {
    run: Run,
    store: Store,
    lines: Arc<JsonLines>,
    shell: Shell,
    sink: Sink,
    began: Instant,
}

/// Where a job puts what it makes.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The run's directory; without one it gets a name below `runs/`.
    pub out: Option<PathBuf>,
    pub store: Option<PathBuf>,
}

/// What a job's work came to.
#[derive(Debug)]
pub struct Ended<T> {
    pub outcome: Outcome,
    pub problems: usize,
    pub answer: T,
}

#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("could not write `{}`", .path.display())]
    Events { path: PathBuf, source: io::Error },
    #[error("could not start the runtime")]
    Runtime(#[source] io::Error),
}

impl Job {
    /// A new run. Without a store it forgets what it observed when it ends.
    pub fn start(
        settings: Settings,
        seed: u64,
        place: &Place,
        shell: &Shell,
    ) -> Result<Job, Failure> {
        let (store, path) = match &place.store {
            Some(path) => (Store::open(path)?, path.as_path()),
            None => (Store::in_memory()?, Path::new("")),
        };
        let run = Run::start(settings, seed, place.out.as_deref(), path)?;
        Job::over(run, store, shell)
    }

    /// A run that was killed or stopped, with what it had observed. `store` is where it is now, if it was moved;
    /// `mine` chooses the settings that the command can go on with.
    pub fn resume<S>(
        path: &Path,
        store: Option<&Path>,
        shell: &Shell,
        mine: impl Fn(&Settings) -> Option<S>,
    ) -> Result<(Job, S), Failure> {
        let (run, settings) = Run::resume(path, mine)?;
        let store = Store::open(store.unwrap_or(&run.manifest().store))?;
        let job = Job::over(run, store, shell)?;
        if !job.store.has_jobs_of(&job.run.manifest().job)? {
            let text = "the store knows nothing of this run; it starts from the beginning".into();
            (job.sink)(RunEvent::Warning { text });
        }
        Ok((job, settings))
    }

    fn over(run: Run, store: Store, shell: &Shell) -> Result<Job, Failure> {
        let path = run.directory().path().join(json_lines::FILE);
        let lines = JsonLines::open(&path, shell.stop.clone())
            .map_err(|source| JobError::Events { path, source })?;
        let lines = Arc::new(lines);
        let began = Instant::now();
        let narrator = Arc::new(Narrator::new(Arc::clone(&shell.console)));
        let sink = report::tell(
            vec![Arc::clone(&lines) as Arc<dyn Reporter>, narrator],
            began,
        );
        Ok(Job {
            run,
            store,
            lines,
            shell: shell.clone(),
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

    pub fn store(&self) -> &Store {
        &self.store
    }

    pub fn shell(&self) -> &Shell {
        &self.shell
    }

    pub fn console(&self) -> &Console {
        &self.shell.console
    }

    pub fn stop(&self) -> &Stop {
        &self.shell.stop
    }

    pub fn sink(&self) -> &Sink {
        &self.sink
    }

    /// Real time since this process began with it.
    pub fn took(&self) -> Duration {
        self.began.elapsed()
    }

    /// The log of one part of the work. Parts have logs of their own: the same steps may be asked about twice.
    pub fn journal(&self, part: &str) -> Result<JobJournal, StoreError> {
        self.store
            .job(&format!("{}/{part}", self.run.manifest().job))
    }

    pub async fn connect(&self, devices: &Devices) -> Result<Phones, Failure> {
        Ok(Phones::connect(devices, self.seed()).await?)
    }

    pub fn tell_started(&self, devices: Vec<String>) {
        let command = self.run.manifest().settings.command().to_owned();
        (self.sink)(RunEvent::RunStarted {
            command,
            seed: self.seed().0,
            devices,
        });
    }

    /// Does the work to its end, whatever that is, and leaves the run in the state that says so.
    pub fn work<T>(
        mut self,
        work: impl AsyncFnOnce(&Job) -> Result<Ended<T>, Failure>,
    ) -> Result<(Exit, T), Failure> {
        let clock = self.run.manifest().settings.clock();
        let ended = block_on(clock, work(&self)).and_then(|ended| ended);
        self.console().end_progress();
        if let Ok(Ended {
            outcome, problems, ..
        }) = &ended
        {
            let problems = u32::try_from(*problems).unwrap_or(u32::MAX);
            let took = Micros::from(self.took());
            (self.sink)(RunEvent::Finished {
                outcome: *outcome,
                problems,
                took,
            });
        }
        // An event that could not be written is why the work was stopped: it comes before what the work says.
        let ended = self.written().and(ended);
        let state = match &ended {
            Ok(Ended {
                outcome: Outcome::Interrupted,
                ..
            }) => State::Interrupted,
            Ok(_) => State::Done,
            Err(_) => State::Failed,
        };
        let noted = self.run.set_state(state);
        let ended = ended?;
        noted?;
        if ended.outcome == Outcome::Interrupted {
            self.tell_how_to_resume();
        }
        Ok((exit_of(ended.outcome), ended.answer))
    }

    fn tell_how_to_resume(&self) {
        let Manifest {
            settings, store, ..
        } = self.run.manifest();
        if !store.as_os_str().is_empty() {
            let run = plain::line(&self.run.directory().path().to_string_lossy(), LONG);
            let line = format!(
                "stopped; go on with: retap {} --resume {run}",
                settings.command()
            );
            self.console().say(Tone::Warning, &line);
        }
    }

    fn written(&self) -> Result<(), Failure> {
        let path = self.run.directory().path().join(json_lines::FILE);
        match self.lines.take_failure() {
            Some(source) => Err(JobError::Events { path, source }.into()),
            None => Ok(()),
        }
    }
}

/// Whose time passes while phones work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Phones that are simulated in this process: their time is slept on a clock that jumps.
    Jumping,
    /// Phones behind a link. A clock that jumps must never meet a socket.
    Real,
}

impl Clock {
    pub fn of(device: &str) -> Clock {
        if devices::is_linked(device) {
            Clock::Real
        } else {
            Clock::Jumping
        }
    }
}

pub fn block_on<T>(clock: Clock, work: impl Future<Output = T>) -> Result<T, Failure> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    match clock {
        Clock::Jumping => runtime.enable_time().start_paused(true),
        Clock::Real => runtime.enable_all(),
    };
    Ok(runtime.build().map_err(JobError::Runtime)?.block_on(async {
        let done = work.await;
        // Links that were dropped have still to say so: their tasks run once more.
        tokio::task::yield_now().await;
        farewell::all().await;
        done
    }))
}

fn exit_of(outcome: Outcome) -> Exit {
    match outcome {
        Outcome::Done | Outcome::BudgetSpent => Exit::Done,
        Outcome::DoesNotReproduce => Exit::DoesNotReproduce,
        Outcome::Interrupted => Exit::Interrupted,
    }
}

impl Explained for JobError {
    fn exit(&self) -> Exit {
        match self {
            JobError::Events { .. } => Exit::Usage,
            JobError::Runtime(_) => Exit::OwnFault,
        }
    }

    fn help(&self) -> String {
        match self {
            JobError::Events { .. } => {
                "make room or give the right to write there; a run goes on with `--resume` and keeps what it has observed"
                    .into()
            }
            JobError::Runtime(_) => "see whether the system has threads and memory left".into(),
        }
    }
}
