//! Reads files of other tools into traces, with errors that name the file.

use std::path::{Path, PathBuf};

use retap_shared::trace::Trace;

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::format::monkey::{self, ImportedScript, MonkeyScriptError};
use crate::format::simplydroid::{self, SimplyDroidError};
use crate::run::directory::{self, RunDirectoryError};

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("could not read `{}`", .path.display())]
    Content {
        path: PathBuf,
        #[source]
        source: SimplyDroidError,
    },
    #[error("could not read `{}`", .path.display())]
    Script {
        path: PathBuf,
        #[source]
        source: MonkeyScriptError,
    },
    #[error(transparent)]
    Directory(#[from] RunDirectoryError),
    #[error("could not write `{}`", .path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

/// Reads a Monkey script. Returns its trace and the number of lines that are no events.
pub fn read_script(path: &Path, app: Option<&str>) -> Result<(Trace, usize), ImportError> {
    let text = directory::read(path)?;
    let ImportedScript { trace, left_out } =
        monkey::parse(&text, app).map_err(|source| ImportError::Script {
            path: path.to_owned(),
            source,
        })?;
    Ok((trace, left_out))
}

/// Reads a crash trace of SimplyDroid.
pub fn read(path: &Path) -> Result<Trace, ImportError> {
    let text = directory::read(path)?;
    simplydroid::parse(&text).map_err(|source| ImportError::Content {
        path: path.to_owned(),
        source,
    })
}

impl UserError for ImportError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            ImportError::Content { source, .. } => source.help(),
            ImportError::Script { source, .. } => source.help(),
            ImportError::Directory(error) => error.help(),
            ImportError::Write { .. } => {
                "name a place with `--out` where files may be written".into()
            }
        }
    }
}
