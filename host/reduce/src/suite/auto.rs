//! Retap's own algorithm. Every trace is replayed once; guided replays through all observed transitions then cover the same with
//! few clean starts; loops that the rest of the plan covers are cut; only the rest is replayed as often as required.

mod guided_replays;
mod guided_steps;
mod simplify;
mod transition_graph;

use guided_replays::{GuidedReplays, first_covering};
use simplify::simplify;

use super::error::SuiteStop;
use super::item_set::ItemSet;
use super::loop_cuts::CutBudget;
use super::plan::SuitePlan;
use super::reduction::SuitePhase;
use super::replay_dispatcher::ReplayDispatcher;
use super::replay_path::{ReplayPath, transition_count};
use super::replay_tree::PathStatus;

/// Maximum number of transitions of a guided replay.
const MAX_GUIDED_LENGTH: usize = 512;
/// Minimum number of transitions of an extension, however often replays diverge.
const MIN_EXTENSION: usize = 8;
/// Maximum number of rounds of guided replays before the original traces are taken as they are.
const MAX_ROUNDS: u32 = 12;
/// Number of rounds without new coverage after which no more rounds follow.
const MAX_FRUITLESS_ROUNDS: u32 = 2;
/// Maximum number of events of all cuts, as a multiple of the events of the original suite.
const CUT_BUDGET_FACTOR: u64 = 12;

/// Reduces the suite of `dispatcher`.
pub(super) async fn auto_reduction(
    dispatcher: &mut ReplayDispatcher<'_>,
    plan: &mut SuitePlan,
) -> Result<(), SuiteStop> {
    dispatcher.play_each_once().await?;
    dispatcher.play_all_originals(1).await?;
    let prefixes = dispatcher.replayable_prefixes();
    plan.commit_phase(dispatcher, SuitePhase::Seen, without_empty(&prefixes));
    let Some(start) = dispatcher.replay_tree.start() else {
        return Ok(());
    };
    let mut reducer = AutoReducer::new(dispatcher, start, prefixes);
    let mut paths = Vec::new();
    let ended = reducer.reduce(plan, &mut paths).await;
    if ended.is_err() {
        reducer.complete_with_originals(&mut paths);
        plan.paths = paths;
        return ended;
    }
    let AutoReducer { dispatcher, .. } = reducer;
    plan.commit_phase(dispatcher, SuitePhase::Proven, paths);
    Ok(())
}

/// State of the algorithm after each trace was replayed once.
struct AutoReducer<'a, 'd> {
    dispatcher: &'a mut ReplayDispatcher<'d>,
    start: u32,
    /// Coverage that the result must have.
    wanted: ItemSet,
    guided: GuidedReplays,
    cut_budget: CutBudget,
}

impl<'a, 'd> AutoReducer<'a, 'd> {
    fn new(
        dispatcher: &'a mut ReplayDispatcher<'d>,
        start: u32,
        prefixes: Vec<ReplayPath>,
    ) -> AutoReducer<'a, 'd> {
        AutoReducer {
            start,
            wanted: dispatcher.coverage(&prefixes),
            cut_budget: CutBudget::new(CUT_BUDGET_FACTOR * transition_count(&prefixes)),
            guided: GuidedReplays::new(dispatcher, start, prefixes),
            dispatcher,
        }
    }

    /// Fills `paths` with the reduced suite. If the reduction ends early, `paths` is what there was by then.
    async fn reduce(
        &mut self,
        plan: &mut SuitePlan,
        paths: &mut Vec<ReplayPath>,
    ) -> Result<(), SuiteStop> {
        self.run_rounds(plan, paths).await?;
        self.fall_back_to_originals(paths).await?;
        plan.baseline = Some(self.wanted.clone());
        self.drop_redundant(paths);
        self.prefer_originals(paths).await
    }

    /// Covers, cuts, simplifies and proves until nothing is missing or rounds bring no new coverage.
    async fn run_rounds(
        &mut self,
        plan: &mut SuitePlan,
        paths: &mut Vec<ReplayPath>,
    ) -> Result<(), SuiteStop> {
        let mut least_missing = u32::MAX;
        let mut fruitless = 0;
        for round in 0..MAX_ROUNDS {
            if round == 0 {
                self.cover_missing(paths, MAX_GUIDED_LENGTH).await?;
            } else if !self.extend_proven(paths).await? {
                let max_length = self.extension_length();
                self.cover_missing(paths, max_length).await?;
            }
            plan.record_phase(self.dispatcher, SuitePhase::GuidedReplays, paths);
            self.cut_loops(paths).await?;
            plan.record_phase(self.dispatcher, SuitePhase::Loops, paths);
            if self.dispatcher.settings.simplify {
                simplify(self.dispatcher, paths, &self.wanted).await?;
                plan.record_phase(self.dispatcher, SuitePhase::Simpler, paths);
            }
            if self.prove(paths).await? {
                break;
            }
            let missing = self.missing(paths).count();
            fruitless = if missing < least_missing {
                0
            } else {
                fruitless + 1
            };
            least_missing = least_missing.min(missing);
            if fruitless == MAX_FRUITLESS_ROUNDS {
                break;
            }
        }
        Ok(())
    }

