//! The agent's log: lines on standard error, which the host directs to `agent.log` in the agent's folder. It is bounded, and
//! the host shows its end when the phone or the agent was lost.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Size at which the older half of the log is dropped.
const MAX_BYTES: u64 = 512 * 1024;
const KEPT_BYTES: u64 = MAX_BYTES / 2;
/// Maximum length of one line, with the stack of an exception.
const MAX_LINE: usize = 8 * 1024;
const DROPPED: &[u8] = b"(earlier lines were dropped)\n";

/// Writes the agent's events to standard error from now on.
pub(crate) fn start() {
    let stderr = io::stderr().as_fd().try_clone_to_owned();
    if let Ok(stderr) = stderr {
        // A second agent in the same process, as in tests, writes to the log of the first.
        let _ = tracing::subscriber::set_global_default(AgentLog(Mutex::new(stderr.into())));
    }
}

/// Events as lines of a file.
struct AgentLog(Mutex<File>);

impl Subscriber for AgentLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::DEBUG && metadata.target().starts_with("retap")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written must not disturb the agent.
        let _ = write_line(&mut file, &line(event));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Time, level, message and fields of an event.
fn line(event: &Event<'_>) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default();
    let level = event.metadata().level();
    let mut line = format!("{}.{:03} {level} ", now.as_secs(), now.subsec_millis());
    event.record(&mut FieldWriter(&mut line));
    if line.len() > MAX_LINE {
        let boundary = (0..=MAX_LINE).rev().find(|&at| line.is_char_boundary(at));
        line.truncate(boundary.unwrap_or_default());
        line.push('…');
    }
    line.push('\n');
    line
}

struct FieldWriter<'a>(&'a mut String);

impl Visit for FieldWriter<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let written = match field.name() {
            "message" => write!(self.0, "{value:?} "),
            name => write!(self.0, "{name}={value:?} "),
        };
        written.expect("a string takes every text");
    }
}

/// Appends a line. What is no file, such as a pipe, is not bounded.
fn write_line(file: &mut File, line: &str) -> io::Result<()> {
    if file
        .metadata()
        .is_ok_and(|data| data.is_file() && data.len() > MAX_BYTES)
    {
        drop_older_half(file)?;
    }
    file.write_all(line.as_bytes())
}

/// Standard error is open for writing only, so the file is read through its own entry in /proc.
fn drop_older_half(file: &mut File) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let mut reader = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    let length = reader.metadata()?.len();
    reader.seek(SeekFrom::Start(length.saturating_sub(KEPT_BYTES)))?;
    let mut kept = Vec::new();
    reader.read_to_end(&mut kept)?;
    let first_line = kept
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(DROPPED)?;
    file.write_all(&kept[first_line..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_levels_messages_and_fields_and_keeps_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.log");
        let log = AgentLog(Mutex::new(File::create(&path).unwrap()));
        tracing::subscriber::with_default(log, || {
            tracing::warn!(name = "zoom", "could not change a setting");
            let long = "x".repeat(2 * MAX_LINE);
            for number in 0..200 {
                tracing::debug!(number, long);
            }
            tracing::trace!("never");
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.len() as u64 <= MAX_BYTES + 2 * MAX_LINE as u64);
        assert!(
            text.starts_with("(earlier lines were dropped)\n"),
            "{text:.60}"
        );
        assert!(text.contains("DEBUG number=199 long=xxx") && !text.contains("never"));
        assert!(
            text.lines()
                .skip(1)
                .all(|line| line.contains(" DEBUG number="))
        );
    }

    #[test]
    fn a_short_log_is_kept_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.log");
        let log = AgentLog(Mutex::new(File::create(&path).unwrap()));
        tracing::subscriber::with_default(log, || {
            tracing::warn!(name = "zoom", "could not change a setting");
        });
        let text = std::fs::read_to_string(&path).unwrap();
        let (_, line) = text.split_once(' ').unwrap();
        assert_eq!(line, "WARN could not change a setting name=zoom \n");
    }
}
