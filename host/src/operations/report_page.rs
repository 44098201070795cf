//! The page at the end of a run, put together from the results of its parts.

use retap_reduce::named_choice::NamedChoice as _;
use retap_shared::Text;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::verdict::Outcome;

use crate::device_spec::DeviceList;
use crate::operations::{ActiveRun, ExploreResult, summary};
use crate::report::data::{AppSection, ExplorationSection, PhoneSection, ReportData};
use crate::report::html;
use crate::run::findings::StoredFinding;
use crate::run::reduced_suite::ReducedSuite;

/// Renders the page of a run.
pub fn render_report(
    run: &ActiveRun,
    title: &str,
    outcome: Outcome,
    phones: Vec<(String, PhoneInfo)>,
    apps: Vec<AppSection>,
) -> String {
    html::render(&ReportData {
        title: title.to_owned(),
        command: run.run().manifest().typed.clone(),
        seed: run.seed().0,
        outcome,
        took: Micros::from(run.elapsed()),
        directory: run.directory().path().to_owned(),
        phones: phones
            .into_iter()
            .map(|(name, info)| PhoneSection { name, info })
            .collect(),
        apps,
    })
}

/// Section of an app that was explored.
pub fn exploration_section(explored: &ExploreResult) -> AppSection {
    let ExploreResult {
        app,
        explorer,
        sessions,
        exploration,
        findings,
        ..
    } = explored;
    AppSection {
        label: app.label.clone(),
        app: app.app.clone(),
        exploration: Some(ExplorationSection {
            explorer: explorer.name().to_owned(),
            sessions: u32::try_from(*sessions).unwrap_or(u32::MAX),
            events: exploration.events,
            took: exploration.took,
            activities_total: u32::try_from(app.activities.len()).unwrap_or(u32::MAX),
            branches_total: app.branches,
            starts: summary::starts(&exploration.counts),
            travel: summary::travel(&exploration.counts),
            curve: exploration.curve.clone(),
        }),
        suite: None,
        devices: None,
        findings: findings
            .iter()
            .map(|(finding, _)| finding.clone())
            .collect(),
    }
}

/// One section for each app among the findings, in their order.
pub fn finding_sections<'f>(
    findings: impl Iterator<Item = (&'f StoredFinding, Option<&'f DeviceList>)>,
) -> Vec<AppSection> {
    let mut sections: Vec<AppSection> = Vec::new();
    for (finding, devices) in findings {
        let app = &finding.trace.header.app;
        match sections.iter_mut().find(|section| section.app == *app) {
            Some(section) => section.findings.push(finding.clone()),
            None => sections.push(AppSection {
                label: Text::default(),
                app: app.clone(),
                exploration: None,
                suite: None,
                findings: vec![finding.clone()],
                devices: devices.cloned(),
            }),
        }
    }
    sections
}

/// Section of an app whose suite was reduced.
pub fn suite_section(label: Text, suite: &ReducedSuite) -> AppSection {
    AppSection {
        label,
        app: suite.app.clone(),
        exploration: None,
        suite: Some(suite.clone()),
        findings: Vec::new(),
        devices: None,
    }
}
