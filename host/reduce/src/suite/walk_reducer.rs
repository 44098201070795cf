//! Retap's own: every trace is played once, walks through all that was seen then cover it anew with few restarts, what is
//! not needed of them is cut, judged against the whole plan, and only what is left gets the full number of runs.

use std::sync::Arc;

use super::coverage_walker::CoverageWalker;
use super::item_set::ItemSet;
use super::reducer::{SuiteReducer, SuiteStop};
use super::replay_tree::{CoverageItem, PathStatus, ReplayPath};
use super::simplify::simplify;
use super::transition_graph::TransitionGraph;
use super::trim::CutBudget;
use super::{SuitePhase, SuitePlan};

/// A walk has at most so many transitions.
const MAX_WALK_LENGTH: usize = 512;
/// However often chance leads elsewhere, a stretch has so many.
const MIN_EXTENSION: usize = 8;
/// How often what was not proven is covered anew by walks, before the traces that were read are taken as they are.
const MAX_ROUNDS: u32 = 12;
/// After so many rounds without anything new it is enough.
const MAX_FRUITLESS_ROUNDS: u32 = 2;
/// Cuts may play so many times the events of the suite that was read.
const CUT_BUDGET_FACTOR: u64 = 12;

pub(super) async fn walk_reduction(
    work: &mut SuiteReducer<'_>,
    plan: &mut SuitePlan,
) -> Result<(), SuiteStop> {
    let all: Vec<u32> = (0..).take(work.originals.len()).collect();
    work.play_each_once().await?;
    work.play_originals(&all, 1).await?;
    let seen: Vec<ReplayPath> = all
        .iter()
        .map(|&trace| work.replay_tree.original_path(trace).0)
        .collect();
    let wanted = work.coverage(&seen);
    plan.commit_phase(
        work,
        SuitePhase::Seen,
        seen.iter().filter(|way| !way.is_empty()).cloned().collect(),
    );
    let Some(start) = work.replay_tree.start() else {
        return Ok(());
    };

    let mut graph = TransitionGraph::default();
    seen.iter()
        .for_each(|way| graph.add(start, way, &work.replay_tree));
    let originals = Arc::new(work.originals.to_vec());
    let read: u64 = seen.iter().map(|way| way.len() as u64).sum();
    let scissors = CutBudget::new(CUT_BUDGET_FACTOR * read);
    let mut auto = WalkReducer {
        reducer: work,
        start,
        seen,
        wanted,
        graph,
        originals,
        walks: 0,
        cut_budget: scissors,
    };
    let mut ways: Vec<ReplayPath> = Vec::new();
    let mut least = u32::MAX;
    let mut in_vain = 0;
    for round in 0..MAX_ROUNDS {
        if round == 0 || !auto.extend_proven(&mut ways).await? {
            auto.walk(
                &mut ways,
                if round == 0 {
                    MAX_WALK_LENGTH
                } else {
                    auto.extension_length()
                },
            )
            .await?;
        }
        plan.record_phase(auto.reducer, SuitePhase::Walks, &ways);
        auto.cut_loops(&mut ways).await?;
        plan.record_phase(auto.reducer, SuitePhase::Loops, &ways);
        if auto.reducer.settings.simplify {
            simplify(auto.reducer, &mut ways, &auto.wanted).await?;
            plan.record_phase(auto.reducer, SuitePhase::Simpler, &ways);
        }
        if auto.prove(&mut ways).await? {
            break;
        }
        let missing = auto.missing(&ways).ones().count() as u32;
        in_vain = if missing < least { 0 } else { in_vain + 1 };
        least = least.min(missing);
        if in_vain == MAX_FRUITLESS_ROUNDS {
            break;
        }
    }
    auto.fall_back_to_originals(&mut ways).await?;
    plan.baseline = Some(auto.wanted.clone());
    auto.drop_redundant(&mut ways);
    auto.prefer_originals(&mut ways).await?;
    let WalkReducer { reducer: work, .. } = auto;
    plan.commit_phase(work, SuitePhase::Proven, ways);
    Ok(())
}

struct WalkReducer<'a, 'w> {
    reducer: &'a mut SuiteReducer<'w>,
    start: u32,
    /// The traces that were read, as far as they go.
    seen: Vec<ReplayPath>,
    /// What is to be covered.
    wanted: ItemSet,
    graph: TransitionGraph,
    originals: Arc<Vec<retap_shared::trace::Trace>>,
    walks: u32,
    cut_budget: CutBudget,
}

impl WalkReducer<'_, '_> {
    fn missing(&self, ways: &[ReplayPath]) -> ItemSet {
        let mut missing = self.wanted.clone();
        missing.difference_with(&self.reducer.coverage(ways));
        missing
    }

