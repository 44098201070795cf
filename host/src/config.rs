//! `retap.toml`: settings for every command in a directory. The command line has priority.
//! Only keys that take effect are known; anything else is a mistake.

mod reader;

use std::io;
use std::path::{Path, PathBuf};

pub use reader::ConfigMistake;
use reader::{TomlDocument, TomlSection};
use retap_explore::ApeParameters;
use retap_reduce::named_choice::NamedChoice;
use retap_reduce::trace_reduction::ReductionAlgorithm;
use retap_shared::target::Target;

use crate::command_error::{CommandError, UserError};
use crate::constraints;
use crate::device_spec::DeviceSelector;
use crate::exit::CommandExit;
use crate::input_file;
use crate::options::{self, ExplorerKind, KeepAge, KeepSize};
use crate::wording::{closest_name, quoted_list};

pub const FILE: &str = "retap.toml";

/// Content of the file; `None` for keys that it does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    pub device: Option<DeviceSelector>,
    pub count: Option<u32>,
    pub app: Option<String>,
    pub seed: Option<u64>,
    pub store: Option<PathBuf>,
    /// Mappings of obfuscated builds by version code.
    pub mappings: Vec<(u64, PathBuf)>,
    pub explore: ExploreConfig,
    pub reduce: ReduceConfig,
    pub replay: ReplayConfig,
    pub runs: RunsConfig,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExploreConfig {
    pub explorer: Option<ExplorerKind>,
    pub events: Option<u64>,
    pub minutes: Option<u32>,
    pub session_events: Option<u32>,
    pub throttle: Option<u32>,
    pub forbidden_widgets: Vec<String>,
    pub forbidden_activities: Vec<String>,
    pub forbidden_texts: Vec<String>,
    pub texts: Vec<(String, String)>,
    pub never: Vec<String>,
    pub always: Vec<String>,
    pub before: Option<PathBuf>,
    pub from: Vec<PathBuf>,
    pub baseline: Option<PathBuf>,
    /// APE's parameters, as they are written.
    pub ape: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReduceConfig {
    pub algorithm: Option<ReductionAlgorithm>,
    pub target: Option<String>,
    pub runs: Option<u32>,
    pub successes: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayConfig {
    pub times: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunsConfig {
    pub older_than: Option<KeepAge>,
    pub keep_size: Option<KeepSize>,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("could not read `{}`", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` has {}", .path.display(), if .mistakes.len() == 1 { "a mistake" } else { "mistakes" })]
    Invalid {
        path: PathBuf,
        mistakes: Vec<ConfigMistake>,
    },
}

impl Config {
    /// The file that was named, or else the one in the working directory, or else nothing.
    pub fn load(named: Option<&Path>) -> Result<Config, ConfigError> {
        let path = named.unwrap_or(Path::new(FILE));
        match input_file::read_to_string(path) {
            Ok(text) => Config::parse(&text).map_err(|mistakes| ConfigError::Invalid {
                path: path.to_owned(),
                mistakes,
            }),
            Err(error) if named.is_none() && error.kind() == io::ErrorKind::NotFound => {
                Ok(Config::default())
            }
            Err(source) => Err(ConfigError::Read {
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// All mistakes at once, in the order of the file.
    pub fn parse(text: &str) -> Result<Config, Vec<ConfigMistake>> {
        let document = TomlDocument::parse(text)?;
        let mut top = document.top();
        let config = Config {
            device: top.parsed("device"),
            count: top.number("count", options::COUNTS),
            app: top.text("app"),
            seed: top.number("seed", 0..=u64::MAX),
            store: top.text("store").map(PathBuf::from),
            mappings: mappings(&mut top),
            explore: top.section("explore", explore),
            reduce: top.section("reduce", reduce),
            replay: top.section("replay", |section| ReplayConfig {
                times: section.number("times", options::RUNS),
            }),
            runs: top.section("runs", |section| RunsConfig {
                older_than: section.parsed("older_than"),
                keep_size: section.parsed("keep_size"),
            }),
        };
        top.finish()?;
        Ok(config)
    }
}

/// An error with its causes, in one line.
fn error_chain(error: impl Into<CommandError>) -> String {
    error.into().chain().join(": ")
}

/// `[mappings]`: version codes, and the file of each.
fn mappings(top: &mut TomlSection<'_>) -> Vec<(u64, PathBuf)> {
    let pairs = top.pairs("mappings", |version, path| {
        let is_version = version.parse::<u64>().is_ok();
        is_version
            .then_some(())
            .ok_or_else(|| format!("`{version}` is not a version code; write a number"))?;
        constraints::check_not_empty(path)
    });
    let numbered = |(version, path): (String, String)| Some((version.parse().ok()?, path.into()));
    pairs.into_iter().filter_map(numbered).collect()
}

fn explore(section: &mut TomlSection<'_>) -> ExploreConfig {
    let config = ExploreConfig {
        explorer: choice(section, "explorer"),
        events: section.number("events", options::EVENTS),
        minutes: section.number("minutes", options::MINUTES),
        session_events: section.number("session_events", options::SESSION_EVENTS),
        throttle: section.number("throttle", 0..=60_000),
        forbidden_widgets: section.texts("forbidden_widgets", |text| {
            constraints::parse_selector(text).map(|_| ())
        }),
        forbidden_activities: section.texts("forbidden_activities", constraints::check_not_empty),
        forbidden_texts: section.texts("forbidden_texts", constraints::check_not_empty),
        texts: section.pairs("texts", |field, _| constraints::check_not_empty(field)),
        never: section.texts("never", |text| constraints::parse_never(text).map(|_| ())),
        always: section.texts("always", |text| constraints::parse_always(text).map(|_| ())),
        before: section.text("before").map(PathBuf::from),
        from: section
            .texts("from", constraints::check_not_empty)
            .into_iter()
            .map(PathBuf::from)
            .collect(),
        baseline: section.text("baseline").map(PathBuf::from),
        ape: section.pairs("ape", |name, value| {
            ApeParameters::default()
                .set(name, value)
                .map_err(|error| error.to_string())
        }),
    };
    if config.events.is_some() {
        config.minutes.inspect(|_| {
            section.mistake_at("minutes", "`events` and `minutes` cannot both be given");
        });
    }
    config
}

fn reduce(section: &mut TomlSection<'_>) -> ReduceConfig {
    let config = ReduceConfig {
        algorithm: choice(section, "algorithm"),
        target: section.checked("target", |text| {
            text.parse::<Target>().map(drop).map_err(error_chain)
        }),
        runs: section.number("runs", options::RUNS),
        successes: section.number("successes", options::RUNS),
    };
    if config.successes > config.runs.or(config.successes) {
        section.mistake_at("successes", "`successes` cannot be more than `runs`");
    }
    config
}

/// A choice by one of its names.
fn choice<C: NamedChoice>(section: &mut TomlSection<'_>, key: &'static str) -> Option<C> {
    let names = || C::ALL.iter().map(|choice| choice.name());
    let name = section.checked(key, |text| {
        if C::from_name(text).is_ok() {
            return Ok(());
        }
        let hint = closest_name(text, names())
            .map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        Err(format!(
            "`{text}` is none of {}{hint}",
            quoted_list(names())
        ))
    })?;
    C::from_name(&name).ok()
}

impl UserError for ConfigError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn details(&self) -> Vec<String> {
        match self {
            ConfigError::Read { .. } => Vec::new(),
            ConfigError::Invalid { path, mistakes } => mistakes
                .iter()
                .map(|mistake| format!("{}:{mistake}", path.display()))
                .collect(),
        }
    }

    fn help(&self) -> String {
        match self {
            ConfigError::Read { .. } => "name a file that is there and may be read".into(),
            ConfigError::Invalid { .. } => {
                "correct the file and see with `retap check` what it would do; docs/reference/retap-toml.md lists every key"
                    .into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<String> {
        Config::parse(text)
            .unwrap_err()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn every_key_is_read() {
        let text = r#"
            device = "sim:notes"
            count = 4
            app = "notes"
            seed = 18446744073709551615
            store = "here.sqlite"
            mappings = { 31 = "31/mapping.txt" }
            [explore]
            explorer = "random"
            events = 1_000
            session_events = 0x64
            throttle = 100
            forbidden_widgets = ["id:logout", "text:Sign out"]
            forbidden_activities = ["BillingActivity"]
            forbidden_texts = ["buy"]
            texts = { user = "me@example.com" }
            never = ["screen:Server error", "activity:Oops", "log:ANR in"]
            always = ["id:toolbar", "screen:Total in CartActivity"]
            before = "login.retap"
            from = ["one.retap"]
            baseline = "baseline.json"
            ape = { alpha = 4, epsilon = 0.1, interactive_only = true }
            [reduce]
            algorithm = "dd"
            target = "activity:Settings"
            runs = 20
            successes = 18
            [replay]
            times = 5
            [runs]
            older_than = "30d"
            keep_size = "2GB"
        "#;
        let expected = Config {
            device: Some("sim:notes".parse().unwrap()),
            count: Some(4),
            app: Some("notes".into()),
            seed: Some(u64::MAX),
            store: Some("here.sqlite".into()),
            mappings: vec![(31, "31/mapping.txt".into())],
            explore: ExploreConfig {
                explorer: Some(ExplorerKind::Random),
                events: Some(1_000),
                session_events: Some(100),
                throttle: Some(100),
                forbidden_widgets: vec!["id:logout".into(), "text:Sign out".into()],
                forbidden_activities: vec!["BillingActivity".into()],
                forbidden_texts: vec!["buy".into()],
                texts: vec![("user".into(), "me@example.com".into())],
                never: vec![
                    "screen:Server error".into(),
                    "activity:Oops".into(),
                    "log:ANR in".into(),
                ],
                always: vec!["id:toolbar".into(), "screen:Total in CartActivity".into()],
                before: Some("login.retap".into()),
                from: vec!["one.retap".into()],
                baseline: Some("baseline.json".into()),
                ape: [
                    ("alpha", "4"),
                    ("epsilon", "0.1"),
                    ("interactive_only", "true"),
                ]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
                ..ExploreConfig::default()
            },
            reduce: ReduceConfig {
                algorithm: Some(ReductionAlgorithm::Dd),
                target: Some("activity:Settings".into()),
                runs: Some(20),
                successes: Some(18),
            },
            replay: ReplayConfig { times: Some(5) },
            runs: RunsConfig {
                older_than: Some("30d".parse().unwrap()),
                keep_size: Some("2GB".parse().unwrap()),
            },
        };
        assert_eq!(Config::parse(text), Ok(expected));
        assert_eq!(Config::parse(""), Ok(Config::default()));
    }

    #[test]
    fn an_unknown_key_is_named_with_its_place_and_the_nearest_one() {
        assert_eq!(
            mistakes("count = 1\n[explore]\n  evnts = 5\n"),
            ["3:3: unknown key `evnts` in `[explore]`; did you mean `events`?"]
        );
        assert_eq!(
            mistakes("[exlore]\n[zzzzzz]\n"),
            [
                "1:2: unknown section `[exlore]`; did you mean `[explore]`?",
                "2:2: unknown section `[zzzzzz]`; known are `[explore]`, `[reduce]`, `[replay]` and `[runs]`",
            ]
        );
    }

    #[test]
    fn values_of_the_wrong_kind_or_out_of_range_are_mistakes() {
        assert_eq!(
            mistakes("device = 5\ncount = 0\nseed = -1\n[explore]\nevents = \"many\"\n"),
            [
                "1:10: `device` must be a text, not a whole number",
                "2:9: `count` must be from 1 to 1,000, not 0",
                "3:8: `seed` must be from 0 to 18,446,744,073,709,551,615, not -1",
                "5:10: `events` must be a whole number, not a text",
            ]
        );
        assert_eq!(
            mistakes("explore = 3"),
            ["1:11: `explore` must be a section, not a whole number"]
        );
    }

    #[test]
    fn names_that_are_none_of_the_known_ones_are_mistakes() {
        assert_eq!(
            mistakes("[reduce]\nalgorithm = \"atuo\""),
            [
                "2:13: `algorithm`: `atuo` is none of `auto`, `dd`, `probdd`, `cdd`, `wdd`, `nd3min`, `hdd`, `bhdd`, `lhdd` and `lhdd-no-preselection`; did you mean `auto`?"
            ]
        );
        assert_eq!(
            mistakes("[reduce]\nruns = 2\nsuccesses = 3"),
            ["3:13: `successes` cannot be more than `runs`"]
        );
    }

    #[test]
    fn broken_toml_is_reported_with_its_place() {
        let mistakes = mistakes("count = 1\nseed = = 3\n");
        assert_eq!(mistakes.len(), 1);
        assert!(mistakes[0].starts_with("2:"), "{mistakes:?}");
    }
}
