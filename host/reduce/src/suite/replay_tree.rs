//! All that runs have shown, as a tree: a node for each sequence of actions that was played from a clean start, with the
//! state that it leads to and what its last action covers. What holds of a sequence is known of every way that begins with it.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use retap_model::mixed;
use retap_shared::Text;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::{Step, Trace};
use xxhash_rust::xxh3::Xxh3;

use super::interner::Interner;
use super::item_set::ItemSet;
use super::replayer::{ReplayObservation, ReplayRecord, SuiteStepOrigin};
use super::symbol_table::SymbolTable;

/// One transition: an action, where it leads, and what it covers.
#[derive(Clone, Debug)]
pub(super) struct ReplayTransition {
    pub(super) origin: SuiteStepOrigin,
    pub(super) action: u32,
    pub(super) to: u32,
    pub(super) covers: ItemSet,
}

/// Transitions from a clean start on.
pub(super) type ReplayPath = Vec<ReplayTransition>;

/// What is known of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathStatus {
    Proven,
    /// So many more runs would prove it, unless one of them leaves it.
    NeedsRuns(u32),
    /// It is left after so many transitions, or leads elsewhere.
    Diverges(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum CoverageItem {
    Activity(Text),
    Screen(u64),
    Branch(u32),
    Finding(Fingerprint),
}

#[derive(Debug)]
pub(super) struct ReplayTree {
    /// As many runs prove a way.
    replays: u32,
    actions: Vec<Vec<u32>>,
    hashes: Interner<u64>,
    /// What is done instead of steps that were read.
    replacements: HashMap<SuiteStepOrigin, (u32, Step)>,
    states: Interner<u64>,
    items: Interner<CoverageItem>,
    nodes: Vec<ReplayTreeNode>,
    /// How many transitions were played that had been played before, and how many of these led elsewhere.
    replayed_transitions: u64,
    diverged_transitions: u64,
}

const ROOT: u32 = 0;

#[derive(Debug, Default)]
struct ReplayTreeNode {
    state: Option<u32>,
    passes: u32,
    fails: u32,
    /// Nothing can follow: the app has failed.
    is_terminal: bool,
    /// What every run that passed has covered.
    covers: ItemSet,
    took: u64,
    children: HashMap<u32, u32>,
}

impl ReplayTree {
    pub(super) fn new(originals: &[Trace], replays: u32) -> ReplayTree {
        let mut numbers = Interner::default();
        let actions = originals
            .iter()
            .map(|trace| {
                trace
                    .steps
                    .iter()
                    .map(|step| numbers.intern(action_hash(step)))
                    .collect()
            })
            .collect();
        let nodes = vec![ReplayTreeNode::default()];
        let states = Interner::default();
        let items = Interner::default();
        ReplayTree {
            replays,
            actions,
            hashes: numbers,
            replacements: HashMap::new(),
            states,
            items,
            nodes,
            replayed_transitions: 0,
            diverged_transitions: 0,
        }
    }

    pub(super) fn action(&self, origin: SuiteStepOrigin) -> u32 {
        let made = self.replacements.get(&origin).map(|(action, _)| *action);
        made.unwrap_or_else(|| self.actions[origin.trace as usize][origin.step as usize])
    }

    /// Something to be done instead of a step that was read.
    pub(super) fn replace_step(&mut self, of: SuiteStepOrigin, step: Step) -> SuiteStepOrigin {
        let hash = action_hash(&step);
        let origin = SuiteStepOrigin {
            instead: hash.max(1),
            ..of
        };
        let action = self.hashes.intern(hash);
        self.replacements.insert(origin, (action, step));
        origin
    }

    pub(super) fn replacement(&self, origin: SuiteStepOrigin) -> Option<&Step> {
        self.replacements.get(&origin).map(|(_, step)| step)
    }

    /// The same for equal actions in every process.
    pub(super) fn action_hash(&self, action: u32) -> u64 {
        self.hashes.values[action as usize]
    }

    pub(super) fn state(&self, number: u32) -> u64 {
        self.states.values[number as usize]
    }

    pub(super) fn item(&self, number: u32) -> &CoverageItem {
        &self.items.values[number as usize]
    }

    pub(super) fn items(&self, of: &ItemSet) -> impl Iterator<Item = &CoverageItem> {
        of.ones().map(|number| self.item(number))
    }

    pub(super) fn items_len(&self) -> u32 {
        u32::try_from(self.items.values.len()).unwrap_or(u32::MAX)
    }

    /// Whether the app fails with it.
    pub(super) fn ends_in_finding(&self, hop: &ReplayTransition) -> bool {
        self.items(&hop.covers).any(CoverageItem::is_finding)
    }

    /// What a pilot needs to understand a run.
    pub(super) fn symbol_table(&self) -> SymbolTable {
        SymbolTable {
            actions: self.actions.clone(),
            replacements: self.replacements.clone(),
            states: self.states.ids.clone(),
            items: self.items.ids.clone(),
        }
    }

    /// Where a clean start leads to.
    pub(super) fn start(&self) -> Option<u32> {
        self.nodes[0].state
    }

    /// What every clean start covers.
    pub(super) fn start_coverage(&self) -> &ItemSet {
        &self.nodes[0].covers
    }

    /// Takes a run in. Returns it as the transitions that it was made of.
    pub(super) fn record_replay(&mut self, run: &ReplayRecord) -> ReplayPath {
        let mut node = self.record_observation(ROOT, &run.start).then_some(ROOT);
        let mut way = ReplayPath::with_capacity(run.hops.len());
        for &(origin, ref arrival) in &run.hops {
            let action = self.action(origin);
            let (to, covers) = self.intern_observation(arrival);
            way.push(ReplayTransition {
                origin,
                action,
                to,
                covers,
            });
            if let Some(parent) = node {
                let child = self.child(parent, action);
                node = self.record_observation(child, arrival).then_some(child);
            }
        }
        if let (Some(parent), Some(origin)) = (node, run.refused) {
            let action = self.action(origin);
            let child = self.child(parent, action);
            self.nodes[child as usize].fails += 1;
        }
        way
    }

    /// Whether the arrival is the one that is known.
    fn record_observation(&mut self, node: u32, arrival: &ReplayObservation) -> bool {
        let (state, covers) = self.intern_observation(arrival);
        let node = &mut self.nodes[node as usize];
        self.replayed_transitions += u64::from(node.state.is_some());
        self.diverged_transitions += u64::from(node.state.is_some_and(|known| known != state));
        match node.state {
            None => (node.state, node.covers) = (Some(state), covers),
            Some(known) if known == state => node.covers.intersect_with(&covers),
            Some(_) => {
                node.fails += 1;
                return false;
            }
        }
        node.passes += 1;
        node.is_terminal = !arrival.problems.is_empty();
        node.took += arrival.took.0;
        true
    }

    fn intern_observation(&mut self, arrival: &ReplayObservation) -> (u32, ItemSet) {
        let covers = coverage_items(arrival)
            .map(|item| self.items.intern(item))
            .collect();
        (self.states.intern(arrival.state), covers)
    }

    fn child(&mut self, parent: u32, action: u32) -> u32 {
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let child = *self.nodes[parent as usize]
            .children
            .entry(action)
            .or_insert(next);
        if child == next {
            self.nodes.push(ReplayTreeNode::default());
        }
        child
    }

    pub(super) fn root(&self) -> Option<u32> {
        Some(ROOT)
    }

    /// From a node on: `Err` if that way is known to fail, `None` once nothing is known any more.
    pub(super) fn follow(
        &self,
        node: Option<u32>,
        hop: &ReplayTransition,
    ) -> Result<Option<u32>, ()> {
        let Some(parent) = node else { return Ok(None) };
        if self.nodes[parent as usize].is_terminal {
            return Err(());
        }
        let Some(&child) = self.nodes[parent as usize].children.get(&hop.action) else {
            return Ok(None);
        };
        let known = &self.nodes[child as usize];
        let fails = self.is_unprovable(known) || known.state.is_some_and(|state| state != hop.to);
        if fails { Err(()) } else { Ok(Some(child)) }
    }

    /// What a node's action covers, where it was played; what the transition says where it was not.
    pub(super) fn covers<'a>(
        &'a self,
        node: Option<u32>,
        hop: &'a ReplayTransition,
    ) -> &'a ItemSet {
        node.map_or(&hop.covers, |node| &self.nodes[node as usize].covers)
    }

    pub(super) fn status(&self, way: &[ReplayTransition]) -> PathStatus {
        if self.is_unprovable(&self.nodes[0]) {
            return PathStatus::Diverges(0);
        }
        let mut node = Some(ROOT);
        for (place, hop) in way.iter().enumerate() {
            match self.follow(node, hop) {
                Ok(next) => node = next,
                Err(()) => return PathStatus::Diverges(place + 1),
            }
        }
        let passes = node.map_or(0, |node| self.nodes[node as usize].passes);
        if passes >= self.replays {
            PathStatus::Proven
        } else {
            PathStatus::NeedsRuns(self.replays - passes)
        }
    }

    /// A run has gone all of it.
    pub(super) fn was_played(&self, way: &[ReplayTransition]) -> bool {
        matches!(self.status(way), PathStatus::Proven)
            || matches!(self.status(way), PathStatus::NeedsRuns(left) if left < self.replays)
    }

    /// How many transitions one more run goes before chance leads it elsewhere, as far as is known; none if it never has.
    pub(super) fn mean_divergence_distance(&self) -> Option<f64> {
        (self.diverged_transitions > 0)
            .then(|| self.replayed_transitions as f64 / self.diverged_transitions as f64)
    }

    /// How much of its beginning is proven and better left as it is: where chance leads elsewhere, another one might never be
    /// proven. Where it never has, nothing.
    pub(super) fn proven_prefix_len(&self, way: &[ReplayTransition]) -> usize {
        if self.diverged_transitions == 0 {
            return 0;
        }
        let mut node = Some(ROOT);
        way.iter()
            .take_while(|hop| {
                node = self.follow(node, hop).ok().flatten();
                node.is_some_and(|node| self.nodes[node as usize].passes >= self.replays)
            })
            .count()
    }

    /// Sequences of actions that were left by chance before they were proven: nothing that begins with one ever will be.
    pub(super) fn unprovable_prefixes(&self) -> HashSet<u64> {
        let mut blocked = HashSet::new();
        let mut open = vec![(ROOT, 0)];
        while let Some((node, way)) = open.pop() {
            for (&action, &child) in &self.nodes[node as usize].children {
                let longer = extend_key(way, action);
                if self.is_unprovable(&self.nodes[child as usize]) {
                    blocked.insert(longer);
                }
                open.push((child, longer));
            }
        }
        blocked
    }

    /// What runs of it cover, as far as there were any.
    pub(super) fn coverage(&self, way: &[ReplayTransition]) -> ItemSet {
        let mut covered = ItemSet::default();
        let mut node = Some(ROOT);
        for hop in way {
            node = self.follow(node, hop).ok().flatten();
            covered.union_with(self.covers(node, hop));
        }
        covered
    }

    /// How long one run of it takes.
    pub(super) fn took(&self, way: &[ReplayTransition]) -> Micros {
        let mean = |node: u32| {
            let node = &self.nodes[node as usize];
            node.took / u64::from(node.passes.max(1))
        };
        let mut node = Some(ROOT);
        let mut took = mean(ROOT);
        for hop in way {
            node = self.follow(node, hop).ok().flatten();
            took += node.map_or(0, mean);
        }
        Micros(took)
    }

    /// As far as a trace of the suite that was read is known to lead, and how that end stands.
    pub(super) fn original_path(&self, trace: u32) -> (ReplayPath, ReplayableEnd) {
        let mut way = ReplayPath::new();
        let mut node = &self.nodes[0];
        if self.is_unprovable(node) {
            return (
                way,
                ReplayableEnd {
                    passes: self.replays,
                    settled: true,
                },
            );
        }
        for (step, &action) in (0..).zip(&self.actions[trace as usize]) {
            let child = node
                .children
                .get(&action)
                .map(|&child| &self.nodes[child as usize]);
            let Some((child, to)) = child.and_then(|child| Some((child, child.state?))) else {
                let settled = node.is_terminal || child.is_some();
                return (
                    way,
                    ReplayableEnd {
                        passes: node.passes,
                        settled,
                    },
                );
            };
            if self.is_unprovable(child) {
                return (
                    way,
                    ReplayableEnd {
                        passes: node.passes,
                        settled: true,
                    },
                );
            }
            way.push(ReplayTransition {
                origin: SuiteStepOrigin::new(trace, step),
                action,
                to,
                covers: child.covers.clone(),
            });
            node = child;
        }
        (
            way,
            ReplayableEnd {
                passes: node.passes,
                settled: true,
            },
        )
    }

    /// Left by one run before enough of them had passed.
    fn is_unprovable(&self, node: &ReplayTreeNode) -> bool {
        node.fails > 0 && node.passes < self.replays
    }
}

/// The number of a sequence of actions that has one more.
pub(super) fn extend_key(way: u64, action: u32) -> u64 {
    mixed(way, u64::from(action) + 1)
}

/// How the end of what is known of a trace stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReplayableEnd {
    pub(super) passes: u32,
    /// What comes after it, if anything, is not reached.
    pub(super) settled: bool,
}

pub(super) fn coverage_items(arrival: &ReplayObservation) -> impl Iterator<Item = CoverageItem> {
    let ReplayObservation {
        state,
        inside,
        activities,
        branches,
        problems,
        ..
    } = arrival;
    let screen = inside.then_some(CoverageItem::Screen(*state));
    screen
        .into_iter()
        .chain(activities.iter().cloned().map(CoverageItem::Activity))
        .chain(branches.iter().copied().map(CoverageItem::Branch))
        .chain(problems.iter().copied().map(CoverageItem::Finding))
}

/// What a step does, and to what: on which screen it was recorded is not part of it.
pub(super) fn action_hash(step: &Step) -> u64 {
    let mut hasher = Xxh3::new();
    (&step.action, &step.widget).hash(&mut hasher);
    hasher.finish()
}
