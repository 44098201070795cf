//! DetReduce: traces that add nothing are dropped and loops that add nothing are cut, then fragments of what is left are
//! spliced. As in the paper, with its slips put right; docs/how-it-works/detreduce.md lists them.

use super::item_set::ItemSet;
use super::loop_cut_search::LoopCutSearch;
use super::reducer::{SuiteReducer, SuiteStop};
use super::replay_tree::ReplayPath;
use super::splice::FragmentSplicer;
use super::{SuitePhase, SuitePlan};

pub(super) async fn detreduce(
    work: &mut SuiteReducer<'_>,
    plan: &mut SuitePlan,
) -> Result<(), SuiteStop> {
    let all: Vec<u32> = (0..).take(work.originals.len()).collect();
    work.play_originals(&all, work.settings.replays).await?;
    // The longest beginnings that every run has gone: their coverage is the one to keep.
    let prefixes: Vec<ReplayPath> = all
        .iter()
        .map(|&trace| work.replay_tree.original_path(trace).0)
        .collect();
    plan.commit_phase(
        work,
        SuitePhase::Prefixes,
        prefixes
            .iter()
            .filter(|way| !way.is_empty())
            .cloned()
            .collect(),
    );

    let chosen = without_redundant(work, &plan.paths);
    plan.commit_phase(work, SuitePhase::Traces, chosen);
    let cut = without_loops(work, &plan.paths).await?;
    plan.commit_phase(work, SuitePhase::Loops, cut);
    let spliced = spliced(work, &plan.paths).await?;
    plan.commit_phase(work, SuitePhase::Splices, spliced);
    Ok(())
}

/// First come, first served: a trace that covers nothing more is dropped.
fn without_redundant(work: &SuiteReducer<'_>, ways: &[ReplayPath]) -> Vec<ReplayPath> {
    let mut covered = work.replay_tree.start_coverage().clone();
    let mut chosen = Vec::new();
    for way in ways {
        let own = work.replay_tree.coverage(way);
        if !own.is_subset(&covered) {
            covered.union_with(&own);
            chosen.push(way.clone());
        }
    }
    chosen
}

/// Of each trace the shortest that is left when loops are cut, covers what the trace adds, and is proven.
async fn without_loops(
    work: &mut SuiteReducer<'_>,
    ways: &[ReplayPath],
) -> Result<Vec<ReplayPath>, SuiteStop> {
    let Some(start) = work.replay_tree.start() else {
        return Ok(Vec::new());
    };
    let mut covered = work.replay_tree.start_coverage().clone();
    let mut reduced = Vec::new();
    for way in ways {
        let mut needed = work.replay_tree.coverage(way);
        needed.difference_with(&covered);
        let mut cuts = LoopCutSearch::new(way, start, &needed, false);
        let mut chosen = way.clone();
        while let Some(candidate) = cuts.next(&work.replay_tree) {
            let proven = work.prove(std::slice::from_ref(&candidate)).await?;
            if proven && needed.is_subset(&work.replay_tree.coverage(&candidate)) {
                chosen = candidate;
                break;
            }
        }
        covered.union_with(&work.replay_tree.coverage(&chosen));
        reduced.push(chosen);
        work.emit_progress(SuitePhase::Loops.name(), &reduced);
    }
    Ok(reduced)
}

/// Again and again the way of at most k fragments that covers most of what is not covered yet.
async fn spliced(
    work: &mut SuiteReducer<'_>,
    ways: &[ReplayPath],
) -> Result<Vec<ReplayPath>, SuiteStop> {
    let Some(start) = work.replay_tree.start() else {
        return Ok(Vec::new());
    };
    let mut splicing = FragmentSplicer::new(ways, start, work.settings.fragments as usize);
    let mut covered: ItemSet = work.replay_tree.start_coverage().clone();
    let mut chosen: Vec<ReplayPath> = Vec::new();
    while let Some(candidate) = splicing.best(&work.replay_tree, &covered) {
        if !work.prove(std::slice::from_ref(&candidate)).await? {
            continue;
        }
        let own = work.replay_tree.coverage(&candidate);
        // What it was hoped to cover and does not is known by now: it is not chosen again for that.
        if !own.is_subset(&covered) {
            covered.union_with(&own);
            chosen.push(candidate);
            work.emit_progress(SuitePhase::Splices.name(), &chosen);
        }
    }
    Ok(chosen)
}
