//! Hierarchical delta debugging of SimplyDroid (Tables 2 and 3): level by level through the state tree; a node is removed with
//! its subtree. None of the variants guarantees a 1-minimal result.

mod state_tree;

pub use state_tree::StateGranularity;
use state_tree::StateTree;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::{AppState, Candidate};

/// A variant of hierarchical delta debugging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HddVariant {
    /// HDD: parts with the same number of nodes.
    Plain,
    /// BHDD: parts with the same number of events in their subtrees.
    Balanced,
    /// LHDD: above the level of the last event a candidate only has to reach the next level. With preselection the last nodes of
    /// a level are tried first.
    Local { preselection: bool },
}

/// Reduces `best`, which is known to pass.
pub(super) async fn hdd(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
    variant: HddVariant,
    hierarchy: StateGranularity,
) -> Result<(), ReductionStop> {
    let original = best.clone();
    let states = hierarchy.states_of(original.steps());
    let tree = StateTree::of(&states);
    let mut descent = HddDescent {
        evaluator,
        best,
        original,
        states,
        tree,
        variant,
        kept: Vec::new(),
    };
    if !descent.descend().await? {
        // Reaching the next level was not enough. Start again from the top, and require the target everywhere.
        descent.variant = HddVariant::Balanced;
        descent.kept.clear();
        descent.descend().await?;
    }
    Ok(())
}

/// One pass through the levels of the tree.
struct HddDescent<'a, 'e> {
    evaluator: &'a mut CandidateEvaluator<'e>,
    /// Smallest candidate that has reached the target.
    best: &'a mut Candidate,
    original: Candidate,
    states: Vec<AppState>,
    tree: StateTree,
    variant: HddVariant,
    /// Nodes that were kept on the levels above.
    kept: Vec<usize>,
}

/// Nodes of one level before its reduction.
struct TreeLevel {
    nodes: Vec<usize>,
    /// State that the last node must lead to, where that replaces the target.
    local_target: Option<AppState>,
}

impl HddDescent<'_, '_> {
    /// Reduces all levels. Returns false if the result does not reach the target, which only local targets can cause.
    async fn descend(&mut self) -> Result<bool, ReductionStop> {
        let mut nodes = self.tree.children(None);
        while !nodes.is_empty() {
            let local_target = self.local_target(&nodes);
            let level = TreeLevel {
                nodes,
                local_target,
            };
            let from = match self.variant {
                HddVariant::Local { preselection: true } => match self.preselect(&level).await? {
                    Some(from) => from,
                    None => return Ok(false),
                },
                // Nothing is played before the first part: the end of the descent shows whether a level was enough.
                HddVariant::Local {
                    preselection: false,
                }
                | HddVariant::Plain
                | HddVariant::Balanced => 0,
            };
            let kept = self.reduce_level(&level, from).await?;
            nodes = self.tree.children(Some(&kept));
            self.kept.extend(kept);
        }
        let result = self.candidate(
            &TreeLevel {
                nodes: Vec::new(),
                local_target: None,
            },
            &[],
        );
        Ok(result.key() == self.best.key() || self.first_passing(&[result]).await?.is_some())
    }

    /// Local target of a level above the last event; `None` from there on, and for variants without local targets.
    fn local_target(&self, nodes: &[usize]) -> Option<AppState> {
        let last_event = self.states.len() - 1;
        let last = *nodes.last()?;
        let local = matches!(self.variant, HddVariant::Local { .. });
        let above = last != last_event && !self.kept.contains(&last_event);
        (local && above).then(|| self.states[last + 1].clone())
    }

    /// Tries the last node alone, then the last two, four, … Returns the start of the first of these that passes. `None` if
    /// not even the complete level does: a needed node was removed on a level above.
    async fn preselect(&mut self, level: &TreeLevel) -> Result<Option<usize>, ReductionStop> {
        let count = level.nodes.len();
        let lengths = std::iter::successors(Some(1), |length| Some(length * 2));
        let mut starts: Vec<usize> = lengths
            .take_while(|length| *length < count)
            .map(|length| count - length)
            .collect();
        starts.push(0);
        let candidates: Vec<Candidate> = starts
            .iter()
            .map(|start| self.candidate(level, &level.nodes[*start..]))
            .collect();
        Ok(self
            .first_passing(&candidates)
            .await?
            .map(|number| starts[number]))
    }

