//! Cuts loops and ends out of ways that the whole rest of a plan covers as well, one run for each cut. While one is tried, idle
//! phones try those that would come next: what comes after a success and what comes after a failure, whichever is likelier.

use super::bits::Bits;
use super::cuts::Cuts;
use super::known::{Known, Standing, Way};
use super::work::{Halt, Wanted, Work};

/// So many cuts of one way are tried at most.
const CUTS: u32 = 40;
/// Ways that are longer have too many cuts to look at all of them: their loops are cut one by one.
const SHORT: usize = 24;

/// How many events cuts may still play, and how often they have worked.
#[derive(Debug)]
pub(super) struct Scissors {
    left: u64,
    tried: u32,
    passed: u32,
}

/// The loops of a way, the longest first, and which of them comes next.
#[derive(Clone)]
struct Cutting {
    best: Way,
    loops: Vec<(usize, usize)>,
    at: usize,
}

impl Scissors {
    pub(super) fn new(events: u64) -> Scissors {
        Scissors {
            left: events,
            tried: 0,
            passed: 0,
        }
    }

    /// The shortest that is left of a way when what is needed of it stays.
    pub(super) async fn trim(
        &mut self,
        work: &mut Work<'_>,
        way: &Way,
        start: u32,
        needed: &Bits,
    ) -> Result<Way, Halt> {
        let shorter = self.without_loops(work, way, start, needed).await?;
        // What is proven would have to be proven anew.
        if shorter.len() <= SHORT && work.known.proven(&shorter) == 0 {
            shortest(work, &shorter, start, needed).await
        } else {
            Ok(shorter)
        }
    }

    /// Cuts one loop after the other, the longest first, for as long as what is needed stays.
    async fn without_loops(
        &mut self,
        work: &mut Work<'_>,
        way: &Way,
        start: u32,
        needed: &Bits,
    ) -> Result<Way, Halt> {
        let mut now = Cutting::of(way, start, needed, &work.known);
        let mut tries = CUTS + u32::try_from(now.best.len()).unwrap_or(u32::MAX);
        while let Some(candidate) = now.next(needed, &work.known) {
            if tries == 0 || self.left == 0 {
                break;
            }
            tries -= 1;
            let passing = f64::from(self.passed + 1) / f64::from(self.tried + 2);
            let likely = |known: &Known, tell: &mut dyn FnMut(Wanted) -> bool| {
                now.guess(&candidate, start, needed, known, passing, tell);
            };
            let played = work.ask(&Wanted::once(&candidate), &likely).await?;
            self.left = self.left.saturating_sub(played);
            let passed = work.known.was_played(&candidate)
                && needed.is_within(&work.known.coverage(&candidate));
            self.tried += 1;
            self.passed += u32::from(passed);
            now = if passed {
                Cutting::of(&candidate, start, needed, &work.known)
            } else {
                now.without_it()
            };
        }
        Ok(now.best)
    }
}

impl Cutting {
    fn of(way: &Way, start: u32, needed: &Bits, known: &Known) -> Cutting {
        let best = without_end(way, needed, known);
        let states: Vec<u32> = std::iter::once(start)
            .chain(best.iter().map(|hop| hop.to))
            .collect();
        let mut loops = Vec::new();
        for from in known.proven(&best)..states.len() {
            let back = (from + 1..states.len()).filter(|&to| states[to] == states[from]);
            loops.extend(back.map(|to| (from, to)));
        }
        loops.sort_by_key(|&(from, to)| (to - from, from));
        loops.reverse();
        Cutting { best, loops, at: 0 }
    }

    /// The next cut that is not known to fail.
    fn next(&mut self, needed: &Bits, known: &Known) -> Option<Way> {
        while let Some(&(from, to)) = self.loops.get(self.at) {
            let candidate = [&self.best[..from], &self.best[to..]].concat();
            let fails = matches!(known.standing(&candidate), Standing::Fails(_));
            if !fails && needed.is_within(&known.coverage(&candidate)) {
                return Some(candidate);
            }
            self.at += 1;
        }
        None
    }

    fn without_it(self) -> Cutting {
        Cutting {
            at: self.at + 1,
            ..self
        }
    }

    /// What will be asked for after `candidate`, the likeliest first, until it was told enough.
    fn guess(
        &self,
        candidate: &Way,
        start: u32,
        needed: &Bits,
        known: &Known,
        passing: f64,
        tell: &mut dyn FnMut(Wanted) -> bool,
    ) {
        let after = |cutting: &Cutting, candidate: &Way, likely: f64| {
            let passed = Cutting::of(candidate, start, needed, known);
            [
                (likely * passing, passed),
                (likely * (1.0 - passing), cutting.clone().without_it()),
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
            if !tell(Wanted::once(&candidate)) {
                return;
            }
            open.extend(after(&cutting, &candidate, likely));
        }
    }
}

/// Up to the last transition that is needed.
pub(super) fn without_end(way: &Way, needed: &Bits, known: &Known) -> Way {
    let mut shorter = way.clone();
    while !shorter.is_empty() && needed.is_within(&known.coverage(&shorter[..shorter.len() - 1])) {
        shorter.pop();
    }
    shorter
}

/// Of all cuts the shortest that works.
async fn shortest(work: &mut Work<'_>, way: &Way, start: u32, needed: &Bits) -> Result<Way, Halt> {
    let mut cuts = Cuts::new(way, start, needed, true);
    let mut next: std::collections::VecDeque<Way> = std::collections::VecDeque::new();
    let mut tries = CUTS;
    while tries > 0 {
        while next.len() < work.width() {
            let Some(candidate) = cuts
                .next(&work.known)
                .filter(|candidate| candidate.len() < way.len())
            else {
                break;
            };
            next.push_back(candidate);
        }
        let Some(candidate) = next.pop_front() else {
            break;
        };
        let worth = |known: &Known, candidate: &Way| {
            !matches!(known.standing(candidate), Standing::Fails(_))
                && needed.is_within(&known.coverage(candidate))
        };
        if !worth(&work.known, &candidate) {
            continue;
        }
        tries -= 1;
        let likely = |known: &Known, tell: &mut dyn FnMut(Wanted) -> bool| {
            next.iter()
                .filter(|next| worth(known, next))
                .all(|next| tell(Wanted::once(next)));
        };
        work.ask(&Wanted::once(&candidate), &likely).await?;
        if work.known.was_played(&candidate) && needed.is_within(&work.known.coverage(&candidate)) {
            return Ok(candidate);
        }
    }
    Ok(way.clone())
}