    /// Walks until nothing more is covered by them; what is then still missing is reached the way it was reached before.
    async fn walk(&mut self, ways: &mut Vec<ReplayPath>, longest: usize) -> Result<(), SuiteStop> {
        let mut reached_again = ItemSet::default();
        loop {
            let missing = self.missing(ways);
            if missing.is_clear() {
                return Ok(());
            }
            let mut walk = self.walk_once(ways, &ReplayPath::new(), longest).await?;
            if self.gain(&walk, &missing) == 0 {
                let mut open = missing.clone();
                open.difference_with(&reached_again);
                let Some(item) = open.ones().next() else {
                    return Ok(());
                };
                reached_again.insert(item);
                let Some(forced) = self.shortest_prefix_covering(item) else {
                    continue;
                };
                walk = self.walk_once(ways, &forced, longest).await?;
                if self.gain(&walk, &missing) == 0 {
                    continue;
                }
            }
            ways.push(walk);
            self.reducer.emit_progress(SuitePhase::Walks.name(), ways);
        }
    }

    /// Goes on from the ends of what is proven, a stretch each: what lies before needs no proof any more, and no restart. True if
    /// that may cover more.
    async fn extend_proven(&mut self, ways: &mut [ReplayPath]) -> Result<bool, SuiteStop> {
        let stretch = self.extension_length();
        let mut more = false;
        for number in 0..ways.len() {
            let missing = self.missing(ways);
            let way = ways[number].clone();
            let Some(last) = way
                .last()
                .filter(|last| !self.reducer.replay_tree.ends_in_finding(last))
            else {
                continue;
            };
            if self
                .graph
                .distance_to_any(&missing, last.to)
                .is_none_or(|far| far as usize > stretch)
            {
                continue;
            }
            let walk = self.walk_once(ways, &way, way.len() + stretch).await?;
            let begins = walk.len() > way.len()
                && walk
                    .iter()
                    .zip(&way)
                    .all(|(one, other)| one.action == other.action);
            if begins && self.gain(&walk, &missing) > 0 {
                ways[number] = walk;
                more = true;
                self.reducer.emit_progress(SuitePhase::Walks.name(), ways);
            }
        }
        Ok(more)
    }

    /// So many more transitions are as likely to be proven as not, by how often chance led elsewhere so far.
    fn extension_length(&self) -> usize {
        let replays = f64::from(self.reducer.settings.replays);
        let proven = |far: f64| (far * std::f64::consts::LN_2 / replays) as usize;
        self.reducer
            .replay_tree
            .mean_divergence_distance()
            .map_or(MAX_WALK_LENGTH, |far| {
                proven(far).clamp(MIN_EXTENSION, MAX_WALK_LENGTH)
            })
    }

    async fn walk_once(
        &mut self,
        ways: &[ReplayPath],
        forced: &ReplayPath,
        longest: usize,
    ) -> Result<ReplayPath, SuiteStop> {
        // What nobody wants any more counts as covered.
        let mut covered = self.reducer.coverage(ways);
        covered.union_with(&self.unwanted());
        let lexicon = self.reducer.replay_tree.symbol_table();
        let walker = CoverageWalker::new(
            self.graph.clone(),
            Arc::clone(&self.originals),
            lexicon,
            covered.clone(),
            self.start,
        )
        .with_max_steps(longest)
        .avoiding(self.reducer.replay_tree.unprovable_prefixes())
        .repeating(self.paths_to_repeat(ways))
        .beginning_with(forced);
        let number = self.walks;
        self.walks += 1;
        let mut walk = self.reducer.walk(number, Arc::new(walker)).await?;
        if !matches!(
            self.reducer.replay_tree.status(&walk),
            PathStatus::Proven | PathStatus::NeedsRuns(_)
        ) {
            // Already the start, or what all begin with, led elsewhere this time: nothing is learned from it.
            walk.clear();
        }
        walk.iter().for_each(|hop| covered.union_with(&hop.covers));
        self.graph.record_misses(self.start, &walk, &covered);
        self.graph.add(self.start, &walk, &self.reducer.replay_tree);
        Ok(walk)
    }

    fn unwanted(&self) -> ItemSet {
        let mut all: ItemSet = (0..self.reducer.replay_tree.items_len()).collect();
        all.difference_with(&self.wanted);
        all
    }

    fn gain(&self, way: &ReplayPath, missing: &ItemSet) -> u32 {
        let mut gained = self.reducer.replay_tree.coverage(way);
        gained.intersect_with(missing);
        gained.ones().count() as u32
    }

    /// For each thing that is missing, and that walks have failed to reach, how it was reached.
    fn paths_to_repeat(&self, ways: &[ReplayPath]) -> Vec<(u32, ReplayPath)> {
        let missing = self.missing(ways);
        let mut repeats: Vec<(u32, ReplayPath)> = missing
            .ones()
            .filter(|&item| self.graph.is_hopeless(item))
            .filter_map(|item| Some((item, self.shortest_prefix_covering(item)?)))
            .filter(|(_, way)| {
                way.last()
                    .is_some_and(|hop| !self.reducer.replay_tree.ends_in_finding(hop))
            })
            .collect();
        repeats.sort_by_key(|(_, way)| way.len());
        repeats
    }

