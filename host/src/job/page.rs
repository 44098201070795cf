//! The page at the end of a run, put together from what its parts came to.

use retap_shared::Text;
use retap_shared::micros::Micros;
use retap_shared::protocol::PhoneInfo;
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;

use crate::job::{Explored, Job};
use crate::report::data::{self, AppSection, CurvePoint, ReportData, Trail};
use crate::report::html;
use crate::run::crashes::Crash;

/// What a run did with one app.
#[derive(Debug)]
pub struct Section {
    pub label: Text,
    pub app: App,
    pub explored: Option<data::Explored>,
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
        phones: phones.into_iter().map(|(name, info)| data::Phone { name, info }).collect(),
        apps: apps.into_iter().map(Section::into_data).collect(),
    })
}

impl Section {
    pub fn of(explored: &Explored) -> Section {
        Section {
            label: explored.app.label.clone(),
            app: explored.app.app.clone(),
            explored: Some(explored.data()),
            crashes: explored.crashes.iter().map(|(crash, _)| crash.clone()).collect(),
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
                    crashes: vec![crash.clone()],
                }),
            }
        }
        sections
    }

    fn into_data(self) -> AppSection {
        let Section { label, app, explored, crashes } = self;
        let crashes = crashes.into_iter().map(crash_data).collect();
        AppSection { label, app, exploration: explored, crashes }
    }
}

impl Explored {
    fn data(&self) -> data::Explored {
        let Explored { app, explorer, sessions, exploration, .. } = self;
        data::Explored {
            explorer: explorer.name().to_owned(),
            sessions: u32::try_from(*sessions).unwrap_or(u32::MAX),
            events: exploration.events,
            took: exploration.took,
            activities_total: u32::try_from(app.activities.len()).unwrap_or(u32::MAX),
            branches_total: app.branches,
            curve: exploration
                .curve
                .iter()
                .map(|point| CurvePoint {
                    events: point.events,
                    activities: point.activities,
                    screens: point.screens,
                    branches: point.branches,
                })
                .collect(),
        }
    }
}

fn crash_data(crash: Crash) -> data::Crash {
    let (trace_file, best_file) = (crash.trace_file(), crash.best_file());
    let trail = |steps, file| Trail { steps, file, ..Trail::default() };
    data::Crash {
        fingerprint: crash.fingerprint,
        problem: crash.problem,
        times: crash.times,
        found: trail(crash.trace.steps, trace_file),
        reduced: crash.reduced.map(|reduced| data::Reduced {
            runs: reduced.runs,
            shrinking: reduced.shrinking,
            replays: Some(data::Replays { successes: reduced.successes, runs: reduced.replays }),
            trail: Trail {
                screens: reduced.screens,
                pictures: reduced.pictures,
                hits: reduced.hits,
                ..trail(reduced.trace.steps, best_file)
            },
        }),
        note: None,
    }
}
