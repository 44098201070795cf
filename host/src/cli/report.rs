//! `retap report`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::arguments::GlobalArguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations;

/// Write the page of a run again, from the files of the run
///
/// For a run that was killed: the page has everything that the run had found until then.
#[derive(Debug, Args)]
pub struct ReportCommand {
    /// Directory of a run
    #[arg(value_name = "RUN")]
    run: PathBuf,
}

impl ReportCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let page = operations::report_run(&self.run, global.named_store().as_deref())?;
        context
            .console
            .result(&format!("report: {}", page.display()))?;
        Ok(CommandExit::Done)
    }
}
