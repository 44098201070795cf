//! Progress of an exploration, over all its sessions.

use std::collections::HashMap;

use retap_device::run_event::RunEvent;

use crate::report::console::ProgressStatus;
use crate::sanitise_terminal::{self, INLINE_WIDTH};
use crate::wording::pluralise;

/// Events between two updates of the bar: a simulated phone does a hundred thousand a second.
const EVENTS_PER_UPDATE: u32 = 32;

#[derive(Debug, Default)]
pub(super) struct ExplorationProgress {
    app: String,
    /// Planned events; 0 if the budget is time.
    planned: u64,
    /// Events of sessions that have ended.
    done: u64,
    /// Events of each session that is running.
    running: HashMap<u32, u32>,
    screens: u32,
    findings: u32,
}

impl ExplorationProgress {
    pub(super) fn new(app: &str, planned: u64) -> ExplorationProgress {
        ExplorationProgress {
            app: sanitise_terminal::sanitise_line(app, INLINE_WIDTH),
            planned,
            ..ExplorationProgress::default()
        }
    }

    pub(super) fn update(&mut self, event: &RunEvent) -> bool {
        match event {
            RunEvent::Stepped { session, step, .. } => {
                self.running.insert(*session, *step);
                return step.is_multiple_of(EVENTS_PER_UPDATE);
            }
            // Also of a session that starts again because its phone was lost.
            RunEvent::SessionStarted { session, .. } => {
                self.running.remove(session);
            }
            RunEvent::SessionEnded {
                session, events, ..
            } => {
                self.running.remove(session);
                self.done += u64::from(*events);
            }
            RunEvent::Covered { screens, .. } => self.screens = *screens,
            RunEvent::ProblemFound { first: true, .. } => self.findings += 1,
            _ => return false,
        }
        true
    }

    pub(super) fn status(&self) -> ProgressStatus {
        let running: u64 = self.running.values().map(|&events| u64::from(events)).sum();
        ProgressStatus {
            what: self.app.clone(),
            done: self.done + running,
            total: (self.planned > 0).then_some(self.planned),
            unit: "events",
            note: format!(
                "{}, {}",
                pluralise(u64::from(self.screens), "screen"),
                pluralise(u64::from(self.findings), "finding")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::micros::Micros;

    use super::*;

    fn stepped(session: u32, step: u32) -> RunEvent {
        RunEvent::Stepped {
            session,
            device: String::new(),
            step,
            action: String::new(),
            widget: None,
            activity: "".into(),
            refusal: None,
        }
    }

    #[test]
    fn events_of_a_session_that_starts_again_are_not_counted_twice() {
        let mut progress = ExplorationProgress::new("notes", 100);
        let start = |session| RunEvent::SessionStarted {
            session,
            device: String::new(),
            seed: 0,
        };
        for event in [
            start(0),
            stepped(0, 30),
            start(1),
            stepped(1, 7),
            start(0),
            stepped(0, 2),
        ] {
            progress.update(&event);
        }
        assert_eq!(progress.status().done, 9);
        progress.update(&RunEvent::SessionEnded {
            session: 0,
            events: 50,
            took: Micros::ZERO,
            recalled: false,
        });
        assert_eq!(progress.status().done, 57);
    }
}
