//! Proof of what was found where the way did not begin clean: it counts once it comes again from a clean start.

use retap_device::{Device, DeviceError};
use retap_shared::micros::Micros;
use retap_shared::protocol::Play;
use retap_shared::trace::{Start, Step};
use retap_shared::verdict::Verdict;

use super::ExploreError;
use super::exploration::{CrashPoint, Exploration};
use super::found::{self, Found};
use super::whole::Whole;

/// What comes late comes within this time.
const LINGER: Micros = Micros::from_millis(2_500);

/// A problem that must still come from a clean start, with the ways that are tried, the best first.
#[derive(Clone, Debug)]
pub(super) struct Unproven {
    pub(super) found: Found,
    pub(super) ways: Vec<Vec<Step>>,
    pub(super) first: CrashPoint,
}

impl Unproven {
    /// How many ways are worth a try: each costs a run at the end.
    const WAYS: usize = 6;

    pub(super) fn add(&mut self, ways: Vec<Vec<Step>>) {
        self.found.times += 1;
        self.ways.extend(ways);
        self.ways.sort_by_key(Vec::len);
        self.ways.dedup();
        self.ways.truncate(Unproven::WAYS);
    }
}

/// Moves each problem to those found or to those apart.
pub(super) async fn prove(
    whole: &Whole<'_>,
    mut exploration: Exploration,
    unproven: Vec<Unproven>,
) -> Result<Exploration, ExploreError> {
    for Unproven {
        mut found,
        ways,
        first,
    } in unproven
    {
        if exploration
            .found
            .iter()
            .any(|known| known.fingerprint == found.fingerprint)
        {
            let early = exploration
                .crashes
                .iter_mut()
                .find(|point| point.fingerprint == first.fingerprint);
            if let Some(point) = early.filter(|point| point.took > first.took) {
                *point = first;
            }
            found::add(&mut exploration.found, found);
            continue;
        }
        match reproduced(whole, &found, ways).await? {
            Some(steps) => {
                found.trace.steps = steps;
                exploration.crashes.push(first);
                found::add(&mut exploration.found, found);
            }
            None => found::add(&mut exploration.apart, found),
        }
    }
    exploration
        .crashes
        .sort_by_key(|point| (point.took, point.events));
    Ok(exploration)
}

/// The first of the ways that does it.
async fn reproduced(
    whole: &Whole<'_>,
    found: &Found,
    ways: Vec<Vec<Step>>,
) -> Result<Option<Vec<Step>>, ExploreError> {
    let mut deaths = 0;
    for way in ways {
        loop {
            if whole.stop.asked() {
                return Ok(None);
            }
            let mut lease = whole.pool.lease().await?;
            match does(&mut lease, whole, found, &way).await {
                Ok(true) => return Ok(Some(way)),
                Ok(false) => break,
                Err(error) => {
                    let device = lease.name().to_owned();
                    let app = whole.settings.app.app.package.to_string();
                    let refused = |fault| ExploreError::Refused { device, app, fault };
                    lease
                        .fail(error, &mut deaths, whole.sink)
                        .map_err(refused)?;
                }
            }
        }
    }
    Ok(None)
}

async fn does(
    device: &mut Device,
    whole: &Whole<'_>,
    found: &Found,
    way: &[Step],
) -> Result<bool, DeviceError> {
    let play = Play {
        app: whole.settings.app.app.clone(),
        start: Start::Clean,
        steps: way.to_vec(),
        target: found.trace.header.target.clone(),
        settle: whole.settings.settle,
        linger: LINGER,
        record: false,
    };
    Ok(device.play(play).await?.verdict == Verdict::TargetReached)
}
