//! `retap baseline`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, BaselineUpdate};
use crate::run::baseline::BaselineEntry;
use crate::sanitise_terminal::{self, LINE_WIDTH};
use crate::wording::pluralise;

/// File without `--out`, in the working directory.
const DEFAULT_FILE: &str = "retap-baseline.json";

/// Write the findings of a run to a file of known findings
///
/// `retap explore --baseline FILE` ends with exit code 1 only for findings that the file does not list. The file is made to
/// be committed. A file that exists keeps its findings; those of the run are added.
#[derive(Debug, Args)]
pub struct BaselineCommand {
    /// Run whose findings are known from now on
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// File of the known findings
    #[arg(long, value_name = "FILE", default_value = DEFAULT_FILE)]
    out: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl BaselineCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let update = operations::update_baseline(&self.run, &self.out)?;
        let result = match self.json {
            true => self.as_json(&update),
            false => self.as_text(&update),
        };
        context.console.result(&result)?;
        Ok(CommandExit::Done)
    }

    fn as_text(&self, update: &BaselineUpdate) -> String {
        let change = &update.change;
        let total = pluralise(update.total as u64, "finding");
        let added = change.added.len();
        let mut lines = vec![format!(
            "{}: {total} of {}, {added} added",
            self.out.display(),
            update.app
        )];
        lines.extend(change.added.iter().map(|entry| line("+", entry)));
        if !change.not_met.is_empty() {
            let not_met = pluralise(change.not_met.len() as u64, "finding");
            lines.push(format!("{not_met} of the file not met in this run; kept:"));
            lines.extend(change.not_met.iter().map(|entry| line(" ", entry)));
        }
        lines.join("\n")
    }

    fn as_json(&self, update: &BaselineUpdate) -> String {
        let change = &update.change;
        json!({
            "result": "baseline",
            "file": self.out.to_string_lossy(),
            "app": update.app,
            "findings": update.total,
            "added": change.added,
            "met": change.met,
            "not_met": change.not_met,
        })
        .to_string()
    }
}

fn line(sign: &str, entry: &BaselineEntry) -> String {
    let headline = sanitise_terminal::sanitise_line(&entry.headline, LINE_WIDTH);
    format!("{sign} {} {headline}", entry.fingerprint)
}
