//! The watched app's log: `logcat` of its processes since its last launch, and what the system keeps in its drop box about
//! ANRs and native crashes. All of it through the phone's programs, never from a callback of the system.

mod drop_box;
mod ownership;

use std::collections::BTreeSet;
use std::fs;

use retap_shared::finding::FindingKind;
use retap_shared::log_line::LogLine;
use retap_shared::protocol::{ReadLog, ReadLogReply};

use super::program::ProgramRunner;

const LOGCAT: [&str; 12] = [
    "logcat",
    "-d",
    "-v",
    "threadtime",
    "-b",
    "main",
    "-b",
    "system",
    "-b",
    "crash",
    "-b",
    "events",
];
/// Lines of all processes to search where the time of the launch is not known.
const LINES_WITHOUT_LAUNCH: &str = "5000";

/// Reads the log of one app at a time.
#[derive(Debug)]
pub(crate) struct AppLogReader<P> {
    programs: P,
    user: i32,
    /// Time of the last line before the launch, as the log prints it.
    launched: Option<String>,
    /// Processes of the app since then.
    processes: BTreeSet<u32>,
    /// The last line that was read.
    last_line: Option<String>,
}

impl<P: ProgramRunner> AppLogReader<P> {
    pub(crate) fn new(programs: P, user: i32) -> AppLogReader<P> {
        AppLogReader {
            programs,
            user,
            launched: None,
            processes: BTreeSet::new(),
            last_line: None,
        }
    }

    /// Notes that the app is about to be launched: its log begins here.
    pub(crate) fn mark_launch(&mut self) {
        self.processes.clear();
        self.last_line = None;
        let output = self.logcat(&["-t", "1"]);
        let last = output.lines().filter_map(LogLine::parse).next_back();
        self.launched = last.map(|line| line.time.to_owned());
    }

    /// The lines of the app's processes, and the report about its last failure if one is wanted.
    pub(crate) fn read(&mut self, package: &str, wanted: ReadLog) -> ReadLogReply {
        let report = match wanted.failure {
            Some(FindingKind::Anr) => self.anr_report(package),
            Some(FindingKind::NativeCrash) => self.tombstone(package),
            Some(FindingKind::Crash | FindingKind::Rule) | None => None,
        };
        ReadLogReply {
            log: self.lines(package, wanted.only_new),
            report: report.unwrap_or_default(),
        }
    }

    /// The newest report about an ANR of a process of the app since its launch.
    pub(crate) fn anr_report(&self, package: &str) -> Option<String> {
        ["data_app_anr", "system_app_anr"]
            .into_iter()
            .find_map(|tag| self.drop_box(tag, |entry| drop_box::is_of_process(entry, package)))
    }

    fn tombstone(&self, package: &str) -> Option<String> {
        let whole = self.drop_box("SYSTEM_TOMBSTONE", |entry| {
            entry
                .lines()
                .any(|line| ownership::names_crashed(line, package))
        });
        whole.or_else(|| {
            self.drop_box("data_app_native_crash", |entry| {
                drop_box::is_of_process(entry, package)
            })
        })
    }

    fn drop_box(&self, tag: &str, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let words = ["dumpsys", "dropbox", "--print", tag];
        let output = self.programs.run_for_end(&words).ok()?;
        drop_box::newest(&output.text, tag, self.launched.as_deref(), is_wanted)
    }

    fn lines(&mut self, package: &str, only_new: bool) -> String {
        let seen = self.last_line.clone().filter(|_| only_new);
        let seen_at = seen.as_deref().and_then(LogLine::parse);
        let since = seen_at.map(|line| line.time).or(self.launched.as_deref());
        let output = match since {
            Some(time) => self.logcat(&["-T", time]),
            None => self.logcat(&["-t", LINES_WITHOUT_LAUNCH]),
        };
        if self.launched.is_none() {
            self.processes.extend(running_processes(package));
        }
        let mut lines: Vec<LogLine> = output.lines().filter_map(LogLine::parse).collect();
        // Lines of the same millisecond come again.
        let known = lines
            .iter()
            .rposition(|line| Some(line.whole) == seen.as_deref());
        lines.drain(..known.map_or(0, |known| known + 1));
        if let Some(last) = lines.last() {
            self.last_line = Some(last.whole.to_owned());
        }
        let started = lines
            .iter()
            .filter_map(|line| ownership::started(line, package, self.user));
        self.processes.extend(started);
        let dumps: BTreeSet<u32> = lines
            .iter()
            .filter(|line| {
                ownership::is_crash_dump(line) && ownership::names_crashed(line.message, package)
            })
            .map(|line| line.pid)
            .collect();
        let of_app = lines.iter().filter(|line| {
            self.processes.contains(&line.pid)
                || ownership::is_crash_dump(line) && dumps.contains(&line.pid)
                || ownership::is_about(line, package)
        });
        of_app.map(|line| line.whole.to_owned() + "\n").collect()
    }

    /// The output of logcat; empty where it fails.
    fn logcat(&self, range: &[&str]) -> String {
        let words = [&LOGCAT[..], range].concat();
        match self.programs.run_for_end(&words) {
            Ok(output) => output.text,
            Err(error) => {
                tracing::debug!(%error, "could not run logcat");
                String::new()
            }
        }
    }
}

/// Processes of the app that run now, by their names.
fn running_processes(package: &str) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let process = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let words = fs::read(entry.path().join("cmdline")).ok()?;
        let name = words.split(|byte| *byte == 0).next()?;
        ownership::is_process_of(std::str::from_utf8(name).ok()?, package).then_some(pid)
    };
    entries.flatten().filter_map(process).collect()
}

#[cfg(test)]
mod tests;
