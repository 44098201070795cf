//! The lock of a run: one process at a time works on it. The system releases it when the process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct RunLock {
    /// The lock is held as long as the file is open.
    _file: File,
}

/// Reason why a lock was not taken.
#[derive(Debug)]
pub enum RunLockError {
    /// Held by another process, with its id if it could be read.
    Held(Option<u32>),
    Io(io::Error),
}

impl RunLock {
    /// Takes the lock, or returns who holds it.
    pub fn take(path: &Path) -> Result<RunLock, RunLockError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(RunLockError::Io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RunLockError::Held(holder(&mut file))),
            Err(TryLockError::Error(error)) => return Err(RunLockError::Io(error)),
        }
        write_holder(&mut file).map_err(RunLockError::Io)?;
        Ok(RunLock { _file: file })
    }
}

fn write_holder(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", process::id())
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
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
}
