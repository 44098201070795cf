//! The observation that a strategy gets from one step.

use retap_shared::fingerprint::Fingerprint;
use retap_shared::screen::SharedScreen;

use crate::journal::RecordedStep;
use crate::step_path::StepPath;

/// One recorded step, with what it means in this run.
#[derive(Clone, Copy, Debug)]
pub struct StepObservation<'a> {
    /// Number of the worker that did it.
    pub worker: usize,
    /// The step as the journal has it.
    pub record: &'a RecordedStep,
    /// Screen before the step. Always there if the event is `Stepped`.
    pub before: Option<&'a SharedScreen>,
    /// Screen after the step; `None` if the step led to a finding: a clean start comes next.
    pub screen: Option<&'a SharedScreen>,
    /// True if that screen belongs to the app.
    pub in_app: bool,
    /// Fingerprints of the step's findings.
    pub findings: &'a [Fingerprint],
    /// Coverage that is new in this run.
    pub gain: CoverageGainCount,
    /// Steps from the last clean start up to and including this one.
    pub path: &'a StepPath,
}

/// Sizes of a coverage gain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageGainCount {
    /// Number of new activities.
    pub activities: u32,
    /// Number of new abstract screens.
    pub screens: u32,
    /// Number of new branches.
    pub branches: u32,
}

impl CoverageGainCount {
    /// True if nothing is new.
    pub fn is_empty(self) -> bool {
        self == CoverageGainCount::default()
    }
}
