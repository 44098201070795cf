//! `retap check`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::agent_files::{ABIS, AgentFiles};
use crate::cli::arguments::Global;
use crate::config::{self, Config, ExploreConfig};
use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::plain::{self, LONG};
use crate::run::crashes;
use crate::settings::{self, Algorithm, Explorer};
use crate::shell::Shell;
use crate::words::{counted, listed, thousands};

/// Read `retap.toml` strictly, and say what would be done
#[derive(Debug, Args)]
pub struct Check {
    /// The file; `retap.toml` in this directory if not said
    file: Option<PathBuf>,
}

impl Check {
    pub fn run(&self, global: &Global, shell: &Shell) -> Result<Exit, Failure> {
        let named = self.file.as_deref().or(global.config.as_deref());
        let config = Config::load(named)?;
        let path = named.unwrap_or(Path::new(config::FILE));
        let found = if named.is_none() && !path.exists() {
            format!("There is no `{}` here; without one:", config::FILE)
        } else {
            format!("`{}` is right. With it:", path.display())
        };
        let mut lines = vec![found];
        let explore = &config.explore;
        for trace in explore.before.iter().chain(&explore.from) {
            crashes::read_trace(trace)?;
        }
        lines.extend(
            in_words(&config)
                .into_iter()
                .map(|line| format!("  {line}")),
        );
        lines.push(format!(
            "  The store is `{}`.",
            global.store(&config).display()
        ));
        lines.extend(agents().into_iter().map(|line| format!("  {line}")));
        for line in lines {
            shell.console.result(&plain::line(&line, LONG))?;
        }
        Ok(Exit::Done)
    }
}

/// What phones would be given, a line for each processor, and what to do if some get nothing.
fn agents() -> Vec<String> {
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

/// One sentence a command.
fn in_words(config: &Config) -> Vec<String> {
    let count = u64::from(config.count.unwrap_or(1));
    let phones = |unnamed: &str| match (&config.device, count) {
        (None, 1) => unnamed.to_owned(),
        (None, count) => format!("{unnamed}, {count} of them"),
        (Some(device), 1) => format!("`{device}`"),
        (Some(device), count) => format!("{count} phones `{device}`"),
    };
    let seed = config
        .seed
        .map_or_else(|| "a random seed".to_owned(), |seed| format!("seed {seed}"));
    let mut lines = vec![explore(
        config,
        &phones("the phone named with `--device`"),
        &seed,
    )];
    lines.extend(respected(&config.explore));
    lines.push(reduce(
        config,
        &phones("the simulated phone that has the trace's app"),
    ));
    lines.push(replay(config));
    lines
}

fn explore(config: &Config, phones: &str, seed: &str) -> String {
    let app = config
        .app
        .as_ref()
        .map_or_else(|| "the app".to_owned(), |app| format!("`{app}`"));
    let usual = Explorer::usual(config.explore.session_events);
    let explorer = config.explore.explorer.unwrap_or(usual);
    let events = config.explore.events.unwrap_or(settings::DEFAULT_EVENTS);
    let session = u64::from(
        config
            .explore
            .session_events
            .unwrap_or(settings::DEFAULT_SESSION_EVENTS),
    );
    let how_long = match (config.explore.minutes, explorer) {
        (Some(minutes), _) => format!("{} of phone time", counted(u64::from(minutes), "minute")),
        (None, Explorer::Random) => format!(
            "{}, in {} of up to {}",
            counted(events, "event"),
            counted(events.div_ceil(session), "session"),
            thousands(session.min(events)),
        ),
        (None, _) => counted(events, "event"),
    };
    let explorer = explorer.name();
    format!(
        "`retap explore` explores {app} on {phones} with explorer `{explorer}` and {seed}: {how_long}."
    )
}

/// What an exploration does and does not do besides, if the file says something about it.
fn respected(explore: &ExploreConfig) -> Option<String> {
    let some = |list: &[String], before: &str, one: &str| {
        (!list.is_empty()).then(|| format!("{before} {}", counted(list.len() as u64, one)))
    };
    let trace = explore
        .before
        .as_ref()
        .map(|trace| format!("plays `{}` after every clean start", trace.display()));
    let from = explore.from.len() as u64;
    let parts = [
        trace,
        (from > 0).then(|| format!("plays {} first", counted(from, "recorded trace"))),
        some(&explore.forbidden_widgets, "touches no widget of", "kind"),
        some(
            &explore.forbidden_texts,
            "touches no widget with one of",
            "text",
        ),
        (!explore.forbidden_activities.is_empty()).then(|| {
            format!(
                "leaves {} at once",
                listed(explore.forbidden_activities.iter().map(String::as_str))
            )
        }),
        (!explore.texts.is_empty()).then(|| {
            format!(
                "knows what to type into {}",
                counted(explore.texts.len() as u64, "field")
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

fn reduce(config: &Config, phones: &str) -> String {
    let algorithm = config.reduce.algorithm.unwrap_or(Algorithm::Auto);
    let (runs, successes) = algorithm.rules(config.reduce.runs, config.reduce.successes);
    let algorithm = algorithm.name();
    let target = config.reduce.target.as_ref().map_or_else(
        || "what the trace says it reaches".to_owned(),
        |target| format!("`{target}`"),
    );
    format!(
        "`retap reduce` cuts traces down with `{algorithm}` on {phones}, keeping {target}; \
         it takes {successes} of {} for a candidate to count.",
        counted(u64::from(runs), "run"),
    )
}

fn replay(config: &Config) -> String {
    let times = u64::from(config.replay.times.unwrap_or(settings::DEFAULT_TIMES));
    format!("`retap replay` plays a trace {}.", counted(times, "time"))
}
