//! `retap check`.

use std::path::{Path, PathBuf};

use clap::Args;
use retap_reduce::named_choice::NamedChoice as _;
use retap_reduce::trace_reduction::PassCriterion;

use crate::agent_files::{ABIS, AgentFiles};
use crate::cli::arguments::GlobalArguments;
use crate::cli::explore::{ExploreCommand, ExploreLimits};
use crate::cli::reduce::ReduceCommand;
use crate::cli::replay::ReplayCommand;
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::config::{self, Config, ExploreConfig};
use crate::device_spec::DeviceSelector;
use crate::devices;
use crate::exit::CommandExit;
use crate::format::mapping::BuildMapping;
use crate::options::{DEFAULT_COUNT, ExplorerKind};
use crate::run::baseline::FindingBaseline;
use crate::run::findings;
use crate::sanitise_terminal::{self, LINE_WIDTH};
use crate::wording::{group_thousands, pluralise, quoted_list};

/// Read `retap.toml` strictly, and say what would be done
#[derive(Debug, Args)]
pub struct CheckCommand {
    /// The file [default: `retap.toml` in this directory]
    file: Option<PathBuf>,
}

impl CheckCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let named = self.file.as_deref().or(global.config.as_deref());
        let config = Config::load(named)?;
        let path = named.unwrap_or(Path::new(config::FILE));
        let first = if named.is_none() && !path.exists() {
            format!("There is no `{}` here; without one:", config::FILE)
        } else {
            format!("`{}` is right. With it:", path.display())
        };
        let mut lines = vec![first];
        let explore = &config.explore;
        if let Some(DeviceSelector::Listed(devices)) = &config.device {
            devices::check(devices)?;
        }
        for trace in explore.before.iter().chain(&explore.from) {
            findings::read_trace(trace)?;
        }
        let baseline = explore.baseline.as_deref();
        baseline.map(FindingBaseline::read).transpose()?;
        for (_, mapping) in &config.mappings {
            BuildMapping::read(mapping)?;
        }
        lines.extend(
            describe_commands(&config)
                .into_iter()
                .map(|line| format!("  {line}")),
        );
        lines.push(format!(
            "  The store is `{}`.",
            global.store(&config).display()
        ));
        lines.extend(
            describe_agents()
                .into_iter()
                .map(|line| format!("  {line}")),
        );
        for line in lines {
            context
                .console
                .result(&sanitise_terminal::sanitise_line(&line, LINE_WIDTH))?;
        }
        Ok(CommandExit::Done)
    }
}

/// The agent for phones, one line per processor, and what to do if there is none.
fn describe_agents() -> Vec<String> {
    let mut help = None;
    let mut lines = Vec::new();
    for abi in ABIS {
        lines.push(match AgentFiles::find(abi) {
            Ok(AgentFiles { library, jar }) => {
                format!(
                    "Phones with `{abi}` get `{}` and `{}`.",
                    library.display(),
                    jar.display()
                )
            }
            Err(error) => {
                help.get_or_insert_with(|| error.help());
                format!("Phones with `{abi}` get no agent: {error}.")
            }
        });
    }
    lines.extend(help.map(|help| format!("For phones, {help}.")));
    lines
}

/// One sentence per command, with the defaults that the commands themselves have.
fn describe_commands(config: &Config) -> Vec<String> {
    let count = config.count.unwrap_or(DEFAULT_COUNT);
    let phones = |unnamed: &str| match (&config.device, count) {
        (None, 1) => unnamed.to_owned(),
        (None, count) => format!("{unnamed}, {count} of them"),
        (Some(device), 1) => format!("`{device}`"),
        (Some(device), count) => format!("{count} phones `{device}`"),
    };
    let seed = config
        .seed
        .map_or_else(|| "a random seed".to_owned(), |seed| format!("seed {seed}"));
    let mut lines = vec![describe_explore(
        config,
        &phones("the phone named with `--device`"),
        &seed,
    )];
    lines.extend(describe_constraints(&config.explore));
    lines.extend(describe_known_findings(config));
    lines.push(describe_reduce(
        config,
        &phones("the simulated phone that has the trace's app"),
    ));
    lines.push(describe_replay(config));
    lines
}

