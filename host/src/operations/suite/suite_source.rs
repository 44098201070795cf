//! Traces of a suite: read from files, a directory or a run, checked to belong together, and copied into the reduction's own
//! run, so that the run can be resumed without the originals.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use retap_shared::trace::{App, StartMode, Trace};

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::run::directory::{self, RunDirectory};
use crate::run::findings::{self, StoredFindingError};

const ORIGINALS: &str = "originals";
const NAMES: &str = "originals/names.json";
const TRACES: &str = "traces";
/// Maximum number of files that are named; the others are counted.
const NAMED: usize = 5;

/// Traces with the paths of their files.
#[derive(Debug)]
pub struct TraceSuite {
    pub traces: Vec<(String, Trace)>,
}

#[derive(Debug, thiserror::Error)]
pub enum SuiteSourceError {
    #[error("there is no `{}`", .path.display())]
    Missing { path: PathBuf },
    #[error("could not list `{}`", .path.display())]
    List {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the run `{}` has no `{TRACES}/` with traces in it", .path.display())]
    NoTraces { path: PathBuf },
    #[error("the directory `{}` has no `.retap` file", .path.display())]
    Empty { path: PathBuf },
    #[error("{} of {all} traces cannot be read", .why.len())]
    Unreadable { all: usize, why: Vec<String> },
    #[error("the suite has traces of {} apps", .apps.len())]
    SeveralApps { apps: BTreeMap<String, usize> },
    #[error("the suite has traces of {} versions of `{package}`", .versions.len())]
    SeveralVersions {
        package: String,
        versions: BTreeMap<u64, usize>,
    },
    #[error("the suite has traces that start the app at {} different activities", .activities.len())]
    SeveralStarts { activities: BTreeMap<String, usize> },
    #[error("{} of {all} traces do not start clean", .files.len())]
    NotClean { all: usize, files: Vec<String> },
    #[error("the names of the suite's files in `{}` are not a list", .path.display())]
    Names {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
}

impl TraceSuite {
    /// Reads files, the `.retap` files of directories, and the `traces/` of runs.
    pub fn read(sources: &[PathBuf]) -> Result<TraceSuite, SuiteSourceError> {
        let mut files = Vec::new();
        for source in sources {
            files.extend(files_of(source)?);
        }
        let mut traces = Vec::new();
        let mut why = Vec::new();
        for file in &files {
            match findings::read_trace(file) {
                Ok(trace) => traces.push((file.display().to_string(), trace)),
                Err(error) => why.push(error_line(error)),
            }
        }
        if !why.is_empty() {
            return Err(SuiteSourceError::Unreadable {
                all: files.len(),
                why,
            });
        }
        let suite = TraceSuite { traces };
        suite.check()?;
        Ok(suite)
    }

    pub fn app(&self) -> &App {
        &self.traces[0].1.header.app
    }

    fn check(&self) -> Result<(), SuiteSourceError> {
        let apps = self.counted(|trace| trace.header.app.package.to_string());
        let versions = self.counted(|trace| trace.header.app.version_code);
        let activities = self.counted(|trace| trace.header.app.activity.to_string());
        let unclean = self
            .traces
            .iter()
            .filter(|(_, trace)| trace.header.start != StartMode::Clean);
        let files: Vec<String> = unclean.map(|(file, _)| file.clone()).collect();
        if apps.len() > 1 {
            return Err(SuiteSourceError::SeveralApps { apps });
        }
        if versions.len() > 1 {
            let package = self.app().package.to_string();
            return Err(SuiteSourceError::SeveralVersions { package, versions });
        }
        if activities.len() > 1 {
            return Err(SuiteSourceError::SeveralStarts { activities });
        }
        if !files.is_empty() {
            return Err(SuiteSourceError::NotClean {
                all: self.traces.len(),
                files,
            });
        }
        Ok(())
    }

    fn counted<K: Ord>(&self, by: impl Fn(&Trace) -> K) -> BTreeMap<K, usize> {
        let mut counts = BTreeMap::new();
        self.traces
            .iter()
            .for_each(|(_, trace)| *counts.entry(by(trace)).or_default() += 1);
        counts
    }

    pub fn copy_into(&self, run: &RunDirectory) -> Result<(), CommandError> {
        for (number, (_, trace)) in self.traces.iter().enumerate() {
            run.write(&original(number), trace.to_text().as_bytes())?;
        }
        // Last: the copy is complete once its names exist.
        let names: Vec<&String> = self.traces.iter().map(|(name, _)| name).collect();
        Ok(run.write(NAMES, serde_json::json!(names).to_string().as_bytes())?)
    }

    /// Reads the copy; if it is incomplete, copies the originals again.
    pub fn read_copy(run: &RunDirectory, sources: &[PathBuf]) -> Result<TraceSuite, CommandError> {
        let path = run.path().join(NAMES);
        if !path.exists() {
            let suite = TraceSuite::read(sources)?;
            suite.copy_into(run)?;
            return Ok(suite);
        }
        let names: Vec<String> = serde_json::from_str(&directory::read(&path)?)
            .map_err(|source| SuiteSourceError::Names { path, source })?;
        let mut traces = Vec::new();
        for (number, name) in names.into_iter().enumerate() {
            traces.push((
                name,
                findings::read_trace(&run.path().join(original(number)))?,
            ));
        }
        Ok(TraceSuite { traces })
    }
}

fn original(number: usize) -> String {
    format!("{ORIGINALS}/{:05}.retap", number + 1)
}

fn files_of(source: &Path) -> Result<Vec<PathBuf>, SuiteSourceError> {
    if !source.exists() {
        return Err(SuiteSourceError::Missing {
            path: source.to_owned(),
        });
    }
    if source.is_file() {
        return Ok(vec![source.to_owned()]);
    }
    let is_run = directory::is_run(source);
    let directory = if is_run {
        source.join(TRACES)
    } else {
        source.to_owned()
    };
    let path = source.to_owned();
    if is_run && !directory.is_dir() {
        return Err(SuiteSourceError::NoTraces { path });
    }
    let list = |error| SuiteSourceError::List {
        path: directory.clone(),
        source: error,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&directory).map_err(list)? {
        let file = entry.map_err(list)?.path();
        if file
            .extension()
            .is_some_and(|extension| extension == "retap")
            && file.is_file()
        {
            files.push(file);
        }
    }
    files.sort();
    match (files.is_empty(), is_run) {
        (true, true) => Err(SuiteSourceError::NoTraces { path }),
        (true, false) => Err(SuiteSourceError::Empty { path }),
        (false, _) => Ok(files),
    }
}

fn error_line(error: StoredFindingError) -> String {
    CommandError::from(error).chain().join(": ")
}

impl UserError for SuiteSourceError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn details(&self) -> Vec<String> {
        let first = |lines: &[String]| {
            let left = lines.len().saturating_sub(NAMED);
            let more = (left > 0).then(|| format!("and {left} more"));
            lines.iter().take(NAMED).cloned().chain(more).collect()
        };
        let counts = |what: String, traces: &usize| {
            format!(
                "{what}: {}",
                crate::wording::pluralise(*traces as u64, "trace")
            )
        };
        match self {
            SuiteSourceError::Unreadable { why, .. } => first(why),
            SuiteSourceError::NotClean { files, .. } => first(files),
            SuiteSourceError::SeveralApps { apps } => apps
                .iter()
                .map(|(app, traces)| counts(format!("`{app}`"), traces))
                .collect(),
            SuiteSourceError::SeveralVersions { versions, .. } => versions
                .iter()
                .map(|(version, traces)| counts(format!("version {version}"), traces))
                .collect(),
            SuiteSourceError::SeveralStarts { activities } => activities
                .iter()
                .map(|(activity, traces)| counts(format!("`{activity}`"), traces))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn help(&self) -> String {
        match self {
            SuiteSourceError::Missing { .. } | SuiteSourceError::List { .. } | SuiteSourceError::Empty { .. } => {
                "name `.retap` files, a directory of them, or a run of `retap explore --keep-traces`".into()
            }
            SuiteSourceError::NoTraces { .. } => {
                "explore again with `--keep-traces`".into()
            }
            SuiteSourceError::Unreadable { .. } => "omit these files, or correct them".into(),
            SuiteSourceError::SeveralApps { .. } | SuiteSourceError::SeveralVersions { .. } | SuiteSourceError::SeveralStarts { .. } => {
                "put the traces of each app and version into a separate directory".into()
            }
            SuiteSourceError::NotClean { .. } => {
                "omit them, or record them from a clean start: they depend on steps that they do not contain"
                    .into()
            }
            SuiteSourceError::Names { .. } => "start a new run: the files of this one were changed".into(),
        }
    }
}
