//! Leftovers of processes that ended while they wrote: temporary files, and directories that never became a run.

use std::path::Path;
use std::{fs, io};

use crate::run::atomic_write::is_temporary;
use crate::run::lock::{self, LockContent};

/// Name of the lock, inside the run.
pub const LOCK: &str = "lock";
/// Names that a run has before its manifest: the inputs that it copies.
const INPUTS: [&str; 4] = ["crashes", "traces", "originals", "inputs.json"];

/// True if the directory may become a run: it is empty, or a process began a run there and ended before the run had its
/// manifest. Anything else in it belongs to somebody.
pub fn may_become_run(directory: &Path) -> io::Result<bool> {
    let names = names(directory)?;
    let is_lock = |name: &String| name == LOCK;
    if !names.iter().any(is_lock) {
        return Ok(names.is_empty());
    }
    let content = lock::content(&directory.join(LOCK));
    let is_left = |name: &String| {
        is_lock(name)
            || is_temporary(name)
            || is_temporary_manifest(name)
            || (content == LockContent::Starting && INPUTS.contains(&name.as_str()))
    };
    Ok(content != LockContent::Foreign && names.iter().all(is_left))
}

/// Removes what an unfinished start left, except the lock. The caller holds the lock, and `may_become_run` was true.
pub fn remove_unfinished_start(directory: &Path) -> io::Result<()> {
    for name in names(directory)? {
        let path = directory.join(&name);
        if name == LOCK {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(path)?;
        } else {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Removes the temporary files in a run, at any depth. The caller holds the lock: nobody else is writing them.
pub fn remove_temporary_files(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_temporary_files(&entry.path())?;
        } else if entry.file_name().to_str().is_some_and(is_temporary) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn names(directory: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(directory)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

/// True for the temporary manifest of an earlier version, such as `.run.json.4711.tmp`.
fn is_temporary_manifest(name: &str) -> bool {
    name.strip_prefix(".run.json.")
        .and_then(|rest| rest.strip_suffix(".tmp"))
        .is_some_and(|process| process.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPORARY_NAME: &str = ".retap-7-0123456789abcdef.tmp";

    #[test]
    fn a_directory_that_never_became_a_run_may_become_one_and_is_emptied() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        assert!(may_become_run(directory.path()).unwrap());
        fs::write(at(LOCK), "").unwrap();
        fs::write(at(TEMPORARY_NAME), "half").unwrap();
        fs::write(at(".run.json.4711.tmp"), "half").unwrap();
        assert!(may_become_run(directory.path()).unwrap());
        fs::create_dir_all(at("crashes/1")).unwrap();
        assert!(!may_become_run(directory.path()).unwrap());
        fs::write(at(LOCK), "4711\nstarting\n").unwrap();
        assert!(may_become_run(directory.path()).unwrap());
        remove_unfinished_start(directory.path()).unwrap();
        assert_eq!(names(directory.path()).unwrap(), [LOCK]);
    }

    #[test]
    fn files_of_others_are_never_taken_for_leftovers() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at(LOCK), "of my bicycle").unwrap();
        assert!(!may_become_run(directory.path()).unwrap());
        fs::write(at(LOCK), "4711\nstarting\n").unwrap();
        fs::write(at("thesis.tmp"), "precious").unwrap();
        assert!(!may_become_run(directory.path()).unwrap());
    }

    #[test]
    fn temporary_files_are_removed_at_any_depth_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let deep = directory.path().join("crashes/1");
        fs::create_dir_all(&deep).unwrap();
        for name in [TEMPORARY_NAME, "stack.txt"] {
            fs::write(deep.join(name), "text").unwrap();
            fs::write(directory.path().join(name), "text").unwrap();
        }
        remove_temporary_files(directory.path()).unwrap();
        assert_eq!(names(&deep).unwrap(), ["stack.txt"]);
        assert!(!directory.path().join(TEMPORARY_NAME).exists());
    }
}
