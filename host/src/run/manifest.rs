//! `run.json`: what a run is and how it was asked for, enough to go on with it after its process was killed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::exit::Exit;
use crate::failure::Explained;
use crate::settings::Settings;

pub const MANIFEST: &str = "run.json";
/// Raised whenever an older Retap could not read the file.
const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of Retap that started the run.
    pub retap: String,
    /// The command line as it was typed.
    pub typed: String,
    pub seed: u64,
    pub started: String,
    pub state: State,
    /// What the run is called in the store.
    pub job: String,
    pub store: PathBuf,
    pub settings: Settings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// At work, or killed at work.
    Running,
    Done,
    /// The user asked to stop.
    Interrupted,
    Failed,
}

#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("`{}` has format {found}, and this Retap reads up to {FORMAT}", .path.display())]
    Newer { path: PathBuf, found: u32 },
    #[error("`{}` is damaged", .path.display())]
    Damaged {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("`{}` is a run of `retap {command}`", .path.display())]
    OtherCommand {
        path: PathBuf,
        command: &'static str,
    },
    #[error("could not put the run's settings into `{MANIFEST}`")]
    Unwritable(#[source] serde_json::Error),
}

impl Manifest {
    pub fn new(
        typed: String,
        seed: u64,
        started: String,
        job: String,
        store: &Path,
        settings: Settings,
    ) -> Self {
        let retap = env!("CARGO_PKG_VERSION").to_owned();
        let state = State::Running;
        let store = store.to_owned();
        Manifest {
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

    /// `path` is only for the words of an error.
    pub fn parse(text: &str, path: &Path) -> Result<Manifest, ManifestError> {
        #[derive(Deserialize)]
        struct Versioned {
            format: u32,
        }
        let damaged = |source| ManifestError::Damaged {
            path: path.to_owned(),
            source,
        };
        let Versioned { format } = serde_json::from_str(text).map_err(damaged)?;
        if format > FORMAT {
            return Err(ManifestError::Newer {
                path: path.to_owned(),
                found: format,
            });
        }
        serde_json::from_str(text).map_err(damaged)
    }

    pub fn to_text(&self) -> Result<String, ManifestError> {
        let mut text = serde_json::to_string_pretty(self).map_err(ManifestError::Unwritable)?;
        text.push('\n');
        Ok(text)
    }
}

impl Explained for ManifestError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        match self {
            ManifestError::Newer { .. } => {
                "use the version of Retap that started this run, or a newer one".into()
            }
            ManifestError::Damaged { .. } => {
                "this run cannot be gone on with; start a new one".into()
            }
            ManifestError::OtherCommand {
                command: "demo", ..
            } => "run `retap demo` again; it is over in a moment".into(),
            ManifestError::OtherCommand { path, command } => {
                format!(
                    "go on with it by `retap {command} --resume {}`",
                    path.display()
                )
            }
            ManifestError::Unwritable(_) => "use paths that are valid UTF-8".into(),
        }
    }
}
