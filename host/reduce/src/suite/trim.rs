//! Cuts loops and ends out of ways that the whole rest of a plan covers as well, one run for each cut. While one is tried, idle
//! phones try those that would come next: what comes after a success and what comes after a failure, whichever is likelier.

use super::item_set::ItemSet;
use super::loop_cut_search::LoopCutSearch;
use super::reducer::{ReplayDemand, SuiteReducer, SuiteStop};
use super::replay_tree::{PathStatus, ReplayPath, ReplayTree};

/// So many cuts of one way are tried at most.
const MAX_CUTS: u32 = 40;
/// Ways that are longer have too many cuts to look at all of them: their loops are cut one by one.
const MAX_EXHAUSTIVE_LENGTH: usize = 24;

/// How many events cuts may still play, and how often they have worked.
#[derive(Debug)]
pub(super) struct CutBudget {
    events_left: u64,
    tried: u32,
    passed: u32,
}

/// The loops of a way, the longest first, and which of them comes next.
#[derive(Clone)]
struct LoopCuts {
    best: ReplayPath,
    loops: Vec<(usize, usize)>,
    next_loop: usize,
}

impl CutBudget {
    pub(super) fn new(events: u64) -> CutBudget {
        CutBudget {
            events_left: events,
            tried: 0,
            passed: 0,
        }
    }

    /// The shortest that is left of a way when what is needed of it stays.
    pub(super) async fn trim(
        &mut self,
        work: &mut SuiteReducer<'_>,
        way: &ReplayPath,
        start: u32,
        needed: &ItemSet,
    ) -> Result<ReplayPath, SuiteStop> {
        let shorter = self.without_loops(work, way, start, needed).await?;
        // What is proven would have to be proven anew.
        if shorter.len() <= MAX_EXHAUSTIVE_LENGTH
            && work.replay_tree.proven_prefix_len(&shorter) == 0
        {
            shortest(work, &shorter, start, needed).await
        } else {
            Ok(shorter)
        }
    }

    /// Cuts one loop after the other, the longest first, for as long as what is needed stays.
    async fn without_loops(
        &mut self,
        work: &mut SuiteReducer<'_>,
        way: &ReplayPath,
        start: u32,
        needed: &ItemSet,
    ) -> Result<ReplayPath, SuiteStop> {
        let mut now = LoopCuts::of(way, start, needed, &work.replay_tree);
        let mut tries = MAX_CUTS + u32::try_from(now.best.len()).unwrap_or(u32::MAX);
        while let Some(candidate) = now.next(needed, &work.replay_tree) {
            if tries == 0 || self.events_left == 0 {
                break;
            }
            tries -= 1;
            let passing = f64::from(self.passed + 1) / f64::from(self.tried + 2);
            let likely = |known: &ReplayTree, tell: &mut dyn FnMut(ReplayDemand) -> bool| {
                now.speculate(&candidate, start, needed, known, passing, tell);
            };
            let played = work
                .play_next(&ReplayDemand::once(&candidate), &likely)
                .await?;
            self.events_left = self.events_left.saturating_sub(played);
            let passed = work.replay_tree.was_played(&candidate)
                && needed.is_subset(&work.replay_tree.coverage(&candidate));
            self.tried += 1;
            self.passed += u32::from(passed);
            now = if passed {
                LoopCuts::of(&candidate, start, needed, &work.replay_tree)
            } else {
                now.skip_current()
            };
        }
        Ok(now.best)
    }
}

impl LoopCuts {
    fn of(way: &ReplayPath, start: u32, needed: &ItemSet, known: &ReplayTree) -> LoopCuts {
        let best = trim_end(way, needed, known);
        let states: Vec<u32> = std::iter::once(start)
            .chain(best.iter().map(|hop| hop.to))
            .collect();
        let mut loops = Vec::new();
        for from in known.proven_prefix_len(&best)..states.len() {
            let back = (from + 1..states.len()).filter(|&to| states[to] == states[from]);
            loops.extend(back.map(|to| (from, to)));
        }
        loops.sort_by_key(|&(from, to)| (to - from, from));
        loops.reverse();
        LoopCuts {
            best,
            loops,
            next_loop: 0,
        }
    }

