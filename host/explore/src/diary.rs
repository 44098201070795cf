//! What was done on a phone and what the phone told, the last of it: the log around a problem.

use std::collections::VecDeque;

use retap_shared::log;
use retap_shared::micros::Micros;
use retap_shared::protocol::What;
use retap_shared::trace::Step;

/// How much of it is kept.
const ENTRIES: usize = 60;

#[derive(Clone, Debug, Default)]
pub(super) struct Diary {
    entries: VecDeque<(Micros, Entry)>,
}

#[derive(Clone, Debug)]
pub(super) enum Entry {
    Started { clean: bool },
    Did(Step),
    Told(What),
}

impl Diary {
    /// `at` is the phone's time since the exploration began on it.
    pub(super) fn note(&mut self, at: Micros, entry: Entry) {
        if self.entries.len() == ENTRIES {
            self.entries.pop_front();
        }
        self.entries.push_back((at, entry));
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (at, entry) in &self.entries {
            let seconds = at.0 as f64 / 1e6;
            let mut say = |line: &str| lines.push(format!("{seconds:>12.3} {line}"));
            match entry {
                Entry::Started { clean: true } => say("I/Retap: start clean"),
                Entry::Started { clean: false } => {
                    say("I/Retap: start with the data that is there")
                }
                Entry::Did(Step {
                    action,
                    widget: Some(widget),
                    ..
                }) => {
                    say(&format!("I/Retap: {action} on {widget}"));
                }
                Entry::Did(Step { action, .. }) => say(&format!("I/Retap: {action}")),
                Entry::Told(what) => log::lines(what).for_each(|line| say(&line)),
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
        let mut diary = Diary::default();
        diary.note(Micros(0), Entry::Started { clean: true });
        for millis in 0..70 {
            diary.note(
                Micros::from_millis(u64::from(millis)),
                Entry::Did(Step::new(Action::Wait { millis })),
            );
        }
        diary.note(
            Micros::from_millis(71),
            Entry::Told(What::Activity("a/.B".into())),
        );
        let lines = diary.lines();
        assert_eq!(lines.len(), ENTRIES);
        assert_eq!(lines[0], "       0.011 I/Retap: wait 11 ms");
        assert_eq!(
            lines[ENTRIES - 1],
            "       0.071 I/ActivityTaskManager: Displayed a/.B"
        );
    }
}
