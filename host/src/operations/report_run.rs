//! The page of a run that has ended, made again from what it has left: findings and reductions from `crashes/`, coverage from
//! `events.jsonl`, and the reduction of a suite from its journal.

use std::io;
use std::path::{Path, PathBuf};

use retap_shared::Text;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::verdict::Outcome;

use crate::command_error::{CommandError, UserError};
use crate::device_spec::DeviceList;
use crate::devices;
use crate::exit::CommandExit;
use crate::operations::report_page::{finding_sections, suite_section};
use crate::operations::{ClockKind, block_on, suite};
use crate::options::RunOptions;
use crate::report::data::{AppSection, ExplorationSection, PhoneSection, ReportData};
use crate::report::html;
use crate::report::recalled_events::RecalledEvents;
use crate::run::Run;
use crate::run::findings::{self, StoredFinding};
use crate::run::manifest::RunState;

#[derive(Debug, thiserror::Error)]
pub enum ReportRunError {
    #[error("could not read the events of the run `{}`", .path.display())]
    Events { path: PathBuf, source: io::Error },
}

/// Writes the page of a run, and returns its path. The run must not be at work. `store` replaces the store of the run, if it was
/// moved.
pub fn report_run(path: &Path, store: Option<&Path>) -> Result<PathBuf, CommandError> {
    let run = Run::open(path)?;
    let options = &run.manifest().settings;
    let recalled = RecalledEvents::read(path).map_err(|source| ReportRunError::Events {
        path: path.to_owned(),
        source,
    })?;
    let mut page = match options {
        RunOptions::ReduceSuite(options) => {
            let phones = recalled.devices.len();
            let recall = suite::recall_suite(&run, options, store, phones);
            let suite = block_on(ClockKind::Virtual, recall)??;
            RecalledPage {
                outcome: suite.reduction.outcome,
                phone: PhoneInfo::default(),
                apps: vec![suite_section(Text::default(), &suite)],
            }
        }
        _ => finding_page(&run, &recalled)?,
    };
    add_explorations(&mut page.apps, recalled.explorations);
    let manifest = run.manifest();
    let page = html::render(&ReportData {
        title: title(options).to_owned(),
        command: manifest.typed.clone(),
        seed: manifest.seed,
        outcome: page.outcome,
        took: recalled.took,
        directory: run.directory().path().to_owned(),
        phones: recalled
            .devices
            .iter()
            .map(|name| PhoneSection {
                name: name.clone(),
                info: page.phone.clone(),
            })
            .collect(),
        apps: page.apps,
    });
    run.write_page(&page)
}

/// Results of a run for its page.
struct RecalledPage {
    outcome: Outcome,
    phone: PhoneInfo,
    apps: Vec<AppSection>,
}

/// Findings of a run and their reductions.
fn finding_page(run: &Run, recalled: &RecalledEvents) -> Result<RecalledPage, CommandError> {
    let reduced = findings::read_all_reduced(run.directory().path())?;
    let mut findings: Vec<StoredFinding> = reduced.into_values().collect();
    let place = |finding: &StoredFinding| {
        let mut found = recalled.findings.iter();
        found.position(|known| *known == finding.fingerprint)
    };
    findings.sort_by_key(|finding| place(finding).unwrap_or(usize::MAX));
    let phone = findings.first().map_or_else(PhoneInfo::default, |finding| {
        finding.trace.header.phone.clone()
    });
    Ok(RecalledPage {
        outcome: match run.manifest().state {
            RunState::Done => Outcome::Done,
            RunState::Running | RunState::Interrupted | RunState::Failed => Outcome::Interrupted,
        },
        phone,
        apps: sections(&run.manifest().settings, &findings),
    })
}

fn title(options: &RunOptions) -> &'static str {
    match options {
        RunOptions::Demo(_) => "What Retap found",
        RunOptions::Explore(_) => "Explored",
        RunOptions::Reduce(_) | RunOptions::ReduceSuite(_) => "Cut down",
    }
}

/// A section for each app that has a finding.
fn sections(options: &RunOptions, findings: &[StoredFinding]) -> Vec<AppSection> {
    let devices: Vec<Option<DeviceList>> = findings
        .iter()
        .map(|finding| devices_of(options, finding))
        .collect();
    let findings = findings.iter().zip(devices.iter().map(Option::as_ref));
    finding_sections(findings)
}

/// Adds explorations to the sections of their apps, or as sections of their own.
fn add_explorations(sections: &mut Vec<AppSection>, explorations: Vec<(Text, ExplorationSection)>) {
    for (package, exploration) in explorations {
        let section = sections
            .iter_mut()
            .find(|section| section.app.package == package);
        match section {
            Some(section) => section.exploration = Some(exploration),
            None => {
                let mut section = AppSection {
                    exploration: Some(exploration),
                    ..AppSection::default()
                };
                section.app.package = package;
                sections.push(section);
            }
        }
    }
}

/// Phones of the run, or the simulated phone that has the finding's app.
fn devices_of(options: &RunOptions, finding: &StoredFinding) -> Option<DeviceList> {
    let named = match options {
        RunOptions::Explore(options) => Some(options.devices.device.clone()),
        RunOptions::Reduce(options) => options.device.clone(),
        RunOptions::Demo(options) => options.device.clone(),
        RunOptions::ReduceSuite(options) => options.device.clone(),
    };
    named.or_else(|| devices::simulated_with(&finding.trace.header.app.package))
}

impl UserError for ReportRunError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            ReportRunError::Events { .. } => "allow reading the files of the run".into(),
        }
    }
}
