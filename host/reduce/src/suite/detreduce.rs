//! DetReduce (Choi, Necula, Sen, Wang). Phase 1 drops redundant traces and cuts redundant loops; phase 2 splices fragments of
//! what is left. docs/how-it-works/detreduce.md lists where the paper is corrected.

mod splice;

use splice::FragmentSplicer;

use super::error::SuiteStop;
use super::loop_cut_search::LoopCutSearch;
use super::plan::SuitePlan;
use super::reduction::SuitePhase;
use super::replay_dispatcher::ReplayDispatcher;
use super::replay_path::ReplayPath;

/// Reduces the suite of `dispatcher` phase by phase.
pub(super) async fn detreduce(
    dispatcher: &mut ReplayDispatcher<'_>,
    plan: &mut SuitePlan,
) -> Result<(), SuiteStop> {
    let prefixes = replayable_prefixes(dispatcher).await?;
    plan.commit_phase(dispatcher, SuitePhase::Prefixes, prefixes);
    let traces = drop_redundant_traces(dispatcher, &plan.paths);
    plan.commit_phase(dispatcher, SuitePhase::Traces, traces);
    let without_loops = cut_redundant_loops(dispatcher, &plan.paths).await?;
    plan.commit_phase(dispatcher, SuitePhase::Loops, without_loops);
    let spliced = splice_fragments(dispatcher, &plan.paths).await?;
    plan.commit_phase(dispatcher, SuitePhase::Splices, spliced);
    Ok(())
}

/// The longest prefix of each trace that all its replays followed. Their coverage is the one to keep.
async fn replayable_prefixes(
    dispatcher: &mut ReplayDispatcher<'_>,
) -> Result<Vec<ReplayPath>, SuiteStop> {
    let replays = dispatcher.settings.replays;
    dispatcher.play_all_originals(replays).await?;
    let mut prefixes = dispatcher.replayable_prefixes();
    prefixes.retain(|prefix| !prefix.is_empty());
    Ok(prefixes)
}

/// Drops each trace that covers nothing more than those before it.
fn drop_redundant_traces(
    dispatcher: &ReplayDispatcher<'_>,
    paths: &[ReplayPath],
) -> Vec<ReplayPath> {
    let tree = &dispatcher.replay_tree;
    let mut covered = tree.start_coverage().clone();
    let mut kept = Vec::new();
    for path in paths {
        let own = tree.coverage(path);
        if !own.is_subset(&covered) {
            covered.union_with(&own);
            kept.push(path.clone());
        }
    }
    kept
}

/// Replaces each trace by its shortest proven candidate without loops that covers what the trace adds to those before it.
async fn cut_redundant_loops(
    dispatcher: &mut ReplayDispatcher<'_>,
    paths: &[ReplayPath],
) -> Result<Vec<ReplayPath>, SuiteStop> {
    let Some(start) = dispatcher.replay_tree.start() else {
        return Ok(Vec::new());
    };
    let mut covered = dispatcher.replay_tree.start_coverage().clone();
    let mut reduced = Vec::new();
    for path in paths {
        let mut needed = dispatcher.replay_tree.coverage(path);
        needed.difference_with(&covered);
        let mut search = LoopCutSearch::new(path, start, &needed, false);
        let mut chosen = path.clone();
        while let Some(candidate) = search.next(&dispatcher.replay_tree) {
            let proven = dispatcher.prove(std::slice::from_ref(&candidate)).await?;
            if proven && needed.is_subset(&dispatcher.replay_tree.coverage(&candidate)) {
                chosen = candidate;
                break;
            }
        }
        covered.union_with(&dispatcher.replay_tree.coverage(&chosen));
        reduced.push(chosen);
        dispatcher.emit_progress(SuitePhase::Loops, &reduced);
    }
    Ok(reduced)
}

/// Takes again and again the path of at most k fragments that covers most of what is not covered yet.
async fn splice_fragments(
    dispatcher: &mut ReplayDispatcher<'_>,
    paths: &[ReplayPath],
) -> Result<Vec<ReplayPath>, SuiteStop> {
    let Some(start) = dispatcher.replay_tree.start() else {
        return Ok(Vec::new());
    };
    let mut splicer = FragmentSplicer::new(paths, start, dispatcher.settings.fragments as usize);
    let mut covered = dispatcher.replay_tree.start_coverage().clone();
    let mut chosen: Vec<ReplayPath> = Vec::new();
    while let Some(candidate) = splicer.best(&dispatcher.replay_tree, &covered) {
        if !dispatcher.prove(std::slice::from_ref(&candidate)).await? {
            continue;
        }
        let own = dispatcher.replay_tree.coverage(&candidate);
        // Predicted coverage that the replays did not show is in the tree by now: it cannot be the reason again.
        if !own.is_subset(&covered) {
            covered.union_with(&own);
            chosen.push(candidate);
            dispatcher.emit_progress(SuitePhase::Splices, &chosen);
        }
    }
    Ok(chosen)
}
