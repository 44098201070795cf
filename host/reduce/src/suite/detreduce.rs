//! DetReduce (Choi, Necula, Sen, Wang). Phase 1 drops redundant traces and cuts redundant loops; phase 2 splices fragments of
//! what is left. docs/how-it-works/detreduce.md lists where the paper is corrected. A search that reaches its limits gives up, and
//! greedy cuts take over.

mod search_effort;
mod splice;
pub(super) mod splice_survey;

use search_effort::SearchEffort;
use splice::FragmentSplicer;

use super::error::SuiteStop;
use super::item_set::ItemSet;
use super::loop_cut_search::LoopCutSearch;
use super::loop_cuts::CutBudget;
use super::plan::SuitePlan;
use super::reduction::SuitePhase;
use super::replay_dispatcher::ReplayDispatcher;
use super::replay_path::{ReplayPath, transition_count};

/// Reduces the suite of `dispatcher` phase by phase.
pub(super) async fn detreduce(
    dispatcher: &mut ReplayDispatcher<'_>,
    plan: &mut SuitePlan,
) -> Result<(), SuiteStop> {
    phase_one(dispatcher, plan).await?;
    let spliced = splice_fragments(dispatcher, plan).await?;
    plan.commit_phase(dispatcher, SuitePhase::Splices, spliced);
    Ok(())
}

