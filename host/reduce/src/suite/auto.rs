//! Retap's own: every trace is played once, walks through all that was seen then cover it anew with few restarts, what is
//! not needed of them is cut, judged against the whole plan, and only what is left gets the full number of runs.

use std::sync::Arc;

use super::bits::Bits;
use super::graph::Graph;
use super::known::{Item, Standing, Way};
use super::simplify::simplify;
use super::trim::Scissors;
use super::walker::Walker;
use super::work::{Halt, Work};
use super::{Phase, Plan};

/// A walk has at most so many transitions.
const LONGEST: usize = 512;
/// However often chance leads elsewhere, a stretch has so many.
const SHORTEST: usize = 8;
/// How often what was not proven is covered anew by walks, before the traces that were read are taken as they are.
const ROUNDS: u32 = 12;
/// After so many rounds without anything new it is enough.
const IN_VAIN: u32 = 2;
/// Cuts may play so many times the events of the suite that was read.
const CUTS_PLAY: u64 = 12;

pub(super) async fn auto(work: &mut Work<'_>, plan: &mut Plan) -> Result<(), Halt> {
    let all: Vec<u32> = (0..).take(work.originals.len()).collect();
    work.play_each_once().await?;
    work.play_originals(&all, 1).await?;
    let seen: Vec<Way> = all
        .iter()
        .map(|&trace| work.known.original(trace).0)
        .collect();
    let wanted = work.coverage(&seen);
    plan.keep(
        work,
        Phase::Seen,
        seen.iter().filter(|way| !way.is_empty()).cloned().collect(),
    );
    let Some(start) = work.known.start() else {
        return Ok(());
    };

    let mut graph = Graph::default();
    seen.iter()
        .for_each(|way| graph.add(start, way, &work.known));
    let originals = Arc::new(work.originals.to_vec());
    let read: u64 = seen.iter().map(|way| way.len() as u64).sum();
    let scissors = Scissors::new(CUTS_PLAY * read);
    let mut auto = Auto {
        work,
        start,
        seen,
        wanted,
        graph,
        originals,
        walks: 0,
        scissors,
    };
    let mut ways: Vec<Way> = Vec::new();
    let mut least = u32::MAX;
    let mut in_vain = 0;
    for round in 0..ROUNDS {
        if round == 0 || !auto.go_on(&mut ways).await? {
            auto.walk(&mut ways, if round == 0 { LONGEST } else { auto.stretch() })
                .await?;
        }
        plan.note(auto.work, Phase::Walks, &ways);
        auto.cut(&mut ways).await?;
        plan.note(auto.work, Phase::Loops, &ways);
        if auto.work.settings.simplify {
            simplify(auto.work, &mut ways, &auto.wanted).await?;
            plan.note(auto.work, Phase::Simpler, &ways);
        }
        if auto.prove(&mut ways).await? {
            break;
        }
        let missing = auto.missing(&ways).numbers().count() as u32;
        in_vain = if missing < least { 0 } else { in_vain + 1 };
        least = least.min(missing);
        if in_vain == IN_VAIN {
            break;
        }
    }
    auto.fall_back(&mut ways).await?;
    plan.baseline = Some(auto.wanted.clone());
    auto.drop_redundant(&mut ways);
    auto.or_as_they_were(&mut ways).await?;
    let Auto { work, .. } = auto;
    plan.keep(work, Phase::Proven, ways);
    Ok(())
}

struct Auto<'a, 'w> {
    work: &'a mut Work<'w>,
    start: u32,
    /// The traces that were read, as far as they go.
    seen: Vec<Way>,
    /// What is to be covered.
    wanted: Bits,
    graph: Graph,
    originals: Arc<Vec<retap_shared::trace::Trace>>,
    walks: u32,
    scissors: Scissors,
}

impl Auto<'_, '_> {
    fn missing(&self, ways: &[Way]) -> Bits {
        let mut missing = self.wanted.clone();
        missing.remove(&self.work.coverage(ways));
        missing
    }

