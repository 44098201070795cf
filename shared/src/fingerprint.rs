//! A crash's fingerprint: what two failures must share to be the same one. Kinds of failures have a file each, which
//! turns the system's report into lines without anything that differs from run to run.

mod anr;
mod exception;
mod java_frame;
mod logcat;
mod native;
mod normalize;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::hex;
use crate::verdict::{Finding, FindingKind};

/// Written as 16 hexadecimal digits where people read it, as a number on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(#[serde(with = "hex")] pub u64);

/// Whether a Java method, by its whole name, is the app's own and not the system's.
pub fn is_of_app(method: &str, process: &str) -> bool {
    java_frame::JavaFrame::named(method).is_some_and(|method| method.is_of_app(process))
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a fingerprint; that has 16 hexadecimal digits")]
pub struct ParseFingerprintError(pub String);

impl Fingerprint {
    pub fn of(problem: &Finding) -> Fingerprint {
        Fingerprint(xxh3_64(Fingerprint::explain(problem).join("\n").as_bytes()))
    }

    /// The lines that it is made of: the kind, what failed, and the frames that count.
    pub fn explain(problem: &Finding) -> Vec<String> {
        let mut lines = vec![problem.kind.to_string()];
        match problem.kind {
            FindingKind::Crash => exception::explain(problem, &mut lines),
            FindingKind::NativeCrash => native::explain(problem, &mut lines),
            FindingKind::Anr => anr::explain(problem, &mut lines),
            FindingKind::Rule => lines.push(problem.summary.clone()),
        }
        lines
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    fn from_str(digits: &str) -> Result<Self, ParseFingerprintError> {
        hex::parse(digits)
            .map(Fingerprint)
            .ok_or_else(|| ParseFingerprintError(digits.to_owned()))
    }
}
