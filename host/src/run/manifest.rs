//! `run.json`: the options, seed and state of a run, enough to resume it after its process was killed.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::options::RunOptions;

pub const MANIFEST: &str = "run.json";
/// Format version; raised when an older Retap could not read the file.
const FORMAT: u32 = 1;

/// Content of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunManifest {
    pub format: u32,
    /// The version of Retap that started the run.
    pub retap: String,
    /// The command line as it was typed.
    pub typed: String,
    pub seed: u64,
    pub started: String,
    pub state: RunState,
    /// Name of the run in the store.
    pub job: String,
    pub store: PathBuf,
    pub settings: RunOptions,
}

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// At work, or killed.
    Running,
    Done,
    /// Cancelled by the user.
    Interrupted,
    Failed,
}

#[derive(Debug, thiserror::Error)]
pub enum RunManifestError {
    #[error("`{}` has format {found}; this Retap reads up to {FORMAT}", .path.display())]
    Newer { path: PathBuf, found: u32 },
    #[error("`{}` is damaged", .path.display())]
    Damaged {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("`{}` is damaged: `{name}` is {value}, and {} to {} are possible", .path.display(), .range.start(), .range.end())]
    OutOfRange {
        path: PathBuf,
        name: &'static str,
        value: u64,
        range: RangeInclusive<u64>,
    },
    #[error("`{}` is a run of `retap {command}`", .path.display())]
    OtherCommand {
        path: PathBuf,
        command: &'static str,
    },
    #[error("could not put the run's settings into `{MANIFEST}`")]
    Unwritable(#[source] serde_json::Error),
}

impl RunManifest {
    pub fn new(
        typed: String,
        seed: u64,
        started: String,
        job: String,
        store: &Path,
        settings: RunOptions,
    ) -> Self {
        let retap = env!("CARGO_PKG_VERSION").to_owned();
        let state = RunState::Running;
        let store = store.to_owned();
        RunManifest {
            format: FORMAT,
            retap,
            typed,
            seed,
            started,
            state,
            job,
            store,
            settings,
        }
    }

    /// Parses the file. `path` is only for error messages.
    pub fn parse(text: &str, path: &Path) -> Result<RunManifest, RunManifestError> {
        #[derive(Deserialize)]
        struct ManifestVersion {
            format: u32,
        }
        let damaged = |source| RunManifestError::Damaged {
            path: path.to_owned(),
            source,
        };
        let ManifestVersion { format } = serde_json::from_str(text).map_err(damaged)?;
        if format > FORMAT {
            return Err(RunManifestError::Newer {
                path: path.to_owned(),
                found: format,
            });
        }
        let manifest: RunManifest = serde_json::from_str(text).map_err(damaged)?;
        match manifest.settings.first_out_of_range() {
            None => Ok(manifest),
            Some((name, value, range)) => Err(RunManifestError::OutOfRange {
                path: path.to_owned(),
                name,
                value,
                range,
            }),
        }
    }

    pub fn to_text(&self) -> Result<String, RunManifestError> {
        let mut text = serde_json::to_string_pretty(self).map_err(RunManifestError::Unwritable)?;
        text.push('\n');
        Ok(text)
    }
}

impl UserError for RunManifestError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            RunManifestError::Newer { .. } => {
                "use the version of Retap that started this run, or a newer one".into()
            }
            RunManifestError::Damaged { .. } | RunManifestError::OutOfRange { .. } => {
                "the run cannot be resumed; start a new one".into()
            }
            RunManifestError::OtherCommand {
                command: "demo", ..
            } => "run `retap demo` again; it takes a moment".into(),
            RunManifestError::OtherCommand { path, command } => {
                format!(
                    "resume it with `retap {command} --resume {}`",
                    path.display()
                )
            }
            RunManifestError::Unwritable(_) => "use paths that are valid UTF-8".into(),
        }
    }
}
