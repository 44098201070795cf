//! Files that are never seen half: written beside their place, synced, and renamed into it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

/// Puts `bytes` at `path`, whole or not at all; what stood there before stays until then.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = temporary_path(path);
    let written = write_synced(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if let Err(error) = written {
        // The first error is the one to tell; if the remnant cannot be removed either, it is a hidden file.
        let _ = fs::remove_file(&beside);
        return Err(error);
    }
    sync_directory(path)
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", process::id()))
}

/// The new name itself must reach the disk too.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    path.parent()
        .map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

/// Other systems cannot open a directory as a file.
#[cfg(not(unix))]
fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        write_atomically(&path, b"first").unwrap();
        write_atomically(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_remnant() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("taken");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), b"kept").unwrap();
        write_atomically(&path, b"new").unwrap_err();
        assert_eq!(fs::read(path.join("inside")).unwrap(), b"kept");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
