//! Fingerprints: what two findings must share to be the same one. Each kind of finding has a file, which reduces the
//! system's report to lines that differ neither from run to run nor with a line that is added to the source.

mod anr;
mod exception;
mod java_frame;
mod logcat;
mod native;
mod normalize;
mod version_1;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::finding::{Finding, FindingKind};
use crate::hex;

/// The identity of a finding: 16 hexadecimal digits in text formats, a number on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(#[serde(with = "hex")] pub u64);

/// The version of the rules that make a fingerprint; raised with every change of them.
pub const FINGERPRINT_VERSION: u32 = 2;

/// True if a Java method, given as `package.Class.method`, belongs to the app and not to the system.
pub fn is_of_app(method: &str, process: &str) -> bool {
    java_frame::JavaFrame::named(method).is_some_and(|method| method.is_of_app(process))
}

/// The text is not a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a fingerprint; a fingerprint has 16 hexadecimal digits")]
pub struct ParseFingerprintError(pub String);

impl Fingerprint {
    /// Computes the fingerprint of a finding.
    pub fn of(finding: &Finding) -> Fingerprint {
        hashed(&Fingerprint::explain(finding))
    }

    /// Computes the fingerprint by the rules of version 1, which counted line numbers. Traces, runs and stores of that time
    /// name findings by it.
    pub fn version_1(finding: &Finding) -> Fingerprint {
        hashed(&version_1::explain(finding))
    }

    /// The lines that are hashed: the kind, the exception, signal or reason, and the frames that count.
    pub fn explain(finding: &Finding) -> Vec<String> {
        let mut lines = vec![finding.kind.to_string()];
        match finding.kind {
            FindingKind::Crash => exception::explain(finding, &mut lines),
            FindingKind::NativeCrash => native::explain(finding, &mut lines),
            FindingKind::Anr => anr::explain(finding, &mut lines),
            FindingKind::Rule => lines.push(finding.summary.clone()),
        }
        lines
    }
}

impl Finding {
    /// The identity of the finding.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self)
    }

    /// True if the fingerprint names this finding, by the present rules or by those of version 1.
    pub fn is_named_by(&self, fingerprint: Fingerprint) -> bool {
        self.fingerprint() == fingerprint || Fingerprint::version_1(self) == fingerprint
    }
}

fn hashed(lines: &[String]) -> Fingerprint {
    Fingerprint(xxh3_64(lines.join("\n").as_bytes()))
}

/// Each line once, where it stands first: how deep a recursion goes, or views are nested, is not part of an identity.
fn each_once(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    lines.filter(|line| seen.insert(line.clone())).collect()
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
