//! The log of a simulated phone's app since its last launch, as `logcat -v threadtime` would print it.

use std::collections::VecDeque;

use retap_shared::micros::Micros;

/// Maximum number of lines; the oldest are dropped.
const MAX_LINES: usize = 5_000;
/// The app has one process, and the main thread does everything.
const PROCESS: u32 = 4_242;

#[derive(Debug, Default)]
pub(crate) struct SimulatedLog {
    lines: VecDeque<String>,
    /// Number of the last lines that were not read yet.
    new: usize,
}

impl SimulatedLog {
    /// Forgets the lines of earlier launches.
    pub(crate) fn launched(&mut self) {
        self.lines.clear();
        self.new = 0;
    }

    /// Adds `LEVEL/TAG: message`.
    pub(super) fn push(&mut self, at: Micros, line: &str) {
        let Some((level, rest)) = line.split_once('/') else {
            return;
        };
        if self.lines.len() == MAX_LINES {
            self.lines.pop_front();
        }
        let time = clock_text(at);
        self.lines
            .push_back(format!("{time} {PROCESS:>5} {PROCESS:>5} {level} {rest}"));
        self.new = (self.new + 1).min(MAX_LINES);
    }

    /// The lines, or only those that were not read yet.
    pub(crate) fn read(&mut self, only_new: bool) -> String {
        let skipped = if only_new {
            self.lines.len() - self.new
        } else {
            0
        };
        self.new = 0;
        let lines = self.lines.iter().skip(skipped);
        lines.map(|line| line.to_owned() + "\n").collect()
    }
}

/// `MM-DD HH:MM:SS.mmm` of a phone that was started on the first of January.
fn clock_text(at: Micros) -> String {
    let millis = at.0 / 1_000;
    let (seconds, minutes, hours) = (millis / 1_000, millis / 60_000, millis / 3_600_000);
    format!(
        "01-{:02} {:02}:{:02}:{:02}.{:03}",
        1 + hours / 24 % 31,
        hours % 24,
        minutes % 60,
        seconds % 60,
        millis % 1_000
    )
}
