//! `retap export`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::named_choice::choice_parser;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::export::{self, ExportFormat, ExportLoss};
use crate::format::import::ImportError;
use crate::report::console::LineStyle;
use crate::run::atomic_write;
use crate::run::findings::{read_screens_beside, read_trace};

/// Make a test for another tool of a trace
///
/// The test ends with a check that the app does not crash, so it fails until the crash is mended. What the format cannot
/// carry over is listed on standard error. The screens that a run keeps beside a trace make the selectors exact.
#[derive(Debug, Args)]
pub struct ExportCommand {
    /// A `.retap` file, such as `crashes/ID/reduced.retap` of a run
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The form of the test
    #[arg(long, value_name = "FORMAT", value_parser = choice_parser::<ExportFormat>())]
    to: ExportFormat,
    /// File of the test [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl ExportCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let trace = read_trace(&self.trace)?;
        let screens = read_screens_beside(&self.trace);
        let test = export::export(&trace, screens.iter().map(AsRef::as_ref), self.to);
        match &self.out {
            None => context.console.result(test.text.trim_end())?,
            Some(out) => {
                atomic_write::write_atomically(out, test.text.as_bytes()).map_err(|source| {
                    ImportError::Write {
                        path: out.clone(),
                        source,
                    }
                })?;
                context.console.result(&out.display().to_string())?;
            }
        }
        for loss in &test.losses {
            context.console.print(LineStyle::Warning, &line(loss));
        }
        Ok(CommandExit::Done)
    }
}

/// Maximum number of steps that one note names.
const NAMED_STEPS: usize = 8;

fn line(loss: &ExportLoss) -> String {
    let named: Vec<String> = loss
        .steps
        .iter()
        .take(NAMED_STEPS)
        .map(usize::to_string)
        .collect();
    let what = &loss.what;
    match (named.as_slice(), loss.steps.len() - named.len()) {
        ([], _) => format!("note: {what}"),
        ([one], _) => format!("note: step {one}: {what}"),
        ([first @ .., last], 0) => format!("note: steps {} and {last}: {what}", first.join(", ")),
        (named, more) => format!("note: steps {} and {more} more: {what}", named.join(", ")),
    }
}
