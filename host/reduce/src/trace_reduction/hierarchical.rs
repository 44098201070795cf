//! Hierarchical delta debugging of SimplyDroid (Tables 2 and 3): level by level through the tree of states, so that all that
//! happened below a node goes with it. None of the three promises a result from which no single step could go.

mod state_tree;

pub use state_tree::StateGranularity;
use state_tree::StateTree;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::{AppState, Candidate};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HddVariant {
    /// Parts of equally many nodes.
    Plain,
    /// Parts below which there are equally many events.
    Balanced,
    /// On every level but the crash's own it is enough to get to the next one.
    Local { preselection: bool },
}

/// Reduces `best`, which is known to pass.
pub(super) async fn hdd(
    judge: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
    variant: HddVariant,
    hierarchy: StateGranularity,
) -> Result<(), ReductionStop> {
    let whole = best.clone();
    let places = hierarchy.states_of(whole.steps());
    let tree = StateTree::of(&places);
    let mut descent = HddDescent {
        evaluator: judge,
        best,
        whole,
        states: places,
        tree,
        variant,
        kept: Vec::new(),
    };
    if !descent.descend().await? {
        // Getting to the next level was not all that counted: from the top again, and every check is for the target.
        descent.variant = HddVariant::Balanced;
        descent.kept.clear();
        descent.descend().await?;
    }
    Ok(())
}

struct HddDescent<'a, 'j> {
    evaluator: &'a mut CandidateEvaluator<'j>,
    /// The smallest that has reached the target.
    best: &'a mut Candidate,
    whole: Candidate,
    states: Vec<AppState>,
    tree: StateTree,
    variant: HddVariant,
    /// What was kept of the levels that are done.
    kept: Vec<usize>,
}

/// The nodes of one level, of which some are to go.
struct TreeLevel {
    nodes: Vec<usize>,
    /// Where the last node must lead to, if that is enough.
    local_target: Option<AppState>,
}

impl HddDescent<'_, '_> {
    /// False if what was kept does not reach the target; only local checks can come to that.
    async fn descend(&mut self) -> Result<bool, ReductionStop> {
        let mut nodes = self.tree.children(None);
        while !nodes.is_empty() {
            let aim = self.local_target(&nodes);
            let level = TreeLevel {
                nodes,
                local_target: aim,
            };
            let from = match self.variant {
                HddVariant::Local { preselection } => {
                    match self.preselect(&level, preselection).await? {
                        Some(from) => from,
                        None => return Ok(false),
                    }
                }
                HddVariant::Plain | HddVariant::Balanced => 0,
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

    /// Local checks are for the levels above the last event's own.
    fn local_target(&self, nodes: &[usize]) -> Option<AppState> {
        let last_event = self.states.len() - 1;
        let last = *nodes.last()?;
        let local = matches!(self.variant, HddVariant::Local { .. });
        let above = last != last_event && !self.kept.contains(&last_event);
        (local && above).then(|| self.states[last + 1].clone())
    }

    /// The last node alone, then the last two, four, …: where the first of these begins that passes. None if not even the
    /// whole level does: something that the levels above have lost was needed.
    async fn preselect(
        &mut self,
        level: &TreeLevel,
        doubling: bool,
    ) -> Result<Option<usize>, ReductionStop> {
        let count = level.nodes.len();
        let mut begins = vec![0];
        if doubling {
            let lengths = std::iter::successors(Some(1), |length| Some(length * 2));
            begins = lengths
                .take_while(|length| *length < count)
                .map(|length| count - length)
                .collect();
            begins.push(0);
        }
        let candidates: Vec<Candidate> = begins
            .iter()
            .map(|begin| self.candidate(level, &level.nodes[*begin..]))
            .collect();
        Ok(self
            .first_passing(&candidates)
            .await?
            .map(|place| begins[place]))
    }

    /// Table 2's `inlevel_hdd`, over the nodes from the given one on, which are known to be enough. The last node stays.
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
            // Of two parts the last is what is left without the first.
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
                Some(place) => {
                    nodes = smaller.swap_remove(place);
                    parts = if place == 0 { 2 } else { parts - 1 };
                }
                None if parts < nodes.len() => parts = (2 * parts).min(nodes.len()),
                None => break,
            }
        }
        Ok(nodes)
    }

    /// Where the parts of a level begin and end. None of them is empty.
    fn part_boundaries(&self, level: &TreeLevel, nodes: &[usize], parts: usize) -> Vec<usize> {
        let last = level.nodes.last();
        let alone = |node: &usize| {
            self.variant == HddVariant::Plain || level.local_target.is_some() && Some(node) == last
        };
        let weight = |node: &usize| {
            if alone(node) {
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
            let off = |cut: &usize| (sums[*cut] * parts).abs_diff(wanted);
            let possible = cuts[part - 1] + 1..=nodes.len() - (parts - part);
            // Of two that are equally good the later: the part that is tried alone is the last.
            cuts.push(possible.rev().min_by_key(off).unwrap_or(part));
        }
        cuts.push(nodes.len());
        cuts
    }

    /// What was kept of the levels above, with these nodes of a level and what is below them.
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
        let numbers = self.whole.kept();
        let kept: Vec<u32> = events.into_iter().map(|event| numbers[event]).collect();
        let candidate = self.whole.keeping(kept);
        match &level.local_target {
            Some(place) => candidate.with_local_target(place.clone()),
            None => candidate,
        }
    }

    /// The first of the candidates that passes. One that reaches the target is remembered.
    async fn first_passing(
        &mut self,
        candidates: &[Candidate],
    ) -> Result<Option<usize>, ReductionStop> {
        let found = self
            .evaluator
            .first_passing(candidates.len(), |number| candidates[number].clone())
            .await?;
        Ok(found.map(|(number, candidate)| {
            if candidate.local_target().is_none() && candidate.len() < self.best.len() {
                *self.best = candidate;
            }
            number
        }))
    }
}
