//! `retap import`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use retap_shared::trace::Trace;

use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::format::simplydroid::{self, SimplyDroidError};
use crate::run::directory::{self, DirectoryError};
use crate::shell::Shell;
use crate::words::counted;

/// Make `.retap` traces of other tools' files
#[derive(Debug, Args)]
pub struct Import {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, Subcommand)]
enum From {
    Simplydroid(SimplyDroid),
}

/// Crash traces of SimplyDroid: Monkey's events with their activities, as JSON
#[derive(Debug, Args)]
struct SimplyDroid {
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Where the `.retap` files go; beside the originals if not said
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("could not read `{}`", .path.display())]
    Content {
        path: PathBuf,
        #[source]
        source: SimplyDroidError,
    },
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    #[error("could not write `{}`", .path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

impl Import {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let From::Simplydroid(SimplyDroid { files, out }) = &self.from;
        // All are read before any is written.
        let traces = files.iter().map(|file| read(file)).collect::<Result<Vec<Trace>, ImportError>>()?;
        for (file, trace) in files.iter().zip(&traces) {
            let beside = file.with_extension("retap");
            let to = match (out, beside.file_name()) {
                (Some(out), Some(name)) => out.join(name),
                _ => beside,
            };
            let write = |path: &Path| {
                path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
                std::fs::write(path, trace.to_text())
            };
            write(&to).map_err(|source| ImportError::Write { path: to.clone(), source })?;
            let steps = counted(trace.steps.len() as u64, "step");
            shell.console.result(&format!("{}: {steps}", to.display()))?;
        }
        Ok(Exit::Done)
    }
}

/// A trace of SimplyDroid.
pub fn read(path: &Path) -> Result<Trace, ImportError> {
    let text = directory::read(path)?;
    simplydroid::parse(&text).map_err(|source| ImportError::Content { path: path.to_owned(), source })
}

impl Explained for ImportError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        match self {
            ImportError::Content { source, .. } => source.help(),
            ImportError::Directory(error) => error.help(),
            ImportError::Write { .. } => "name a place with `--out` where files may be written".into(),
        }
    }
}
