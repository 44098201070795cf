//! The operation `baseline`: the findings of a run become known findings of a file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use retap_shared::finding::FindingKind;
use serde::Deserialize;

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::report::headline::FindingHeadline;
use crate::run::baseline::{BaselineChange, BaselineEntry, BaselineError, FindingBaseline};
use crate::run::directory::{self, EVENTS_FILE, RunDirectoryError};
use crate::run::findings::{self, StoredFinding};
use crate::wording::quoted_list;

/// Result of `retap baseline`.
#[derive(Debug)]
pub struct BaselineUpdate {
    pub app: String,
    /// Number of findings in the file.
    pub total: usize,
    pub change: BaselineChange,
}

#[derive(Debug, thiserror::Error)]
pub enum BaselineSourceError {
    #[error("the run `{}` has findings of {} apps; a baseline is of one app", .run.display(), .apps.len())]
    SeveralApps { run: PathBuf, apps: Vec<String> },
    #[error("the run `{}` has no findings and does not name its app", .run.display())]
    NoApp { run: PathBuf },
}

/// Adds the findings of a run to the baseline at `file`, which is created if it does not exist.
pub fn update_baseline(run: &Path, file: &Path) -> Result<BaselineUpdate, CommandError> {
    if !directory::is_run(run) {
        return Err(RunDirectoryError::NotARun {
            path: run.to_owned(),
        }
        .into());
    }
    let found: Vec<StoredFinding> = findings::read_all(run)?.into_values().collect();
    let app = app_of(run, &found)?;
    let (mut baseline, exists) = match FindingBaseline::read(file) {
        Ok(baseline) => (baseline, true),
        Err(BaselineError::Missing { .. }) => (FindingBaseline::new(&app), false),
        Err(error) => return Err(error.into()),
    };
    baseline.check_app(&app, file)?;
    let change = baseline.add(found.iter().map(entry).collect());
    if !exists || !change.added.is_empty() {
        baseline.write(file)?;
    }
    Ok(BaselineUpdate {
        app,
        total: baseline.len(),
        change,
    })
}

fn entry(stored: &StoredFinding) -> BaselineEntry {
    let headline = FindingHeadline::of(&stored.finding);
    let name = match stored.finding.kind {
        FindingKind::Rule => headline.message,
        _ if headline.function.is_empty() => headline.what,
        _ => format!("{} in {}", headline.what, headline.function),
    };
    BaselineEntry {
        fingerprint: stored.fingerprint,
        kind: stored.finding.kind,
        headline: name,
        first_seen_version: stored.trace.header.app.version_code,
    }
}

/// The app of the findings, or of a run without findings.
fn app_of(run: &Path, found: &[StoredFinding]) -> Result<String, CommandError> {
    let apps: BTreeSet<String> = found
        .iter()
        .map(|stored| stored.trace.header.app.package.to_string())
        .collect();
    let run = run.to_owned();
    let mut apps: Vec<String> = apps.into_iter().collect();
    match apps.len() {
        0 => explored_app(&run)?.ok_or_else(|| BaselineSourceError::NoApp { run }.into()),
        1 => Ok(apps.remove(0)),
        _ => Err(BaselineSourceError::SeveralApps { run, apps }.into()),
    }
}

/// The app that the events of a run name first.
fn explored_app(run: &Path) -> Result<Option<String>, RunDirectoryError> {
    #[derive(Deserialize)]
    struct EventOfApp {
        app: String,
    }
    let events = directory::read(&run.join(EVENTS_FILE))?;
    let mut lines = events.lines();
    Ok(lines.find_map(|line| {
        let event: EventOfApp = serde_json::from_str(line).ok()?;
        Some(event.app)
    }))
}

impl UserError for BaselineSourceError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            BaselineSourceError::SeveralApps { apps, .. } => {
                let apps = quoted_list(apps.iter().map(String::as_str));
                format!("explore one app at a time with `retap explore`; the run has {apps}")
            }
            BaselineSourceError::NoApp { .. } => "name a run of `retap explore`".into(),
        }
    }
}
