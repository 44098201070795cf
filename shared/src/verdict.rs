//! What happened to the app (`Verdict`), why there is no answer (`Interruption`), and what became of a job
//! (`Outcome`). The three are never mixed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Text;
use crate::fingerprint::Fingerprint;

/// What one run did to the app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    TargetReached,
    TargetNotReached,
    /// The app failed in another way than the one that was asked for, or nothing was asked for.
    Problem(Finding),
    LeftApp {
        to: Text,
    },
    Stuck,
    /// This phone cannot do what the trace asks.
    Unsupported {
        what: String,
    },
}

/// A failure of the app, as the system reported it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// The process that failed: the package, with `:name` for a named process.
    pub process: Text,
    /// The first line a person would want to read.
    pub summary: String,
    /// The whole stack trace, tombstone extract or ANR trace, lines separated by `\n`.
    pub stack: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    Crash,
    NativeCrash,
    Anr,
    /// A broken rule of `retap.toml`. Made by the host, never by a phone.
    Rule,
}

/// No answer: never counted as evidence, the run is done again elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    #[error("the phone was lost: {why}")]
    PhoneLost { why: String },
    #[error("the link was lost: {why}")]
    LinkLost { why: String },
    #[error("the agent died: {why}")]
    AgentDied { why: String },
    #[error("cancelled")]
    Cancelled,
    #[error("the precondition failed: {why}")]
    PreconditionFailed { why: String },
}

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done,
    BudgetSpent,
    DoesNotReproduce,
    Interrupted,
}

impl Finding {
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self)
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FindingKind::Crash => "crash",
            FindingKind::NativeCrash => "native crash",
            FindingKind::Anr => "ANR",
            FindingKind::Rule => "rule broken",
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Done => "done",
            Outcome::BudgetSpent => "budget spent",
            Outcome::DoesNotReproduce => "does not reproduce",
            Outcome::Interrupted => "interrupted",
        })
    }
}
