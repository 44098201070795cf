//! What is left of a suite at any time, and what is told of it in the end: measures, files, and where each came from.

use std::ops::Range;

use retap_shared::micros::Micros;
use retap_shared::target::Target;
use retap_shared::trace::{StartMode, Step, Trace, TraceHeader};
use retap_shared::verdict::Outcome;

use super::item_set::ItemSet;
use super::reducer::SuiteReducer;
use super::replay_tree::{CoverageItem, PathStatus, ReplayPath, ReplayTransition, ReplayTree};
use super::{SuiteCost, SuiteCoverage, SuiteMeasure, SuiteReduction};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuitePhase {
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
pub struct SuitePhaseReport {
    pub phase: SuitePhase,
    pub traces: u32,
    pub transitions: u64,
    /// All that was spent by its end.
    pub cost: SuiteCost,
}

/// A trace of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteTrace {
    pub trace: Trace,
    pub fragments: Vec<TraceFragment>,
    /// Which of its steps were made simpler.
    pub simplified: Vec<u32>,
    pub took: Micros,
    /// What no other trace of the result covers.
    pub unique_coverage: u32,
}

/// Some steps, one after the other, of a trace that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFragment {
    pub trace: u32,
    pub steps: Range<u32>,
}

/// What became of a trace that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceDisposition {
    pub steps: u32,
    /// How far it can be replayed.
    pub replayable: u32,
    /// Which traces of the result have steps of it, and how many steps.
    pub in_result: Vec<(u32, u32)>,
}

#[derive(Debug, Default)]
pub(super) struct SuitePlan {
    pub(super) paths: Vec<ReplayPath>,
    /// What must stay, where that is not what the first phase covers.
    pub(super) baseline: Option<ItemSet>,
    first_coverage: Option<ItemSet>,
    /// All that the traces that were read have ever shown.
    seen: Option<ItemSet>,
    phases: Vec<SuitePhaseReport>,
}

impl SuitePlan {
    pub(super) fn commit_phase(
        &mut self,
        work: &SuiteReducer<'_>,
        phase: SuitePhase,
        ways: Vec<ReplayPath>,
    ) {
        self.first_coverage
            .get_or_insert_with(|| work.coverage(&ways));
        self.seen
            .get_or_insert_with(|| (0..work.replay_tree.items_len()).collect());
        self.record_phase(work, phase, &ways);
        self.paths = ways;
    }

    /// Tells what is left by now, which is not proven yet.
    pub(super) fn record_phase(
        &mut self,
        work: &SuiteReducer<'_>,
        phase: SuitePhase,
        ways: &[ReplayPath],
    ) {
        self.phases.push(SuitePhaseReport {
            phase,
            traces: count(ways.len()),
            transitions: transitions(ways),
            cost: work.cost,
        });
        work.emit_progress(phase.name(), ways);
    }

    /// No step of any trace can be replayed.
    pub(super) fn covers_nothing(&self, work: &SuiteReducer<'_>) -> bool {
        self.paths.is_empty()
            && (0..count(work.originals.len()))
                .all(|trace| work.replay_tree.original_path(trace).0.is_empty())
    }

