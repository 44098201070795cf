//! Step source of a fixed sequence of steps.

use retap_shared::trace::{Step, Trace};
use xxhash_rust::xxh3::xxh3_64;

use super::replayer::{ReplayRecord, ReplayStep, StepSource, SuiteStepOrigin};
use super::symbol_table::action_hash;

/// Prefix of the keys of original traces, which sets them apart from those of paths.
pub(super) const ORIGINAL_KEY_PREFIX: &[u8] = b"original";

/// Steps in their order, as long as each leads to the state that is expected of it.
pub(super) struct ScriptedSteps {
    pub(super) key: u64,
    /// Steps, each with the state it must lead to if there is one.
    pub(super) steps: Vec<(ReplayStep, Option<u64>)>,
}

impl ScriptedSteps {
    /// The steps of an original trace as they were recorded.
    pub(super) fn of_original(trace: u32, original: &Trace) -> ScriptedSteps {
        let mut hashed = ORIGINAL_KEY_PREFIX.to_vec();
        for step in &original.steps {
            hashed.extend(action_hash(step).to_le_bytes());
        }
        let scripted = |(index, step): (u32, &Step)| {
            let origin = SuiteStepOrigin::new(trace, index);
            let step = step.clone();
            (ReplayStep { origin, step }, None)
        };
        ScriptedSteps {
            key: xxh3_64(&hashed),
            steps: (0..).zip(&original.steps).map(scripted).collect(),
        }
    }
}

impl StepSource for ScriptedSteps {
    fn next(&self, record: &ReplayRecord) -> Option<ReplayStep> {
        let played = record.hops.len();
        let expected = played.checked_sub(1).and_then(|last| self.steps[last].1);
        if expected.is_some_and(|expected| expected != record.last_observation().state) {
            return None;
        }
        self.steps.get(played).map(|(next, _)| next.clone())
    }
}
