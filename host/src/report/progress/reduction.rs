//! Progress of the reduction of one trace.

use retap_device::run_event::RunEvent;
use retap_shared::micros::Micros;

use crate::report::console::ProgressStatus;
use crate::wording::pluralise;

#[derive(Debug)]
pub(super) struct ReductionProgress {
    original_steps: u32,
    steps: u32,
    runs: u64,
    /// Phone time of the runs so far.
    took: Micros,
    belief: Option<BeliefProgress>,
}

/// The belief about the steps at one moment.
#[derive(Debug)]
struct BeliefProgress {
    needed: u32,
    not_needed: u32,
    under_way: u32,
    runs_left: u32,
}

impl ReductionProgress {
    pub(super) fn new(steps: u32) -> ReductionProgress {
        ReductionProgress {
            original_steps: steps,
            steps,
            runs: 0,
            took: Micros::ZERO,
            belief: None,
        }
    }

    pub(super) fn update(&mut self, event: &RunEvent) -> bool {
        match event {
            RunEvent::Observed { took, .. } => {
                self.runs += 1;
                self.took += *took;
            }
            RunEvent::Shrunk { steps, .. } => self.steps = *steps,
            RunEvent::Believed {
                needed,
                not_needed,
                under_way,
                runs_left,
                ..
            } => {
                self.belief = Some(BeliefProgress {
                    needed: *needed,
                    not_needed: *not_needed,
                    under_way: *under_way,
                    runs_left: *runs_left,
                });
            }
            _ => return false,
        }
        true
    }

    pub(super) fn status(&self) -> ProgressStatus {
        ProgressStatus {
            what: format!(
                "{} → {}",
                pluralise(u64::from(self.original_steps), "step"),
                self.steps
            ),
            done: self.runs,
            total: None,
            unit: "runs",
            note: self.belief.as_ref().map_or_else(
                || "removing steps".to_owned(),
                |belief| self.belief_note(belief),
            ),
        }
    }

    /// `3 needed, 480 not needed, 17 open; 15 running, about 40 more, 3 min 20 s left`
    fn belief_note(&self, belief: &BeliefProgress) -> String {
        let BeliefProgress {
            needed,
            not_needed,
            under_way,
            runs_left,
        } = *belief;
        let open = self.original_steps.saturating_sub(needed + not_needed);
        let time_per_run = self.took.0 / self.runs.max(1);
        let left = Micros(time_per_run * u64::from(runs_left) / u64::from(under_way.max(1)));
        format!(
            "{needed} needed, {not_needed} not needed, {open} open; {under_way} running, about {runs_left} more, {left} left"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduction_by_beliefs_shows_what_is_open_and_the_time_left() {
        let mut progress = ReductionProgress::new(500);
        progress.update(&RunEvent::Observed {
            steps: 500,
            attempt: 0,
            reached: true,
            played: 500,
            took: Micros::from_millis(30_000),
            recalled: false,
            phone: String::new(),
        });
        assert_eq!(progress.status().note, "removing steps");
        progress.update(&RunEvent::Believed {
            needed: 3,
            not_needed: 480,
            under_way: 15,
            runs_left: 40,
            strip: String::new(),
        });
        assert_eq!(
            progress.status().note,
            "3 needed, 480 not needed, 17 open; 15 running, about 40 more, 1 min 20 s left"
        );
    }
}
