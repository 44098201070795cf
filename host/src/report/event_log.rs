//! `events.jsonl`: one event a line, with the milliseconds since the run was started. A report, not the truth:
//! what a run needs to go on is in the store.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retap_device::CancellationToken;
use retap_device::run_event::RunEvent;
use serde::{Deserialize, Serialize};

use crate::report::Reporter;

pub const EVENTS_FILE: &str = "events.jsonl";

#[derive(Debug)]
pub struct EventLog {
    file: Mutex<EventLogFile>,
    /// The time that earlier processes have spent on the run.
    elapsed_before: Duration,
    cancellation: CancellationToken,
}

#[derive(Debug)]
struct EventLogFile {
    file: File,
    /// How long the file is, up to its last whole line.
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
    /// Goes on at the end of the file if there is one. A line that was cut off by the death of its process is
    /// removed. If the file cannot be written any more, `stop` is asked.
    pub fn open(path: &Path, stop: CancellationToken) -> io::Result<EventLog> {
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
            cancellation: stop,
        })
    }

    /// Why lines are missing, if lines are missing.
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
        let mut writing = self.lock();
        if writing.failed.is_some() {
            return;
        }
        let line = serde_json::to_vec(&EventLine { millis, event }).map_err(io::Error::from);
        if let Err(error) = line.and_then(|line| writing.append(line)) {
            writing.failed = Some(error);
            self.cancellation.cancel();
        }
    }
}

impl EventLogFile {
    /// In one call, so that a killed process leaves a cut line at most where the disk was full.
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

/// How many bytes of whole lines there are, and the time of the last of them.
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
    fn a_line_that_was_cut_off_is_dropped_and_time_goes_on() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(EVENTS_FILE);
        EventLog::open(&path, CancellationToken::new())
            .unwrap()
            .event(&warning("one"), Duration::from_millis(40));
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{{\"millis\":41,\"ev")).unwrap();
        EventLog::open(&path, CancellationToken::new())
            .unwrap()
            .event(&warning("two"), Duration::from_millis(2));
        let expected = "{\"millis\":40,\"event\":\"warning\",\"text\":\"one\"}\n\
             {\"millis\":42,\"event\":\"warning\",\"text\":\"two\"}\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_cannot_be_written_stops_the_run_and_says_why() {
        let stop = CancellationToken::new();
        let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let writing = Mutex::new(EventLogFile {
            file,
            length: 0,
            failed: None,
        });
        let lines = EventLog {
            file: writing,
            elapsed_before: Duration::ZERO,
            cancellation: stop.clone(),
        };
        lines.event(&warning("lost"), Duration::ZERO);
        assert!(stop.is_cancelled());
        assert!(lines.take_error().is_some());
    }
}
