//! The plan of a suite reduction: the paths that are left after each phase, and the reduction they become in the end.

use retap_shared::micros::Micros;
use retap_shared::target::Target;
use retap_shared::trace::{ReplayPace, StartMode, Step, Trace, TraceHeader};
use retap_shared::verdict::Outcome;

use super::coverage_item::CoverageItem;
use super::final_check::FinalCheck;
use super::item_set::ItemSet;
use super::reduction::{
    SuiteCheck, SuiteCoverage, SuiteMeasure, SuitePhase, SuitePhaseReport, SuiteReduction,
    SuiteTrace, TraceDisposition, TraceFragment,
};
use super::replay_dispatcher::ReplayDispatcher;
use super::replay_path::{ReplayPath, ReplayTransition, transition_count};
use super::replay_tally::ReplayTally;
use super::replay_tree::ReplayTree;

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
    /// Number of traces of the current phase that were cut greedily.
    greedy: u32,
}

impl SuitePlan {
    /// Ends a phase whose paths can be the result.
    pub(super) fn commit_phase(
        &mut self,
        dispatcher: &mut ReplayDispatcher<'_>,
        phase: SuitePhase,
        paths: Vec<ReplayPath>,
    ) {
        self.first_coverage
            .get_or_insert_with(|| dispatcher.coverage(&paths));
        self.observed
            .get_or_insert_with(|| dispatcher.replay_tree.symbols.all_items());
        self.record_phase(dispatcher, phase, &paths);
        let replays = u64::from(dispatcher.settings.replays);
        let took = measure_paths(dispatcher, &paths).took;
        let runs = paths.len() as u64 * replays;
        dispatcher
            .budget
            .reserve(runs, took.0.saturating_mul(replays));
        self.paths = paths;
    }

    /// Counts a trace of the current phase that is cut greedily, since the search for it gave up.
    pub(super) fn count_greedy(&mut self) {
        self.greedy += 1;
    }

    /// True if every original trace was replayed, so that the plan is a suite with their coverage.
    pub(super) fn is_committed(&self) -> bool {
        self.first_coverage.is_some()
    }

    /// Makes the plan ready for its check.
    pub(super) fn settle(&mut self) {
        if self.paths.is_empty() && self.is_committed() {
            // A clean start covers everything there is.
            self.paths.push(ReplayPath::new());
        }
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
            greedy: std::mem::take(&mut self.greedy),
            cost: dispatcher.cost,
        });
        dispatcher.emit_progress(phase, paths);
    }

    /// Ends the check of the plan's paths.
    pub(super) fn record_check(&mut self, dispatcher: &ReplayDispatcher<'_>) {
        let paths = std::mem::take(&mut self.paths);
        self.record_phase(dispatcher, SuitePhase::Checked, &paths);
        self.paths = paths;
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
        self,
        dispatcher: &ReplayDispatcher<'_>,
        check: &FinalCheck,
        outcome: Outcome,
    ) -> SuiteReduction {
        let is_unchanged = outcome == Outcome::BudgetSpent && !self.is_committed();
        let paths = &self.paths;
        let seen = || dispatcher.replay_tree.symbols.all_items();
        let baseline = match self.baseline.or(self.first_coverage) {
            Some(baseline) => baseline,
            None if is_unchanged => seen(),
            None => ItemSet::default(),
        };
        let before = measure_originals(dispatcher, &baseline);
        let simplified = paths
            .iter()
            .flatten()
            .filter(|transition| transition.origin.is_replacement())
            .count();
        SuiteReduction {
            outcome,
            after: if is_unchanged {
                before.clone()
            } else {
                measure_paths(dispatcher, paths)
            },
            before,
            phases: self.phases,
            traces: if is_unchanged {
                unchanged_traces(dispatcher)
            } else {
                (0..paths.len())
                    .map(|index| suite_trace(dispatcher, paths, check, index))
                    .collect()
            },
            dispositions: dispositions(dispatcher, paths),
            simplified: count(simplified),
            not_replayable: self
                .observed
                .unwrap_or_default()
                .difference_count(&baseline),
            check: suite_check(dispatcher, paths, check),
            replayability: dispatcher.replayability.count(),
            cost: dispatcher.cost,
        }
    }
}

/// Result of the check of the suite.
fn suite_check(
    dispatcher: &ReplayDispatcher<'_>,
    paths: &[ReplayPath],
    check: &FinalCheck,
) -> SuiteCheck {
    let tallies = check.tallies.iter();
    let mut unconfirmed = dispatcher.coverage(paths);
    unconfirmed.difference_with(&check.confirmed_coverage());
    SuiteCheck {
        followed: tallies.clone().map(|tally| tally.followed).sum(),
        runs: tallies.map(ReplayTally::runs).sum(),
        unconfirmed: suite_coverage(&dispatcher.replay_tree, &unconfirmed),
        cost: check.cost,
    }
}

/// The original traces as the result of a reduction whose budget was spent before all of them were replayed.
fn unchanged_traces(dispatcher: &ReplayDispatcher<'_>) -> Vec<SuiteTrace> {
    let unchanged = |(trace, original): (u32, &Trace)| SuiteTrace {
        trace: original.clone(),
        fragments: vec![TraceFragment {
            trace,
            steps: 0..count(original.steps.len()),
        }],
        simplified: Vec::new(),
        took: Micros::ZERO,
        check: ReplayTally::default(),
        unique_coverage: 0,
    };
    (0..).zip(dispatcher.originals).map(unchanged).collect()
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
    check: &FinalCheck,
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
        claim: None,
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
        check: check.tallies.get(index).cloned().unwrap_or_default(),
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
