//! Replays from a clean start, step by step: the request for one, its record, and the trait of what can make one.
//! Phones and the journal are other files.

use std::fmt;
use std::sync::Arc;

use retap_shared::Text;
use retap_shared::connection::BoxFuture;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::Step;
use serde::{Deserialize, Serialize};

use super::error::SuiteError;

/// Replays the steps of a step source from a clean start.
pub trait Replayer: Send + Sync {
    /// Makes one replay. Dropping the future cancels it. A lost phone is not a result: another phone then makes the
    /// replay again.
    fn replay(&self, request: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>>;

    /// Maximum number of replays at the same time.
    fn parallelism(&self) -> usize;
}

/// Request for one replay.
#[derive(Clone)]
pub struct ReplayRequest {
    /// Key of the path: equal for equal paths, in every process.
    pub key: u64,
    /// Number of the attempt, counted per key.
    pub attempt: u32,
    /// Source of the steps.
    pub step_source: Arc<dyn StepSource>,
}

/// Chooses the steps of a replay while it runs.
pub trait StepSource: Send + Sync {
    /// Next step after what the replay has recorded so far; none if the replay is to end.
    fn next(&self, record: &ReplayRecord) -> Option<ReplayStep>;

    /// Number of the step with which a replay left the path, counted from 1; 0 if the clean start already led elsewhere. None
    /// if it visited all prescribed states, or if no states are prescribed.
    fn divergence(&self, record: &ReplayRecord) -> Option<u32> {
        let _ = record;
        None
    }
}

/// Step of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayStep {
    /// Step of the original suite that it is or replaces.
    pub origin: SuiteStepOrigin,
    /// The step to replay.
    pub step: Step,
}

/// Step of the original suite, or a replacement of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SuiteStepOrigin {
    /// Index of the original trace.
    pub trace: u32,
    /// Index of the step in it.
    pub step: u32,
    /// 0 for the recorded step, otherwise a hash of its replacement that is the same in every process.
    #[serde(default, skip_serializing_if = "as_recorded")]
    pub instead: u64,
}

/// Observations of one replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayRecord {
    /// Observation after the clean start.
    pub start: ReplayObservation,
    /// The steps that were replayed, each with its observation.
    pub hops: Vec<(SuiteStepOrigin, ReplayObservation)>,
    /// The step that the phone refused, if one ended the replay.
    pub refused: Option<SuiteStepOrigin>,
}

/// State that one step led to, and coverage of that step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayObservation {
    /// The abstract screen; after a failure of the app, a state of that failure.
    pub state: u64,
    /// True if the screen belongs to the app. Other screens are not coverage.
    pub inside: bool,
    /// Activities that were reached.
    pub activities: Vec<Text>,
    /// Branches that were executed.
    pub branches: Vec<u32>,
    /// Findings. A replay ends with the first.
    pub problems: Vec<Fingerprint>,
    /// Phone time of the step.
    pub took: Micros,
}

impl SuiteStepOrigin {
    /// A recorded step.
    pub fn new(trace: u32, step: u32) -> SuiteStepOrigin {
        SuiteStepOrigin {
            trace,
            step,
            instead: 0,
        }
    }

    /// True if the step replaces the recorded one.
    pub(super) fn is_replacement(self) -> bool {
        self.instead != 0
    }
}

fn as_recorded(instead: &u64) -> bool {
    *instead == 0
}

impl ReplayRecord {
    /// Phone time of the replay, clean start included.
    pub fn took(&self) -> Micros {
        self.hops
            .iter()
            .fold(self.start.took, |took, (_, observation)| {
                took + observation.took
            })
    }

    /// Latest observation.
    pub fn last_observation(&self) -> &ReplayObservation {
        self.hops
            .last()
            .map_or(&self.start, |(_, observation)| observation)
    }
}

impl fmt::Debug for ReplayRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayRequest")
            .field("key", &self.key)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

impl<R: Replayer + ?Sized> Replayer for &R {
    fn replay(&self, request: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        (**self).replay(request)
    }

    fn parallelism(&self) -> usize {
        (**self).parallelism()
    }
}
