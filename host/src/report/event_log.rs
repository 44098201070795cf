//! `events.jsonl`: one run event a line, with the milliseconds since the run was started. It is a report: what a run needs
//! to be resumed is in the journal.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retap_device::CancellationToken;
use retap_device::run_event::RunEvent;
use retap_shared::Text;
use retap_shared::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};

use crate::report::Reporter;
use crate::run::directory::{EVENTS_FILE, RunDirectory, RunDirectoryError};

/// Events that are logged once. The others are most of the lines, and are not parsed.
const LOGGED_ONCE: [&[u8]; 2] = [b"\"event\":\"problem_found\"", b"\"event\":\"covered\""];

/// The event log of a run.
#[derive(Debug)]
pub struct EventLog {
    directory: Arc<RunDirectory>,
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
    failed: Option<RunDirectoryError>,
    logged: LoggedEvents,
}

/// What the log has already: a resumed run repeats it, for reporters that began with this process.
#[derive(Debug, Default)]
struct LoggedEvents {
    findings: HashSet<(Text, Fingerprint)>,
    /// Everything that was covered, by app.
    coverage: HashMap<Text, u64>,
}

impl LoggedEvents {
    /// Notes an event. True if the log has it.
    fn has(&mut self, event: &RunEvent) -> bool {
        match event {
            RunEvent::ProblemFound {
                app,
                fingerprint,
                first: true,
                ..
            } => !self.findings.insert((app.clone(), *fingerprint)),
            RunEvent::Covered {
                app,
                activities,
                screens,
                branches,
                ..
            } => {
                // Each of these events has covered more than the one before.
                let covered = [activities, screens, branches];
                let covered: u64 = covered.into_iter().copied().map(u64::from).sum();
                let before = self.coverage.entry(app.clone()).or_default();
                let is_known = covered <= *before;
                *before = covered.max(*before);
                is_known
            }
            _ => false,
        }
    }
}

#[derive(Serialize)]
struct EventLine<'a> {
    millis: u64,
    #[serde(flatten)]
    event: &'a RunEvent,
}

impl EventLog {
    /// Opens or creates the file of a run, to append to it. An incomplete last line of a killed process is removed. If the
    /// file cannot be written any more, or the directory is gone, the run is cancelled.
    pub fn open(
        directory: &Arc<RunDirectory>,
        cancellation: CancellationToken,
    ) -> Result<EventLog, RunDirectoryError> {
        let path = directory.path().join(EVENTS_FILE);
        let (file, elapsed_before) =
            open_file(&path).map_err(|source| RunDirectoryError::Write { path, source })?;
        Ok(EventLog {
            directory: Arc::clone(directory),
            file: Mutex::new(file),
            elapsed_before,
            cancellation,
        })
    }

    /// The error that the log ended with, if any.
    pub fn take_error(&self) -> Option<RunDirectoryError> {
        self.lock().failed.take()
    }

    /// Appends a line. A directory that was moved would take the line with it, and one that was removed would lose it.
    fn append(&self, log: &mut EventLogFile, line: Vec<u8>) -> Result<(), RunDirectoryError> {
        self.directory.check_present()?;
        log.append(line).map_err(|source| RunDirectoryError::Write {
            path: self.directory.path().join(EVENTS_FILE),
            source,
        })
    }

