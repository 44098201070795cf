//! `retap runs`.

use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::arguments::GlobalArguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::options::{DEFAULT_KEEP_AGE, DEFAULT_KEEP_SIZE, KeepAge, KeepSize};
use crate::report::console::LineStyle;
use crate::run::kept_runs::{self, KeptRun};
use crate::run::store::SqliteStore;
use crate::sanitise_terminal::{self, LINE_WIDTH};
use crate::wording::pluralise;

/// List the runs that the store knows, the oldest first
#[derive(Debug, Args)]
pub struct RunsCommand {
    #[command(subcommand)]
    action: Option<RunsAction>,
    /// Print one JSON object per run
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum RunsAction {
    Prune(PruneArguments),
}

/// Remove old runs: their files, and their part of the store
///
/// A run that is in use is never removed. Files in a run directory that Retap did not write stay. Findings stay known.
#[derive(Debug, Args)]
struct PruneArguments {
    /// Remove runs that were not written for this long: hours, days or weeks [default: 90d]
    #[arg(long, value_name = "AGE")]
    older_than: Option<KeepAge>,
    /// Then remove the oldest until all others together are not larger [default: 10GB]
    #[arg(long, value_name = "SIZE")]
    keep_size: Option<KeepSize>,
    /// Only list what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object per run
    #[arg(long)]
    json: bool,
}

impl RunsCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let config = global.config()?;
        let store = SqliteStore::open(&global.store(&config))?;
        let runs = kept_runs::list(&store, SystemTime::now())?;
        match &self.action {
            None => print(&runs, self.json, context)?,
            Some(RunsAction::Prune(prune)) => {
                let max_age = prune.older_than.or(config.runs.older_than);
                let max_size = prune.keep_size.or(config.runs.keep_size);
                let chosen = kept_runs::to_remove(
                    &runs,
                    max_age.unwrap_or(DEFAULT_KEEP_AGE),
                    max_size.unwrap_or(DEFAULT_KEEP_SIZE),
                );
                let json = prune.json || self.json;
                if prune.dry_run {
                    print(&chosen, json, context)?;
                } else {
                    remove(&store, chosen, json, context)?;
                }
            }
        }
        Ok(CommandExit::Done)
    }
}

/// Removes the runs, and prints those that are removed.
fn remove(
    store: &SqliteStore,
    chosen: Vec<KeptRun>,
    json: bool,
    context: &CommandContext,
) -> Result<(), CommandError> {
    let mut removed = Vec::new();
    for run in chosen {
        if kept_runs::remove(store, &run)? {
            removed.push(run);
        }
    }
    store.shrink()?;
    print(&removed, json, context)?;
    if !json {
        let bytes = removed.iter().map(|run| run.bytes).sum();
        let count = pluralise(removed.len() as u64, "run");
        let text = format!("{count} removed, {}", size_text(bytes));
        context.console.result(&text)?;
    }
    Ok(())
}

fn print(runs: &[KeptRun], json: bool, context: &CommandContext) -> Result<(), CommandError> {
    if runs.is_empty() && !json {
        let none = "no runs: the store knows none, or none is old or large enough";
        context.console.print(LineStyle::Plain, none);
    }
    for run in runs {
        context
            .console
            .result(&if json { to_json(run) } else { to_line(run) })?;
    }
    Ok(())
}

fn to_json(run: &KeptRun) -> String {
    let place = &run.place;
    json!({
        "path": place.path, "command": place.command, "app": place.app, "state": run.state.name(), "bytes": run.bytes,
        "age_seconds": run.age.as_secs(),
    })
    .to_string()
}

fn to_line(run: &KeptRun) -> String {
    let place = &run.place;
    let or_dash = |text: &str| {
        if text.is_empty() {
            "-".to_owned()
        } else {
            text.to_owned()
        }
    };
    let path = place
        .path
        .as_ref()
        .map_or_else(|| "-".to_owned(), |path| path.display().to_string());
    let line = format!(
        "{:>9} {:>5}  {:<11}  {:<12}  {:<28}  {path}",
        size_text(run.bytes),
        age_text(run.age),
        run.state.name(),
        or_dash(&place.command),
        or_dash(&place.app),
    );
    sanitise_terminal::sanitise_line(&line, LINE_WIDTH)
}

/// `1.5 GB`.
fn size_text(bytes: u64) -> String {
    let units = [
        (1_000_000_000_000, "TB"),
        (1_000_000_000, "GB"),
        (1_000_000, "MB"),
        (1_000, "kB"),
    ];
    match units.iter().find(|(factor, _)| bytes >= *factor) {
        Some((factor, unit)) => format!("{:.1} {unit}", bytes as f64 / *factor as f64),
        None => format!("{bytes} B"),
    }
}

/// `3 d`, or hours and minutes below a day.
fn age_text(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        86_400.. => format!("{} d", seconds / 86_400),
        3_600.. => format!("{} h", seconds / 3_600),
        _ => format!("{} min", seconds / 60),
    }
}
