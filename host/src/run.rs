//! A run: its directory with manifest, events and crashes, and its place in the store.

pub mod crashes;
pub mod directory;
mod lock;
pub mod manifest;
pub mod moment;
pub mod store;
mod whole;

use std::env;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::failure::Failure;
use crate::run::directory::Directory;
use crate::run::manifest::{MANIFEST, Manifest, ManifestError, State};
use crate::run::moment::Moment;
use crate::settings::Settings;

/// Names the store, before `--store` does.
pub const STORE_VARIABLE: &str = "RETAP_STORE";
const PAGE: &str = "report.html";

#[derive(Debug)]
pub struct Run {
    directory: Arc<Directory>,
    manifest: Manifest,
}

impl Run {
    /// A new one at `out`, or below `runs/` with a name of its own.
    pub fn start(
        settings: Settings,
        seed: u64,
        out: Option<&Path>,
        store: &Path,
    ) -> Result<Run, Failure> {
        let directory = match out {
            Some(path) => Directory::create(path)?,
            None => Directory::create_named(settings.command(), seed)?,
        };
        let typed: Vec<String> = env::args_os()
            .skip(1)
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let started = Moment::now().words();
        let manifest = Manifest::new(
            format!("retap {}", typed.join(" ")),
            seed,
            started,
            job_name(),
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
        mine: impl Fn(&Settings) -> Option<S>,
    ) -> Result<(Run, S), Failure> {
        let directory = Directory::open(path)?;
        let manifest = Manifest::parse(&directory.read(MANIFEST)?, &path.join(MANIFEST))?;
        let settings = mine(&manifest.settings).ok_or_else(|| ManifestError::OtherCommand {
            path: path.to_owned(),
            command: manifest.settings.command(),
        })?;
        let mut run = Run {
            directory: Arc::new(directory),
            manifest,
        };
        run.set_state(State::Running)?;
        Ok((run, settings))
    }

    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn set_state(&mut self, state: State) -> Result<(), Failure> {
        self.manifest.state = state;
        self.save()
    }

    /// Returns where the page is.
    pub fn write_page(&self, html: &str) -> Result<PathBuf, Failure> {
        self.directory.write(PAGE, html.as_bytes())?;
        Ok(self.directory.path().join(PAGE))
    }

    fn save(&self) -> Result<(), Failure> {
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

fn job_name() -> String {
    format!("{:016x}", random_number())
}
