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

use super::bits::Bits;
use super::lexicon::Lexicon;
use super::numbers::Numbers;
use super::replayer::{Arrival, Origin, Run};

/// One transition: an action, where it leads, and what it covers.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    pub(super) origin: Origin,
    pub(super) action: u32,
    pub(super) to: u32,
    pub(super) covers: Bits,
}

/// Transitions from a clean start on.
pub(super) type Way = Vec<Hop>;

/// What is known of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Proven,
    /// So many more runs would prove it, unless one of them leaves it.
    Needs(u32),
    /// It is left after so many transitions, or leads elsewhere.
    Fails(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    Activity(Text),
    Screen(u64),
    Branch(u32),
    Problem(Fingerprint),
}

#[derive(Debug)]
pub(super) struct Known {
    /// As many runs prove a way.
    replays: u32,
    actions: Vec<Vec<u32>>,
    hashes: Numbers<u64>,
    /// What is done instead of steps that were read.
    made: HashMap<Origin, (u32, Step)>,
    states: Numbers<u64>,
    items: Numbers<Item>,
    nodes: Vec<Node>,
    /// How many transitions were played that had been played before, and how many of these led elsewhere.
    again: u64,
    elsewhere: u64,
}

const ROOT: u32 = 0;

#[derive(Debug, Default)]
struct Node {
    state: Option<u32>,
    passes: u32,
    fails: u32,
    /// Nothing can follow: the app has failed.
    last: bool,
    /// What every run that passed has covered.
    covers: Bits,
    took: u64,
    children: HashMap<u32, u32>,
}

impl Known {
    pub(super) fn new(originals: &[Trace], replays: u32) -> Known {
        let mut numbers = Numbers::default();
        let actions = originals
            .iter()
            .map(|trace| {
                trace
                    .steps
                    .iter()
                    .map(|step| numbers.of(hash_of(step)))
                    .collect()
            })
            .collect();
        let nodes = vec![Node::default()];
        let states = Numbers::default();
        let items = Numbers::default();
        Known {
            replays,
            actions,
            hashes: numbers,
            made: HashMap::new(),
            states,
            items,
            nodes,
            again: 0,
            elsewhere: 0,
        }
    }

    pub(super) fn action(&self, origin: Origin) -> u32 {
        let made = self.made.get(&origin).map(|(action, _)| *action);
        made.unwrap_or_else(|| self.actions[origin.trace as usize][origin.step as usize])
    }

    /// Something to be done instead of a step that was read.
    pub(super) fn instead(&mut self, of: Origin, step: Step) -> Origin {
        let hash = hash_of(&step);
        let origin = Origin {
            instead: hash.max(1),
            ..of
        };
        let action = self.hashes.of(hash);
        self.made.insert(origin, (action, step));
        origin
    }

    pub(super) fn made(&self, origin: Origin) -> Option<&Step> {
        self.made.get(&origin).map(|(_, step)| step)
    }

    /// The same for equal actions in every process.
    pub(super) fn hash(&self, action: u32) -> u64 {
        self.hashes.known[action as usize]
    }

    pub(super) fn state(&self, number: u32) -> u64 {
        self.states.known[number as usize]
    }

    pub(super) fn item(&self, number: u32) -> &Item {
        &self.items.known[number as usize]
    }

    pub(super) fn items(&self, of: &Bits) -> impl Iterator<Item = &Item> {
        of.numbers().map(|number| self.item(number))
    }

    pub(super) fn items_len(&self) -> u32 {
        u32::try_from(self.items.known.len()).unwrap_or(u32::MAX)
    }

    /// Whether the app fails with it.
    pub(super) fn is_problem(&self, hop: &Hop) -> bool {
        self.items(&hop.covers).any(Item::is_problem)
    }

    /// What a pilot needs to understand a run.
    pub(super) fn lexicon(&self) -> Lexicon {
        Lexicon {
            actions: self.actions.clone(),
            made: self.made.clone(),
            states: self.states.numbers.clone(),
            items: self.items.numbers.clone(),
        }
    }

    /// Where a clean start leads to.
    pub(super) fn start(&self) -> Option<u32> {
        self.nodes[0].state
    }

    /// What every clean start covers.
    pub(super) fn at_start(&self) -> &Bits {
        &self.nodes[0].covers
    }

