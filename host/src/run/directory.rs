//! The directory of a run: created once, locked while in use, every file written atomically.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::input_file;
use crate::run::atomic_write;
use crate::run::lock::{RunLock, RunLockError};
use crate::run::manifest::MANIFEST;
use crate::run::utc_time::UtcTime;

/// Parent of runs without `--out`, below the working directory.
const RUNS: &str = "runs";
const LOCK: &str = "lock";

/// A locked run directory.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    _lock: RunLock,
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
}

impl RunDirectory {
    /// Creates a directory at `path`, which must be empty or not exist.
    pub fn create(path: &Path) -> Result<RunDirectory, RunDirectoryError> {
        let failed = |source| RunDirectoryError::Create {
            path: path.to_owned(),
            source,
        };
        fs::create_dir_all(path).map_err(failed)?;
        if fs::read_dir(path).map_err(failed)?.next().is_some() {
            return Err(RunDirectoryError::NotEmpty {
                path: path.to_owned(),
            });
        }
        RunDirectory::lock(path, failed)
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
            fs::create_dir_all(RUNS).map_err(failed)?;
            match fs::create_dir(&path) {
                Ok(()) => break,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
            path = Path::new(RUNS).join(format!("{name}-{number}"));
        }
        RunDirectory::create(&path)
    }

    /// Opens the directory of an existing run.
    pub fn open(path: &Path) -> Result<RunDirectory, RunDirectoryError> {
        if !is_run(path) {
            return Err(RunDirectoryError::NotARun {
                path: path.to_owned(),
            });
        }
        RunDirectory::lock(path, |source| RunDirectoryError::Write {
            path: path.join(LOCK),
            source,
        })
    }

    fn lock(
        path: &Path,
        failed: impl Fn(io::Error) -> RunDirectoryError,
    ) -> Result<RunDirectory, RunDirectoryError> {
        match RunLock::take(&path.join(LOCK)) {
            Ok(lock) => Ok(RunDirectory {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(RunLockError::Held(holder)) => Err(RunDirectoryError::InUse {
                path: path.to_owned(),
                holder,
            }),
            Err(RunLockError::Io(error)) => Err(failed(error)),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file by its path inside the run, and creates the directories above it.
    pub fn write(&self, inside: &str, bytes: &[u8]) -> Result<(), RunDirectoryError> {
        let path = self.path.join(inside);
        let parents = path.parent().map_or(Ok(()), fs::create_dir_all);
        parents
            .and_then(|()| atomic_write::write_atomically(&path, bytes))
            .map_err(|source| RunDirectoryError::Write { path, source })
    }

    /// Removes a directory by its path inside the run, if it exists.
    pub fn remove(&self, inside: &str) -> Result<(), RunDirectoryError> {
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
            RunDirectoryError::Create { .. } => "name a directory with `--out` where you may write".into(),
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
