//! The runs that the store knows: where they are, how large and how old they are, and their removal.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::options::{KeepAge, KeepSize};
use crate::run::directory::{self, EVENTS_FILE, RunDirectory, RunDirectoryError};
use crate::run::leftovers::LOCK;
use crate::run::lock::{self, LockContent, RunLock, RunLockError};
use crate::run::manifest::{MANIFEST, RunManifest, RunState};
use crate::run::store::{RunPlace, SqliteStore, StoreError};
use crate::run::utc_time::UtcTime;

/// Everything that Retap writes into a run directory but the lock and the manifest, which are removed last.
const CONTENTS: [&str; 11] = [
    "crashes",
    "unconfirmed",
    "apart",
    "traces",
    "originals",
    "suite",
    "abstraction.txt",
    "abstraction.json",
    "inputs.json",
    "report.html",
    EVENTS_FILE,
];

/// A run that the store knows.
#[derive(Clone, Debug)]
pub struct KeptRun {
    pub place: RunPlace,
    pub state: KeptState,
    /// Bytes of its directory and of its part of the store.
    pub bytes: u64,
    /// Time since it was last written.
    pub age: Duration,
}

/// State of a run, as far as its directory tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptState {
    /// A process works on it.
    InUse,
    /// Its process was killed.
    Killed,
    Done,
    Interrupted,
    Failed,
    /// Its directory was moved or removed.
    Gone,
    /// Its directory is not known: an earlier version started it.
    Unknown,
}

impl KeptState {
    pub fn name(self) -> &'static str {
        match self {
            KeptState::InUse => "in use",
            KeptState::Killed => "killed",
            KeptState::Done => "done",
            KeptState::Interrupted => "interrupted",
            KeptState::Failed => "failed",
            KeptState::Gone => "gone",
            KeptState::Unknown => "unknown",
        }
    }
}

/// All runs of the store, the oldest first.
pub fn list(store: &SqliteStore, now: SystemTime) -> Result<Vec<KeptRun>, StoreError> {
    let mut runs: Vec<KeptRun> = store
        .run_places()?
        .into_iter()
        .map(|place| {
            let stored = place.stored_bytes;
            let (state, bytes) = match &place.path {
                None => (KeptState::Unknown, 0),
                Some(path) => (state(path, &place.run), directory_bytes(path)),
            };
            let age = age(&place, now);
            KeptRun {
                place,
                state,
                bytes: bytes + stored,
                age,
            }
        })
        .collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.age));
    Ok(runs)
}

/// The runs to remove: those that are too old, then the oldest until the rest is small enough. None that is in use.
pub fn to_remove(runs: &[KeptRun], max_age: KeepAge, max_size: KeepSize) -> Vec<KeptRun> {
    let mut left: u64 = runs.iter().map(|run| run.bytes).sum();
    let mut removed = Vec::new();
    for run in runs {
        let is_excess = run.age > max_age.0 || left > max_size.0;
        if is_excess && run.state != KeptState::InUse {
            left -= run.bytes;
            removed.push(run.clone());
        }
    }
    removed
}

/// Removes a run: its files, its directory if nothing else is in it, then its part of the store. False if a process has
/// begun to work on it.
pub fn remove(store: &SqliteStore, run: &KeptRun) -> Result<bool, RemoveRunError> {
    match &run.place.path {
        None => {}
        Some(path) if run.state == KeptState::Gone => remove_remains(path),
        Some(path) => match RunDirectory::open(path) {
            Ok(directory) => remove_files(&directory)?,
            Err(RunDirectoryError::InUse { .. }) => return Ok(false),
            // It was removed meanwhile.
            Err(RunDirectoryError::NotARun { .. }) => {}
            Err(error) => return Err(error.into()),
        },
    }
    store.remove_run(&run.place.run)?;
    Ok(true)
}

