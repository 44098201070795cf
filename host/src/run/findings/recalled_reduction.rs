//! Reads the reduction of a finding from its files, as far as files keep it: the trace, the counts, the screens and the
//! pictures. Its course is not kept.

use std::path::Path;
use std::sync::Arc;

use retap_reduce::oracle::ResumeStatistics;
use retap_reduce::trace_reduction::{Reduction, ReproductionCheck};
use retap_shared::bytes::Png;
use retap_shared::micros::Micros;
use retap_shared::protocol::PlayReply;
use retap_shared::screen::Screen;
use retap_shared::verdict::{Outcome, Verdict};

use super::{REDUCED, RecordedReduction, ReductionFile, SCREENS, StoredFindingError, read_trace};
use crate::input_file;

/// The reduction whose counts `problem.json` in `place` has.
pub(super) fn read(
    place: &Path,
    counts: ReductionFile,
) -> Result<RecordedReduction, StoredFindingError> {
    let check = ReproductionCheck {
        successes: counts.successes,
        runs: counts.replays,
        failure: None,
    };
    let reduction = Reduction {
        outcome: Outcome::Done,
        trace: read_trace(&place.join(REDUCED))?,
        kept: counts.kept,
        simplified: 0,
        original: ReproductionCheck::default(),
        result: (check.runs > 0).then_some(check),
        runs: counts.runs,
        events: 0,
        took: Micros::ZERO,
        rounds: 0,
        history: Vec::new(),
        belief: None,
        confidence: None,
        claim: None,
    };
    let recorded = read_screens(place).map(|screens| PlayReply {
        verdict: Verdict::TargetReached,
        played: u32::try_from(reduction.trace.steps.len()).unwrap_or(u32::MAX),
        located_by: counts.hits,
        refusals: Vec::new(),
        events: Vec::new(),
        branches: Vec::new(),
        screens: screens.into_iter().map(Arc::new).collect(),
        took: Micros::ZERO,
    });
    let picture = |number: usize| input_file::read(&place.join(format!("{number}.png"))).ok();
    Ok(RecordedReduction {
        reduction,
        resumed: ResumeStatistics::default(),
        recorded,
        pictures: (0..).map_while(picture).map(Png).collect(),
    })
}

/// The screens of the recorded run. They only illustrate: without them the page has fewer drawings.
fn read_screens(place: &Path) -> Option<Vec<Screen>> {
    let text = input_file::read(&place.join(SCREENS)).ok()?;
    let screens: Vec<Screen> = serde_json::from_slice(&text).ok()?;
    (!screens.is_empty()).then_some(screens)
}

/// The recorded screens in the directory of a trace of a run; none if there are none that can be read.
pub fn read_screens_beside(trace: &Path) -> Vec<Arc<Screen>> {
    let screens = trace.parent().and_then(read_screens).unwrap_or_default();
    screens.into_iter().map(Arc::new).collect()
}
