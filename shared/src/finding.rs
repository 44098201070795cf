//! A failure of the app as the system reported it. `fingerprint` decides which findings are the same.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Text;

/// A failure of the app, as the system reported it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Crash, native crash or ANR.
    pub kind: FindingKind,
    /// The process that failed: the package, with `:name` for a named process.
    pub process: Text,
    /// The line that names the failure, such as the exception and its message.
    pub summary: String,
    /// The stack trace, tombstone extract or ANR trace, lines separated by `\n`.
    pub stack: String,
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// An uncaught Java exception.
    Crash,
    /// A signal that ended the process.
    NativeCrash,
    /// "Application not responding".
    Anr,
    /// A broken rule of `retap.toml`. Made by the host, never by a phone.
    Rule,
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
