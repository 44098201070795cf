//! `retap import`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use retap_shared::trace::Trace;

use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::format::import::{ImportError, read, read_script};
use crate::run::atomic_write;
use crate::wording::pluralise;

/// Make `.retap` traces of other tools' files
#[derive(Debug, Args)]
pub struct ImportCommand {
    #[command(subcommand)]
    from: ImportFormat,
}

#[derive(Debug, Subcommand)]
enum ImportFormat {
    Simplydroid(ImportSimplyDroidCommand),
    Monkey(ImportMonkeyCommand),
}

/// Scripts of Android's own Monkey, as `monkey -f` takes them
#[derive(Debug, Args)]
struct ImportMonkeyCommand {
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The package of the app, for scripts that launch none
    #[arg(long, value_name = "PACKAGE")]
    app: Option<String>,
    /// Directory of the `.retap` files; default: beside the originals
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Crash traces of SimplyDroid: Monkey's events with their activities, as JSON
#[derive(Debug, Args)]
struct ImportSimplyDroidCommand {
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Directory of the `.retap` files; default: beside the originals
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl ImportCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        // All are read before any is written.
        let (files, out, traces) = match &self.from {
            ImportFormat::Simplydroid(ImportSimplyDroidCommand { files, out }) => {
                let read = files.iter().map(|file| Ok((read(file)?, 0)));
                (
                    files,
                    out,
                    read.collect::<Result<Vec<(Trace, usize)>, ImportError>>()?,
                )
            }
            ImportFormat::Monkey(ImportMonkeyCommand { files, app, out }) => {
                let read = files.iter().map(|file| read_script(file, app.as_deref()));
                (
                    files,
                    out,
                    read.collect::<Result<Vec<(Trace, usize)>, ImportError>>()?,
                )
            }
        };
        for (file, (trace, left_out)) in files.iter().zip(&traces) {
            let beside = file.with_extension("retap");
            let to = match (out, beside.file_name()) {
                (Some(out), Some(name)) => out.join(name),
                _ => beside,
            };
            let write = |path: &Path| {
                path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
                atomic_write::write_atomically(path, trace.to_text().as_bytes())
            };
            write(&to).map_err(|source| ImportError::Write {
                path: to.clone(),
                source,
            })?;
            let steps = pluralise(trace.steps.len() as u64, "step");
            let without = match left_out {
                0 => String::new(),
                left_out => format!(", without {}", pluralise(*left_out as u64, "line")),
            };
            context
                .console
                .result(&format!("{}: {steps}{without}", to.display()))?;
        }
        Ok(CommandExit::Done)
    }
}
