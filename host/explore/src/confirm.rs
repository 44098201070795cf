//! Proof of what was found where the way did not begin clean: it counts once it comes again from a clean start.

use retap_device::{Device, DeviceError};
use retap_shared::micros::Micros;
use retap_shared::protocol::Play;
use retap_shared::trace::{StartMode, Step};
use retap_shared::verdict::Verdict;

use super::ExploreError;
use super::driver::ExplorationDriver;
use super::finding_record::{self, FindingRecord};
use super::result::{ExplorationResult, FindingPoint};

/// What comes late comes within this time.
const LINGER: Micros = Micros::from_millis(2_500);

/// A problem that must still come from a clean start, with the ways that are tried, the best first.
#[derive(Clone, Debug)]
pub(super) struct UnconfirmedFinding {
    pub(super) finding: FindingRecord,
    pub(super) paths: Vec<Vec<Step>>,
    pub(super) first_seen: FindingPoint,
}

impl UnconfirmedFinding {
    /// How many ways are worth a try: each costs a run at the end.
    const MAX_PATHS: usize = 6;

    pub(super) fn add_paths(&mut self, ways: Vec<Vec<Step>>) {
        self.finding.occurrences += 1;
        self.paths.extend(ways);
        self.paths.sort_by_key(Vec::len);
        self.paths.dedup();
        self.paths.truncate(UnconfirmedFinding::MAX_PATHS);
    }
}

/// Moves each problem to those found or to those apart.
pub(super) async fn confirm_findings(
    whole: &ExplorationDriver<'_>,
    mut exploration: ExplorationResult,
    unproven: Vec<UnconfirmedFinding>,
) -> Result<ExplorationResult, ExploreError> {
    for UnconfirmedFinding {
        finding: mut found,
        paths: ways,
        first_seen: first,
    } in unproven
    {
        if exploration
            .findings
            .iter()
            .any(|known| known.fingerprint == found.fingerprint)
        {
            let early = exploration
                .first_seen
                .iter_mut()
                .find(|point| point.fingerprint == first.fingerprint);
            if let Some(point) = early.filter(|point| point.took > first.took) {
                *point = first;
            }
            finding_record::merge_finding(&mut exploration.findings, found);
            continue;
        }
        match first_reproducing_path(whole, &found, ways).await? {
            Some(steps) => {
                found.trace.steps = steps;
                exploration.first_seen.push(first);
                finding_record::merge_finding(&mut exploration.findings, found);
            }
            None => finding_record::merge_finding(&mut exploration.unconfirmed, found),
        }
    }
    exploration
        .first_seen
        .sort_by_key(|point| (point.took, point.events));
    Ok(exploration)
}

/// The first of the ways that does it.
async fn first_reproducing_path(
    whole: &ExplorationDriver<'_>,
    found: &FindingRecord,
    ways: Vec<Vec<Step>>,
) -> Result<Option<Vec<Step>>, ExploreError> {
    let mut deaths = 0;
    for way in ways {
        loop {
            if whole.cancellation.is_cancelled() {
                return Ok(None);
            }
            let mut lease = whole.pool.lease().await?;
            match reproduces(&mut lease, whole, found, &way).await {
                Ok(true) => return Ok(Some(way)),
                Ok(false) => break,
                Err(error) => {
                    let device = lease.name().to_owned();
                    let app = whole.settings.app.app.package.to_string();
                    let refused = |fault| ExploreError::Refused { device, app, fault };
                    lease
                        .release_failed(error, &mut deaths, whole.sink)
                        .map_err(refused)?;
                }
            }
        }
    }
    Ok(None)
}

async fn reproduces(
    device: &mut Device,
    whole: &ExplorationDriver<'_>,
    found: &FindingRecord,
    way: &[Step],
) -> Result<bool, DeviceError> {
    let play = Play {
        app: whole.settings.app.app.clone(),
        start: StartMode::Clean,
        steps: way.to_vec(),
        target: found.trace.header.target.clone(),
        settle: whole.settings.settle,
        final_wait: LINGER,
        record: false,
    };
    Ok(device.play(play).await?.verdict == Verdict::TargetReached)
}