    /// Takes a run in. Returns it as the transitions that it was made of.
    pub(super) fn absorb(&mut self, run: &Run) -> Way {
        let mut node = self.pass(ROOT, &run.start).then_some(ROOT);
        let mut way = Way::with_capacity(run.hops.len());
        for &(origin, ref arrival) in &run.hops {
            let action = self.action(origin);
            let (to, covers) = self.seen(arrival);
            way.push(Hop {
                origin,
                action,
                to,
                covers,
            });
            if let Some(parent) = node {
                let child = self.child(parent, action);
                node = self.pass(child, arrival).then_some(child);
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
    fn pass(&mut self, node: u32, arrival: &Arrival) -> bool {
        let (state, covers) = self.seen(arrival);
        let node = &mut self.nodes[node as usize];
        self.again += u64::from(node.state.is_some());
        self.elsewhere += u64::from(node.state.is_some_and(|known| known != state));
        match node.state {
            None => (node.state, node.covers) = (Some(state), covers),
            Some(known) if known == state => node.covers.keep(&covers),
            Some(_) => {
                node.fails += 1;
                return false;
            }
        }
        node.passes += 1;
        node.last = !arrival.problems.is_empty();
        node.took += arrival.took.0;
        true
    }

    fn seen(&mut self, arrival: &Arrival) -> (u32, Bits) {
        let covers = items_of(arrival).map(|item| self.items.of(item)).collect();
        (self.states.of(arrival.state), covers)
    }

    fn child(&mut self, parent: u32, action: u32) -> u32 {
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let child = *self.nodes[parent as usize]
            .children
            .entry(action)
            .or_insert(next);
        if child == next {
            self.nodes.push(Node::default());
        }
        child
    }

    pub(super) fn root(&self) -> Option<u32> {
        Some(ROOT)
    }

    /// From a node on: `Err` if that way is known to fail, `None` once nothing is known any more.
    pub(super) fn follow(&self, node: Option<u32>, hop: &Hop) -> Result<Option<u32>, ()> {
        let Some(parent) = node else { return Ok(None) };
        if self.nodes[parent as usize].last {
            return Err(());
        }
        let Some(&child) = self.nodes[parent as usize].children.get(&hop.action) else {
            return Ok(None);
        };
        let known = &self.nodes[child as usize];
        let fails = self.is_blocked(known) || known.state.is_some_and(|state| state != hop.to);
        if fails { Err(()) } else { Ok(Some(child)) }
    }

    /// What a node's action covers, where it was played; what the transition says where it was not.
    pub(super) fn covers<'a>(&'a self, node: Option<u32>, hop: &'a Hop) -> &'a Bits {
        node.map_or(&hop.covers, |node| &self.nodes[node as usize].covers)
    }

    pub(super) fn standing(&self, way: &[Hop]) -> Standing {
        if self.is_blocked(&self.nodes[0]) {
            return Standing::Fails(0);
        }
        let mut node = Some(ROOT);
        for (place, hop) in way.iter().enumerate() {
            match self.follow(node, hop) {
                Ok(next) => node = next,
                Err(()) => return Standing::Fails(place + 1),
            }
        }
        let passes = node.map_or(0, |node| self.nodes[node as usize].passes);
        if passes >= self.replays {
            Standing::Proven
        } else {
            Standing::Needs(self.replays - passes)
        }
    }

    /// A run has gone all of it.
    pub(super) fn was_played(&self, way: &[Hop]) -> bool {
        matches!(self.standing(way), Standing::Proven)
            || matches!(self.standing(way), Standing::Needs(left) if left < self.replays)
    }

    /// How many transitions one more run goes before chance leads it elsewhere, as far as is known; none if it never has.
    pub(super) fn between_chances(&self) -> Option<f64> {
        (self.elsewhere > 0).then(|| self.again as f64 / self.elsewhere as f64)
    }

    /// How much of its beginning is proven and better left as it is: where chance leads elsewhere, another one might never be
    /// proven. Where it never has, nothing.
    pub(super) fn proven(&self, way: &[Hop]) -> usize {
        if self.elsewhere == 0 {
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
    pub(super) fn blocked(&self) -> HashSet<u64> {
        let mut blocked = HashSet::new();
        let mut open = vec![(ROOT, 0)];
        while let Some((node, way)) = open.pop() {
            for (&action, &child) in &self.nodes[node as usize].children {
                let longer = on_with(way, action);
                if self.is_blocked(&self.nodes[child as usize]) {
                    blocked.insert(longer);
                }
                open.push((child, longer));
            }
        }
        blocked
    }

    /// What runs of it cover, as far as there were any.
    pub(super) fn coverage(&self, way: &[Hop]) -> Bits {
        let mut covered = Bits::default();
        let mut node = Some(ROOT);
        for hop in way {
            node = self.follow(node, hop).ok().flatten();
            covered.add(self.covers(node, hop));
        }
        covered
    }

    /// How long one run of it takes.
    pub(super) fn took(&self, way: &[Hop]) -> Micros {
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
    pub(super) fn original(&self, trace: u32) -> (Way, Limit) {
        let mut way = Way::new();
        let mut node = &self.nodes[0];
        if self.is_blocked(node) {
            return (
                way,
                Limit {
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
                let settled = node.last || child.is_some();
                return (
                    way,
                    Limit {
                        passes: node.passes,
                        settled,
                    },
                );
            };
            if self.is_blocked(child) {
                return (
                    way,
                    Limit {
                        passes: node.passes,
                        settled: true,
                    },
                );
            }
            way.push(Hop {
                origin: Origin::new(trace, step),
                action,
                to,
                covers: child.covers.clone(),
            });
            node = child;
        }
        (
            way,
            Limit {
                passes: node.passes,
                settled: true,
            },
        )
    }

    /// Left by one run before enough of them had passed.
    fn is_blocked(&self, node: &Node) -> bool {
        node.fails > 0 && node.passes < self.replays
    }
}

/// The number of a sequence of actions that has one more.
pub(super) fn on_with(way: u64, action: u32) -> u64 {
    mixed(way, u64::from(action) + 1)
}

/// How the end of what is known of a trace stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) passes: u32,
    /// What comes after it, if anything, is not reached.
    pub(super) settled: bool,
}

pub(super) fn items_of(arrival: &Arrival) -> impl Iterator<Item = Item> {
    let Arrival {
        state,
        inside,
        activities,
        branches,
        problems,
        ..
    } = arrival;
    let screen = inside.then_some(Item::Screen(*state));
    screen
        .into_iter()
        .chain(activities.iter().cloned().map(Item::Activity))
        .chain(branches.iter().copied().map(Item::Branch))
        .chain(problems.iter().copied().map(Item::Problem))
}

/// What a step does, and to what: on which screen it was recorded is not part of it.
pub(super) fn hash_of(step: &Step) -> u64 {
    let mut hasher = Xxh3::new();
    (&step.action, &step.widget).hash(&mut hasher);
    hasher.finish()
}
