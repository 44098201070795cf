//! The files of the project, and whether a name in a page is one of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Names that stand for a file without being its path.
const PLACEHOLDERS: [char; 6] = ['*', '{', '<', '…', '$', ' '];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

pub(crate) fn pages() -> Vec<PathBuf> {
    let pages: Vec<PathBuf> = files_below(&root())
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
        .collect();
    assert!(pages.len() > 30, "only {} pages were found", pages.len());
    pages
}

pub(crate) fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// All files of the project: not what is built, fetched or recorded.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_skipped = ["target", ".git", "runs", "corpus", "node_modules"].contains(&&*name);
        if path.is_symlink() || is_skipped {
            continue;
        }
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

pub(crate) fn file_names(root: &Path) -> BTreeSet<String> {
    files_below(root)
        .iter()
        .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
        .collect()
}

/// Whether a file exists that is named by its path from the root, or a source by its name alone. None for other words.
pub(crate) fn is_named_file(root: &Path, sources: &BTreeSet<String>, name: &str) -> Option<bool> {
    if name.contains(PLACEHOLDERS) {
        return None;
    }
    let path = name.split(':').next().unwrap_or(name);
    match path.split_once('/') {
        Some((
            "agent" | "host" | "shared" | "scripts" | "docs" | "fuzz" | "android-project"
            | ".github",
            _,
        )) => Some(root.join(path).exists()),
        None if path.ends_with(".rs") || path.ends_with(".java") => Some(sources.contains(path)),
        _ => None,
    }
}
