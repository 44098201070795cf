//! What is left of a suite at any time, and what is told of it in the end: measures, files, and where each came from.

use std::ops::Range;

use retap_shared::micros::Micros;
use retap_shared::protocol::Target;
use retap_shared::trace::{Start, Step, Trace, TraceHeader};
use retap_shared::verdict::Outcome;

use super::bits::Bits;
use super::known::{Hop, Item, Known, Standing, Way};
use super::work::Work;
use super::{Covered, Measure, Spent, SuiteReduction};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The longest beginnings of the traces that every run goes.
    Prefixes,
    /// Without traces that add nothing.
    Traces,
    Loops,
    Splices,
    /// Each trace played once.
    Seen,
    Walks,
    /// Simpler steps where they do.
    Simpler,
    /// Every trace has had its full number of runs.
    Proven,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseReport {
    pub phase: Phase,
    pub traces: u32,
    pub transitions: u64,
    /// All that was spent by its end.
    pub spent: Spent,
}

/// A trace of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub trace: Trace,
    pub fragments: Vec<Fragment>,
    /// Which of its steps were made simpler.
    pub simplified: Vec<u32>,
    pub took: Micros,
    /// What no other trace of the result covers.
    pub alone: u32,
}

/// Some steps, one after the other, of a trace that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub trace: u32,
    pub steps: Range<u32>,
}

/// What became of a trace that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    pub steps: u32,
    /// How far it can be replayed.
    pub replayable: u32,
    /// Which traces of the result have steps of it, and how many steps.
    pub in_result: Vec<(u32, u32)>,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) ways: Vec<Way>,
    /// What must stay, where that is not what the first phase covers.
    pub(super) baseline: Option<Bits>,
    first: Option<Bits>,
    /// All that the traces that were read have ever shown.
    seen: Option<Bits>,
    phases: Vec<PhaseReport>,
}

impl Plan {
    pub(super) fn keep(&mut self, work: &Work<'_>, phase: Phase, ways: Vec<Way>) {
        self.first.get_or_insert_with(|| work.coverage(&ways));
        self.seen
            .get_or_insert_with(|| (0..work.known.items_len()).collect());
        self.note(work, phase, &ways);
        self.ways = ways;
    }

    /// Tells what is left by now, which is not proven yet.
    pub(super) fn note(&mut self, work: &Work<'_>, phase: Phase, ways: &[Way]) {
        self.phases.push(PhaseReport {
            phase,
            traces: count(ways.len()),
            transitions: transitions(ways),
            spent: work.spent,
        });
        work.tell(phase.name(), ways);
    }

    /// No step of any trace can be replayed.
    pub(super) fn covers_nothing(&self, work: &Work<'_>) -> bool {
        self.ways.is_empty()
            && (0..count(work.originals.len())).all(|trace| work.known.original(trace).0.is_empty())
    }

