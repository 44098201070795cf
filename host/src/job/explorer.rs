//! Explorers by their names and settings.

use retap_explore::{
    Ape, ApeRules, Auto, Explorer as Explores, Mix, Monkey, Random, Seeded, Sessions, StuckRules,
    TimeTravel, TravelRules, UnknownRule, UnknownShare,
};
use retap_model::ape::{AbstractionError, DecisionTree, Paths, Reducer};
use retap_shared::micros::Micros;
use retap_shared::trace::{Trace, TraceError};

use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::Wanted;
use crate::settings::{Explorer, Tuning};

/// The papers': so long between two of Monkey's events.
const THROTTLE: u32 = 200;

#[derive(Debug, thiserror::Error)]
pub enum ExplorerError {
    #[error("Monkey's events cannot be mixed so")]
    Mix(#[source] UnknownShare),
    #[error(transparent)]
    Ape(UnknownRule),
    #[error("the abstraction to start from is none")]
    Abstraction(#[source] AbstractionError),
    #[error("a trace to start from cannot be read")]
    From(#[source] TraceError),
    #[error("system events are not allowed on a phone that may be somebody's own")]
    NotAllowed,
    #[error("`{app}` is no app to explore on a phone that may be somebody's own")]
    SystemApp { app: String },
    #[error("`{over}` travels by itself")]
    Over { over: &'static str },
}

/// What can call, write to others, buy, or change the phone, wherever one taps.
const SYSTEM_APPS: [&str; 8] = [
    "com.android.settings",
    "com.android.systemui",
    "com.android.phone",
    "com.android.dialer",
    "com.google.android.dialer",
    "com.android.mms",
    "com.google.android.apps.messaging",
    "com.android.vending",
];

/// Whether an app may be explored: `system` is what phones allow that are nobody's own, or where the user says so.
pub fn check_app(app: &str, system: bool) -> Result<(), ExplorerError> {
    match SYSTEM_APPS.contains(&app) && !system {
        true => Err(ExplorerError::SystemApp {
            app: app.to_owned(),
        }),
        false => Ok(()),
    }
}

/// Whether an explorer can be made so, before any phone is reached for. Settings of other explorers than the one that is
/// asked for count too: a mistake in them is a mistake.
pub fn check(tuning: &Tuning) -> Result<(), ExplorerError> {
    monkey(tuning)?;
    model(tuning)?;
    over(tuning).map(|_| ())
}

/// One explorer for all phones.
pub fn make(wanted: &Wanted) -> Result<Box<dyn Explores>, Failure> {
    let explorer = named(wanted.explorer, wanted)?;
    let from = &wanted.care.from;
    if from.is_empty() {
        return Ok(explorer);
    }
    let trace = |text: &String| {
        Trace::parse(text)
            .map(|trace| trace.steps)
            .map_err(ExplorerError::From)
    };
    let traces = from.iter().map(trace).collect::<Result<_, _>>()?;
    Ok(Box::new(Seeded::new(explorer, traces)))
}

fn named(explorer: Explorer, wanted: &Wanted) -> Result<Box<dyn Explores>, ExplorerError> {
    let Wanted {
        session_events,
        tuning,
        ..
    } = wanted;
    Ok(match explorer {
        Explorer::Random => Box::new(Sessions::new(
            || Box::new(Random::default()),
            *session_events,
        )),
        Explorer::Monkey => Box::new(monkey(tuning)?),
        Explorer::MonkeySystem if !wanted.system => return Err(ExplorerError::NotAllowed),
        Explorer::MonkeySystem => Box::new(monkey(tuning)?.with_system_events()),
        Explorer::MonkeyRestart => Box::new(monkey(tuning)?.with_restarts(StuckRules::default())),
        Explorer::Ape => {
            let (rules, tree, paths) = model(tuning)?;
            Box::new(Ape::new(rules, tree, paths))
        }
        Explorer::Timetravel => {
            let usual = if wanted.system {
                Explorer::MonkeySystem
            } else {
                Explorer::Monkey
            };
            let over = over(tuning)?.unwrap_or(usual);
            Box::new(TimeTravel::over(
                named(over, wanted)?,
                TravelRules::default(),
            ))
        }
        Explorer::Auto => {
            let (rules, tree, paths) = model(tuning)?;
            Box::new(Auto::new(rules, tree, paths, wanted.system))
        }
    })
}

fn over(tuning: &Tuning) -> Result<Option<Explorer>, ExplorerError> {
    match tuning.over {
        Some(over @ (Explorer::Timetravel | Explorer::Auto)) => {
            Err(ExplorerError::Over { over: over.name() })
        }
        over => Ok(over),
    }
}

fn model(tuning: &Tuning) -> Result<(ApeRules, DecisionTree, Paths), ExplorerError> {
    let mut rules = ApeRules::default();
    for (name, value) in &tuning.ape {
        rules.set(name, value).map_err(ExplorerError::Ape)?;
    }
    let mut paths = Paths::default();
    let tree = match &tuning.abstraction {
        Some(text) => DecisionTree::parse(text, &mut paths).map_err(ExplorerError::Abstraction)?,
        None => DecisionTree::plain(Reducer::TYPE),
    };
    Ok((rules, tree, paths))
}

fn monkey(tuning: &Tuning) -> Result<Monkey, ExplorerError> {
    let mix = Mix::with(&tuning.shares).map_err(ExplorerError::Mix)?;
    let throttle = u64::from(tuning.throttle.unwrap_or(THROTTLE));
    Ok(Monkey::new(mix, Micros::from_millis(throttle)))
}

impl Explained for ExplorerError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        match self {
            ExplorerError::Mix(_) => {
                "give shares with `--pct-touch 40` and the like; those that are not given share what is left of 100"
            }
            ExplorerError::Ape(_) => {
                "write `--ape NAME=VALUE`, or `ape = { … }` in `retap.toml`; docs/algorithms.md lists the settings"
            }
            ExplorerError::Abstraction(_) => {
                "correct the file that `--abstraction` names, or start from the `abstraction.txt` of a run"
            }
            ExplorerError::From(_) => "leave it out of `--from`, or record it anew",
            ExplorerError::NotAllowed => "allow them with `--allow system`, or explore with `--explorer monkey`",
            ExplorerError::SystemApp { .. } => "explore an app of your own, or allow it with `--allow system`",
            ExplorerError::Over { .. } => "choose another explorer with `--over`, such as `monkey` or `ape`",
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_what_calls_or_buys_are_explored_only_where_that_is_allowed() {
        for app in SYSTEM_APPS {
            assert!(
                check_app(app, false)
                    .unwrap_err()
                    .help()
                    .contains("--allow system"),
                "{app}"
            );
            check_app(app, true).unwrap();
        }
        check_app("com.example.notes", false).unwrap();
    }
}
