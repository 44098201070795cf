//! The directory of a run: created once, locked while in use, every file written atomically.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::input_file;
use crate::run::atomic_write;
use crate::run::leftovers::{self, LOCK};
use crate::run::lock::{RunLock, RunLockError};
use crate::run::manifest::MANIFEST;
use crate::run::utc_time::UtcTime;

/// Log of the run's events, inside the run.
pub const EVENTS_FILE: &str = "events.jsonl";
/// Parent of runs without `--out`, below the working directory.
const RUNS: &str = "runs";

/// A locked run directory.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    lock: RunLock,
    /// False until the run has its manifest. Then what was written so far is removed if it is dropped.
    is_started: AtomicBool,
}

#[derive(Debug, thiserror::Error)]
pub enum RunDirectoryError {
    #[error("the directory `{}` is not empty", .path.display())]
    NotEmpty { path: PathBuf },
    #[error("`{}` is not a run: it has no `{MANIFEST}`", .path.display())]
    NotARun { path: PathBuf },
    #[error("the run `{}` is in use by {}", .path.display(), process(.holder))]
    InUse { path: PathBuf, holder: Option<u32> },
    #[error("could not create the run directory `{}`", .path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("could not read `{}`", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("could not write `{}`", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("the run directory `{}` was moved or removed during the run", .path.display())]
    Gone { path: PathBuf },
}

impl RunDirectory {
    /// Creates a directory at `path`, which must not exist, be empty, or have what a start that ended early left.
    pub fn create(path: &Path) -> Result<RunDirectory, RunDirectoryError> {
        let failed = |source| RunDirectoryError::Create {
            path: path.to_owned(),
            source,
        };
        let check = || match leftovers::may_become_run(path) {
            Ok(true) => Ok(()),
            Ok(false) => Err(RunDirectoryError::NotEmpty {
                path: path.to_owned(),
            }),
            Err(error) => Err(failed(error)),
        };
        atomic_write::create_directories(path).map_err(failed)?;
        // Before the lock, which must not appear among files of others.
        check()?;
        let lock = RunLock::take_for_start(&path.join(LOCK));
        let directory = RunDirectory::locked(path, lock, false, failed)?;
        // Another process may have been faster.
        check()?;
        leftovers::remove_unfinished_start(path).map_err(failed)?;
        Ok(directory)
    }

