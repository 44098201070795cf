//! `retap explore`.

use std::path::{Path, PathBuf};

use clap::Args;
use retap_reduce::named_choice::NamedChoice as _;

use crate::cli::arguments::{
    self, GlobalArguments, MappingArguments, PhoneArguments, RunArguments,
};
use crate::cli::explorer_arguments::ExplorerArguments;
use crate::cli::named_choice::{choice_parser, help_with_default};
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::config::{Config, ExploreConfig};
use crate::device_spec::{DeviceList, PhoneSelection};
use crate::devices;
use crate::exit::CommandExit;
use crate::format::mapping;
use crate::operations::{self, ActiveRun, ExploreResult, summary};
use crate::options::{
    AppConstraints, CodeCoverage, DEFAULT_EVENTS, DEFAULT_SESSION_EVENTS, ExploreOptions,
    ExplorerKind, RunOptions,
};
use crate::run::baseline::FindingBaseline;
use crate::run::findings;
use crate::run::known_finding::KnownFinding;
use crate::shell_command;
use crate::wording::group_thousands;

/// Drive an app by itself, and collect the ways to make it fail
///
/// Exit code 1 if it has findings, 0 if it has none. With `--baseline`, only findings that the file does not list count.
#[derive(Debug, Default, Args)]
pub struct ExploreCommand {
    /// Package or name of the app [default: the only app of the phone]
    app: Option<String>,
    #[arg(long, value_parser = choice_parser::<ExplorerKind>(), help = explorer_help())]
    explorer: Option<ExplorerKind>,
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = arguments::parse_events,
        help = help_with_default("Number of events of all phones together", group_thousands(DEFAULT_EVENTS))
    )]
    events: Option<u64>,
    /// Minutes of phone time for each phone, instead of a number of events
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with = "events")]
    minutes: Option<u32>,
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=100_000),
        help = help_with_default("`random`: events of one session, between two clean starts", DEFAULT_SESSION_EVENTS)
    )]
    session_events: Option<u32>,
    #[arg(
        long,
        value_name = "KIND",
        value_parser = choice_parser::<CodeCoverage>(),
        help = help_with_default("What of the app's code is noted, and guides the explorer", CodeCoverage::default().name())
    )]
    coverage: Option<CodeCoverage>,
    /// Write a trace of each clean start to `traces/`, for `retap reduce-suite`
    #[arg(long)]
    keep_traces: bool,
    /// Recorded traces to start from: they are played first
    #[arg(long, value_name = "TRACE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Reduce each finding, known or new, as soon as a phone is idle, while others explore
    #[arg(long)]
    reduce: bool,
    /// Known findings, as `retap baseline` wrote them [default: the store knows them]
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    mapping: MappingArguments,
    #[command(flatten)]
    explorer_arguments: ExplorerArguments,
    #[command(flatten)]
    phones: PhoneArguments,
    #[command(flatten)]
    run: RunArguments,
}

/// Explorer and limits of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExploreLimits {
    pub explorer: ExplorerKind,
    pub events: u64,
    pub minutes: Option<u32>,
    pub session_events: u32,
}