    /// Walks until nothing more is covered by them; what is then still missing is reached the way it was reached before.
    async fn walk(&mut self, ways: &mut Vec<Way>, longest: usize) -> Result<(), Halt> {
        let mut reached_again = Bits::default();
        loop {
            let missing = self.missing(ways);
            if missing.is_empty() {
                return Ok(());
            }
            let mut walk = self.go(ways, &Way::new(), longest).await?;
            if self.gain(&walk, &missing) == 0 {
                let mut open = missing.clone();
                open.remove(&reached_again);
                let Some(item) = open.numbers().next() else {
                    return Ok(());
                };
                reached_again.insert(item);
                let Some(forced) = self.shortest_with(item) else {
                    continue;
                };
                walk = self.go(ways, &forced, longest).await?;
                if self.gain(&walk, &missing) == 0 {
                    continue;
                }
            }
            ways.push(walk);
            self.work.tell(Phase::Walks.name(), ways);
        }
    }

    /// Goes on from the ends of what is proven, a stretch each: what lies before needs no proof any more, and no restart. True if
    /// that may cover more.
    async fn go_on(&mut self, ways: &mut [Way]) -> Result<bool, Halt> {
        let stretch = self.stretch();
        let mut more = false;
        for number in 0..ways.len() {
            let missing = self.missing(ways);
            let way = ways[number].clone();
            let Some(last) = way.last().filter(|last| !self.work.known.is_problem(last)) else {
                continue;
            };
            if self
                .graph
                .nearest(&missing, last.to)
                .is_none_or(|far| far as usize > stretch)
            {
                continue;
            }
            let walk = self.go(ways, &way, way.len() + stretch).await?;
            let begins = walk.len() > way.len()
                && walk
                    .iter()
                    .zip(&way)
                    .all(|(one, other)| one.action == other.action);
            if begins && self.gain(&walk, &missing) > 0 {
                ways[number] = walk;
                more = true;
                self.work.tell(Phase::Walks.name(), ways);
            }
        }
        Ok(more)
    }

    /// So many more transitions are as likely to be proven as not, by how often chance led elsewhere so far.
    fn stretch(&self) -> usize {
        let replays = f64::from(self.work.settings.replays);
        let proven = |far: f64| (far * std::f64::consts::LN_2 / replays) as usize;
        self.work
            .known
            .between_chances()
            .map_or(LONGEST, |far| proven(far).clamp(SHORTEST, LONGEST))
    }

    async fn go(&mut self, ways: &[Way], forced: &Way, longest: usize) -> Result<Way, Halt> {
        // What nobody wants any more counts as covered.
        let mut covered = self.work.coverage(ways);
        covered.add(&self.unwanted());
        let lexicon = self.work.known.lexicon();
        let walker = Walker::new(
            self.graph.clone(),
            Arc::clone(&self.originals),
            lexicon,
            covered.clone(),
            self.start,
        )
        .at_most(longest)
        .avoiding(self.work.known.blocked())
        .repeating(self.repeats(ways))
        .beginning_with(forced);
        let number = self.walks;
        self.walks += 1;
        let mut walk = self.work.explore(number, Arc::new(walker)).await?;
        if !matches!(
            self.work.known.standing(&walk),
            Standing::Proven | Standing::Needs(_)
        ) {
            // Already the start, or what all begin with, led elsewhere this time: nothing is learned from it.
            walk.clear();
        }
        walk.iter().for_each(|hop| covered.add(&hop.covers));
        self.graph.learn(self.start, &walk, &covered);
        self.graph.add(self.start, &walk, &self.work.known);
        Ok(walk)
    }

    fn unwanted(&self) -> Bits {
        let mut all: Bits = (0..self.work.known.items_len()).collect();
        all.remove(&self.wanted);
        all
    }

    fn gain(&self, way: &Way, missing: &Bits) -> u32 {
        let mut gained = self.work.known.coverage(way);
        gained.keep(missing);
        gained.numbers().count() as u32
    }

    /// For each thing that is missing, and that walks have failed to reach, how it was reached.
    fn repeats(&self, ways: &[Way]) -> Vec<(u32, Way)> {
        let missing = self.missing(ways);
        let mut repeats: Vec<(u32, Way)> = missing
            .numbers()
            .filter(|&item| self.graph.gave_up(item))
            .filter_map(|item| Some((item, self.shortest_with(item)?)))
            .filter(|(_, way)| {
                way.last()
                    .is_some_and(|hop| !self.work.known.is_problem(hop))
            })
            .collect();
        repeats.sort_by_key(|(_, way)| way.len());
        repeats
    }