    /// Adds guided replays until they cover nothing more. What is missing then is reached by its recorded prefix.
    async fn cover_missing(
        &mut self,
        paths: &mut Vec<ReplayPath>,
        max_length: usize,
    ) -> Result<(), SuiteStop> {
        let mut tried_by_prefix = ItemSet::default();
        loop {
            let missing = self.missing(paths);
            if missing.is_clear() {
                return Ok(());
            }
            let unforced = ReplayPath::new();
            let mut path = self.guided_replay(paths, &unforced, max_length).await?;
            if self.gain(&path, &missing) == 0 {
                let mut untried = missing.clone();
                untried.difference_with(&tried_by_prefix);
                let Some(item) = untried.ones().next() else {
                    return Ok(());
                };
                tried_by_prefix.insert(item);
                let Some(prefix) = self.guided.shortest_prefix_covering(item) else {
                    continue;
                };
                path = self.guided_replay(paths, &prefix, max_length).await?;
                if self.gain(&path, &missing) == 0 {
                    continue;
                }
            }
            paths.push(path);
            self.dispatcher
                .emit_progress(SuitePhase::GuidedReplays, paths);
        }
    }

    /// Extends proven paths from their ends, which need no clean start and no proof of what comes before. Returns true if that may
    /// cover more.
    async fn extend_proven(&mut self, paths: &mut [ReplayPath]) -> Result<bool, SuiteStop> {
        let extension = self.extension_length();
        let mut covers_more = false;
        for index in 0..paths.len() {
            let missing = self.missing(paths);
            let path = paths[index].clone();
            let reaches_missing = |distance: u32| distance as usize <= extension;
            let distance = self.guided.distance_ahead(self.dispatcher, &path, &missing);
            if !distance.is_some_and(reaches_missing) {
                continue;
            }
            let max_length = path.len() + extension;
            let longer = self.guided_replay(paths, &path, max_length).await?;
            let extends = longer.len() > path.len()
                && longer
                    .iter()
                    .zip(&path)
                    .all(|(one, other)| one.action == other.action);
            if extends && self.gain(&longer, &missing) > 0 {
                paths[index] = longer;
                covers_more = true;
                self.dispatcher
                    .emit_progress(SuitePhase::GuidedReplays, paths);
            }
        }
        Ok(covers_more)
    }

    /// Number of further transitions that are as likely to be proven as not, given how often replays diverged so far.
    fn extension_length(&self) -> usize {
        let replays = f64::from(self.dispatcher.settings.replays);
        let provable = |distance: f64| (distance * std::f64::consts::LN_2 / replays) as usize;
        self.dispatcher
            .replay_tree
            .mean_divergence_distance()
            .map_or(MAX_GUIDED_LENGTH, |distance| {
                provable(distance).clamp(MIN_EXTENSION, MAX_GUIDED_LENGTH)
            })
    }

    async fn guided_replay(
        &mut self,
        paths: &[ReplayPath],
        prefix: &ReplayPath,
        max_length: usize,
    ) -> Result<ReplayPath, SuiteStop> {
        self.guided
            .replay(self.dispatcher, &self.wanted, paths, prefix, max_length)
            .await
    }

    /// Cuts loops and tails that the rest of the plan covers too.
    async fn cut_loops(&mut self, paths: &mut Vec<ReplayPath>) -> Result<(), SuiteStop> {
        for index in (0..paths.len()).rev() {
            let path = paths.remove(index);
            let mut needed = self.missing(paths);
            needed.intersect_with(&self.dispatcher.replay_tree.coverage(&path));
            if needed.is_clear() {
                continue;
            }
            let cut = self
                .cut_budget
                .cut(self.dispatcher, &path, self.start, &needed)
                .await;
            match cut {
                Ok(shorter) => paths.insert(index, shorter),
                Err(stop) => {
                    paths.insert(index, path);
                    return Err(stop);
                }
            }
        }
        Ok(())
    }

    /// Replays every path as often as required. One that diverges is kept up to there. Returns true if nothing is missing.
    async fn prove(&mut self, paths: &mut Vec<ReplayPath>) -> Result<bool, SuiteStop> {
        while !self.dispatcher.prove(paths).await? {
            for path in paths.iter_mut() {
                if let PathStatus::Diverges(after) = self.dispatcher.replay_tree.status(path) {
                    path.truncate(after.saturating_sub(1));
                }
            }
            paths.retain(|path| !path.is_empty());
        }
        Ok(self.missing(paths).is_clear())
    }