impl ExploreCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let (run, options) = match &self.run.resume {
            Some(path) => {
                let store = global.named_store();
                ActiveRun::resume(path, store.as_deref(), context, explore_options)?
            }
            None => self.start(global, context)?,
        };
        let directory = run.directory().path().to_owned();
        let seed = run.seed().0;
        let end =
            run.execute(async |run| Box::pin(operations::run_exploration(run, &options)).await)?;
        let devices = &options.devices.device;
        self.print(&end.value, seed, devices, &directory, context)?;
        // Without a baseline every finding counts: what a store knows depends on the machine.
        let counts = |known: &Option<KnownFinding>| options.baseline.is_none() || known.is_none();
        let fails = end.value.findings.iter().any(|(_, known)| counts(known));
        Ok(match end.exit()? {
            CommandExit::Done if fails => CommandExit::FindingsFound,
            exit => exit,
        })
    }

    fn start(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<(ActiveRun, ExploreOptions), CommandError> {
        let config = global.config()?;
        let devices = self.phones.selection(&config, context)?;
        let options = self.options(&config, devices)?;
        devices::check(&options.devices.device)?;
        devices::check_coverage(&options.devices.device, options.coverage)?;
        operations::explorer::check(&options.explorer_options)?;
        mapping::check(&options.mappings)?;
        options
            .baseline
            .as_deref()
            .map(FindingBaseline::read)
            .transpose()?;
        let run = ActiveRun::start(
            RunOptions::Explore(Box::new(options.clone())),
            self.run.seed(&config),
            &self.run.location(global.store(&config)),
            context,
            |_| Ok(()),
        )?;
        Ok((run, options))
    }

    /// The command line over `retap.toml` over the defaults.
    fn options(
        &self,
        config: &Config,
        devices: PhoneSelection,
    ) -> Result<ExploreOptions, CommandError> {
        let ExploreLimits {
            explorer,
            events,
            minutes,
            session_events,
        } = self.limits(&config.explore);
        Ok(ExploreOptions {
            devices,
            app: self.app.clone().or_else(|| config.app.clone()),
            explorer,
            events,
            minutes,
            session_events,
            keep_traces: self.keep_traces,
            explorer_options: self.explorer_arguments.options(&config.explore)?,
            constraints: self.constraints(&config.explore)?,
            reduce: self.reduce,
            allow: self.phones.allow.clone(),
            baseline: self.baseline(&config.explore),
            mappings: self.mapping.options(config),
            coverage: self.coverage.unwrap_or_default(),
        })
    }

    /// Absolute path of the baseline, because a run can be resumed from anywhere.
    fn baseline(&self, config: &ExploreConfig) -> Option<PathBuf> {
        let named = self.baseline.as_ref().or(config.baseline.as_ref())?;
        Some(std::path::absolute(named).unwrap_or_else(|_| named.clone()))
    }

    /// Explorer and limits: the command line over `retap.toml` over the defaults.
    pub fn limits(&self, config: &ExploreConfig) -> ExploreLimits {
        let session_events = self.session_events.or(config.session_events);
        let default_explorer = ExplorerKind::default_for(session_events);
        let configured_minutes = config.minutes.filter(|_| self.events.is_none());
        ExploreLimits {
            explorer: self
                .explorer
                .or(config.explorer)
                .unwrap_or(default_explorer),
            events: self.events.or(config.events).unwrap_or(DEFAULT_EVENTS),
            minutes: self.minutes.or(configured_minutes),
            session_events: session_events.unwrap_or(DEFAULT_SESSION_EVENTS),
        }
    }

    fn constraints(&self, config: &ExploreConfig) -> Result<AppConstraints, CommandError> {
        let read = |path: &PathBuf| findings::read_trace(path).map(|trace| trace.to_text());
        let from = match self.from.is_empty() {
            true => &config.from,
            false => &self.from,
        };
        Ok(AppConstraints {
            forbidden_widgets: config.forbidden_widgets.clone(),
            forbidden_activities: config.forbidden_activities.clone(),
            forbidden_texts: config.forbidden_texts.clone(),
            texts: config.texts.clone(),
            never: config.never.clone(),
            always: config.always.clone(),
            before: config.before.as_ref().map(read).transpose()?,
            from: from.iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    fn print(
        &self,
        explored: &ExploreResult,
        seed: u64,
        devices: &DeviceList,
        directory: &Path,
        context: &CommandContext,
    ) -> Result<(), CommandError> {
        let console = &context.console;
        if self.run.json {
            let mut result = summary::exploration_json(explored, seed);
            result["run"] = directory.to_string_lossy().into();
            return Ok(console.result(&result.to_string())?);
        }
        let page = directory.join("report.html");
        console.result(&summary::exploration_table(explored))?;
        if !explored.findings.is_empty() {
            console.result("")?;
        }
        for (finding, _) in &explored.findings {
            let file = directory.join(finding.best_file());
            let command = shell_command::replay(&file, Some(devices), finding.mapping.as_deref());
            console.result(&format!("see it again: {command}"))?;
        }
        console.result(&format!("\nreport: {}", page.display()))?;
        Ok(console.result(&directory.display().to_string())?)
    }
}

fn explorer_help() -> String {
    let default = ExplorerKind::default_for(None).name();
    let in_sessions = ExplorerKind::default_for(Some(DEFAULT_SESSION_EVENTS)).name();
    help_with_default(
        "Exploration strategy",
        format!("{default}; {in_sessions} with `--session-events`"),
    )
}

fn explore_options(options: &RunOptions) -> Option<ExploreOptions> {
    match options {
        RunOptions::Explore(options) => Some((**options).clone()),
        RunOptions::Demo(_) | RunOptions::Reduce(_) | RunOptions::ReduceSuite(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_wins_over_the_file_and_the_file_over_the_defaults() {
        let defaults = ExploreCommand::default().limits(&ExploreConfig::default());
        let expected = ExploreLimits {
            explorer: ExplorerKind::Auto,
            events: DEFAULT_EVENTS,
            minutes: None,
            session_events: DEFAULT_SESSION_EVENTS,
        };
        assert_eq!(defaults, expected);
        let config = ExploreConfig {
            minutes: Some(5),
            session_events: Some(100),
            ..ExploreConfig::default()
        };
        let from_file = ExploreCommand::default().limits(&config);
        assert_eq!(from_file.explorer, ExplorerKind::Random);
        assert_eq!(from_file.minutes, Some(5));
        let command = ExploreCommand {
            events: Some(7),
            explorer: Some(ExplorerKind::Ape),
            ..ExploreCommand::default()
        };
        let given = command.limits(&config);
        assert_eq!((given.events, given.minutes), (7, None));
        assert_eq!(given.explorer, ExplorerKind::Ape);
    }
}
