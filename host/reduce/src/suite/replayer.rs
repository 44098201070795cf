//! "What does one see on this way?" A run from a clean start, step by step, and who can make one.

use std::fmt;
use std::sync::Arc;

use retap_device::JournalError;
use retap_device::event::{RunEvent, Sink};
use retap_shared::Text;
use retap_shared::connection::Pending;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::Step;
use serde::{Deserialize, Serialize};

use super::SuiteError;

/// Plays from a clean start what a pilot says.
pub trait Replayer: Send + Sync {
    /// Dropping the future cancels the run. A lost phone is not an answer: the run is then done again elsewhere.
    fn drive(&self, errand: Errand) -> Pending<'_, Result<Run, SuiteError>>;

    /// How many runs can be under way at once.
    fn width(&self) -> usize;
}

/// One run that is wanted.
#[derive(Clone)]
pub struct Errand {
    /// Equal for equal ways, whatever process asks.
    pub key: u64,
    /// Which run of that way it is.
    pub attempt: u32,
    pub pilot: Arc<dyn Pilot>,
}

/// Says what comes next, by all that the run has seen so far.
pub trait Pilot: Send + Sync {
    fn next(&self, run: &Run) -> Option<Next>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct Next {
    pub origin: Origin,
    pub step: Step,
}

/// The step of the suite that was read: which trace, and which of its steps, or what was made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Origin {
    pub trace: u32,
    pub step: u32,
    /// 0 for the step as it was recorded; another number for what is done instead, the same in every process.
    #[serde(default, skip_serializing_if = "as_recorded")]
    pub instead: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// What a clean start led to.
    pub start: Arrival,
    pub hops: Vec<(Origin, Arrival)>,
    /// What came next, and the phone would not do it.
    pub refused: Option<Origin>,
}

/// What one step led to, and what it covered on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
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

impl Origin {
    pub fn new(trace: u32, step: u32) -> Origin {
        Origin {
            trace,
            step,
            instead: 0,
        }
    }
}

fn as_recorded(instead: &u64) -> bool {
    *instead == 0
}

impl Run {
    pub fn took(&self) -> Micros {
        self.hops
            .iter()
            .fold(self.start.took, |took, (_, arrival)| took + arrival.took)
    }

    /// Where it is now.
    pub fn now(&self) -> &Arrival {
        self.hops.last().map_or(&self.start, |(_, arrival)| arrival)
    }
}

/// What must outlive the process, so that a killed reduction goes on where it was.
pub trait RunLog: Send + Sync {
    fn recall_run(&self, key: u64, attempt: u32) -> Result<Option<Run>, JournalError>;
    fn note_run(&self, key: u64, attempt: u32, run: &Run) -> Result<(), JournalError>;
}

/// Any replayer behind the log: what was seen once is recalled, not played again.
pub struct Logged<'a, R> {
    inner: R,
    log: &'a dyn RunLog,
    sink: Sink,
}

impl<'a, R: Replayer> Logged<'a, R> {
    pub fn new(inner: R, log: &'a dyn RunLog, sink: &Sink) -> Logged<'a, R> {
        Logged {
            inner,
            log,
            sink: sink.clone(),
        }
    }

    async fn recall_or_drive(&self, errand: Errand) -> Result<Run, SuiteError> {
        let Errand { key, attempt, .. } = errand;
        let (run, recalled) = match self.log.recall_run(key, attempt)? {
            Some(run) => (run, true),
            None => {
                let run = self.inner.drive(errand).await?;
                // Before anybody acts on it: what has been decided upon must not be forgotten by a crash.
                self.log.note_run(key, attempt, &run)?;
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

impl<R: Replayer> Replayer for Logged<'_, R> {
    fn drive(&self, errand: Errand) -> Pending<'_, Result<Run, SuiteError>> {
        Box::pin(self.recall_or_drive(errand))
    }

    fn width(&self) -> usize {
        self.inner.width()
    }
}

impl<R: fmt::Debug> fmt::Debug for Logged<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logged")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Errand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Errand")
            .field("key", &self.key)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

impl<R: Replayer + ?Sized> Replayer for &R {
    fn drive(&self, errand: Errand) -> Pending<'_, Result<Run, SuiteError>> {
        (**self).drive(errand)
    }

    fn width(&self) -> usize {
        (**self).width()
    }
}
