//! The plan of a suite reduction: the paths that are left after each phase, and the reduction they become in the end.

use retap_shared::micros::Micros;
use retap_shared::target::Target;
use retap_shared::trace::{ReplayPace, StartMode, Step, Trace, TraceHeader};
use retap_shared::verdict::Outcome;

use super::coverage_item::CoverageItem;
use super::item_set::ItemSet;
use super::reduction::{
    SuiteCoverage, SuiteMeasure, SuitePhase, SuitePhaseReport, SuiteReduction, SuiteTrace,
    TraceDisposition, TraceFragment,
};
use super::replay_dispatcher::ReplayDispatcher;
use super::replay_path::{ReplayPath, ReplayTransition, transition_count};
use super::replay_tree::{PathStatus, ReplayTree};

/// Paths that the reduced suite consists of, if the reduction ends now.
#[derive(Debug, Default)]
pub(super) struct SuitePlan {
    pub(super) paths: Vec<ReplayPath>,
    /// Coverage that must stay, if it is not that of the first phase.
    pub(super) baseline: Option<ItemSet>,
    first_coverage: Option<ItemSet>,
    /// Everything that the original traces have ever covered.
    observed: Option<ItemSet>,
    phases: Vec<SuitePhaseReport>,
}

impl SuitePlan {
    /// Ends a phase whose paths can be the result.
    pub(super) fn commit_phase(
        &mut self,
        dispatcher: &ReplayDispatcher<'_>,
        phase: SuitePhase,
        paths: Vec<ReplayPath>,
    ) {
        self.first_coverage
            .get_or_insert_with(|| dispatcher.coverage(&paths));
        self.observed
            .get_or_insert_with(|| dispatcher.replay_tree.symbols.all_items());
        self.record_phase(dispatcher, phase, &paths);
        self.paths = paths;
    }

    /// Ends a phase whose paths are not proven yet.
    pub(super) fn record_phase(
        &mut self,
        dispatcher: &ReplayDispatcher<'_>,
        phase: SuitePhase,
        paths: &[ReplayPath],
    ) {
        self.phases.push(SuitePhaseReport {
            phase,
            traces: count(paths.len()),
            transitions: transition_count(paths),
            cost: dispatcher.cost,
        });
        dispatcher.emit_progress(phase, paths);
    }

    /// True if no step of any original trace can be replayed.
    pub(super) fn covers_nothing(&self, dispatcher: &ReplayDispatcher<'_>) -> bool {
        self.paths.is_empty()
            && dispatcher
                .replayable_prefixes()
                .iter()
                .all(|prefix| prefix.is_empty())
    }

    pub(super) fn into_reduction(
        mut self,
        dispatcher: &ReplayDispatcher<'_>,
        outcome: Outcome,
    ) -> SuiteReduction {
        if self.paths.is_empty() && outcome == Outcome::Done {
            // A clean start covers everything there is.
            self.paths.push(ReplayPath::new());
        }
        let paths = &self.paths;
        let baseline = self.baseline.or(self.first_coverage).unwrap_or_default();
        let tree = &dispatcher.replay_tree;
        let proven = paths
            .iter()
            .filter(|path| tree.status(path) == PathStatus::Proven)
            .count();
        let simplified = paths
            .iter()
            .flatten()
            .filter(|transition| transition.origin.is_replacement())
            .count();
        let replays = dispatcher.settings.replays;
        SuiteReduction {
            outcome,
            before: measure_originals(dispatcher, &baseline),
            after: measure_paths(dispatcher, paths),
            phases: self.phases,
            traces: (0..paths.len())
                .map(|index| suite_trace(dispatcher, paths, index))
                .collect(),
            dispositions: dispositions(dispatcher, paths),
            simplified: count(simplified),
            not_replayable: self
                .observed
                .unwrap_or_default()
                .difference_count(&baseline),
            replays: (count(proven) * replays, count(paths.len()) * replays),
            cost: dispatcher.cost,
        }
    }
}