    /// Creates a directory below `runs/`, named by time, command and seed.
    pub fn create_named(command: &str, seed: u64) -> Result<RunDirectory, RunDirectoryError> {
        let name = format!("{}-{command}-{seed}", UtcTime::now().file_stamp());
        let mut path = Path::new(RUNS).join(&name);
        for number in 2.. {
            // Created here and not by `create`, so that two processes of the same second never share it.
            let failed = |source| RunDirectoryError::Create {
                path: path.clone(),
                source,
            };
            atomic_write::create_directories(Path::new(RUNS)).map_err(failed)?;
            match fs::create_dir(&path).and_then(|()| atomic_write::sync_directory(&path)) {
                Ok(()) => break,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
            path = Path::new(RUNS).join(format!("{name}-{number}"));
        }
        RunDirectory::create(&path)
    }

    /// Opens the directory of an existing run, and removes temporary files that an earlier process left.
    pub fn open(path: &Path) -> Result<RunDirectory, RunDirectoryError> {
        if !is_run(path) {
            return Err(RunDirectoryError::NotARun {
                path: path.to_owned(),
            });
        }
        let failed = |source| RunDirectoryError::Write {
            path: path.join(LOCK),
            source,
        };
        let lock = RunLock::take(&path.join(LOCK));
        let directory = RunDirectory::locked(path, lock, true, failed)?;
        // They do no harm, and whatever keeps them here must not keep the run from being resumed.
        let _ = leftovers::remove_temporary_files(path);
        Ok(directory)
    }

    fn locked(
        path: &Path,
        lock: Result<RunLock, RunLockError>,
        is_started: bool,
        failed: impl Fn(io::Error) -> RunDirectoryError,
    ) -> Result<RunDirectory, RunDirectoryError> {
        match lock {
            Ok(lock) => Ok(RunDirectory {
                path: path.to_owned(),
                lock,
                is_started: AtomicBool::new(is_started),
            }),
            Err(RunLockError::Held(holder)) => Err(RunDirectoryError::InUse {
                path: path.to_owned(),
                holder,
            }),
            Err(RunLockError::Io(error)) => Err(failed(error)),
        }
    }

    /// Notes that the run has its manifest and all its inputs: from now on it can be resumed.
    pub fn note_started(&self) -> Result<(), RunDirectoryError> {
        self.is_started.store(true, Ordering::Relaxed);
        self.lock
            .note_started()
            .map_err(|source| RunDirectoryError::Write {
                path: self.path.join(LOCK),
                source,
            })
    }

    /// Fails if the directory was moved or removed: a write by its path would make another one, or be lost.
    pub fn check_present(&self) -> Result<(), RunDirectoryError> {
        if self.lock.is_at(&self.path.join(LOCK)) {
            Ok(())
        } else {
            Err(RunDirectoryError::Gone {
                path: self.path.clone(),
            })
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file by its path inside the run, and creates the directories above it.
    pub fn write(&self, inside: &str, bytes: &[u8]) -> Result<(), RunDirectoryError> {
        self.check_present()?;
        let path = self.path.join(inside);
        let parents = path
            .parent()
            .map_or(Ok(()), atomic_write::create_directories);
        let written = parents.and_then(|()| atomic_write::write_atomically(&path, bytes));
        written.map_err(|source| match self.is_started.load(Ordering::Relaxed) {
            true => RunDirectoryError::Write { path, source },
            false => RunDirectoryError::Create {
                path: self.path.clone(),
                source,
            },
        })
    }

    /// Removes a directory by its path inside the run, if it exists.
    pub fn remove(&self, inside: &str) -> Result<(), RunDirectoryError> {
        self.check_present()?;
        let path = self.path.join(inside);
        match fs::remove_dir_all(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(RunDirectoryError::Write { path, source })
            }
            _ => Ok(()),
        }
    }

    /// Reads a file by its path inside the run.
    pub fn read(&self, inside: &str) -> Result<String, RunDirectoryError> {
        read(&self.path.join(inside))
    }
}

impl Drop for RunDirectory {
    /// A run that was not started leaves nothing behind: what it wrote is removed, and the directory too if it is empty then.
    fn drop(&mut self) {
        let is_left = || matches!(leftovers::may_become_run(&self.path), Ok(true));
        if self.is_started.load(Ordering::Relaxed) || self.check_present().is_err() || !is_left() {
            return;
        }
        // The error that ended the start is reported. What cannot be removed is taken for what it is by the next start.
        let _ = leftovers::remove_unfinished_start(&self.path)
            .and_then(|()| fs::remove_file(self.path.join(LOCK)))
            .and_then(|()| fs::remove_dir(&self.path));
    }
}

/// Returns whether the directory has a manifest.
pub fn is_run(path: &Path) -> bool {
    path.join(MANIFEST).is_file()
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String, RunDirectoryError> {
    input_file::read_to_string(path).map_err(|source| RunDirectoryError::Read {
        path: path.to_owned(),
        source,
    })
}

fn process(holder: &Option<u32>) -> String {
    holder.map_or_else(
        || "another process".to_owned(),
        |pid| format!("process {pid}"),
    )
}

impl UserError for RunDirectoryError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            RunDirectoryError::NotEmpty { path } if is_run(path) => {
                format!("name another directory with `--out`, or resume this run with `--resume {}`", path.display())
            }
            RunDirectoryError::NotEmpty { .. } => "name a directory with `--out` that is empty or does not exist".into(),
            RunDirectoryError::NotARun { .. } => {
                "name the directory of a run, as printed in the last line of `retap explore`".into()
            }
            RunDirectoryError::InUse { holder, .. } => {
                format!("wait until {} has ended, or end it: the run can be resumed", process(holder))
            }
            RunDirectoryError::Create { .. } => {
                "free disk space, or name a directory with `--out` where you may write; then start again".into()
            }
            RunDirectoryError::Gone { .. } => {
                "if it was moved, resume the run with `--resume` and its new place; all observations are in the store".into()
            }
            RunDirectoryError::Read { .. } => "see whether the file exists, is text, and may be read".into(),
            RunDirectoryError::Write { .. } => {
                "free disk space or allow writing there, then resume with `--resume`; all observations are kept"
                    .into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_is_not_empty_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("mine"), "precious").unwrap();
        let error = RunDirectory::create(parent.path()).unwrap_err();
        assert!(matches!(error, RunDirectoryError::NotEmpty { .. }));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_a_directory_with_a_manifest_is_a_run() {
        let parent = tempfile::tempdir().unwrap();
        assert!(matches!(
            RunDirectory::open(parent.path()),
            Err(RunDirectoryError::NotARun { .. })
        ));
        fs::write(parent.path().join(MANIFEST), "{}").unwrap();
        let run = RunDirectory::open(parent.path()).unwrap();
        assert!(matches!(
            RunDirectory::open(parent.path()),
            Err(RunDirectoryError::InUse { .. })
        ));
        run.write("crashes/1/stack.txt", b"at home").unwrap();
        assert_eq!(run.read("crashes/1/stack.txt").unwrap(), "at home");
    }
}