    /// The next cut that is not known to fail.
    fn next(&mut self, needed: &ItemSet, known: &ReplayTree) -> Option<ReplayPath> {
        while let Some(&(from, to)) = self.loops.get(self.next_loop) {
            let candidate = [&self.best[..from], &self.best[to..]].concat();
            let fails = matches!(known.status(&candidate), PathStatus::Diverges(_));
            if !fails && needed.is_subset(&known.coverage(&candidate)) {
                return Some(candidate);
            }
            self.next_loop += 1;
        }
        None
    }

    fn skip_current(self) -> LoopCuts {
        LoopCuts {
            next_loop: self.next_loop + 1,
            ..self
        }
    }

    /// What will be asked for after `candidate`, the likeliest first, until it was told enough.
    fn speculate(
        &self,
        candidate: &ReplayPath,
        start: u32,
        needed: &ItemSet,
        known: &ReplayTree,
        passing: f64,
        tell: &mut dyn FnMut(ReplayDemand) -> bool,
    ) {
        let after = |cutting: &LoopCuts, candidate: &ReplayPath, likely: f64| {
            let passed = LoopCuts::of(candidate, start, needed, known);
            [
                (likely * passing, passed),
                (likely * (1.0 - passing), cutting.clone().skip_current()),
            ]
        };
        let mut open = Vec::from(after(self, candidate, 1.0));
        while let Some(place) =
            (0..open.len()).max_by(|&one, &other| open[one].0.total_cmp(&open[other].0))
        {
            let (likely, mut cutting) = open.swap_remove(place);
            let Some(candidate) = cutting.next(needed, known) else {
                continue;
            };
            if !tell(ReplayDemand::once(&candidate)) {
                return;
            }
            open.extend(after(&cutting, &candidate, likely));
        }
    }
}

/// Up to the last transition that is needed.
pub(super) fn trim_end(way: &ReplayPath, needed: &ItemSet, known: &ReplayTree) -> ReplayPath {
    let mut shorter = way.clone();
    while !shorter.is_empty() && needed.is_subset(&known.coverage(&shorter[..shorter.len() - 1])) {
        shorter.pop();
    }
    shorter
}

/// Of all cuts the shortest that works.
async fn shortest(
    work: &mut SuiteReducer<'_>,
    way: &ReplayPath,
    start: u32,
    needed: &ItemSet,
) -> Result<ReplayPath, SuiteStop> {
    let mut cuts = LoopCutSearch::new(way, start, needed, true);
    let mut next: std::collections::VecDeque<ReplayPath> = std::collections::VecDeque::new();
    let mut tries = MAX_CUTS;
    while tries > 0 {
        while next.len() < work.parallelism() {
            let Some(candidate) = cuts
                .next(&work.replay_tree)
                .filter(|candidate| candidate.len() < way.len())
            else {
                break;
            };
            next.push_back(candidate);
        }
        let Some(candidate) = next.pop_front() else {
            break;
        };
        let worth = |known: &ReplayTree, candidate: &ReplayPath| {
            !matches!(known.status(candidate), PathStatus::Diverges(_))
                && needed.is_subset(&known.coverage(candidate))
        };
        if !worth(&work.replay_tree, &candidate) {
            continue;
        }
        tries -= 1;
        let likely = |known: &ReplayTree, tell: &mut dyn FnMut(ReplayDemand) -> bool| {
            next.iter()
                .filter(|next| worth(known, next))
                .all(|next| tell(ReplayDemand::once(next)));
        };
        work.play_next(&ReplayDemand::once(&candidate), &likely)
            .await?;
        if work.replay_tree.was_played(&candidate)
            && needed.is_subset(&work.replay_tree.coverage(&candidate))
        {
            return Ok(candidate);
        }
    }
    Ok(way.clone())
}
