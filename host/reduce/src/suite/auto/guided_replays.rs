//! Guided replays: made one after the other, each from the transition graph of everything that was observed before.

use std::sync::Arc;

use retap_shared::trace::Trace;

use super::guided_steps::GuidedSteps;
use super::transition_graph::TransitionGraph;
use crate::suite::error::SuiteStop;
use crate::suite::item_set::ItemSet;
use crate::suite::replay_dispatcher::ReplayDispatcher;
use crate::suite::replay_path::ReplayPath;

/// Input of guided replays.
pub(super) struct GuidedReplays {
    /// Replayable prefixes of the original traces.
    pub(super) prefixes: Vec<ReplayPath>,
    start: u32,
    graph: TransitionGraph,
    originals: Arc<Vec<Trace>>,
    /// Number of guided replays so far.
    count: u32,
}

impl GuidedReplays {
    pub(super) fn new(
        dispatcher: &ReplayDispatcher<'_>,
        start: u32,
        prefixes: Vec<ReplayPath>,
    ) -> GuidedReplays {
        let mut graph = TransitionGraph::default();
        for prefix in &prefixes {
            graph.add(start, prefix, &dispatcher.replay_tree);
        }
        GuidedReplays {
            prefixes,
            start,
            graph,
            originals: Arc::new(dispatcher.originals.to_vec()),
            count: 0,
        }
    }

    /// Makes one guided replay that begins with `prefix` and covers wanted items that `paths` do not cover.
    pub(super) async fn replay(
        &mut self,
        dispatcher: &mut ReplayDispatcher<'_>,
        wanted: &ItemSet,
        paths: &[ReplayPath],
        prefix: &ReplayPath,
        max_length: usize,
    ) -> Result<ReplayPath, SuiteStop> {
        let tree = &dispatcher.replay_tree;
        // Items that are not wanted count as covered.
        let mut unwanted = tree.symbols.all_items();
        unwanted.difference_with(wanted);
        let mut covered = dispatcher.coverage(paths);
        covered.union_with(&unwanted);
        let missing = dispatcher.missing(wanted, paths);
        let steps = GuidedSteps::new(
            self.graph.clone(),
            Arc::clone(&self.originals),
            tree.symbols.clone(),
            covered.clone(),
            self.start,
        )
        .with_max_steps(max_length)
        .avoiding(tree.unprovable_prefixes())
        .repeating(self.prefixes_to_repeat(dispatcher, &missing))
        .beginning_with(prefix);
        let number = self.count;
        self.count += 1;
        let mut path = dispatcher.play_guided(number, Arc::new(steps)).await?;
        let tree = &dispatcher.replay_tree;
        if tree.diverges(&path) {
            // The clean start or a common prefix diverged: the replay shows nothing about the rest.
            path.clear();
        }
        for transition in &path {
            covered.union_with(&transition.covers);
        }
        self.graph.record_misses(self.start, &path, &covered);
        self.graph.add(self.start, &path, tree);
        Ok(path)
    }

    /// Recorded prefixes of all missing items that guided replays have failed to cover, the shortest first.
    fn prefixes_to_repeat(
        &self,
        dispatcher: &ReplayDispatcher<'_>,
        missing: &ItemSet,
    ) -> Vec<(u32, ReplayPath)> {
        let tree = &dispatcher.replay_tree;
        let mut repeats: Vec<(u32, ReplayPath)> = missing
            .ones()
            .filter(|&item| self.graph.is_hopeless(item))
            .filter_map(|item| Some((item, self.shortest_prefix_covering(item)?)))
            .filter(|(_, prefix)| {
                let last = prefix.last();
                last.is_some_and(|last| !tree.ends_in_finding(last))
            })
            .collect();
        repeats.sort_by_key(|(_, prefix)| prefix.len());
        repeats
    }

    /// Shortest prefix of an original trace that covers an item.
    pub(super) fn shortest_prefix_covering(&self, item: u32) -> Option<ReplayPath> {
        let (index, prefix) = self
            .prefixes
            .iter()
            .filter_map(|prefix| Some((first_covering(prefix, item)?, prefix)))
            .min_by_key(|(index, _)| *index)?;
        Some(prefix[..=index].to_vec())
    }

    /// Number of transitions from the end of a path to the nearest that is predicted to cover a missing item. None if there is no
    /// such transition, or if the path is empty or ends in a finding.
    pub(super) fn distance_ahead(
        &self,
        dispatcher: &ReplayDispatcher<'_>,
        path: &ReplayPath,
        missing: &ItemSet,
    ) -> Option<u32> {
        let last = path.last()?;
        if dispatcher.replay_tree.ends_in_finding(last) {
            return None;
        }
        self.graph.distance_to_any(missing, last.to)
    }
}

/// Index of the first transition that covers an item.
pub(super) fn first_covering(path: &ReplayPath, item: u32) -> Option<usize> {
    path.iter()
        .position(|transition| transition.covers.contains(item))
}
