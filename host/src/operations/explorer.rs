//! Explorers by their names and options.

use std::num::NonZeroU32;

use retap_device::seed::Seed;
use retap_explore::{
    ApeExplorer, ApeParameterError, ApeParameters, AutoExplorer, EventMix, EventMixError, Explorer,
    MonkeyExplorer, RandomSessions, StuckParameters, TimeTravelExplorer, TimeTravelParameters,
    TraceSeededExplorer,
};
use retap_model::ape::{AbstractionError, AttributePaths, AttributeReducer, DecisionTree};
use retap_reduce::named_choice::NamedChoice as _;
use retap_shared::micros::Micros;
use retap_shared::trace::{Trace, TraceError};

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::operations::ExplorationPlan;
use crate::options::{DEFAULT_THROTTLE_MS, ExplorerKind, ExplorerOptions};

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

/// Apps that can call, write to others, buy, or change the phone, wherever one taps.
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

/// Checks whether an app may be explored. System apps need a permission on phones that may be somebody's own.
pub fn check_app(app: &str, allow_system: bool) -> Result<(), ExplorerError> {
    match SYSTEM_APPS.contains(&app) && !allow_system {
        true => Err(ExplorerError::SystemApp {
            app: app.to_owned(),
        }),
        false => Ok(()),
    }
}

/// Checks the options before any phone is connected. Options of other explorers than the chosen one are checked too: a
/// mistake in them is a mistake.
pub fn check(options: &ExplorerOptions) -> Result<(), ExplorerError> {
    monkey(options)?;
    model(options)?;
    explorer_under_travel(options).map(|_| ())
}

/// One explorer for all phones.
pub fn make(plan: &ExplorationPlan, seed: Seed) -> Result<Box<dyn Explorer>, CommandError> {
    let explorer = make_named(plan.explorer, plan, seed)?;
    let from = &plan.constraints.from;
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
    plan: &ExplorationPlan,
    seed: Seed,
) -> Result<Box<dyn Explorer>, ExplorerError> {
    let ExplorationPlan {
        session_events,
        explorer_options: options,
        ..
    } = plan;
    Ok(match explorer {
        ExplorerKind::Random => {
            let events = NonZeroU32::new(*session_events).ok_or(ExplorerError::EmptySessions)?;
            Box::new(RandomSessions::new(seed, events))
        }
        ExplorerKind::Monkey => Box::new(monkey(options)?),
        ExplorerKind::MonkeySystem if !plan.allow_system => {
            return Err(ExplorerError::NotAllowed);
        }
        ExplorerKind::MonkeySystem => Box::new(monkey(options)?.with_system_events()),
        ExplorerKind::MonkeyRestart => {
            Box::new(monkey(options)?.with_restarts(StuckParameters::default()))
        }
        ExplorerKind::Ape => {
            let (rules, tree, paths) = model(options)?;
            Box::new(ApeExplorer::new(rules, tree, paths))
        }
        ExplorerKind::Timetravel => {
            let usual = if plan.allow_system {
                ExplorerKind::MonkeySystem
            } else {
                ExplorerKind::Monkey
            };
            let over = explorer_under_travel(options)?.unwrap_or(usual);
            Box::new(TimeTravelExplorer::over(
                make_named(over, plan, seed)?,
                TimeTravelParameters::default(),
            ))
        }
        ExplorerKind::Auto => {
            let (rules, tree, paths) = model(options)?;
            Box::new(AutoExplorer::new(rules, tree, paths, plan.allow_system))
        }
    })
}

fn explorer_under_travel(options: &ExplorerOptions) -> Result<Option<ExplorerKind>, ExplorerError> {
    match options.over {
        Some(over @ (ExplorerKind::Timetravel | ExplorerKind::Auto)) => {
            Err(ExplorerError::CannotTravel { over: over.name() })
        }
        over => Ok(over),
    }
}

fn model(
    options: &ExplorerOptions,
) -> Result<(ApeParameters, DecisionTree, AttributePaths), ExplorerError> {
    let mut rules = ApeParameters::default();
    for (name, value) in &options.ape {
        rules.set(name, value).map_err(ExplorerError::Ape)?;
    }
    let mut paths = AttributePaths::default();
    let tree = match &options.abstraction {
        Some(text) => DecisionTree::parse(text, &mut paths).map_err(ExplorerError::Abstraction)?,
        None => DecisionTree::uniform(AttributeReducer::TYPE),
    };
    Ok((rules, tree, paths))
}

fn monkey(options: &ExplorerOptions) -> Result<MonkeyExplorer, ExplorerError> {
    let mix = EventMix::with_shares(&options.shares).map_err(ExplorerError::Mix)?;
    let throttle = u64::from(options.throttle.unwrap_or(DEFAULT_THROTTLE_MS));
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