    /// The shortest beginning of a trace that was read which covers an item.
    fn shortest_with(&self, item: u32) -> Option<Way> {
        let until = |way: &Way| way.iter().position(|hop| hop.covers.contains(item));
        let (length, way) = self
            .seen
            .iter()
            .filter_map(|way| Some((until(way)?, way)))
            .min_by_key(|(length, _)| *length)?;
        Some(way[..=length].to_vec())
    }

    /// Cuts loops and ends out of each way that the rest of the plan covers as well.
    async fn cut(&mut self, ways: &mut Vec<Way>) -> Result<(), Halt> {
        for number in (0..ways.len()).rev() {
            let way = ways.remove(number);
            let mut needed = self.missing(ways);
            needed.keep(&self.work.known.coverage(&way));
            if needed.is_empty() {
                continue;
            }
            let shorter = self
                .scissors
                .trim(self.work, &way, self.start, &needed)
                .await?;
            ways.insert(number, shorter);
        }
        Ok(())
    }

    /// Few and long traces may be better as they were: without those that add nothing, and without their ends.
    async fn or_as_they_were(&mut self, ways: &mut Vec<Way>) -> Result<(), Halt> {
        let size = |ways: &[Way]| (ways.iter().map(Vec::len).sum::<usize>(), ways.len());
        let mut plain: Vec<Way> = self
            .seen
            .iter()
            .filter(|way| !way.is_empty())
            .cloned()
            .collect();
        self.drop_redundant(&mut plain);
        if size(&plain) >= size(ways) {
            return Ok(());
        }
        self.cut(&mut plain).await?;
        if self.work.settings.simplify {
            simplify(self.work, &mut plain, &self.wanted).await?;
        }
        if self.prove(&mut plain).await? {
            self.drop_redundant(&mut plain);
            *ways = plain;
        }
        Ok(())
    }

    /// Gives every way its full number of runs. One that is left on the way is kept up to there. True if nothing is missing.
    async fn prove(&mut self, ways: &mut Vec<Way>) -> Result<bool, Halt> {
        while !self.work.prove(ways).await? {
            for way in ways.iter_mut() {
                if let Standing::Fails(place) = self.work.known.standing(way) {
                    way.truncate(place.saturating_sub(1));
                }
            }
            ways.retain(|way| !way.is_empty());
        }
        Ok(self.missing(ways).is_empty())
    }

    /// What no walk was proven to cover is covered as it was before, if that can be proven; if not, it is given up: the suite
    /// that was read does not cover it either.
    async fn fall_back(&mut self, ways: &mut Vec<Way>) -> Result<(), Halt> {
        while let Some(item) = self.missing(ways).numbers().next() {
            let mut by: Vec<u32> = (0..).take(self.seen.len()).collect();
            let until = |way: &Way| way.iter().position(|hop| hop.covers.contains(item));
            by.retain(|&trace| until(&self.seen[trace as usize]).is_some());
            by.sort_by_key(|&trace| until(&self.seen[trace as usize]));
            let mut found = None;
            for trace in by {
                self.work
                    .play_originals(&[trace], self.work.settings.replays)
                    .await?;
                let way = self.work.known.original(trace).0;
                if let Some(place) = until(&way)
                    && self.work.prove(&[way[..=place].to_vec()]).await?
                    && self.work.known.coverage(&way[..=place]).contains(item)
                {
                    found = Some(way[..=place].to_vec());
                    break;
                }
            }
            match found {
                Some(way) => ways.push(way),
                None => {
                    let mut one = Bits::default();
                    one.insert(item);
                    self.wanted.remove(&one);
                }
            }
        }
        Ok(())
    }

    /// The beginning of what is proven is proven: this costs no runs.
    fn drop_redundant(&mut self, ways: &mut Vec<Way>) {
        for number in (0..ways.len()).rev() {
            let mut way = ways.remove(number);
            let missing = self.missing(ways);
            while !way.is_empty() {
                let mut needed = missing.clone();
                needed.keep(&self.work.known.coverage(&way));
                let shorter = &way[..way.len() - 1];
                if !needed.is_within(&self.work.known.coverage(shorter)) {
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

impl Item {
    pub(super) fn is_problem(&self) -> bool {
        matches!(self, Item::Problem(_))
    }
}