fn measure_originals(dispatcher: &ReplayDispatcher<'_>, baseline: &ItemSet) -> SuiteMeasure {
    let originals = dispatcher.originals;
    SuiteMeasure {
        traces: count(originals.len()),
        transitions: originals.iter().map(|trace| trace.steps.len() as u64).sum(),
        took: dispatcher.first_replays_took(),
        covered: suite_coverage(&dispatcher.replay_tree, baseline),
    }
}

fn measure_paths(dispatcher: &ReplayDispatcher<'_>, paths: &[ReplayPath]) -> SuiteMeasure {
    let tree = &dispatcher.replay_tree;
    SuiteMeasure {
        traces: count(paths.len()),
        transitions: transition_count(paths),
        took: paths
            .iter()
            .fold(Micros::ZERO, |sum, path| sum + tree.took(path)),
        covered: suite_coverage(tree, &dispatcher.coverage(paths)),
    }
}

fn suite_coverage(tree: &ReplayTree, items: &ItemSet) -> SuiteCoverage {
    let mut covered = SuiteCoverage::default();
    for item in tree.symbols.items(items) {
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
            CoverageItem::Finding(fingerprint) => {
                covered.findings.insert(*fingerprint);
            }
        }
    }
    covered
}

fn dispositions(dispatcher: &ReplayDispatcher<'_>, paths: &[ReplayPath]) -> Vec<TraceDisposition> {
    let prefixes = dispatcher.replayable_prefixes();
    let mut dispositions: Vec<TraceDisposition> = dispatcher
        .originals
        .iter()
        .zip(prefixes)
        .map(|(original, prefix)| TraceDisposition {
            steps: count(original.steps.len()),
            replayable: count(prefix.len()),
            in_result: Vec::new(),
        })
        .collect();
    for (index, path) in (0..).zip(paths) {
        for transition in path {
            let uses = &mut dispositions[transition.origin.trace as usize].in_result;
            match uses.last_mut() {
                Some((last, steps)) if *last == index => *steps += 1,
                _ => uses.push((index, 1)),
            }
        }
    }
    dispositions
}

fn suite_trace(
    dispatcher: &ReplayDispatcher<'_>,
    paths: &[ReplayPath],
    index: usize,
) -> SuiteTrace {
    let path = &paths[index];
    let tree = &dispatcher.replay_tree;
    let originals = dispatcher.originals;
    let others = [&paths[..index], &paths[index + 1..]].concat();
    let first = originals.first().expect("a suite has a trace");
    let header = TraceHeader {
        start: StartMode::Clean,
        seed: None,
        target: path.last().and_then(|last| finding_target(tree, last)),
        pace: ReplayPace::Quiet,
        ..first.header.clone()
    };
    let steps = path
        .iter()
        .map(|transition| Step {
            // Steps of several traces have no common clock.
            at_millis: None,
            ..tree.symbols.step(originals, transition.origin).clone()
        })
        .collect();
    SuiteTrace {
        trace: Trace { header, steps },
        fragments: fragments(path),
        simplified: (0..)
            .zip(path)
            .filter(|(_, transition)| transition.origin.is_replacement())
            .map(|(step, _)| step)
            .collect(),
        took: tree.took(path),
        unique_coverage: tree
            .coverage(path)
            .difference_count(&dispatcher.coverage(&others)),
    }
}

fn finding_target(tree: &ReplayTree, transition: &ReplayTransition) -> Option<Target> {
    let mut items = tree.symbols.items(&transition.covers);
    items.find_map(|item| match item {
        CoverageItem::Finding(fingerprint) => Some(Target::Problem(*fingerprint)),
        _ => None,
    })
}

/// Fragments of original traces that a path consists of.
fn fragments(path: &[ReplayTransition]) -> Vec<TraceFragment> {
    let mut fragments: Vec<TraceFragment> = Vec::new();
    for transition in path {
        let trace = transition.origin.trace;
        let step = transition.origin.step;
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

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
