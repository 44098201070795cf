//! The lock of a run: one process at a time works on it. The system releases it when the process ends. The file names that
//! process, and says whether the run is only being started.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process;

/// Second line of the file until the run has its manifest.
const STARTING: &str = "starting";
/// Maximum length of a lock file; anything longer is none.
const MAX_LENGTH: u64 = 64;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct RunLock {
    /// The lock is held as long as the file is open.
    file: File,
}

/// Reason why a lock was not taken.
#[derive(Debug)]
pub enum RunLockError {
    /// Held by another process, with its id if it could be read.
    Held(Option<u32>),
    Io(io::Error),
}

/// Content of a lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockContent {
    /// The process ended before it wrote anything.
    Empty,
    /// The process was starting the run.
    Starting,
    /// The process worked on a run.
    Working,
    /// Not written by Retap.
    Foreign,
}

impl RunLock {
    /// Takes the lock of a run, or returns who holds it.
    pub fn take(path: &Path) -> Result<RunLock, RunLockError> {
        RunLock::take_with(path, &format!("{}\n", process::id()))
    }

    /// Takes the lock of a directory that is to become a run.
    pub fn take_for_start(path: &Path) -> Result<RunLock, RunLockError> {
        RunLock::take_with(path, &format!("{}\n{STARTING}\n", process::id()))
    }

    /// Takes the lock and gives it back, without a change to its file. Fails if another process holds it.
    pub fn probe(path: &Path) -> Result<(), RunLockError> {
        let file = File::open(path).map_err(RunLockError::Io)?;
        match file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(RunLockError::Held(holder(file))),
            Err(TryLockError::Error(error)) => Err(RunLockError::Io(error)),
        }
    }

    /// Notes that the run has its manifest.
    pub fn note_started(&self) -> io::Result<()> {
        write(&self.file, &format!("{}\n", process::id()))
    }

    /// True if the file at `path` is the one that is locked: it was neither removed nor moved.
    #[cfg(unix)]
    pub fn is_at(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        match (self.file.metadata(), std::fs::symlink_metadata(path)) {
            (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
            _ => false,
        }
    }

    /// True if there is a file at `path`. Other systems do not let a locked file be moved.
    #[cfg(not(unix))]
    pub fn is_at(&self, path: &Path) -> bool {
        path.exists()
    }

    fn take_with(path: &Path, text: &str) -> Result<RunLock, RunLockError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(RunLockError::Io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RunLockError::Held(holder(file))),
            Err(TryLockError::Error(error)) => return Err(RunLockError::Io(error)),
        }
        write(&file, text).map_err(RunLockError::Io)?;
        Ok(RunLock { file })
    }
}

/// Reads a lock file without taking the lock.
pub fn content(path: &Path) -> LockContent {
    match File::open(path).and_then(read) {
        Ok(text) if text.is_empty() => LockContent::Empty,
        Ok(text) => match text.split_once('\n') {
            Some((holder, rest)) if holder.parse::<u32>().is_ok() => match rest.lines().next() {
                None => LockContent::Working,
                Some(STARTING) => LockContent::Starting,
                Some(_) => LockContent::Foreign,
            },
            _ => LockContent::Foreign,
        },
        Err(_) => LockContent::Foreign,
    }
}

/// Writes the text before the rest is cut off, so that a full disk leaves the old content.
fn write(mut file: &File, text: &str) -> io::Result<()> {
    file.rewind()?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

fn read(file: File) -> io::Result<String> {
    let mut text = String::new();
    file.take(MAX_LENGTH).read_to_string(&mut text)?;
    Ok(text)
}

fn holder(file: File) -> Option<u32> {
    read(file).ok()?.lines().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_held_names_its_holder() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let held = RunLock::take(&path).unwrap();
        assert!(
            matches!(RunLock::take(&path), Err(RunLockError::Held(Some(pid))) if pid == process::id())
        );
        drop(held);
        RunLock::take(&path).unwrap();
    }

    #[test]
    fn a_lock_tells_whether_the_run_was_only_being_started() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let held = RunLock::take_for_start(&path).unwrap();
        assert_eq!(content(&path), LockContent::Starting);
        held.note_started().unwrap();
        assert_eq!(content(&path), LockContent::Working);
        std::fs::write(&path, "").unwrap();
        assert_eq!(content(&path), LockContent::Empty);
        std::fs::write(&path, "mine\n").unwrap();
        assert_eq!(content(&path), LockContent::Foreign);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_whose_file_was_moved_or_replaced_is_not_at_its_path_any_more() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let held = RunLock::take(&path).unwrap();
        assert!(held.is_at(&path));
        std::fs::rename(&path, directory.path().join("moved")).unwrap();
        assert!(!held.is_at(&path));
        std::fs::write(&path, "another").unwrap();
        assert!(!held.is_at(&path));
    }
}