    fn lock(&self) -> MutexGuard<'_, EventLogFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reporter for EventLog {
    fn event(&self, event: &RunEvent, at: Duration) {
        let millis = u64::try_from((self.elapsed_before + at).as_millis()).unwrap_or(u64::MAX);
        let mut log = self.lock();
        if log.failed.is_some() || log.logged.has(event) {
            return;
        }
        let line = serde_json::to_vec(&EventLine { millis, event });
        let line = line.map_err(|error| RunDirectoryError::Write {
            path: self.directory.path().join(EVENTS_FILE),
            source: error.into(),
        });
        if let Err(error) = line.and_then(|line| self.append(&mut log, line)) {
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

/// Opens the file behind its last complete line, and returns the time of that line.
fn open_file(path: &Path) -> io::Result<(EventLogFile, Duration)> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let mut logged = LoggedEvents::default();
    let (length, millis) = complete_lines(&file, &mut logged)?;
    file.set_len(length)?;
    file.seek(SeekFrom::Start(length))?;
    let file = EventLogFile {
        file,
        length,
        failed: None,
        logged,
    };
    Ok((file, Duration::from_millis(millis)))
}

/// Number of bytes of complete lines, and the time of the last line. Notes their events.
fn complete_lines(file: &File, logged: &mut LoggedEvents) -> io::Result<(u64, u64)> {
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
        if LOGGED_ONCE.iter().any(|name| contains(&line, name))
            && let Ok(event) = serde_json::from_slice::<RunEvent>(&line)
        {
            logged.has(&event);
        }
        line.clear();
    }
    Ok((length, millis))
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use retap_shared::finding::FindingKind;
    use retap_shared::micros::Micros;

    use super::*;

    fn warning(text: &str) -> RunEvent {
        RunEvent::Warning { text: text.into() }
    }

    fn directory(parent: &Path) -> Arc<RunDirectory> {
        Arc::new(RunDirectory::create(&parent.join("run")).unwrap())
    }

    fn open(directory: &Arc<RunDirectory>, cancellation: &CancellationToken) -> EventLog {
        EventLog::open(directory, cancellation.clone()).unwrap()
    }

    #[test]
    fn an_incomplete_line_is_dropped_and_time_continues() {
        let parent = tempfile::tempdir().unwrap();
        let directory = directory(parent.path());
        let path = directory.path().join(EVENTS_FILE);
        let cancellation = CancellationToken::new();
        open(&directory, &cancellation).event(&warning("one"), Duration::from_millis(40));
        let complete = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{complete}{{\"millis\":41,\"ev")).unwrap();
        open(&directory, &cancellation).event(&warning("two"), Duration::from_millis(2));
        let expected = "{\"millis\":40,\"event\":\"warning\",\"text\":\"one\"}\n\
             {\"millis\":42,\"event\":\"warning\",\"text\":\"two\"}\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    }

    #[test]
    fn what_a_resumed_run_tells_again_is_not_written_again() {
        let parent = tempfile::tempdir().unwrap();
        let directory = directory(parent.path());
        let cancellation = CancellationToken::new();
        let found = |fingerprint, first| RunEvent::ProblemFound {
            app: "com.example".into(),
            session: 0,
            fingerprint: Fingerprint(fingerprint),
            kind: FindingKind::Crash,
            summary: "no".into(),
            steps: 3,
            first,
        };
        let covered = |screens| RunEvent::Covered {
            app: "com.example".into(),
            events: 7,
            took: Micros(5),
            activities: 1,
            screens,
            branches: 0,
        };
        let append = |events: &[RunEvent]| {
            let log = open(&directory, &cancellation);
            events
                .iter()
                .for_each(|event| log.event(event, Duration::ZERO));
            let path = directory.path().join(EVENTS_FILE);
            std::fs::read_to_string(path).unwrap().lines().count()
        };
        assert_eq!(append(&[covered(1), found(1, true), found(1, false)]), 3);
        assert_eq!(append(&[covered(1), found(1, true)]), 3);
        assert_eq!(append(&[found(1, true), covered(2), found(2, true)]), 5);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_cannot_be_written_cancels_the_run_and_keeps_the_error() {
        let parent = tempfile::tempdir().unwrap();
        let cancellation = CancellationToken::new();
        let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let log = EventLog {
            directory: directory(parent.path()),
            file: Mutex::new(EventLogFile {
                file,
                length: 0,
                failed: None,
                logged: LoggedEvents::default(),
            }),
            elapsed_before: Duration::ZERO,
            cancellation: cancellation.clone(),
        };
        log.event(&warning("lost"), Duration::ZERO);
        assert!(cancellation.is_cancelled());
        assert!(matches!(
            log.take_error(),
            Some(RunDirectoryError::Write { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_is_moved_cancels_the_run_at_the_next_event() {
        let parent = tempfile::tempdir().unwrap();
        let directory = directory(parent.path());
        let cancellation = CancellationToken::new();
        let log = open(&directory, &cancellation);
        log.event(&warning("kept"), Duration::ZERO);
        assert!(!cancellation.is_cancelled());
        std::fs::rename(directory.path(), parent.path().join("elsewhere")).unwrap();
        log.event(&warning("lost"), Duration::ZERO);
        assert!(cancellation.is_cancelled());
        assert!(matches!(
            log.take_error(),
            Some(RunDirectoryError::Gone { .. })
        ));
        assert!(directory.write("run.json", b"{}").is_err());
        assert!(!directory.path().exists(), "it is not made again");
    }
}
