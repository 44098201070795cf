//! A run: its directory with manifest, events, findings and page, and the name of its journal in the store.

pub mod atomic_write;
pub mod baseline;
pub mod directory;
pub mod findings;
pub mod kept_runs;
pub mod known_finding;
mod leftovers;
mod lock;
pub mod manifest;
pub mod reduced_suite;
pub mod store;
pub mod utc_time;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::command_error::CommandError;
use crate::options::RunOptions;
use crate::run::directory::RunDirectory;
use crate::run::manifest::{MANIFEST, RunManifest, RunManifestError, RunState};
use crate::run::utc_time::UtcTime;

/// Environment variable that names the store; `--store` has precedence.
pub const STORE_VARIABLE: &str = "RETAP_STORE";
const PAGE: &str = "report.html";

/// A run and its directory.
#[derive(Debug)]
pub struct Run {
    directory: Arc<RunDirectory>,
    manifest: RunManifest,
}

impl Run {
    /// Starts a new run at `out`, or below `runs/` with a generated name. `copy_inputs` comes before the manifest: a
    /// directory with a manifest has all inputs of its run.
    pub fn start(
        options: RunOptions,
        seed: u64,
        out: Option<&Path>,
        store: &Path,
        copy_inputs: impl FnOnce(&RunDirectory) -> Result<(), CommandError>,
    ) -> Result<Run, CommandError> {
        let directory = match out {
            Some(path) => RunDirectory::create(path)?,
            None => RunDirectory::create_named(options.command(), seed)?,
        };
        let typed: Vec<String> = env::args_os()
            .skip(1)
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let started = UtcTime::now().to_text();
        let manifest = RunManifest::new(
            format!("retap {}", typed.join(" ")),
            seed,
            started,
            journal_name(),
            store,
            options,
        );
        copy_inputs(&directory)?;
        let run = Run {
            directory: Arc::new(directory),
            manifest,
        };
        run.save()?;
        run.directory.note_started()?;
        Ok(run)
    }

    /// Opens a run that is not at work, whatever command made it. Its state stays.
    pub fn open(path: &Path) -> Result<Run, CommandError> {
        let directory = RunDirectory::open(path)?;
        let manifest = RunManifest::parse(&directory.read(MANIFEST)?, &path.join(MANIFEST))?;
        Ok(Run {
            directory: Arc::new(directory),
            manifest,
        })
    }

    /// Resumes a run. `select` returns its options if they are of the command that resumes.
    pub fn resume<S>(
        path: &Path,
        select: impl Fn(&RunOptions) -> Option<S>,
    ) -> Result<(Run, S), CommandError> {
        let mut run = Run::open(path)?;
        let recorded = &run.manifest.settings;
        let options = select(recorded).ok_or_else(|| RunManifestError::OtherCommand {
            path: path.to_owned(),
            command: recorded.command(),
        })?;
        run.set_state(RunState::Running)?;
        Ok((run, options))
    }

    pub fn directory(&self) -> &Arc<RunDirectory> {
        &self.directory
    }

    pub fn manifest(&self) -> &RunManifest {
        &self.manifest
    }

    pub fn set_state(&mut self, state: RunState) -> Result<(), CommandError> {
        self.manifest.state = state;
        self.save()
    }

    /// Writes the page, and returns its path.
    pub fn write_page(&self, html: &str) -> Result<PathBuf, CommandError> {
        self.directory.write(PAGE, html.as_bytes())?;
        Ok(self.directory.path().join(PAGE))
    }

    fn save(&self) -> Result<(), CommandError> {
        Ok(self
            .directory
            .write(MANIFEST, self.manifest.to_text()?.as_bytes())?)
    }
}

/// Path of the store, unless it is named.
pub fn default_store() -> PathBuf {
    data_directory().join("store.sqlite")
}

/// Directory of what outlives the runs of this user.
pub fn data_directory() -> PathBuf {
    let home = || env::home_dir().map(|home| home.join(".local").join("share"));
    // By the XDG rules a relative path counts as not set.
    let data = env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    data.or_else(home).unwrap_or_default().join("retap")
}

/// A number from the system's randomness, for names and for seeds that were not given.
pub fn random_number() -> u64 {
    rand::random()
}

fn journal_name() -> String {
    format!("{:016x}", random_number())
}
