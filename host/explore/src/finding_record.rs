//! A problem of the app that was found, and the way to it.

use retap_shared::bytes::Png;
use retap_shared::finding::Finding;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{Trace, TraceError};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct FindingRecord {
    pub finding: Finding,
    pub fingerprint: Fingerprint,
    /// What was done from the last clean start until it came, the first time.
    pub trace: Trace,
    /// How often it came.
    pub occurrences: u32,
    pub context: FindingContext,
}

/// What there was to see when a problem came, the first time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingContext {
    /// Before the step that it came with.
    pub screen: Option<SharedScreen>,
    /// The pixels as soon as it was known, where they are wanted and the phone gives them.
    pub screenshot: Option<Png>,
    /// What was done and what the phone told, the last of it.
    pub log: Vec<String>,
}

/// As it is stored: the trace in its own format, so that it can be read as long as traces can. Pictures are files.
#[derive(Serialize, Deserialize)]
struct Written {
    problem: Finding,
    fingerprint: Fingerprint,
    trace: String,
    times: u32,
    #[serde(default)]
    log: Vec<String>,
}

impl From<FindingRecord> for Written {
    fn from(found: FindingRecord) -> Written {
        let FindingRecord {
            finding: problem,
            fingerprint,
            trace,
            occurrences: times,
            context: scene,
        } = found;
        Written {
            problem,
            fingerprint,
            trace: trace.to_text(),
            times,
            log: scene.log,
        }
    }
}

impl TryFrom<Written> for FindingRecord {
    type Error = TraceError;

    fn try_from(written: Written) -> Result<FindingRecord, TraceError> {
        let Written {
            problem,
            fingerprint,
            trace,
            times,
            log,
        } = written;
        let scene = FindingContext {
            log,
            ..FindingContext::default()
        };
        Ok(FindingRecord {
            finding: problem,
            fingerprint,
            trace: Trace::parse(&trace)?,
            occurrences: times,
            context: scene,
        })
    }
}

/// Adds to those found before: each problem is kept as it came first, and counted.
pub(super) fn merge_finding(to: &mut Vec<FindingRecord>, found: FindingRecord) {
    match to
        .iter_mut()
        .find(|known| known.fingerprint == found.fingerprint)
    {
        Some(known) => known.occurrences += found.occurrences,
        None => to.push(found),
    }
}
