//! The page at the end of a run, put together from what its parts came to.

use retap_reduce::suite::{Covered, Fate, Kept, Measure, SuiteReduction};
use retap_shared::Text;
use retap_shared::micros::Micros;
use retap_shared::protocol::{AppInfo, PhoneInfo};
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;

use crate::job::{Explored, Job, SUITE, Smaller};
use crate::report::data::{self, AppSection, CurvePoint, ReportData, Trail};
use crate::report::{html, summary};
use crate::run::crashes::Crash;

/// What a run did with one app.
#[derive(Debug)]
pub struct Section {
    pub label: Text,
    pub app: App,
    pub explored: Option<data::Explored>,
    pub suite: Option<data::Suite>,
    pub crashes: Vec<Crash>,
}

pub fn page(
    job: &Job,
    title: &str,
    outcome: Outcome,
    phones: Vec<(String, PhoneInfo)>,
    apps: Vec<Section>,
) -> String {
    html::render(&ReportData {
        title: title.to_owned(),
        command: job.run().manifest().typed.clone(),
        seed: job.seed().0,
        outcome,
        took: Micros::from(job.took()),
        phones: phones
            .into_iter()
            .map(|(name, info)| data::Phone { name, info })
            .collect(),
        apps: apps.into_iter().map(Section::into_data).collect(),
    })
}

impl Section {
    pub fn of(explored: &Explored) -> Section {
        Section {
            label: explored.app.label.clone(),
            app: explored.app.app.clone(),
            explored: Some(explored.data()),
            suite: None,
            crashes: explored
                .crashes
                .iter()
                .map(|(crash, _)| crash.clone())
                .collect(),
        }
    }

    /// One for each app among the crashes, in the order in which the apps come.
    pub fn of_crashes<'c>(crashes: impl Iterator<Item = &'c Crash>) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        for crash in crashes {
            let app = &crash.trace.header.app;
            match sections.iter_mut().find(|section| section.app == *app) {
                Some(section) => section.crashes.push(crash.clone()),
                None => sections.push(Section {
                    label: Text::default(),
                    app: app.clone(),
                    explored: None,
                    suite: None,
                    crashes: vec![crash.clone()],
                }),
            }
        }
        sections
    }

    pub fn of_suite(app: &AppInfo, smaller: &Smaller) -> Section {
        Section {
            label: app.label.clone(),
            app: smaller.app.clone(),
            explored: None,
            suite: Some(smaller.data()),
            crashes: Vec::new(),
        }
    }

    fn into_data(self) -> AppSection {
        let Section {
            label,
            app,
            explored,
            suite,
            crashes,
        } = self;
        let crashes = crashes.into_iter().map(crash_data).collect();
        AppSection {
            label,
            app,
            exploration: explored,
            suite,
            crashes,
        }
    }
}

impl Smaller {
    fn data(&self) -> data::Suite {
        let SuiteReduction {
            before,
            after,
            phases,
            kept,
            fates,
            not_replayable,
            replays,
            spent,
            ..
        } = &self.reduction;
        let used = |fate: &Fate| fate.in_result.iter().map(|(_, steps)| steps).sum::<u32>();
        let with = |is: &dyn Fn(&Fate) -> bool| {
            u32::try_from(fates.iter().filter(|fate| is(fate)).count()).unwrap_or(u32::MAX)
        };
        let kept_trace = |(number, one): (usize, &Kept)| data::KeptTrace {
            file: format!("{SUITE}/{}", Smaller::file(number)),
            steps: one.trace.steps.clone(),
            took: one.took,
            covers_alone: one.alone,
            fragments: one
                .fragments
                .iter()
                .map(|part| {
                    (
                        self.short(part.trace).to_owned(),
                        part.steps.start + 1,
                        part.steps.end,
                    )
                })
                .collect(),
        };
        data::Suite {
            before: measured(before),
            after: measured(after),
            phases: phases
                .iter()
                .map(|one| {
                    (
                        one.phase.name().to_owned(),
                        one.traces,
                        one.transitions,
                        one.spent.runs,
                    )
                })
                .collect(),
            kept: kept.iter().enumerate().map(kept_trace).collect(),
            dropped: with(&|fate| used(fate) == 0),
            cut: with(&|fate| (1..fate.steps).contains(&used(fate))),
            whole: with(&|fate| used(fate) >= fate.steps.max(1)),
            originals: (0..)
                .zip(fates)
                .map(|(number, fate)| {
                    (
                        self.short(number).to_owned(),
                        fate.steps,
                        fate.replayable,
                        used(fate),
                    )
                })
                .collect(),
            not_replayable: *not_replayable,
            replays: data::Replays {
                successes: replays.0,
                runs: replays.1,
            },
            runs: spent.runs,
            phone_time: spent.took,
            algorithm: self.algorithm.clone(),
        }
    }
}

fn measured(measure: &Measure) -> data::Measure {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let Covered { app, problems } = &measure.covered;
    data::Measure {
        traces: measure.traces,
        transitions: measure.transitions,
        took: measure.took,
        activities: count(app.activities.len()),
        screens: count(app.screens.len()),
        branches: count(app.branches.len()),
        crashes: count(problems.len()),
    }
}

impl Explored {
    fn data(&self) -> data::Explored {
        let Explored {
            app,
            explorer,
            sessions,
            exploration,
            ..
        } = self;
        data::Explored {
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
                .map(|point| CurvePoint {
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

fn crash_data(crash: Crash) -> data::Crash {
    let trace_file = crash.trace_file();
    let best_file = crash.best_file();
    let trail = |steps, file| Trail {
        steps,
        file,
        ..Trail::default()
    };
    data::Crash {
        fingerprint: crash.fingerprint,
        problem: crash.problem,
        times: crash.times,
        found: trail(crash.trace.steps, trace_file),
        reduced: crash.reduced.map(|reduced| data::Reduced {
            runs: reduced.runs,
            shrinking: reduced.shrinking,
            replays: Some(data::Replays {
                successes: reduced.successes,
                runs: reduced.replays,
            }),
            trail: Trail {
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
