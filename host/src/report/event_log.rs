//! `events.jsonl`: one run event a line, with the milliseconds since the run was started. It is a report: what a run needs
//! to be resumed is in the journal.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retap_device::CancellationToken;
use retap_device::run_event::RunEvent;
use serde::{Deserialize, Serialize};

use crate::report::Reporter;

/// File of the log, inside the run.
pub const EVENTS_FILE: &str = "events.jsonl";

/// The event log of a run.
#[derive(Debug)]
pub struct EventLog {
    file: Mutex<EventLogFile>,
    /// Real time that earlier processes spent on the run.
    elapsed_before: Duration,
    cancellation: CancellationToken,
}

#[derive(Debug)]
struct EventLogFile {
    file: File,
    /// Length of the file up to its last complete line.
    length: u64,
    failed: Option<io::Error>,
}

#[derive(Serialize)]
struct EventLine<'a> {
    millis: u64,
    #[serde(flatten)]
    event: &'a RunEvent,
}

impl EventLog {
    /// Opens or creates the file, to append to it. An incomplete last line of a killed process is removed. If the file
    /// cannot be written any more, the run is cancelled.
    pub fn open(path: &Path, cancellation: CancellationToken) -> io::Result<EventLog> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let (length, millis) = complete_lines(&file)?;
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        let writing = Mutex::new(EventLogFile {
            file,
            length,
            failed: None,
        });
        Ok(EventLog {
            file: writing,
            elapsed_before: Duration::from_millis(millis),
            cancellation,
        })
    }

    /// The error that the log ended with, if any.
    pub fn take_error(&self) -> Option<io::Error> {
        self.lock().failed.take()
    }

    fn lock(&self) -> MutexGuard<'_, EventLogFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reporter for EventLog {
    fn event(&self, event: &RunEvent, at: Duration) {
        let millis = u64::try_from((self.elapsed_before + at).as_millis()).unwrap_or(u64::MAX);
        let mut log = self.lock();
        if log.failed.is_some() {
            return;
        }
        let line = serde_json::to_vec(&EventLine { millis, event }).map_err(io::Error::from);
        if let Err(error) = line.and_then(|line| log.append(line)) {
            log.failed = Some(error);
            self.cancellation.cancel();
        }
    }
}

impl EventLogFile {
    /// Writes the line in one call, so that it is incomplete only if the disk is full.
    fn append(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        if let Err(error) = self.file.write_all(&line) {
            self.file.set_len(self.length)?;
            return Err(error);
        }
        self.length += line.len() as u64;
        Ok(())
    }
}

/// Number of bytes of complete lines, and the time of the last line.
fn complete_lines(file: &File) -> io::Result<(u64, u64)> {
    #[derive(Deserialize)]
    struct EventTimestamp {
        millis: u64,
    }
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut length = 0;
    let mut millis = 0;
    while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        length += line.len() as u64;
        millis = serde_json::from_slice(&line).map_or(millis, |timed: EventTimestamp| timed.millis);
        line.clear();
    }
    Ok((length, millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(text: &str) -> RunEvent {
        RunEvent::Warning { text: text.into() }
    }

    #[test]
    fn an_incomplete_line_is_dropped_and_time_continues() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(EVENTS_FILE);
        EventLog::open(&path, CancellationToken::new())
            .unwrap()
            .event(&warning("one"), Duration::from_millis(40));
        let complete = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{complete}{{\"millis\":41,\"ev")).unwrap();
        EventLog::open(&path, CancellationToken::new())
            .unwrap()
            .event(&warning("two"), Duration::from_millis(2));
        let expected = "{\"millis\":40,\"event\":\"warning\",\"text\":\"one\"}\n\
             {\"millis\":42,\"event\":\"warning\",\"text\":\"two\"}\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_cannot_be_written_cancels_the_run_and_keeps_the_error() {
        let cancellation = CancellationToken::new();
        let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let writing = Mutex::new(EventLogFile {
            file,
            length: 0,
            failed: None,
        });
        let lines = EventLog {
            file: writing,
            elapsed_before: Duration::ZERO,
            cancellation: cancellation.clone(),
        };
        lines.event(&warning("lost"), Duration::ZERO);
        assert!(cancellation.is_cancelled());
        assert!(lines.take_error().is_some());
    }
}
