//! The effect of a run on the app (`Verdict`), why a run has no verdict (`Interruption`), and the outcome of a command's
//! work (`Outcome`). The three are never mixed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Text;
use crate::finding::Finding;

/// The effect of one run on the app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The run reached its target.
    TargetReached,
    /// The run ended without its target.
    TargetNotReached,
    /// The app failed in another way than the target's, or the run had no target.
    Problem(Finding),
    /// Another app was in front at the end of a run without a target.
    LeftApp {
        /// The package in front.
        to: Text,
    },
    /// The run made no progress.
    Stuck,
    /// The phone cannot perform a step of the trace.
    Unsupported {
        /// The capability that is missing.
        what: String,
    },
}

/// Why a run has no verdict. Never counted as evidence: the run is repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The phone does not answer any more.
    #[error("the phone was lost: {why}")]
    PhoneLost {
        /// The cause.
        why: String,
    },
    /// The link broke and could not be restored.
    #[error("the link was lost: {why}")]
    LinkLost {
        /// The cause.
        why: String,
    },
    /// The agent's process has ended.
    #[error("the agent died: {why}")]
    AgentDied {
        /// The cause.
        why: String,
    },
    /// The user or the host cancelled the run.
    #[error("cancelled")]
    Cancelled,
    /// The app could not be brought into the state that the run starts from.
    #[error("the precondition failed: {why}")]
    PreconditionFailed {
        /// The cause.
        why: String,
    },
}

/// The outcome of a command's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The work is finished.
    Done,
    /// The budget of events, runs or time is spent.
    BudgetSpent,
    /// The result reaches its target in some runs and not in others.
    Flaky,
    /// No run has reached the target.
    DoesNotReproduce,
    /// The work was interrupted and can be resumed.
    Interrupted,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Done => "done",
            Outcome::BudgetSpent => "budget spent",
            Outcome::Flaky => "flaky",
            Outcome::DoesNotReproduce => "does not reproduce",
            Outcome::Interrupted => "interrupted",
        })
    }
}