    /// The shortest beginning of a trace that was read which covers an item.
    fn shortest_prefix_covering(&self, item: u32) -> Option<ReplayPath> {
        let until = |way: &ReplayPath| way.iter().position(|hop| hop.covers.contains(item));
        let (length, way) = self
            .seen
            .iter()
            .filter_map(|way| Some((until(way)?, way)))
            .min_by_key(|(length, _)| *length)?;
        Some(way[..=length].to_vec())
    }

    /// Cuts loops and ends out of each way that the rest of the plan covers as well.
    async fn cut_loops(&mut self, ways: &mut Vec<ReplayPath>) -> Result<(), SuiteStop> {
        for number in (0..ways.len()).rev() {
            let way = ways.remove(number);
            let mut needed = self.missing(ways);
            needed.intersect_with(&self.reducer.replay_tree.coverage(&way));
            if needed.is_clear() {
                continue;
            }
            let shorter = self
                .cut_budget
                .trim(self.reducer, &way, self.start, &needed)
                .await?;
            ways.insert(number, shorter);
        }
        Ok(())
    }

    /// Few and long traces may be better as they were: without those that add nothing, and without their ends.
    async fn prefer_originals(&mut self, ways: &mut Vec<ReplayPath>) -> Result<(), SuiteStop> {
        let size = |ways: &[ReplayPath]| (ways.iter().map(Vec::len).sum::<usize>(), ways.len());
        let mut plain: Vec<ReplayPath> = self
            .seen
            .iter()
            .filter(|way| !way.is_empty())
            .cloned()
            .collect();
        self.drop_redundant(&mut plain);
        if size(&plain) >= size(ways) {
            return Ok(());
        }
        self.cut_loops(&mut plain).await?;
        if self.reducer.settings.simplify {
            simplify(self.reducer, &mut plain, &self.wanted).await?;
        }
        if self.prove(&mut plain).await? {
            self.drop_redundant(&mut plain);
            *ways = plain;
        }
        Ok(())
    }

    /// Gives every way its full number of runs. One that is left on the way is kept up to there. True if nothing is missing.
    async fn prove(&mut self, ways: &mut Vec<ReplayPath>) -> Result<bool, SuiteStop> {
        while !self.reducer.prove(ways).await? {
            for way in ways.iter_mut() {
                if let PathStatus::Diverges(place) = self.reducer.replay_tree.status(way) {
                    way.truncate(place.saturating_sub(1));
                }
            }
            ways.retain(|way| !way.is_empty());
        }
        Ok(self.missing(ways).is_clear())
    }

    /// What no walk was proven to cover is covered as it was before, if that can be proven; if not, it is given up: the suite
    /// that was read does not cover it either.
    async fn fall_back_to_originals(
        &mut self,
        ways: &mut Vec<ReplayPath>,
    ) -> Result<(), SuiteStop> {
        while let Some(item) = self.missing(ways).ones().next() {
            let mut by: Vec<u32> = (0..).take(self.seen.len()).collect();
            let until = |way: &ReplayPath| way.iter().position(|hop| hop.covers.contains(item));
            by.retain(|&trace| until(&self.seen[trace as usize]).is_some());
            by.sort_by_key(|&trace| until(&self.seen[trace as usize]));
            let mut found = None;
            for trace in by {
                self.reducer
                    .play_originals(&[trace], self.reducer.settings.replays)
                    .await?;
                let way = self.reducer.replay_tree.original_path(trace).0;
                if let Some(place) = until(&way)
                    && self.reducer.prove(&[way[..=place].to_vec()]).await?
                    && self
                        .reducer
                        .replay_tree
                        .coverage(&way[..=place])
                        .contains(item)
                {
                    found = Some(way[..=place].to_vec());
                    break;
                }
            }
            match found {
                Some(way) => ways.push(way),
                None => {
                    let mut one = ItemSet::default();
                    one.insert(item);
                    self.wanted.difference_with(&one);
                }
            }
        }
        Ok(())
    }

    /// The beginning of what is proven is proven: this costs no runs.
    fn drop_redundant(&mut self, ways: &mut Vec<ReplayPath>) {
        for number in (0..ways.len()).rev() {
            let mut way = ways.remove(number);
            let missing = self.missing(ways);
            while !way.is_empty() {
                let mut needed = missing.clone();
                needed.intersect_with(&self.reducer.replay_tree.coverage(&way));
                let shorter = &way[..way.len() - 1];
                if !needed.is_subset(&self.reducer.replay_tree.coverage(shorter)) {
                    break;
                }
                way.pop();
            }
            if !way.is_empty() {
                ways.insert(number, way);
            }
        }
    }
}

impl CoverageItem {
    pub(super) fn is_finding(&self) -> bool {
        matches!(self, CoverageItem::Finding(_))
    }
}
