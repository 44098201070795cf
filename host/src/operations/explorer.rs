//! Explorers by their names and settings.

use std::num::NonZeroU32;

use retap_device::seed::Seed;
use retap_explore::{
    ApeExplorer, ApeParameterError, ApeParameters, AutoExplorer, EventMix, EventMixError,
    Explorer as Explores, MonkeyExplorer, RandomSessions, StuckParameters, TimeTravelExplorer,
    TimeTravelParameters, TraceSeededExplorer,
};
use retap_model::ape::{AbstractionError, AttributePaths, AttributeReducer, DecisionTree};
use retap_shared::micros::Micros;
use retap_shared::trace::{Trace, TraceError};

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::operations::ExplorationPlan;
use crate::options::{ExplorerKind, ExplorerOptions};

/// The papers': so long between two of Monkey's events.
const THROTTLE: u32 = 200;

#[derive(Debug, thiserror::Error)]
pub enum ExplorerError {
    #[error("invalid shares of Monkey's events")]
    Mix(#[source] EventMixError),
    #[error(transparent)]
    Ape(ApeParameterError),
    #[error("invalid initial abstraction")]
    Abstraction(#[source] AbstractionError),
    #[error("a trace to start from cannot be read")]
    From(#[source] TraceError),
    #[error("system events are not allowed on a phone that may be somebody's own")]
    NotAllowed,
    #[error("`{app}` is no app to explore on a phone that may be somebody's own")]
    SystemApp { app: String },
    #[error("sessions of 0 events explore nothing")]
    EmptySessions,
    #[error("`{over}` travels by itself")]
    CannotTravel { over: &'static str },
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
pub fn check(tuning: &ExplorerOptions) -> Result<(), ExplorerError> {
    monkey(tuning)?;
    model(tuning)?;
    explorer_under_travel(tuning).map(|_| ())
}

/// One explorer for all phones.
pub fn make(wanted: &ExplorationPlan, seed: Seed) -> Result<Box<dyn Explores>, CommandError> {
    let explorer = make_named(wanted.explorer, wanted, seed)?;
    let from = &wanted.constraints.from;
    if from.is_empty() {
        return Ok(explorer);
    }
    let trace = |text: &String| {
        Trace::parse(text)
            .map(|trace| trace.steps)
            .map_err(ExplorerError::From)
    };
    let traces = from.iter().map(trace).collect::<Result<_, _>>()?;
    Ok(Box::new(TraceSeededExplorer::new(explorer, traces)))
}

fn make_named(
    explorer: ExplorerKind,
    wanted: &ExplorationPlan,
    seed: Seed,
) -> Result<Box<dyn Explores>, ExplorerError> {
    let ExplorationPlan {
        session_events,
        explorer_options: tuning,
        ..
    } = wanted;
    Ok(match explorer {
        ExplorerKind::Random => {
            let events = NonZeroU32::new(*session_events).ok_or(ExplorerError::EmptySessions)?;
            Box::new(RandomSessions::new(seed, events))
        }
        ExplorerKind::Monkey => Box::new(monkey(tuning)?),
        ExplorerKind::MonkeySystem if !wanted.allow_system => {
            return Err(ExplorerError::NotAllowed);
        }
        ExplorerKind::MonkeySystem => Box::new(monkey(tuning)?.with_system_events()),
        ExplorerKind::MonkeyRestart => {
            Box::new(monkey(tuning)?.with_restarts(StuckParameters::default()))
        }
        ExplorerKind::Ape => {
            let (rules, tree, paths) = model(tuning)?;
            Box::new(ApeExplorer::new(rules, tree, paths))
        }
        ExplorerKind::Timetravel => {
            let usual = if wanted.allow_system {
                ExplorerKind::MonkeySystem
            } else {
                ExplorerKind::Monkey
            };
            let over = explorer_under_travel(tuning)?.unwrap_or(usual);
            Box::new(TimeTravelExplorer::over(
                make_named(over, wanted, seed)?,
                TimeTravelParameters::default(),
            ))
        }
        ExplorerKind::Auto => {
            let (rules, tree, paths) = model(tuning)?;
            Box::new(AutoExplorer::new(rules, tree, paths, wanted.allow_system))
        }
    })
}

fn explorer_under_travel(tuning: &ExplorerOptions) -> Result<Option<ExplorerKind>, ExplorerError> {
    match tuning.over {
        Some(over @ (ExplorerKind::Timetravel | ExplorerKind::Auto)) => {
            Err(ExplorerError::CannotTravel { over: over.name() })
        }
        over => Ok(over),
    }
}

fn model(
    tuning: &ExplorerOptions,
) -> Result<(ApeParameters, DecisionTree, AttributePaths), ExplorerError> {
    let mut rules = ApeParameters::default();
    for (name, value) in &tuning.ape {
        rules.set(name, value).map_err(ExplorerError::Ape)?;
    }
    let mut paths = AttributePaths::default();
    let tree = match &tuning.abstraction {
        Some(text) => DecisionTree::parse(text, &mut paths).map_err(ExplorerError::Abstraction)?,
        None => DecisionTree::uniform(AttributeReducer::TYPE),
    };
    Ok((rules, tree, paths))
}

fn monkey(tuning: &ExplorerOptions) -> Result<MonkeyExplorer, ExplorerError> {
    let mix = EventMix::with_shares(&tuning.shares).map_err(ExplorerError::Mix)?;
    let throttle = u64::from(tuning.throttle.unwrap_or(THROTTLE));
    Ok(MonkeyExplorer::new(mix, Micros::from_millis(throttle)))
}

impl UserError for ExplorerError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            ExplorerError::Mix(_) => {
                "give shares with `--pct-touch 40` and the like; those that are not given share what is left of 100"
            }
            ExplorerError::Ape(_) => {
                "write `--ape NAME=VALUE`, or `ape = { … }` in `retap.toml`; docs/how-it-works/ape.md lists the settings"
            }
            ExplorerError::Abstraction(_) => {
                "correct the file that `--abstraction` names, or start from the `abstraction.txt` of a run"
            }
            ExplorerError::From(_) => "leave it out of `--from`, or record it anew",
            ExplorerError::NotAllowed => "allow them with `--allow system`, or explore with `--explorer monkey`",
            ExplorerError::SystemApp { .. } => "explore an app of your own, or allow it with `--allow system`",
            ExplorerError::EmptySessions => "choose another number with `--session-events`",
            ExplorerError::CannotTravel { .. } => "choose another explorer with `--over`, such as `monkey` or `ape`",
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
