//! Step source of a fixed sequence of steps.

use std::sync::Arc;

use retap_shared::trace::{Step, Trace};
use xxhash_rust::xxh3::xxh3_64;

use super::replayer::{ReplayRecord, ReplayRequest, ReplayStep, StepSource, SuiteStepOrigin};
use super::symbol_table::action_hash;

/// Prefix of the keys of original traces, which sets them apart from those of paths.
pub(super) const ORIGINAL_KEY_PREFIX: &[u8] = b"original";

/// Steps in their order, as long as each leads to the state that is expected of it.
pub(super) struct ScriptedSteps {
    pub(super) key: u64,
    /// State that the clean start must lead to, if it is known. A replay that starts elsewhere counts as diverged, but continues
    /// as long as its steps lead to their states.
    pub(super) start: Option<u64>,
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
            start: None,
            steps: (0..).zip(&original.steps).map(scripted).collect(),
        }
    }

    /// Request for one attempt of the script.
    pub(super) fn request(self: &Arc<Self>, attempt: u32) -> ReplayRequest {
        ReplayRequest {
            key: self.key,
            attempt,
            step_source: Arc::clone(self) as Arc<dyn StepSource>,
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

    fn divergence(&self, record: &ReplayRecord) -> Option<u32> {
        if self.start.is_some_and(|start| start != record.start.state) {
            return Some(0);
        }
        let led_elsewhere = |(expected, observed): (&Option<u64>, u64)| {
            expected.is_some_and(|expected| expected != observed)
        };
        let expected = self.steps.iter().map(|(_, expected)| expected);
        let observed = record.hops.iter().map(|(_, observation)| observation.state);
        let first = expected.zip(observed).position(led_elsewhere);
        let unplayed = (record.hops.len() < self.steps.len()).then_some(record.hops.len());
        first
            .or(unplayed)
            .map(|index| u32::try_from(index + 1).unwrap_or(u32::MAX))
    }
}
