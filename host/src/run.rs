//! A run: its directory with manifest, events and crashes, and its place in the store.

mod atomic_write;
pub mod directory;
pub mod findings;
mod lock;
pub mod manifest;
pub mod store;
pub mod utc_time;

use std::env;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::command_error::CommandError;
use crate::options::RunOptions;
use crate::run::directory::RunDirectory;
use crate::run::manifest::{MANIFEST, RunManifest, RunManifestError, RunState};
use crate::run::utc_time::UtcTime;

/// Names the store, before `--store` does.
pub const STORE_VARIABLE: &str = "RETAP_STORE";
const PAGE: &str = "report.html";

#[derive(Debug)]
pub struct Run {
    directory: Arc<RunDirectory>,
    manifest: RunManifest,
}

impl Run {
    /// A new one at `out`, or below `runs/` with a name of its own.
    pub fn start(
        settings: RunOptions,
        seed: u64,
        out: Option<&Path>,
        store: &Path,
    ) -> Result<Run, CommandError> {
        let directory = match out {
            Some(path) => RunDirectory::create(path)?,
            None => RunDirectory::create_named(settings.command(), seed)?,
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
            settings,
        );
        let run = Run {
            directory: Arc::new(directory),
            manifest,
        };
        run.save()?;
        Ok(run)
    }

    /// One whose process was killed or stopped, with its settings if they are `mine` to go on with.
    pub fn resume<S>(
        path: &Path,
        mine: impl Fn(&RunOptions) -> Option<S>,
    ) -> Result<(Run, S), CommandError> {
        let directory = RunDirectory::open(path)?;
        let manifest = RunManifest::parse(&directory.read(MANIFEST)?, &path.join(MANIFEST))?;
        let settings = mine(&manifest.settings).ok_or_else(|| RunManifestError::OtherCommand {
            path: path.to_owned(),
            command: manifest.settings.command(),
        })?;
        let mut run = Run {
            directory: Arc::new(directory),
            manifest,
        };
        run.set_state(RunState::Running)?;
        Ok((run, settings))
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

    /// Returns where the page is.
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

/// Where the store is if nobody says otherwise.
pub fn default_store() -> PathBuf {
    let home = || env::home_dir().map(|home| home.join(".local").join("share"));
    // By the XDG rules a relative path counts as not set.
    let data = env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    data.or_else(home)
        .unwrap_or_default()
        .join("retap")
        .join("store.sqlite")
}

/// A number that nobody chose, from the randomness that the system gives every process.
pub fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn journal_name() -> String {
    format!("{:016x}", random_number())
}
