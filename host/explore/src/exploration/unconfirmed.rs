//! Findings that came after a restore or a restart with kept data, and so still need a confirmation from a clean start.

use retap_shared::trace::Step;

use crate::finding_record::FindingRecord;
use crate::result::FindingPoint;

/// Steps without their times: after a restore or a restart they are no times since a clean start.
pub(crate) fn without_times(mut steps: Vec<Step>) -> Vec<Step> {
    for step in &mut steps {
        step.at_millis = None;
    }
    steps
}

/// A finding that has not come from a clean start yet, with the step paths to try.
#[derive(Clone, Debug)]
pub(crate) struct UnconfirmedFinding {
    pub(crate) finding: FindingRecord,
    /// The shortest first, once there are several.
    pub(crate) paths: Vec<Vec<Step>>,
    pub(crate) first_seen: FindingPoint,
}

impl UnconfirmedFinding {
    /// Maximum number of paths per finding: each costs a run when the exploration ends.
    const MAX_PATHS: usize = 6;

    /// Counts another occurrence, with its paths.
    pub(crate) fn add_paths(&mut self, paths: Vec<Vec<Step>>) {
        self.finding.occurrences += 1;
        self.paths.extend(paths);
        self.paths.sort_by_key(Vec::len);
        self.paths.dedup();
        self.paths.truncate(UnconfirmedFinding::MAX_PATHS);
    }
}
