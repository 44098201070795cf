//! Atomic writes: to a temporary file beside the target, synced, and renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

/// Begin and end of the names of temporary files. Between them stand the process and a random number.
const TEMPORARY: (&str, &str) = (".retap-", ".tmp");
/// Digits of the random number.
const DIGITS: usize = 16;

/// Replaces the file at `path`. If that fails, the old file stays.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (temporary, file) = create_temporary(path)?;
    let written = write_synced(file, bytes).and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // Only the first error is reported; a temporary file that cannot be removed is hidden.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_directory(path)
}

/// Creates a directory and those above it, each so that it reaches the disk.
pub fn create_directories(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    path.parent().map_or(Ok(()), create_directories)?;
    match fs::create_dir(path) {
        // Another process was faster.
        Err(_) if path.is_dir() => Ok(()),
        created => created.and_then(|()| sync_directory(path)),
    }
}

/// Writes a byte to a new file beside `path`, and removes it: the error says what keeps others from writing there.
pub fn try_beside(path: &Path) -> io::Result<()> {
    let (temporary, mut file) = create_temporary(path)?;
    let written = file.write_all(b"\n");
    fs::remove_file(&temporary).and(written)
}

/// True for the name of a temporary file. Whoever holds the lock of a run may remove those in its directory.
pub fn is_temporary(name: &str) -> bool {
    let inner = name
        .strip_prefix(TEMPORARY.0)
        .and_then(|rest| rest.strip_suffix(TEMPORARY.1));
    inner
        .and_then(|inner| inner.split_once('-'))
        .is_some_and(|(process, number)| {
            let is_hex = |digit: char| digit.is_ascii_hexdigit();
            process.parse::<u32>().is_ok() && number.len() == DIGITS && number.chars().all(is_hex)
        })
}

/// A new file that no other file can have the name of: an existing one is never touched.
fn create_temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let (begin, end) = TEMPORARY;
        let number: u64 = rand::random();
        let name = format!("{begin}{}-{number:0DIGITS$x}{end}", process::id());
        let temporary = path.with_file_name(name);
        let mut options = OpenOptions::new();
        match options.write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return Ok((temporary, created?)),
        }
    }
}

fn write_synced(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// Syncs the directory that has `path` in it, so that its name reaches the disk.
#[cfg(unix)]
pub fn sync_directory(path: &Path) -> io::Result<()> {
    match path.parent() {
        None => Ok(()),
        Some(parent) if parent.as_os_str().is_empty() => File::open(".")?.sync_all(),
        Some(parent) => File::open(parent)?.sync_all(),
    }
}

/// Does nothing: other systems cannot open a directory as a file.
#[cfg(not(unix))]
pub fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_no_temporary_file_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        write_atomically(&path, b"first").unwrap();
        write_atomically(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_keeps_the_old_file_and_leaves_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("taken");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), b"kept").unwrap();
        write_atomically(&path, b"new").unwrap_err();
        assert_eq!(fs::read(path.join("inside")).unwrap(), b"kept");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_names_of_temporary_files_are_recognised() {
        let directory = tempfile::tempdir().unwrap();
        let (temporary, _) = create_temporary(&directory.path().join("run.json")).unwrap();
        assert!(is_temporary(
            temporary.file_name().unwrap().to_str().unwrap()
        ));
        for other in [
            ".retap-7-0123.tmp",
            ".retap-notes.tmp",
            "run.json",
            ".retap-7-0123456789abcdef.tmp.bak",
        ] {
            assert!(!is_temporary(other), "{other}");
        }
    }
}
