//! Constraints of an exploration, from the words of `retap.toml` to the engine's types.

use retap_explore::{Constraints, WidgetSelector};
use retap_shared::target::Target;
use retap_shared::trace::{Trace, TraceError};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::options::AppConstraints;

#[derive(Debug, thiserror::Error)]
pub enum ConstraintsError {
    #[error("{0}")]
    Syntax(String),
    #[error("a trace to play cannot be read")]
    Trace(#[from] TraceError),
    #[error("`{named}` names a trace of `{of}`, but the app to explore is `{app}`")]
    OtherApp {
        named: &'static str,
        of: String,
        app: String,
    },
}

/// The engine's constraints.
pub fn to_engine_constraints(
    constraints: &AppConstraints,
) -> Result<Constraints, ConstraintsError> {
    let texts = |texts: &[String]| texts.iter().map(|text| text.as_str().into()).collect();
    let failed = ConstraintsError::Syntax;
    Ok(Constraints {
        forbidden_widgets: constraints
            .forbidden_widgets
            .iter()
            .map(|text| parse_selector(text))
            .collect::<Result<_, _>>()
            .map_err(failed)?,
        forbidden_activities: texts(&constraints.forbidden_activities),
        forbidden_texts: texts(&constraints.forbidden_texts),
        field_texts: constraints
            .texts
            .iter()
            .map(|(field, text)| (field.as_str().into(), text.as_str().into()))
            .collect(),
        setup_steps: constraints
            .before
            .as_deref()
            .map(Trace::parse)
            .transpose()?
            .map_or_else(Vec::new, |trace| trace.steps),
        never_rules: constraints
            .never
            .iter()
            .map(|text| parse_never(text))
            .collect::<Result<_, _>>()
            .map_err(failed)?,
        always_rules: constraints
            .always
            .iter()
            .map(|text| parse_always(text))
            .collect::<Result<_, _>>()
            .map_err(failed)?,
    })
}

/// Checks that the traces to play are of the app to explore.
pub fn check_traces_are_of(
    constraints: &AppConstraints,
    app: &str,
) -> Result<(), ConstraintsError> {
    let before = constraints.before.iter().map(|text| ("before", text));
    for (named, text) in before.chain(constraints.from.iter().map(|text| ("from", text))) {
        let of = Trace::parse(text)?.header.app.package;
        if of != app {
            return Err(ConstraintsError::OtherApp {
                named,
                of: of.to_string(),
                app: app.to_owned(),
            });
        }
    }
    Ok(())
}

/// `id:NAME`, `text:LABEL` or `class:NAME`.
pub fn parse_selector(text: &str) -> Result<WidgetSelector, String> {
    match text.split_once(':').filter(|(_, what)| !what.is_empty()) {
        Some(("id", id)) => Ok(WidgetSelector {
            id: id.into(),
            ..WidgetSelector::default()
        }),
        Some(("text", text)) => Ok(WidgetSelector {
            text: text.into(),
            ..WidgetSelector::default()
        }),
        Some(("class", class)) => Ok(WidgetSelector {
            class: class.into(),
            ..WidgetSelector::default()
        }),
        _ => Err(format!(
            "`{text}` is no widget; write `id:NAME`, `text:LABEL` or `class:NAME`"
        )),
    }
}

/// `screen:TEXT`, `id:NAME`, `activity:NAME` or `log:REGEX`.
pub fn parse_never(text: &str) -> Result<Target, String> {
    Target::parse_never_rule(text).map_err(|error| error.to_string())
}

/// `screen:TEXT` or `id:NAME`, on every screen or only `in ACTIVITY`.
pub fn parse_always(text: &str) -> Result<Target, String> {
    Target::parse_always_rule(text).map_err(|error| error.to_string())
}

pub fn check_not_empty(text: &str) -> Result<(), String> {
    if text.is_empty() {
        Err("an empty text would match everything".into())
    } else {
        Ok(())
    }
}

impl UserError for ConstraintsError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            ConstraintsError::OtherApp { .. } => {
                "name a trace of the same app, or explore the other one".into()
            }
            ConstraintsError::Syntax(_) | ConstraintsError::Trace(_) => {
                "correct `retap.toml`; docs/reference/retap-toml.md lists every key".into()
            }
        }
    }
}
