//! Progress of the reduction of a suite.

use retap_device::run_event::RunEvent;

use crate::report::console::ProgressStatus;

/// Runs between two updates of the bar.
const RUNS_PER_UPDATE: u64 = 8;

#[derive(Debug)]
pub(super) struct SuiteProgress {
    original_traces: u32,
    original_transitions: u64,
    traces: u32,
    transitions: u64,
    covered: u32,
    phase: String,
    runs: u64,
}

impl SuiteProgress {
    pub(super) fn new(traces: u32, transitions: u64) -> SuiteProgress {
        SuiteProgress {
            original_traces: traces,
            original_transitions: transitions,
            traces,
            transitions,
            covered: 0,
            phase: "replaying the originals".to_owned(),
            runs: 0,
        }
    }

    pub(super) fn update(&mut self, event: &RunEvent) -> bool {
        match event {
            RunEvent::SuiteReplayed { .. } => {
                self.runs += 1;
                self.runs.is_multiple_of(RUNS_PER_UPDATE)
            }
            RunEvent::SuiteShrunk {
                phase,
                traces,
                transitions,
                covered,
                ..
            } => {
                self.traces = *traces;
                self.transitions = *transitions;
                self.covered = *covered;
                self.phase.clone_from(phase);
                true
            }
            _ => false,
        }
    }

    pub(super) fn status(&self) -> ProgressStatus {
        ProgressStatus {
            what: format!("{} traces → {}", self.original_traces, self.traces),
            done: self.runs,
            total: None,
            unit: "runs",
            note: format!(
                "{}: {} → {} transitions, {} covered",
                self.phase, self.original_transitions, self.transitions, self.covered
            ),
        }
    }
}