    pub(super) fn into_reduction(mut self, work: &Work<'_>, outcome: Outcome) -> SuiteReduction {
        let known = &work.known;
        if self.ways.is_empty() && outcome == Outcome::Done {
            // All there is to cover is what a clean start covers.
            self.ways.push(Way::new());
        }
        let baseline = self
            .baseline
            .take()
            .or(self.first.take())
            .unwrap_or_default();
        let before = Measure {
            traces: count(work.originals.len()),
            transitions: work
                .originals
                .iter()
                .map(|trace| trace.steps.len() as u64)
                .sum(),
            took: work.first_runs_took(),
            covered: covered(known, &baseline),
        };
        let after = Measure {
            traces: count(self.ways.len()),
            transitions: transitions(&self.ways),
            took: self
                .ways
                .iter()
                .fold(Micros::ZERO, |took, way| took + known.took(way)),
            covered: covered(known, &work.coverage(&self.ways)),
        };
        let mut fates: Vec<Fate> = (0..before.traces)
            .map(|trace| Fate {
                steps: count(work.originals[trace as usize].steps.len()),
                replayable: count(known.original(trace).0.len()),
                in_result: Vec::new(),
            })
            .collect();
        for (number, way) in self.ways.iter().enumerate() {
            for hop in way {
                let uses = &mut fates[hop.origin.trace as usize].in_result;
                match uses.last_mut() {
                    Some((last, steps)) if *last == count(number) => *steps += 1,
                    _ => uses.push((count(number), 1)),
                }
            }
        }
        let proven = self
            .ways
            .iter()
            .filter(|way| known.standing(way) == Standing::Proven)
            .count();
        let replays = work.settings.replays;
        SuiteReduction {
            outcome,
            before,
            after,
            phases: self.phases,
            kept: (0..self.ways.len())
                .map(|number| kept(work, &self.ways, number))
                .collect(),
            fates,
            simplified: count(
                self.ways
                    .iter()
                    .flatten()
                    .filter(|hop| hop.origin.instead != 0)
                    .count(),
            ),
            not_replayable: self.seen.unwrap_or_default().beyond(&baseline),
            replays: (count(proven) * replays, count(self.ways.len()) * replays),
            spent: work.spent,
        }
    }
}

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Phase::Prefixes => "replayable beginnings",
            Phase::Traces => "traces that add something",
            Phase::Loops => "loops cut",
            Phase::Splices => "fragments spliced",
            Phase::Seen => "traces played once",
            Phase::Walks => "walks",
            Phase::Simpler => "steps made simpler",
            Phase::Proven => "proven",
        }
    }
}

fn kept(work: &Work<'_>, ways: &[Way], number: usize) -> Kept {
    let way = &ways[number];
    let others: Vec<Way> = ways
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != number)
        .map(|(_, way)| way.clone())
        .collect();
    let first = work.originals.first().map(|trace| trace.header.clone());
    let problem = way.last().and_then(|hop| problem_of(&work.known, hop));
    let header = first.map(|header| TraceHeader {
        start: Start::Clean,
        seed: None,
        target: problem,
        ..header
    });
    let steps = way.iter().map(|hop| step_of(work, hop)).collect();
    Kept {
        trace: Trace {
            header: header.expect("a suite has a trace"),
            steps,
        },
        fragments: fragments(way),
        simplified: (0..)
            .zip(way)
            .filter(|(_, hop)| hop.origin.instead != 0)
            .map(|(step, _)| step)
            .collect(),
        took: work.known.took(way),
        alone: work.known.coverage(way).beyond(&work.coverage(&others)),
    }
}

fn step_of(work: &Work<'_>, hop: &Hop) -> Step {
    work.step(hop.origin).clone()
}

fn problem_of(known: &Known, hop: &Hop) -> Option<Target> {
    known.items(&hop.covers).find_map(|item| match item {
        Item::Problem(fingerprint) => Some(Target::Problem(*fingerprint)),
        _ => None,
    })
}

fn fragments(way: &[Hop]) -> Vec<Fragment> {
    let mut fragments: Vec<Fragment> = Vec::new();
    for hop in way {
        let trace = hop.origin.trace;
        let step = hop.origin.step;
        match fragments.last_mut() {
            Some(last) if last.trace == trace && last.steps.end == step => last.steps.end += 1,
            _ => fragments.push(Fragment {
                trace,
                steps: step..step + 1,
            }),
        }
    }
    fragments
}

fn covered(known: &Known, bits: &Bits) -> Covered {
    let mut covered = Covered::default();
    for item in known.items(bits) {
        match item {
            Item::Activity(activity) => {
                covered.app.activities.insert(activity.clone());
            }
            Item::Screen(screen) => {
                covered.app.screens.insert(*screen);
            }
            Item::Branch(branch) => {
                covered.app.branches.insert(*branch);
            }
            Item::Problem(problem) => {
                covered.problems.insert(*problem);
            }
        }
    }
    covered
}

fn transitions(ways: &[Way]) -> u64 {
    ways.iter().map(|way| way.len() as u64).sum()
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