fn describe_explore(config: &Config, phones: &str, seed: &str) -> String {
    let app = config
        .app
        .as_ref()
        .map_or_else(|| "the app".to_owned(), |app| format!("`{app}`"));
    let ExploreLimits {
        explorer,
        events,
        minutes,
        session_events,
    } = ExploreCommand::default().limits(&config.explore);
    let session = u64::from(session_events);
    let limit = match (minutes, explorer) {
        (Some(minutes), _) => format!("{} of phone time", pluralise(u64::from(minutes), "minute")),
        (None, ExplorerKind::Random) => format!(
            "{}, in {} of up to {}",
            pluralise(events, "event"),
            pluralise(events.div_ceil(session), "session"),
            group_thousands(session.min(events)),
        ),
        (None, _) => pluralise(events, "event"),
    };
    let explorer = explorer.name();
    format!(
        "`retap explore` explores {app} on {phones} with explorer `{explorer}` and {seed}: {limit}."
    )
}

/// Constraints of an exploration, if the file has some.
fn describe_constraints(explore: &ExploreConfig) -> Option<String> {
    let some = |list: &[String], before: &str, one: &str| {
        (!list.is_empty()).then(|| format!("{before} {}", pluralise(list.len() as u64, one)))
    };
    let trace = explore
        .before
        .as_ref()
        .map(|trace| format!("plays `{}` after every clean start", trace.display()));
    let from = explore.from.len() as u64;
    let parts = [
        trace,
        (from > 0).then(|| format!("plays {} first", pluralise(from, "recorded trace"))),
        some(&explore.forbidden_widgets, "touches no widget of", "kind"),
        some(
            &explore.forbidden_texts,
            "touches no widget with one of",
            "text",
        ),
        (!explore.forbidden_activities.is_empty()).then(|| {
            format!(
                "leaves {} at once",
                quoted_list(explore.forbidden_activities.iter().map(String::as_str))
            )
        }),
        (!explore.texts.is_empty()).then(|| {
            format!(
                "knows what to type into {}",
                pluralise(explore.texts.len() as u64, "field")
            )
        }),
        some(
            &explore.never,
            "looks out for what must never appear:",
            "rule",
        ),
        some(
            &explore.always,
            "looks out for what must always be there:",
            "rule",
        ),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("It {}.", parts.join("; ")))
}

/// Baseline and mappings, if the file has some.
fn describe_known_findings(config: &Config) -> Vec<String> {
    let baseline = config.explore.baseline.as_ref().map(|path| {
        let path = path.display();
        format!("Findings that `{path}` lists are known; only others lead to exit code 1.")
    });
    let versions = config.mappings.len() as u64;
    let mappings = (versions > 0).then(|| {
        let versions = pluralise(versions, "version");
        format!("Obfuscated stacks of {versions} of the app are retraced.")
    });
    baseline.into_iter().chain(mappings).collect()
}

fn describe_reduce(config: &Config, phones: &str) -> String {
    let command = ReduceCommand::default();
    let algorithm = command.algorithm(&config.reduce);
    let PassCriterion { runs, successes } = command.criterion(&config.reduce);
    let target = config.reduce.target.as_ref().map_or_else(
        || "what the trace says it reaches".to_owned(),
        |target| format!("`{target}`"),
    );
    format!(
        "`retap reduce` cuts traces down with `{algorithm}` on {phones}, keeping {target}; \
         it takes {successes} of {} for a candidate to count.",
        pluralise(u64::from(runs), "run"),
    )
}

fn describe_replay(config: &Config) -> String {
    let times = u64::from(ReplayCommand::default().times(config));
    format!("`retap replay` plays a trace {}.", pluralise(times, "time"))
}