/// Failure to remove a run.
#[derive(Debug, thiserror::Error)]
pub enum RemoveRunError {
    #[error(transparent)]
    Directory(#[from] RunDirectoryError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("could not remove `{}`", .path.display())]
    Remove {
        path: PathBuf,
        source: std::io::Error,
    },
}

/// The manifest comes last: a removal that is stopped can be done again.
fn remove_files(directory: &RunDirectory) -> Result<(), RemoveRunError> {
    for name in CONTENTS.into_iter().chain([MANIFEST, LOCK]) {
        let path = directory.path().join(name);
        let removed = match fs::symlink_metadata(&path) {
            Err(_) => Ok(()),
            Ok(found) if found.is_dir() => fs::remove_dir_all(&path),
            Ok(_) => fs::remove_file(&path),
        };
        removed.map_err(|source| RemoveRunError::Remove { path, source })?;
    }
    // What else is in it belongs to somebody, and stays.
    let _ = fs::remove_dir(directory.path());
    Ok(())
}

/// Removes what a removal that was stopped behind the manifest has left: the lock, and the directory if nothing else is in
/// it. Does nothing where there is another run by now.
fn remove_remains(directory: &Path) {
    let lock = directory.join(LOCK);
    if directory.join(MANIFEST).exists() {
        return;
    }
    if lock::content(&lock) == LockContent::Working && RunLock::probe(&lock).is_ok() {
        let _ = fs::remove_file(&lock);
    }
    let _ = fs::remove_dir(directory);
}

fn state(path: &Path, run: &str) -> KeptState {
    let text = directory::read(&path.join(MANIFEST));
    let manifest = text
        .ok()
        .and_then(|text| RunManifest::parse(&text, path).ok());
    // Another run may be where this one was.
    let Some(manifest) = manifest.filter(|manifest| manifest.job == run) else {
        return KeptState::Gone;
    };
    if matches!(RunLock::probe(&path.join(LOCK)), Err(RunLockError::Held(_))) {
        return KeptState::InUse;
    }
    match manifest.state {
        RunState::Running => KeptState::Killed,
        RunState::Done => KeptState::Done,
        RunState::Interrupted => KeptState::Interrupted,
        RunState::Failed => KeptState::Failed,
    }
}

fn age(place: &RunPlace, now: SystemTime) -> Duration {
    let written = place
        .path
        .as_ref()
        .and_then(|path| fs::metadata(path.join(EVENTS_FILE)).ok()?.modified().ok());
    let UtcTime(millis) = place.started;
    let started = SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
    now.duration_since(written.map_or(started, |written| written.max(started)))
        .unwrap_or_default()
}

/// Size of all files in a directory; what cannot be read counts as nothing.
fn directory_bytes(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    entries
        .filter_map(Result::ok)
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => directory_bytes(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}

impl UserError for RemoveRunError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            RemoveRunError::Directory(error) => error.help(),
            RemoveRunError::Store(error) => error.help(),
            RemoveRunError::Remove { .. } => {
                "allow removing it, then run the same command again".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, days: u64, bytes: u64, state: KeptState) -> KeptRun {
        KeptRun {
            place: RunPlace {
                run: name.into(),
                path: None,
                command: "explore".into(),
                app: String::new(),
                started: UtcTime(0),
                stored_bytes: 0,
            },
            state,
            bytes,
            age: Duration::from_secs(days * 86_400),
        }
    }

    #[test]
    fn old_runs_go_first_then_the_oldest_until_the_rest_fits_and_never_one_in_use() {
        let runs = [
            run("ancient", 400, 10, KeptState::Done),
            run("working", 300, 10, KeptState::InUse),
            run("older", 20, 10, KeptState::Killed),
            run("newer", 10, 10, KeptState::Done),
        ];
        let removed = |age: &str, size: &str| -> Vec<String> {
            to_remove(&runs, age.parse().unwrap(), size.parse().unwrap())
                .into_iter()
                .map(|run| run.place.run)
                .collect()
        };
        assert_eq!(removed("90d", "1GB"), ["ancient"]);
        assert_eq!(removed("500d", "30B"), ["ancient"]);
        assert_eq!(removed("90d", "25B"), ["ancient", "older"]);
        assert_eq!(removed("90d", "0B"), ["ancient", "older", "newer"]);
        assert!(removed("500d", "1GB").is_empty());
    }
}
