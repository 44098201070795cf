//! The page of a run that has ended, made again from its files: findings and reductions from `crashes/`, coverage from
//! `events.jsonl`.

use std::io;
use std::path::{Path, PathBuf};

use retap_shared::phone_info::PhoneInfo;
use retap_shared::verdict::Outcome;

use crate::command_error::{CommandError, UserError};
use crate::device_spec::DeviceList;
use crate::devices;
use crate::exit::CommandExit;
use crate::operations::report_page::finding_sections;
use crate::options::RunOptions;
use crate::report::data::{AppSection, PhoneSection, ReportData};
use crate::report::html;
use crate::report::recalled_events::RecalledEvents;
use crate::run::Run;
use crate::run::findings::{self, StoredFinding};
use crate::run::manifest::RunState;

#[derive(Debug, thiserror::Error)]
pub enum ReportRunError {
    #[error("could not read the events of the run `{}`", .path.display())]
    Events { path: PathBuf, source: io::Error },
    #[error("`{}` is a run of `retap reduce-suite`, which writes its page itself", .path.display())]
    SuiteRun { path: PathBuf },
}

/// Writes the page of a run, and returns its path. The run must not be at work.
pub fn report_run(path: &Path) -> Result<PathBuf, CommandError> {
    let run = Run::open(path)?;
    let options = &run.manifest().settings;
    if matches!(options, RunOptions::ReduceSuite(_)) {
        let path = path.to_owned();
        return Err(ReportRunError::SuiteRun { path }.into());
    }
    let recalled = RecalledEvents::read(path).map_err(|source| ReportRunError::Events {
        path: path.to_owned(),
        source,
    })?;
    let mut findings: Vec<StoredFinding> =
        findings::read_all_reduced(path)?.into_values().collect();
    let place = |finding: &StoredFinding| {
        let mut found = recalled.findings.iter();
        found.position(|known| *known == finding.fingerprint)
    };
    findings.sort_by_key(|finding| place(finding).unwrap_or(usize::MAX));
    let phone = findings.first().map_or_else(PhoneInfo::default, |finding| {
        finding.trace.header.phone.clone()
    });
    let manifest = run.manifest();
    let page = html::render(&ReportData {
        title: title(options).to_owned(),
        command: manifest.typed.clone(),
        seed: manifest.seed,
        outcome: match manifest.state {
            RunState::Done => Outcome::Done,
            RunState::Running | RunState::Interrupted | RunState::Failed => Outcome::Interrupted,
        },
        took: recalled.took,
        directory: run.directory().path().to_owned(),
        phones: recalled
            .devices
            .iter()
            .map(|name| PhoneSection {
                name: name.clone(),
                info: phone.clone(),
            })
            .collect(),
        apps: sections(options, recalled, &findings),
    });
    run.write_page(&page)
}

fn title(options: &RunOptions) -> &'static str {
    match options {
        RunOptions::Demo(_) => "What Retap found",
        RunOptions::Explore(_) => "Explored",
        RunOptions::Reduce(_) | RunOptions::ReduceSuite(_) => "Cut down",
    }
}

/// A section for each app that was explored or has a finding.
fn sections(
    options: &RunOptions,
    recalled: RecalledEvents,
    findings: &[StoredFinding],
) -> Vec<AppSection> {
    let devices: Vec<Option<DeviceList>> = findings
        .iter()
        .map(|finding| devices_of(options, finding))
        .collect();
    let findings = findings.iter().zip(devices.iter().map(Option::as_ref));
    let mut sections = finding_sections(findings);
    for (package, exploration) in recalled.explorations {
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
    sections
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
            ReportRunError::SuiteRun { path } => format!(
                "see its `report.html`; if it was killed, resume it with `retap reduce-suite --resume {}`",
                path.display()
            ),
        }
    }
}
