//! The undo log: the command that undoes each change is written to a file before the change is made, so that it survives
//! the agent.

use std::io;
use std::path::PathBuf;

use super::super::program::ProgramRunner;

/// Undo commands, oldest first.
#[derive(Debug)]
pub(super) struct UndoLog {
    file: PathBuf,
    entries: Vec<UndoEntry>,
}

/// The command that undoes the change of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct UndoEntry {
    name: String,
    command: Vec<String>,
}

impl UndoLog {
    /// Reads the log that an agent has left that was killed.
    pub(super) fn read(file: PathBuf) -> UndoLog {
        let lines = std::fs::read_to_string(&file).unwrap_or_default();
        let entry = |line: &str| {
            let mut words = line.split('\t').map(str::to_owned);
            let name = words.next()?;
            let command: Vec<String> = words.collect();
            (!command.is_empty()).then_some(UndoEntry { name, command })
        };
        let entries = lines.lines().filter_map(entry).collect();
        UndoLog { file, entries }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    /// Records a change before it is made. The entry is on the phone's disk when this returns.
    pub(super) fn record(&mut self, name: &str, command: &[&str]) -> io::Result<()> {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        self.entries.push(UndoEntry {
            name: name.to_owned(),
            command,
        });
        self.write()
    }

    /// Undoes the changes of this name, or all, latest first. An entry whose command fails stays in the log.
    pub(super) fn undo(
        &mut self,
        name: Option<&str>,
        programs: &impl ProgramRunner,
    ) -> io::Result<()> {
        let is_meant = |entry: &UndoEntry| name.is_none_or(|name| entry.name == name);
        if !self.entries.iter().any(is_meant) {
            return Ok(());
        }
        let mut last_error = None;
        let mut kept = Vec::new();
        for entry in std::mem::take(&mut self.entries).into_iter().rev() {
            if is_meant(&entry)
                && let Err(error) = entry.undo(programs)
            {
                last_error = Some(error);
                kept.push(entry);
            } else if !is_meant(&entry) {
                kept.push(entry);
            }
        }
        kept.reverse();
        self.entries = kept;
        self.write()?;
        last_error.map_or(Ok(()), Err)
    }

    fn write(&self) -> io::Result<()> {
        if self.entries.is_empty() {
            return match std::fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let line = |entry: &UndoEntry| format!("{}\t{}\n", entry.name, entry.command.join("\t"));
        let lines: String = self.entries.iter().map(line).collect();
        let written = self.file.with_extension("new");
        std::fs::write(&written, lines)?;
        std::fs::File::open(&written)?.sync_all()?;
        std::fs::rename(&written, &self.file)
    }
}

impl UndoEntry {
    fn undo(&self, programs: &impl ProgramRunner) -> io::Result<()> {
        let command: Vec<&str> = self.command.iter().map(String::as_str).collect();
        let output = programs.run(&command)?;
        match output.error_line() {
            // The language of an app that was removed needs no undo.
            Some(message) if !message.starts_with("Unknown package") => Err(io::Error::other(
                format!("`{}` failed: {message}", command.join(" ")),
            )),
            _ => Ok(()),
        }
    }
}
