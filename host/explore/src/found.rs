//! A problem of the app that was found, and the way to it.

use retap_shared::bytes::Png;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::screen::SharedScreen;
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
    pub scene: Scene,
}

/// What there was to see when a problem came, the first time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Before the step that it came with.
    pub screen: Option<SharedScreen>,
    /// The pixels as soon as it was known, where they are wanted and the phone gives them.
    pub picture: Option<Png>,
    /// What was done and what the phone told, the last of it.
    pub log: Vec<String>,
}

/// As it is stored: the trace in its own format, so that it can be read as long as traces can. Pictures are files.
#[derive(Serialize, Deserialize)]
struct Written {
    problem: Problem,
    fingerprint: Fingerprint,
    trace: String,
    times: u32,
    #[serde(default)]
    log: Vec<String>,
}

impl From<Found> for Written {
    fn from(found: Found) -> Written {
        let Found {
            problem,
            fingerprint,
            trace,
            times,
            scene,
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

impl TryFrom<Written> for Found {
    type Error = TraceError;

    fn try_from(written: Written) -> Result<Found, TraceError> {
        let Written {
            problem,
            fingerprint,
            trace,
            times,
            log,
        } = written;
        let scene = Scene {
            log,
            ..Scene::default()
        };
        Ok(Found {
            problem,
            fingerprint,
            trace: Trace::parse(&trace)?,
            times,
            scene,
        })
    }
}

/// Adds to those found before: each problem is kept as it came first, and counted.
pub(super) fn add(to: &mut Vec<Found>, found: Found) {
    match to
        .iter_mut()
        .find(|known| known.fingerprint == found.fingerprint)
    {
        Some(known) => known.times += found.times,
        None => to.push(found),
    }
}
