//! Reads the findings of a run from their files.

use std::collections::BTreeMap;
use std::path::Path;

use retap_explore::FindingContext;
use retap_shared::bytes::Png;
use retap_shared::finding::Finding;
use retap_shared::fingerprint::{FINGERPRINT_VERSION, Fingerprint};
use retap_shared::target::Target;

use super::{
    CRASHES, FindingFile, LOG, PICTURE, PROBLEM, ReductionFile, STACK, StoredFinding,
    StoredFindingError, TRACE, app_log, read_trace, recalled_reduction,
};
use crate::input_file;
use crate::run::directory::{self, RunDirectoryError};

/// Reads the findings of a run by their fingerprints, without their reductions. A directory without `problem.json` is
/// left out: the finding was not written to its end.
pub fn read_all(run: &Path) -> Result<BTreeMap<Fingerprint, StoredFinding>, StoredFindingError> {
    read_each(run, |place| Ok(read_one(place)?.0))
}

/// Reads the findings of a run like `read_all`, with their reductions.
pub fn read_all_reduced(
    run: &Path,
) -> Result<BTreeMap<Fingerprint, StoredFinding>, StoredFindingError> {
    read_each(run, |place| {
        let (finding, counts) = read_one(place)?;
        let reduced = counts.map(|counts| recalled_reduction::read(place, counts));
        Ok(StoredFinding {
            reduced: reduced.transpose()?,
            ..finding
        })
    })
}

fn read_each(
    run: &Path,
    read: impl Fn(&Path) -> Result<StoredFinding, StoredFindingError>,
) -> Result<BTreeMap<Fingerprint, StoredFinding>, StoredFindingError> {
    let folder = run.join(CRASHES);
    let unreadable = |source| RunDirectoryError::Read {
        path: folder.clone(),
        source,
    };
    let mut findings = BTreeMap::new();
    if !folder.is_dir() {
        return Ok(findings);
    }
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let place = entry.map_err(unreadable)?.path();
        if place.join(PROBLEM).is_file() {
            add(&mut findings, read(&place)?);
        }
    }
    Ok(findings)
}

/// Adds a finding. Two that have become one by newer rules of fingerprints are kept as the one with the shorter trace.
fn add(findings: &mut BTreeMap<Fingerprint, StoredFinding>, mut finding: StoredFinding) {
    if let Some(same) = findings.remove(&finding.fingerprint) {
        let occurrences = same.occurrences.saturating_add(finding.occurrences);
        if same.trace.steps.len() <= finding.trace.steps.len() {
            finding = same;
        }
        finding.occurrences = occurrences;
    }
    findings.insert(finding.fingerprint, finding);
}

/// The finding in a directory, and the counts of its reduction.
fn read_one(place: &Path) -> Result<(StoredFinding, Option<ReductionFile>), StoredFindingError> {
    let path = place.join(PROBLEM);
    let written: FindingFile =
        serde_json::from_str(&directory::read(&path)?).map_err(|source| {
            StoredFindingError::Damaged {
                path: path.clone(),
                source,
            }
        })?;
    let FindingFile {
        fingerprint: written_as,
        fingerprint_version,
        kind,
        process,
        summary,
        times,
        status,
        mapping,
        reduced,
        ..
    } = written;
    let stack = directory::read(&place.join(STACK))?;
    let finding = Finding {
        kind,
        process: process.into(),
        summary,
        stack,
    };
    let mut trace = read_trace(&place.join(TRACE))?;
    // The stack is kept, so that a finding of an older Retap gets the fingerprint that this one would give it.
    let fingerprint = match fingerprint_version {
        FINGERPRINT_VERSION => written_as,
        _ => finding.fingerprint(),
    };
    if trace.header.target == Some(Target::Problem(written_as)) {
        trace.header.target = Some(Target::Problem(fingerprint));
    }
    let finding = StoredFinding {
        finding,
        fingerprint,
        occurrences: times,
        trace,
        scene: read_context(place),
        reduced: None,
        status,
        mapping,
    };
    Ok((finding, reduced))
}

/// Screenshot and logs are optional: runs of earlier versions do not have them.
fn read_context(place: &Path) -> FindingContext {
    FindingContext {
        screen: None,
        screenshot: input_file::read(&place.join(PICTURE)).ok().map(Png),
        log: directory::read(&place.join(LOG)).map_or_else(|_| Vec::new(), |text| lines(&text)),
        app_log: app_log::read(place),
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}
