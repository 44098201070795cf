//! How what was changed is put back: each change has its command on the phone before it is made, in a file that outlives the
//! agent.

use std::io;
use std::path::PathBuf;

use super::super::program::ProgramRunner;

/// Commands that put things back, oldest first, each with what it is about.
#[derive(Debug)]
pub(super) struct UndoLog {
    file: PathBuf,
    changes: Vec<UndoEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct UndoEntry {
    what: String,
    words: Vec<String>,
}

impl UndoLog {
    /// With what an agent that was killed has left.
    pub(super) fn read(file: PathBuf) -> UndoLog {
        let lines = std::fs::read_to_string(&file).unwrap_or_default();
        let change = |line: &str| {
            let mut words = line.split('\t').map(str::to_owned);
            let what = words.next()?;
            let words: Vec<String> = words.collect();
            (!words.is_empty()).then_some(UndoEntry { what, words })
        };
        let changes = lines.lines().filter_map(change).collect();
        UndoLog { file, changes }
    }

    pub(super) fn contains(&self, what: &str) -> bool {
        self.changes.iter().any(|change| change.what == what)
    }

    /// Before the change is made. On the phone's disk when this returns.
    pub(super) fn record(&mut self, what: &str, words: &[&str]) -> io::Result<()> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.changes.push(UndoEntry {
            what: what.to_owned(),
            words,
        });
        self.write()
    }

    /// Puts back what is about `what`, or everything, the latest first. What cannot be put back stays for the next time.
    pub(super) fn undo(
        &mut self,
        what: Option<&str>,
        shell: &impl ProgramRunner,
    ) -> io::Result<()> {
        let is_meant = |change: &UndoEntry| what.is_none_or(|what| change.what == what);
        if !self.changes.iter().any(is_meant) {
            return Ok(());
        }
        let mut failed = None;
        let mut left = Vec::new();
        for change in std::mem::take(&mut self.changes).into_iter().rev() {
            if is_meant(&change)
                && let Err(error) = change.undo(shell)
            {
                failed = Some(error);
                left.push(change);
            } else if !is_meant(&change) {
                left.push(change);
            }
        }
        left.reverse();
        self.changes = left;
        self.write()?;
        failed.map_or(Ok(()), Err)
    }

    fn write(&self) -> io::Result<()> {
        if self.changes.is_empty() {
            return match std::fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let line = |change: &UndoEntry| format!("{}\t{}\n", change.what, change.words.join("\t"));
        let lines: String = self.changes.iter().map(line).collect();
        let written = self.file.with_extension("new");
        std::fs::write(&written, lines)?;
        std::fs::File::open(&written)?.sync_all()?;
        std::fs::rename(&written, &self.file)
    }
}

impl UndoEntry {
    fn undo(&self, shell: &impl ProgramRunner) -> io::Result<()> {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let said = shell.run(&words)?;
        match said.error_line() {
            // An app that is gone has taken its language along.
            Some(complaint) if !complaint.starts_with("Unknown package") => Err(io::Error::other(
                format!("`{}` says: {complaint}", words.join(" ")),
            )),
            _ => Ok(()),
        }
    }
}