    /// Covers what is still missing by prefixes of original traces. What none of them is proven to cover is not wanted any more:
    /// the original suite does not cover it reliably either.
    async fn fall_back_to_originals(
        &mut self,
        paths: &mut Vec<ReplayPath>,
    ) -> Result<(), SuiteStop> {
        while let Some(item) = self.missing(paths).ones().next() {
            match self.proven_prefix_covering(item).await? {
                Some(prefix) => paths.push(prefix),
                None => self.wanted.difference_with(&[item].into_iter().collect()),
            }
        }
        Ok(())
    }

    /// Prefix of an original trace that is proven to cover an item. Those that cover it earliest are tried first.
    async fn proven_prefix_covering(&mut self, item: u32) -> Result<Option<ReplayPath>, SuiteStop> {
        let mut traces: Vec<(usize, u32)> = (0..)
            .zip(&self.guided.prefixes)
            .filter_map(|(trace, prefix)| Some((first_covering(prefix, item)?, trace)))
            .collect();
        traces.sort_by_key(|(index, _)| *index);
        for (_, trace) in traces {
            self.dispatcher.play_original(trace).await?;
            let mut prefix = self.dispatcher.replay_tree.replayable_prefix(trace).0;
            let Some(index) = first_covering(&prefix, item) else {
                continue;
            };
            prefix.truncate(index + 1);
            let proven = self.dispatcher.prove(std::slice::from_ref(&prefix)).await?;
            if proven && self.dispatcher.replay_tree.coverage(&prefix).contains(item) {
                return Ok(Some(prefix));
            }
        }
        Ok(None)
    }

    /// Makes a suite with all wanted coverage from what there is, without further replays: what paths do not cover is taken from
    /// the original traces, as they were replayed. It is the original traces alone if these are smaller.
    fn complete_with_originals(&mut self, paths: &mut Vec<ReplayPath>) {
        let mut originals = without_empty(&self.guided.prefixes);
        paths.retain(|path| !self.dispatcher.replay_tree.diverges(path));
        for original in &originals {
            if self.gain(original, &self.missing(paths)) > 0 {
                paths.push(original.clone());
            }
        }
        self.drop_redundant(paths);
        self.drop_redundant(&mut originals);
        if suite_size(&originals) < suite_size(paths) {
            *paths = originals;
        }
    }

    /// Drops paths and tails that the rest of the plan covers. It costs no replays: a prefix of a proven path is proven.
    fn drop_redundant(&mut self, paths: &mut Vec<ReplayPath>) {
        for index in (0..paths.len()).rev() {
            let mut path = paths.remove(index);
            let missing = self.missing(paths);
            let tree = &self.dispatcher.replay_tree;
            while let Some((_, shorter)) = path.split_last() {
                let mut needed = missing.clone();
                needed.intersect_with(&tree.coverage(&path));
                if !needed.is_subset(&tree.coverage(shorter)) {
                    break;
                }
                path.pop();
            }
            if !path.is_empty() {
                paths.insert(index, path);
            }
        }
    }

    /// Takes the original traces without redundant ones and without tails if that is smaller: guided replays gain little where
    /// traces are few and long.
    async fn prefer_originals(&mut self, paths: &mut Vec<ReplayPath>) -> Result<(), SuiteStop> {
        let mut originals = without_empty(&self.guided.prefixes);
        self.drop_redundant(&mut originals);
        if suite_size(&originals) >= suite_size(paths) {
            return Ok(());
        }
        self.cut_loops(&mut originals).await?;
        if self.dispatcher.settings.simplify {
            simplify(self.dispatcher, &mut originals, &self.wanted).await?;
        }
        if self.prove(&mut originals).await? {
            self.drop_redundant(&mut originals);
            *paths = originals;
        }
        Ok(())
    }

    /// Wanted items that paths do not cover.
    fn missing(&self, paths: &[ReplayPath]) -> ItemSet {
        self.dispatcher.missing(&self.wanted, paths)
    }

    /// Number of missing items that a path covers.
    fn gain(&self, path: &ReplayPath, missing: &ItemSet) -> u32 {
        let mut gained = self.dispatcher.replay_tree.coverage(path);
        gained.intersect_with(missing);
        gained.count()
    }
}

/// Size of a suite by transitions, then by traces.
fn suite_size(paths: &[ReplayPath]) -> (u64, usize) {
    (transition_count(paths), paths.len())
}

fn without_empty(paths: &[ReplayPath]) -> Vec<ReplayPath> {
    paths
        .iter()
        .filter(|path| !path.is_empty())
        .cloned()
        .collect()
}
