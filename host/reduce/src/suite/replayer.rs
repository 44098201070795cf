//! "What does one see on this way?" A run from a clean start, step by step, and who can make one.

use std::fmt;
use std::sync::Arc;

use retap_device::JournalError;
use retap_device::run_event::{EventSink, RunEvent};
use retap_shared::Text;
use retap_shared::connection::BoxFuture;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::Step;
use serde::{Deserialize, Serialize};

use super::SuiteError;

/// Plays from a clean start what a pilot says.
pub trait Replayer: Send + Sync {
    /// Dropping the future cancels the run. A lost phone is not an answer: the run is then done again elsewhere.
    fn replay(&self, errand: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>>;

    /// How many runs can be under way at once.
    fn parallelism(&self) -> usize;
}

/// One run that is wanted.
#[derive(Clone)]
pub struct ReplayRequest {
    /// Equal for equal ways, whatever process asks.
    pub key: u64,
    /// Which run of that way it is.
    pub attempt: u32,
    pub step_source: Arc<dyn StepSource>,
}

/// Says what comes next, by all that the run has seen so far.
pub trait StepSource: Send + Sync {
    fn next(&self, run: &ReplayRecord) -> Option<ReplayStep>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReplayStep {
    pub origin: SuiteStepOrigin,
    pub step: Step,
}

/// The step of the suite that was read: which trace, and which of its steps, or what was made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SuiteStepOrigin {
    pub trace: u32,
    pub step: u32,
    /// 0 for the step as it was recorded; another number for what is done instead, the same in every process.
    #[serde(default, skip_serializing_if = "as_recorded")]
    pub instead: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayRecord {
    /// What a clean start led to.
    pub start: ReplayObservation,
    pub hops: Vec<(SuiteStepOrigin, ReplayObservation)>,
    /// What came next, and the phone would not do it.
    pub refused: Option<SuiteStepOrigin>,
}

/// What one step led to, and what it covered on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayObservation {
    /// The abstract screen; where the app failed, a state of that failure.
    pub state: u64,
    /// Whether it is a screen of the app: others are no coverage of it.
    pub inside: bool,
    pub activities: Vec<Text>,
    pub branches: Vec<u32>,
    /// Nothing can come after one.
    pub problems: Vec<Fingerprint>,
    pub took: Micros,
}

impl SuiteStepOrigin {
    pub fn new(trace: u32, step: u32) -> SuiteStepOrigin {
        SuiteStepOrigin {
            trace,
            step,
            instead: 0,
        }
    }
}

fn as_recorded(instead: &u64) -> bool {
    *instead == 0
}

impl ReplayRecord {
    pub fn took(&self) -> Micros {
        self.hops
            .iter()
            .fold(self.start.took, |took, (_, arrival)| took + arrival.took)
    }

    /// Where it is now.
    pub fn last_observation(&self) -> &ReplayObservation {
        self.hops.last().map_or(&self.start, |(_, arrival)| arrival)
    }
}

/// What must outlive the process, so that a killed reduction goes on where it was.
pub trait ReplayJournal: Send + Sync {
    fn recall_replay(&self, key: u64, attempt: u32) -> Result<Option<ReplayRecord>, JournalError>;
    fn record_replay(&self, key: u64, attempt: u32, run: &ReplayRecord)
    -> Result<(), JournalError>;
}

/// Any replayer behind the log: what was seen once is recalled, not played again.
pub struct JournaledReplayer<'a, R> {
    inner: R,
    journal: &'a dyn ReplayJournal,
    sink: EventSink,
}

impl<'a, R: Replayer> JournaledReplayer<'a, R> {
    pub fn new(inner: R, log: &'a dyn ReplayJournal, sink: &EventSink) -> JournaledReplayer<'a, R> {
        JournaledReplayer {
            inner,
            journal: log,
            sink: sink.clone(),
        }
    }

    async fn recall_or_replay(&self, errand: ReplayRequest) -> Result<ReplayRecord, SuiteError> {
        let ReplayRequest { key, attempt, .. } = errand;
        let (run, recalled) = match self.journal.recall_replay(key, attempt)? {
            Some(run) => (run, true),
            None => {
                let run = self.inner.replay(errand).await?;
                // Before anybody acts on it: what has been decided upon must not be forgotten by a crash.
                self.journal.record_replay(key, attempt, &run)?;
                (run, false)
            }
        };
        let played = u32::try_from(run.hops.len()).unwrap_or(u32::MAX);
        (self.sink)(RunEvent::SuiteReplayed {
            attempt,
            played,
            took: run.took(),
            recalled,
        });
        Ok(run)
    }
}

impl<R: Replayer> Replayer for JournaledReplayer<'_, R> {
    fn replay(&self, errand: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        Box::pin(self.recall_or_replay(errand))
    }

    fn parallelism(&self) -> usize {
        self.inner.parallelism()
    }
}

impl<R: fmt::Debug> fmt::Debug for JournaledReplayer<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logged")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ReplayRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Errand")
            .field("key", &self.key)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

impl<R: Replayer + ?Sized> Replayer for &R {
    fn replay(&self, errand: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        (**self).replay(errand)
    }

    fn parallelism(&self) -> usize {
        (**self).parallelism()
    }
}
