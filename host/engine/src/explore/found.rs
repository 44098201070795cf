//! A problem of the app that was found, and the way to it.

use retap_shared::fingerprint::Fingerprint;
use retap_shared::trace::{Trace, TraceError};
use retap_shared::verdict::Problem;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Found {
    pub problem: Problem,
    pub fingerprint: Fingerprint,
    /// What was done from the last clean start until it came, the first time.
    pub trace: Trace,
    /// How often it came.
    pub times: u32,
}

/// As it is stored: the trace in its own format, so that it can be read as long as traces can.
#[derive(Serialize, Deserialize)]
struct Written {
    problem: Problem,
    fingerprint: Fingerprint,
    trace: String,
    times: u32,
}

impl From<Found> for Written {
    fn from(found: Found) -> Written {
        let Found { problem, fingerprint, trace, times } = found;
        Written { problem, fingerprint, trace: trace.to_text(), times }
    }
}

impl TryFrom<Written> for Found {
    type Error = TraceError;

    fn try_from(written: Written) -> Result<Found, TraceError> {
        let Written { problem, fingerprint, trace, times } = written;
        Ok(Found { problem, fingerprint, trace: Trace::parse(&trace)?, times })
    }
}

/// Adds to those found before: each problem is kept as it came first, and counted.
pub(super) fn add(to: &mut Vec<Found>, found: Found) {
    match to.iter_mut().find(|known| known.fingerprint == found.fingerprint) {
        Some(known) => known.times += found.times,
        None => to.push(found),
    }
}
