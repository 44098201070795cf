//! Confirmation of findings that came after a restore or with kept data: they count once they come from a clean start.

use retap_device::{Device, DeviceError};
use retap_shared::micros::Micros;
use retap_shared::protocol::Play;
use retap_shared::trace::{ReplayPace, StartMode, Step};
use retap_shared::verdict::Verdict;

use crate::error::ExploreError;
use crate::exploration::{Exploration, UnconfirmedFinding};
use crate::finding_record::{self, FindingRecord};
use crate::result::ExplorationResult;

/// Wait after the last step for what comes late.
const FINAL_WAIT: Micros = Micros::from_millis(2_500);

/// Replays each unconfirmed finding from a clean start, and adds it to the findings or to those that stay unconfirmed.
pub(super) async fn confirm_findings(
    exploration: &Exploration<'_>,
    result: &mut ExplorationResult,
    unconfirmed: Vec<UnconfirmedFinding>,
) -> Result<(), ExploreError> {
    let mut left = unconfirmed.into_iter();
    while let Some(unconfirmed) = left.next() {
        let UnconfirmedFinding {
            mut finding,
            paths,
            first_seen,
        } = unconfirmed;
        let fingerprint = finding.fingerprint;
        let is_confirmed = result
            .findings
            .iter()
            .any(|known| known.fingerprint == fingerprint);
        if is_confirmed {
            let point = result
                .first_seen
                .iter_mut()
                .find(|point| point.fingerprint == fingerprint);
            if let Some(point) = point.filter(|point| point.took > first_seen.took) {
                *point = first_seen;
            }
            finding_record::merge_finding(&mut result.findings, finding);
            continue;
        }
        let confirming = first_reproducing_path(exploration, &finding, paths);
        let cancellation = exploration.context.cancellation;
        let confirmed = cancellation.run_until_cancelled(confirming).await;
        match confirmed.unwrap_or(Ok(None)) {
            Ok(Some(steps)) => {
                finding.trace.steps = steps;
                result.add_finding(finding, first_seen);
            }
            Ok(None) => finding_record::merge_finding(&mut result.unconfirmed, finding),
            Err(error) => {
                finding_record::merge_finding(&mut result.unconfirmed, finding);
                keep_unconfirmed(result, left.collect());
                return Err(error);
            }
        }
    }
    result
        .first_seen
        .sort_by_key(|point| (point.took, point.events));
    Ok(())
}

/// Adds findings without an attempt to confirm them to those that stay unconfirmed.
pub(super) fn keep_unconfirmed(
    result: &mut ExplorationResult,
    unconfirmed: Vec<UnconfirmedFinding>,
) {
    for UnconfirmedFinding { finding, .. } in unconfirmed {
        let is_confirmed = |known: &FindingRecord| known.fingerprint == finding.fingerprint;
        if result.findings.iter().any(is_confirmed) {
            finding_record::merge_finding(&mut result.findings, finding);
        } else {
            finding_record::merge_finding(&mut result.unconfirmed, finding);
        }
    }
}

/// The first path that reproduces the finding.
async fn first_reproducing_path(
    exploration: &Exploration<'_>,
    finding: &FindingRecord,
    paths: Vec<Vec<Step>>,
) -> Result<Option<Vec<Step>>, ExploreError> {
    let mut deaths = 0;
    for path in paths {
        loop {
            let mut lease = exploration.pool.lease().await?;
            match reproduces(&mut lease, exploration, finding, &path).await {
                Ok(true) => return Ok(Some(path)),
                Ok(false) => break,
                Err(error) => {
                    let device = lease.name().to_owned();
                    let app = exploration.settings.app.app.package.to_string();
                    lease
                        .release_failed(error, &mut deaths, exploration.context.events)
                        .map_err(|fault| ExploreError::Refused { device, app, fault })?;
                }
            }
        }
    }
    Ok(None)
}

async fn reproduces(
    device: &mut Device,
    exploration: &Exploration<'_>,
    finding: &FindingRecord,
    path: &[Step],
) -> Result<bool, DeviceError> {
    let play = Play {
        app: exploration.settings.app.app.clone(),
        start: StartMode::Clean,
        steps: path.to_vec(),
        target: finding.trace.header.target.clone(),
        pace: ReplayPace::Quiet,
        settle: exploration.settings.settle,
        final_wait: FINAL_WAIT,
        record: false,
    };
    Ok(device.play(play).await?.verdict == Verdict::TargetReached)
}
