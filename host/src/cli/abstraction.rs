//! `--abstraction` of suites: a name, or a file of one of the two kinds of rules.

use std::path::{Path, PathBuf};

use retap_model::ape::{AbstractionError, AttributeReducer, LearnedAbstraction};
use retap_model::{Abstraction, WidgetAbstraction};

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::run::directory;

pub fn parse_abstraction(name: Option<&str>) -> Result<Abstraction, CommandError> {
    match name {
        None | Some("widgets") => Ok(Abstraction::Widgets(WidgetAbstraction::default())),
        Some("activity") => Ok(Abstraction::Activity),
        Some("ape") => Ok(Abstraction::Ape(LearnedAbstraction::default())),
        Some(file) => {
            let path = Path::new(file);
            if !path.is_file() {
                return Err(UnknownAbstraction {
                    name: file.to_owned(),
                }
                .into());
            }
            Ok(read_abstraction(path)?)
        }
    }
}

/// A file of APE's begins with a reducer; nothing that is TOML does.
fn read_abstraction(path: &Path) -> Result<Abstraction, CommandError> {
    let text = directory::read(path)?;
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let of_ape = lines
        .next()
        .is_some_and(|first| first.parse::<AttributeReducer>().is_ok());
    let path = path.to_owned();
    if of_ape {
        let learned = LearnedAbstraction::from_rules(&text)
            .map_err(|source| AbstractionFileError { path, source })?;
        return Ok(Abstraction::Ape(learned));
    }
    let rules = toml::from_str(&text).map_err(|source| WidgetRulesError {
        path,
        source: Box::new(source),
    })?;
    Ok(Abstraction::Widgets(rules))
}

#[derive(Debug, thiserror::Error)]
#[error("`{name}` is neither `activity` nor `widgets` nor `ape` nor a file")]
struct UnknownAbstraction {
    name: String,
}

impl UserError for UnknownAbstraction {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "choose `--abstraction widgets`, or name a file of rules; docs/reference/files.md says how to write one"
            .into()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("`{}` is no file of rules for screens", .path.display())]
struct WidgetRulesError {
    path: PathBuf,
    source: Box<toml::de::Error>,
}

impl UserError for WidgetRulesError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "correct it; docs/reference/files.md lists every key".into()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("`{}` begins like an abstraction of `ape` and is none", .path.display())]
struct AbstractionFileError {
    path: PathBuf,
    source: AbstractionError,
}

impl UserError for AbstractionFileError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "correct the line; docs/how-it-works/ape.md shows one, and `retap explore --explorer ape` writes them"
            .into()
    }
}