    pub(super) fn into_reduction(
        mut self,
        work: &SuiteReducer<'_>,
        outcome: Outcome,
    ) -> SuiteReduction {
        let known = &work.replay_tree;
        if self.paths.is_empty() && outcome == Outcome::Done {
            // All there is to cover is what a clean start covers.
            self.paths.push(ReplayPath::new());
        }
        let baseline = self
            .baseline
            .take()
            .or(self.first_coverage.take())
            .unwrap_or_default();
        let before = SuiteMeasure {
            traces: count(work.originals.len()),
            transitions: work
                .originals
                .iter()
                .map(|trace| trace.steps.len() as u64)
                .sum(),
            took: work.first_runs_took(),
            covered: covered(known, &baseline),
        };
        let after = SuiteMeasure {
            traces: count(self.paths.len()),
            transitions: transitions(&self.paths),
            took: self
                .paths
                .iter()
                .fold(Micros::ZERO, |took, way| took + known.took(way)),
            covered: covered(known, &work.coverage(&self.paths)),
        };
        let mut fates: Vec<TraceDisposition> = (0..before.traces)
            .map(|trace| TraceDisposition {
                steps: count(work.originals[trace as usize].steps.len()),
                replayable: count(known.original_path(trace).0.len()),
                in_result: Vec::new(),
            })
            .collect();
        for (number, way) in self.paths.iter().enumerate() {
            for hop in way {
                let uses = &mut fates[hop.origin.trace as usize].in_result;
                match uses.last_mut() {
                    Some((last, steps)) if *last == count(number) => *steps += 1,
                    _ => uses.push((count(number), 1)),
                }
            }
        }
        let proven = self
            .paths
            .iter()
            .filter(|way| known.status(way) == PathStatus::Proven)
            .count();
        let replays = work.settings.replays;
        SuiteReduction {
            outcome,
            before,
            after,
            phases: self.phases,
            traces: (0..self.paths.len())
                .map(|number| suite_trace(work, &self.paths, number))
                .collect(),
            dispositions: fates,
            simplified: count(
                self.paths
                    .iter()
                    .flatten()
                    .filter(|hop| hop.origin.instead != 0)
                    .count(),
            ),
            not_replayable: self.seen.unwrap_or_default().difference_count(&baseline),
            replays: (count(proven) * replays, count(self.paths.len()) * replays),
            cost: work.cost,
        }
    }
}

impl SuitePhase {
    pub fn name(self) -> &'static str {
        match self {
            SuitePhase::Prefixes => "replayable beginnings",
            SuitePhase::Traces => "traces that add something",
            SuitePhase::Loops => "loops cut",
            SuitePhase::Splices => "fragments spliced",
            SuitePhase::Seen => "traces played once",
            SuitePhase::Walks => "walks",
            SuitePhase::Simpler => "steps made simpler",
            SuitePhase::Proven => "proven",
        }
    }
}

fn suite_trace(work: &SuiteReducer<'_>, ways: &[ReplayPath], number: usize) -> SuiteTrace {
    let way = &ways[number];
    let others: Vec<ReplayPath> = ways
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != number)
        .map(|(_, way)| way.clone())
        .collect();
    let first = work.originals.first().map(|trace| trace.header.clone());
    let problem = way
        .last()
        .and_then(|hop| finding_target(&work.replay_tree, hop));
    let header = first.map(|header| TraceHeader {
        start: StartMode::Clean,
        seed: None,
        target: problem,
        ..header
    });
    let steps = way.iter().map(|hop| step_of(work, hop)).collect();
    SuiteTrace {
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
        took: work.replay_tree.took(way),
        unique_coverage: work
            .replay_tree
            .coverage(way)
            .difference_count(&work.coverage(&others)),
    }
}

fn step_of(work: &SuiteReducer<'_>, hop: &ReplayTransition) -> Step {
    work.step(hop.origin).clone()
}

fn finding_target(known: &ReplayTree, hop: &ReplayTransition) -> Option<Target> {
    known.items(&hop.covers).find_map(|item| match item {
        CoverageItem::Finding(fingerprint) => Some(Target::Problem(*fingerprint)),
        _ => None,
    })
}

fn fragments(way: &[ReplayTransition]) -> Vec<TraceFragment> {
    let mut fragments: Vec<TraceFragment> = Vec::new();
    for hop in way {
        let trace = hop.origin.trace;
        let step = hop.origin.step;
        match fragments.last_mut() {
            Some(last) if last.trace == trace && last.steps.end == step => last.steps.end += 1,
            _ => fragments.push(TraceFragment {
                trace,
                steps: step..step + 1,
            }),
        }
    }
    fragments
}

fn covered(known: &ReplayTree, bits: &ItemSet) -> SuiteCoverage {
    let mut covered = SuiteCoverage::default();
    for item in known.items(bits) {
        match item {
            CoverageItem::Activity(activity) => {
                covered.app.activities.insert(activity.clone());
            }
            CoverageItem::Screen(screen) => {
                covered.app.screens.insert(*screen);
            }
            CoverageItem::Branch(branch) => {
                covered.app.branches.insert(*branch);
            }
            CoverageItem::Finding(problem) => {
                covered.findings.insert(*problem);
            }
        }
    }
    covered
}

fn transitions(ways: &[ReplayPath]) -> u64 {
    ways.iter().map(|way| way.len() as u64).sum()
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