    /// Table 2's `inlevel_hdd` over the nodes from `from` on. The last node is always kept.
    async fn reduce_level(
        &mut self,
        level: &TreeLevel,
        from: usize,
    ) -> Result<Vec<usize>, ReductionStop> {
        let mut nodes = level.nodes[from..].to_vec();
        let mut parts = 2;
        while parts <= nodes.len() {
            let cuts = self.part_boundaries(level, &nodes, parts);
            let part = |number: usize| cuts[number]..cuts[number + 1];
            let mut smaller = vec![nodes[part(parts - 1)].to_vec()];
            // With two parts, the last part is the complement of the first.
            let others = if parts == 2 { 0 } else { parts - 1 };
            smaller.extend((0..others).rev().map(|number| {
                let range = part(number);
                [&nodes[..range.start], &nodes[range.end..]].concat()
            }));
            let candidates: Vec<Candidate> = smaller
                .iter()
                .map(|nodes| self.candidate(level, nodes))
                .collect();
            match self.first_passing(&candidates).await? {
                Some(number) => {
                    nodes = smaller.swap_remove(number);
                    parts = if number == 0 { 2 } else { parts - 1 };
                }
                None if parts < nodes.len() => parts = (2 * parts).min(nodes.len()),
                None => break,
            }
        }
        Ok(nodes)
    }

    /// Boundaries of the parts of a level. No part is empty.
    fn part_boundaries(&self, level: &TreeLevel, nodes: &[usize], parts: usize) -> Vec<usize> {
        let last = level.nodes.last();
        let counts_alone = |node: &usize| {
            self.variant == HddVariant::Plain || level.local_target.is_some() && Some(node) == last
        };
        let weight = |node: &usize| {
            if counts_alone(node) {
                1
            } else {
                self.tree.subtree(*node).len()
            }
        };
        let mut sums = vec![0];
        for node in nodes {
            sums.push(sums[sums.len() - 1] + weight(node));
        }
        let mut cuts = vec![0];
        for part in 1..parts {
            let wanted = sums[nodes.len()] * part;
            let deviation = |cut: &usize| (sums[*cut] * parts).abs_diff(wanted);
            let possible = cuts[part - 1] + 1..=nodes.len() - (parts - part);
            // The later one of two equally good boundaries, because the last part is tried alone.
            cuts.push(possible.rev().min_by_key(deviation).unwrap_or(part));
        }
        cuts.push(nodes.len());
        cuts
    }

    /// Kept nodes of the levels above, with these nodes of a level and their subtrees.
    fn candidate(&self, level: &TreeLevel, nodes: &[usize]) -> Candidate {
        let mut events = self.kept.clone();
        for &node in nodes {
            if level.local_target.is_some() && Some(&node) == level.nodes.last() {
                events.push(node);
            } else {
                events.extend(self.tree.subtree(node));
            }
        }
        events.sort_unstable();
        let numbers = self.original.kept();
        let kept: Vec<u32> = events.into_iter().map(|event| numbers[event]).collect();
        let candidate = self.original.keeping(kept);
        match &level.local_target {
            Some(state) => candidate.with_local_target(state.clone()),
            None => candidate,
        }
    }

    /// First of the candidates that passes. One that reaches the target may become the best.
    async fn first_passing(
        &mut self,
        candidates: &[Candidate],
    ) -> Result<Option<usize>, ReductionStop> {
        let passing = self
            .evaluator
            .first_passing(candidates.len(), |number| candidates[number].clone())
            .await?;
        Ok(passing.map(|(number, candidate)| {
            if candidate.local_target().is_none() && candidate.len() < self.best.len() {
                *self.best = candidate;
            }
            number
        }))
    }
}
