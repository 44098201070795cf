//! The recent log of a worker: its last steps and what the phone reported, for the files of a finding.

use std::collections::VecDeque;

use retap_shared::app_log;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::trace::Step;

/// Maximum number of entries.
const MAX_ENTRIES: usize = 60;

#[derive(Clone, Debug, Default)]
pub(super) struct RecentLog {
    entries: VecDeque<(Micros, LogEntry)>,
}

#[derive(Clone, Debug)]
pub(super) enum LogEntry {
    Started { clean: bool },
    Step(Step),
    Reported(PhoneEventKind),
}

impl RecentLog {
    /// Adds an entry at a phone time of the worker.
    pub(super) fn push(&mut self, at: Micros, entry: LogEntry) {
        if self.entries.len() == MAX_ENTRIES {
            self.entries.pop_front();
        }
        self.entries.push_back((at, entry));
    }

    /// All entries as lines of a log.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (at, entry) in &self.entries {
            let seconds = at.0 as f64 / 1e6;
            let mut add = |line: &str| lines.push(format!("{seconds:>12.3} {line}"));
            match entry {
                LogEntry::Started { clean: true } => add("I/Retap: start clean"),
                LogEntry::Started { clean: false } => {
                    add("I/Retap: start with the data that is there");
                }
                LogEntry::Step(Step {
                    action,
                    widget: Some(widget),
                    ..
                }) => {
                    add(&format!("I/Retap: {action} on {widget}"));
                }
                LogEntry::Step(Step { action, .. }) => add(&format!("I/Retap: {action}")),
                LogEntry::Reported(what) => app_log::log_lines(what).for_each(|line| add(&line)),
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::action::Action;

    use super::*;

    #[test]
    fn only_the_last_entries_are_kept_with_their_times() {
        let mut log = RecentLog::default();
        log.push(Micros(0), LogEntry::Started { clean: true });
        for millis in 0..70 {
            log.push(
                Micros::from_millis(u64::from(millis)),
                LogEntry::Step(Step::new(Action::Wait { millis })),
            );
        }
        log.push(
            Micros::from_millis(71),
            LogEntry::Reported(PhoneEventKind::Activity("a/.B".into())),
        );
        let lines = log.lines();
        assert_eq!(lines.len(), MAX_ENTRIES);
        assert_eq!(lines[0], "       0.011 I/Retap: wait 11 ms");
        assert_eq!(
            lines[MAX_ENTRIES - 1],
            "       0.071 I/ActivityTaskManager: Displayed a/.B"
        );
    }
}
