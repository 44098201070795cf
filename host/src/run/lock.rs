//! One process at a time works on a run. The lock goes with the process, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process;

#[derive(Debug)]
pub struct Lock {
    /// Held open, and with that locked, for as long as the run is in use.
    _file: File,
}

#[derive(Debug)]
pub enum LockFailure {
    /// Another process has it; its id, if it could be read.
    Held(Option<u32>),
    Io(io::Error),
}

impl Lock {
    pub fn take(path: &Path) -> Result<Lock, LockFailure> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(LockFailure::Io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LockFailure::Held(holder(&mut file))),
            Err(TryLockError::Error(error)) => return Err(LockFailure::Io(error)),
        }
        sign(&mut file).map_err(LockFailure::Io)?;
        Ok(Lock { _file: file })
    }
}

fn sign(file: &mut File) -> io::Result<()> {
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
    fn a_second_taker_is_told_who_holds_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let held = Lock::take(&path).unwrap();
        assert!(
            matches!(Lock::take(&path), Err(LockFailure::Held(Some(pid))) if pid == process::id())
        );
        drop(held);
        Lock::take(&path).unwrap();
    }
}
