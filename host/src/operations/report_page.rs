//! The page at the end of a run, put together from what its parts came to.

use retap_reduce::suite::{
    SuiteCoverage, SuiteMeasure, SuiteReduction, SuiteTrace, TraceDisposition,
};
use retap_shared::Text;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::AppInfo;
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;

use crate::operations::{ActiveRun, ExploreResult, ReducedSuite, SUITE_DIRECTORY};
use crate::report::data::{self, AppSection, CoverageCurvePoint, IllustratedTrace, ReportData};
use crate::report::{html, summary};
use crate::run::findings::StoredFinding;

/// What a run did with one app.
#[derive(Debug)]
pub struct AppReport {
    pub label: Text,
    pub app: App,
    pub explored: Option<data::ExplorationSection>,
    pub suite: Option<data::SuiteSection>,
    pub findings: Vec<StoredFinding>,
}

pub fn render_report(
    job: &ActiveRun,
    title: &str,
    outcome: Outcome,
    phones: Vec<(String, PhoneInfo)>,
    apps: Vec<AppReport>,
) -> String {
    html::render(&ReportData {
        title: title.to_owned(),
        command: job.run().manifest().typed.clone(),
        seed: job.seed().0,
        outcome,
        took: Micros::from(job.elapsed()),
        phones: phones
            .into_iter()
            .map(|(name, info)| data::PhoneSection { name, info })
            .collect(),
        apps: apps.into_iter().map(AppReport::into_data).collect(),
    })
}

impl AppReport {
    pub fn of_exploration(explored: &ExploreResult) -> AppReport {
        AppReport {
            label: explored.app.label.clone(),
            app: explored.app.app.clone(),
            explored: Some(explored.data()),
            suite: None,
            findings: explored
                .findings
                .iter()
                .map(|(crash, _)| crash.clone())
                .collect(),
        }
    }

    /// One for each app among the crashes, in the order in which the apps come.
    pub fn of_findings<'c>(crashes: impl Iterator<Item = &'c StoredFinding>) -> Vec<AppReport> {
        let mut sections: Vec<AppReport> = Vec::new();
        for crash in crashes {
            let app = &crash.trace.header.app;
            match sections.iter_mut().find(|section| section.app == *app) {
                Some(section) => section.findings.push(crash.clone()),
                None => sections.push(AppReport {
                    label: Text::default(),
                    app: app.clone(),
                    explored: None,
                    suite: None,
                    findings: vec![crash.clone()],
                }),
            }
        }
        sections
    }

    pub fn of_suite(app: &AppInfo, smaller: &ReducedSuite) -> AppReport {
        AppReport {
            label: app.label.clone(),
            app: smaller.app.clone(),
            explored: None,
            suite: Some(smaller.data()),
            findings: Vec::new(),
        }
    }

    fn into_data(self) -> AppSection {
        let AppReport {
            label,
            app,
            explored,
            suite,
            findings: crashes,
        } = self;
        let crashes = crashes.into_iter().map(finding_section).collect();
        AppSection {
            label,
            app,
            exploration: explored,
            suite,
            findings: crashes,
        }
    }
}

impl ReducedSuite {
    fn data(&self) -> data::SuiteSection {
        let SuiteReduction {
            before,
            after,
            phases,
            traces: kept,
            dispositions: fates,
            not_replayable,
            replays,
            cost: spent,
            ..
        } = &self.reduction;
        let used =
            |fate: &TraceDisposition| fate.in_result.iter().map(|(_, steps)| steps).sum::<u32>();
        let with = |is: &dyn Fn(&TraceDisposition) -> bool| {
            u32::try_from(fates.iter().filter(|fate| is(fate)).count()).unwrap_or(u32::MAX)
        };
        let kept_trace = |(number, one): (usize, &SuiteTrace)| data::SuiteTraceSection {
            file: format!("{SUITE_DIRECTORY}/{}", ReducedSuite::file_name(number)),
            steps: one.trace.steps.clone(),
            took: one.took,
            covers_alone: one.unique_coverage,
            fragments: one
                .fragments
                .iter()
                .map(|part| {
                    (
                        self.original_name(part.trace).to_owned(),
                        part.steps.start + 1,
                        part.steps.end,
                    )
                })
                .collect(),
        };
        data::SuiteSection {
            before: suite_size(before),
            after: suite_size(after),
            phases: phases
                .iter()
                .map(|one| {
                    (
                        one.phase.name().to_owned(),
                        one.traces,
                        one.transitions,
                        one.cost.runs,
                    )
                })
                .collect(),
            kept: kept.iter().enumerate().map(kept_trace).collect(),
            dropped_traces: with(&|fate| used(fate) == 0),
            shortened_traces: with(&|fate| (1..fate.steps).contains(&used(fate))),
            unchanged_traces: with(&|fate| used(fate) >= fate.steps.max(1)),
            originals: (0..)
                .zip(fates)
                .map(|(number, fate)| {
                    (
                        self.original_name(number).to_owned(),
                        fate.steps,
                        fate.replayable,
                        used(fate),
                    )
                })
                .collect(),
            not_replayable: *not_replayable,
            replays: data::ReplayTally {
                successes: replays.0,
                runs: replays.1,
            },
            runs: spent.runs,
            phone_time: spent.took,
            algorithm: self.algorithm.clone(),
        }
    }
}

fn suite_size(measure: &SuiteMeasure) -> data::SuiteSize {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let SuiteCoverage {
        app,
        findings: problems,
    } = &measure.covered;
    data::SuiteSize {
        traces: measure.traces,
        transitions: measure.transitions,
        took: measure.took,
        activities: count(app.activities.len()),
        screens: count(app.screens.len()),
        branches: count(app.branches.len()),
        crashes: count(problems.len()),
    }
}

impl ExploreResult {
    fn data(&self) -> data::ExplorationSection {
        let ExploreResult {
            app,
            explorer,
            sessions,
            exploration,
            ..
        } = self;
        data::ExplorationSection {
            explorer: explorer.name().to_owned(),
            sessions: u32::try_from(*sessions).unwrap_or(u32::MAX),
            events: exploration.events,
            took: exploration.took,
            activities_total: u32::try_from(app.activities.len()).unwrap_or(u32::MAX),
            branches_total: app.branches,
            starts: summary::starts(&exploration.counts),
            travel: summary::travel(&exploration.counts),
            curve: exploration
                .curve
                .iter()
                .map(|point| CoverageCurvePoint {
                    events: point.events,
                    took: point.took,
                    activities: point.activities,
                    screens: point.screens,
                    branches: point.branches,
                })
                .collect(),
        }
    }
}

fn finding_section(crash: StoredFinding) -> data::FindingSection {
    let trace_file = crash.trace_file();
    let best_file = crash.best_file();
    let trail = |steps, file| IllustratedTrace {
        steps,
        file,
        ..IllustratedTrace::default()
    };
    data::FindingSection {
        fingerprint: crash.fingerprint,
        finding: crash.finding,
        occurrences: crash.occurrences,
        original: trail(crash.trace.steps, trace_file),
        reduced: crash.reduced.map(|reduced| data::ReducedTraceSection {
            runs: reduced.runs,
            curve: reduced.curve,
            replays: Some(data::ReplayTally {
                successes: reduced.successes,
                runs: reduced.replays,
            }),
            trace: IllustratedTrace {
                screens: reduced.screens,
                pictures: reduced.pictures,
                hits: reduced.hits,
                ..trail(reduced.trace.steps, best_file)
            },
        }),
        note: None,
        scene: crash.scene,
    }
}
