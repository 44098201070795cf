//! What an exploration must respect, from the words of `retap.toml` to the engine's guard.

use regex_lite::Regex;
use retap_explore::{Guard, Selector};
use retap_shared::action::Widget;
use retap_shared::protocol::Target;
use retap_shared::trace::{Trace, TraceError};

use crate::exit::Exit;
use crate::failure::Explained;
use crate::settings::Care;

#[derive(Debug, thiserror::Error)]
pub enum CareError {
    #[error("{0}")]
    Words(String),
    #[error("the trace that is to come first cannot be read")]
    Trace(#[from] TraceError),
    #[error("`{named}` names a trace of `{of}`, and `{app}` is to be explored")]
    OtherApp {
        named: &'static str,
        of: String,
        app: String,
    },
}

/// The engine's guard.
pub fn guard(care: &Care) -> Result<Guard, CareError> {
    let texts = |texts: &[String]| texts.iter().map(|text| text.as_str().into()).collect();
    let words = CareError::Words;
    Ok(Guard {
        widgets: care
            .forbidden_widgets
            .iter()
            .map(|text| selector(text))
            .collect::<Result<_, _>>()
            .map_err(words)?,
        activities: texts(&care.forbidden_activities),
        texts: texts(&care.forbidden_texts),
        fields: care
            .texts
            .iter()
            .map(|(field, text)| (field.as_str().into(), text.as_str().into()))
            .collect(),
        before: care
            .before
            .as_deref()
            .map(Trace::parse)
            .transpose()?
            .map_or_else(Vec::new, |trace| trace.steps),
        never: care
            .never
            .iter()
            .map(|text| never(text))
            .collect::<Result<_, _>>()
            .map_err(words)?,
        always: care
            .always
            .iter()
            .map(|text| always(text))
            .collect::<Result<_, _>>()
            .map_err(words)?,
    })
}

/// Whether the traces that are to be played are of the app that is to be explored.
pub fn check_app(care: &Care, app: &str) -> Result<(), CareError> {
    let before = care.before.iter().map(|text| ("before", text));
    for (named, text) in before.chain(care.from.iter().map(|text| ("from", text))) {
        let of = Trace::parse(text)?.header.app.package;
        if of != app {
            return Err(CareError::OtherApp {
                named,
                of: of.to_string(),
                app: app.to_owned(),
            });
        }
    }
    Ok(())
}

/// `id:NAME`, `text:LABEL` or `class:NAME`.
pub fn selector(text: &str) -> Result<Selector, String> {
    match text.split_once(':').filter(|(_, what)| !what.is_empty()) {
        Some(("id", id)) => Ok(Selector {
            id: id.into(),
            ..Selector::default()
        }),
        Some(("text", text)) => Ok(Selector {
            text: text.into(),
            ..Selector::default()
        }),
        Some(("class", class)) => Ok(Selector {
            class: class.into(),
            ..Selector::default()
        }),
        _ => Err(format!(
            "`{text}` is no widget; write `id:NAME`, `text:LABEL` or `class:NAME`"
        )),
    }
}

/// `screen:TEXT`, `id:NAME`, `activity:NAME` or `log:REGEX`.
pub fn never(text: &str) -> Result<Target, String> {
    match text.split_once(':').filter(|(_, what)| !what.is_empty()) {
        Some(("screen", shown)) => Ok(Target::Screen(Widget {
            text: shown.into(),
            ..Widget::default()
        })),
        Some(("id", id)) => Ok(Target::Screen(Widget {
            id: id.into(),
            ..Widget::default()
        })),
        Some(("activity", name)) => Ok(Target::Activity(name.into())),
        Some(("log", pattern)) => match Regex::new(pattern) {
            Ok(_) => Ok(Target::Log(pattern.into())),
            Err(error) => Err(format!("`{pattern}` is no regular expression: {error}")),
        },
        _ => Err(format!(
            "`{text}` cannot be looked for; write `screen:TEXT`, `id:NAME`, `activity:NAME` or `log:REGEX`"
        )),
    }
}

/// `screen:TEXT` or `id:NAME`, on every screen or only `in ACTIVITY`.
pub fn always(text: &str) -> Result<Target, String> {
    let (what, activity) = text.rsplit_once(" in ").unwrap_or((text, ""));
    let widget = match what.split_once(':').filter(|(_, what)| !what.is_empty()) {
        Some(("screen", shown)) => Widget {
            text: shown.into(),
            ..Widget::default()
        },
        Some(("id", id)) => Widget {
            id: id.into(),
            ..Widget::default()
        },
        _ => {
            return Err(format!(
                "`{text}` cannot be asked for; write `screen:TEXT` or `id:NAME`, and ` in ACTIVITY` if not everywhere"
            ));
        }
    };
    Ok(Target::Lacks {
        activity: activity.into(),
        widget,
    })
}

pub fn named(text: &str) -> Result<(), String> {
    if text.is_empty() {
        Err("an empty text would match everything".into())
    } else {
        Ok(())
    }
}

impl Explained for CareError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        match self {
            CareError::OtherApp { .. } => {
                "name a trace of the same app, or explore the other one".into()
            }
            CareError::Words(_) | CareError::Trace(_) => {
                "correct `retap.toml`; docs/files.md lists every key".into()
            }
        }
    }
}