/// Drops redundant traces and cuts redundant loops.
async fn phase_one(
    dispatcher: &mut ReplayDispatcher<'_>,
    plan: &mut SuitePlan,
) -> Result<(), SuiteStop> {
    let prefixes = replayable_prefixes(dispatcher).await?;
    plan.commit_phase(dispatcher, SuitePhase::Prefixes, prefixes);
    let traces = drop_redundant_traces(dispatcher, &plan.paths);
    plan.commit_phase(dispatcher, SuitePhase::Traces, traces);
    cut_redundant_loops(dispatcher, plan).await?;
    plan.commit_phase(dispatcher, SuitePhase::Loops, plan.paths.clone());
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

/// Replaces each trace by its shortest proven candidate without loops that covers what the trace adds to those before it. The
/// plan keeps the coverage after each trace.
async fn cut_redundant_loops(
    dispatcher: &mut ReplayDispatcher<'_>,
    plan: &mut SuitePlan,
) -> Result<(), SuiteStop> {
    let Some(start) = dispatcher.replay_tree.start() else {
        return Ok(());
    };
    let mut covered = dispatcher.replay_tree.start_coverage().clone();
    for index in 0..plan.paths.len() {
        let path = plan.paths[index].clone();
        let mut needed = dispatcher.replay_tree.coverage(&path);
        needed.difference_with(&covered);
        let shorter = match shortest_without_loops(dispatcher, &path, start, &needed).await? {
            LoopSearchEnd::Found(candidate) => candidate,
            LoopSearchEnd::NothingFound => path,
            LoopSearchEnd::GaveUp => {
                plan.count_greedy();
                cut_greedily(dispatcher, &path, start, &needed).await?
            }
        };
        covered.union_with(&dispatcher.replay_tree.coverage(&shorter));
        plan.paths[index] = shorter;
        dispatcher.emit_progress(SuitePhase::Loops, &plan.paths[..=index]);
    }
    Ok(())
}

/// How the search for the shortest candidate of one trace ended.
enum LoopSearchEnd {
    Found(ReplayPath),
    NothingFound,
    GaveUp,
}

async fn shortest_without_loops(
    dispatcher: &mut ReplayDispatcher<'_>,
    path: &ReplayPath,
    start: u32,
    needed: &ItemSet,
) -> Result<LoopSearchEnd, SuiteStop> {
    let mut search = LoopCutSearch::new(path, start, needed, false);
    let mut effort = SearchEffort::begin(dispatcher);
    while let Some(candidate) = search.next(&dispatcher.replay_tree) {
        let proven = dispatcher.prove(std::slice::from_ref(&candidate)).await?;
        if proven && needed.is_subset(&dispatcher.replay_tree.coverage(&candidate)) {
            return Ok(LoopSearchEnd::Found(candidate));
        }
        effort.count_candidate();
        if effort.exceeds(dispatcher.settings.search_limits, dispatcher) {
            return Ok(LoopSearchEnd::GaveUp);
        }
    }
    Ok(if search.gave_up() {
        LoopSearchEnd::GaveUp
    } else {
        LoopSearchEnd::NothingFound
    })
}

/// Cuts one loop after the other, the longest first, with one replay each, within the same limits as the search. The shortest
/// path on the way that is proven is the result; the trace itself is.
async fn cut_greedily(
    dispatcher: &mut ReplayDispatcher<'_>,
    path: &ReplayPath,
    start: u32,
    needed: &ItemSet,
) -> Result<ReplayPath, SuiteStop> {
    let mut budget = CutBudget::new(dispatcher.settings.search_limits.events);
    let shorter_and_shorter = budget
        .cut_single_loops(dispatcher, path, start, needed)
        .await?;
    for candidate in shorter_and_shorter.into_iter().rev() {
        let proven = dispatcher.prove(std::slice::from_ref(&candidate)).await?;
        if proven && needed.is_subset(&dispatcher.replay_tree.coverage(&candidate)) {
            return Ok(candidate);
        }
    }
    Ok(path.clone())
}

/// Takes again and again the path of at most k fragments that covers most of what is not covered yet; where the search gives up,
/// the unspliced path that does. If the budget ends it, the plan is what was taken so far, with the traces that cover the rest.
async fn splice_fragments(
    dispatcher: &mut ReplayDispatcher<'_>,
    plan: &mut SuitePlan,
) -> Result<Vec<ReplayPath>, SuiteStop> {
    let Some(start) = dispatcher.replay_tree.start() else {
        return Ok(Vec::new());
    };
    let paths = plan.paths.clone();
    let mut splicer = FragmentSplicer::new(&paths, start, dispatcher.settings.fragments as usize);
    let mut chosen: Vec<ReplayPath> = Vec::new();
    let ended = choose_spliced(dispatcher, plan, &mut splicer, &mut chosen).await;
    if let Err(stop) = ended {
        let completed = drop_redundant_traces(dispatcher, &[chosen, paths].concat());
        if transition_count(&completed) < transition_count(&plan.paths) {
            plan.paths = completed;
        }
        return Err(stop);
    }
    Ok(chosen)
}

async fn choose_spliced(
    dispatcher: &mut ReplayDispatcher<'_>,
    plan: &mut SuitePlan,
    splicer: &mut FragmentSplicer<'_>,
    chosen: &mut Vec<ReplayPath>,
) -> Result<(), SuiteStop> {
    let mut covered = dispatcher.replay_tree.start_coverage().clone();
    let mut limits = dispatcher.settings.search_limits;
    let mut effort = SearchEffort::begin(dispatcher);
    while let Some(candidate) = splicer.best(&dispatcher.replay_tree, &covered) {
        if !dispatcher.prove(std::slice::from_ref(&candidate)).await? {
            effort.count_candidate();
            if effort.exceeds(limits, dispatcher) {
                splicer.set_unspliced_only(true);
            }
            continue;
        }
        let own = dispatcher.replay_tree.coverage(&candidate);
        // Predicted coverage that the replays did not show is in the tree by now: it cannot be the reason again.
        if !own.is_subset(&covered) {
            covered.union_with(&own);
            chosen.push(candidate);
            if splicer.is_unspliced_only() {
                plan.count_greedy();
                splicer.set_unspliced_only(false);
                // The remaining items are harder to splice: without this, each search that gives up would cost the whole limit.
                limits = limits.halved();
            }
            effort = SearchEffort::begin(dispatcher);
            dispatcher.emit_progress(SuitePhase::Splices, chosen);
        }
    }
    Ok(())
}
