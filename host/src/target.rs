//! What a reduction keeps or a replay looks for, as a user names it: `crash`, `activity:NAME`, `screen:TEXT`,
//! `log:REGEX`.

use regex_lite::Regex;
use retap_shared::action::Widget;
use retap_shared::protocol::Target;
use retap_shared::trace::Trace;

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::sanitise_terminal::{self, INLINE_WIDTH};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("`{0}` is no target")]
    Unknown(String),
    #[error("`{pattern}` is no regular expression: {why}")]
    Pattern { pattern: String, why: String },
    #[error("the trace does not say what it reaches")]
    NoneNamed,
}

pub fn check(text: &str) -> Result<(), TargetError> {
    parse(text, None).map(|_| ())
}

/// What was asked for, or else what the trace says it reaches.
pub fn resolve(trace: &Trace, asked: Option<&str>) -> Result<Target, TargetError> {
    match asked {
        Some(text) => parse(text, trace.header.target.as_ref()),
        None => trace.header.target.clone().ok_or(TargetError::NoneNamed),
    }
}

/// `crash` is the crash that the trace is known for, or else any.
fn parse(text: &str, known: Option<&Target>) -> Result<Target, TargetError> {
    match text.split_once(':') {
        None if text == "crash" => match known {
            Some(problem @ Target::Problem(_)) => Ok(problem.clone()),
            _ => Ok(Target::AnyProblem),
        },
        Some(("activity", name)) if !name.is_empty() => Ok(Target::Activity(name.into())),
        Some(("screen", shown)) if !shown.is_empty() => Ok(Target::Screen(Widget {
            text: shown.into(),
            ..Widget::default()
        })),
        Some(("log", pattern)) if !pattern.is_empty() => match Regex::new(pattern) {
            Ok(_) => Ok(Target::Log(pattern.into())),
            Err(error) => Err(TargetError::Pattern {
                pattern: pattern.to_owned(),
                why: error.to_string(),
            }),
        },
        _ => Err(TargetError::Unknown(text.to_owned())),
    }
}

/// What one goes to: "the way to …", "reached …".
pub fn describe(target: &Target) -> String {
    match target {
        Target::Problem(fingerprint) => format!("the crash {fingerprint}"),
        Target::AnyProblem => "a crash".to_owned(),
        Target::Activity(name) => format!(
            "the activity `{}`",
            sanitise_terminal::sanitise_line(name, INLINE_WIDTH)
        ),
        Target::Log(pattern) => format!(
            "a line of the log with `{}`",
            sanitise_terminal::sanitise_line(pattern, INLINE_WIDTH)
        ),
        Target::Screen(widget) => {
            format!(
                "a screen that shows `{}`",
                sanitise_terminal::sanitise_line(&widget.text, INLINE_WIDTH)
            )
        }
        Target::Lacks { widget, .. } => {
            format!(
                "a screen without {}",
                sanitise_terminal::sanitise_line(&widget.to_string(), INLINE_WIDTH)
            )
        }
    }
}

impl UserError for TargetError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            TargetError::Pattern { .. } => {
                "write `--target log:REGEX`, with a backslash before what is meant as it stands"
                    .into()
            }
            TargetError::Unknown(_) | TargetError::NoneNamed => {
                "name one with `--target`: `crash`, `activity:NAME`, `screen:TEXT` or `log:REGEX`"
                    .into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::fingerprint::Fingerprint;

    use super::*;

    #[test]
    fn each_form_is_understood_and_nothing_else() {
        let crash = Target::Problem(Fingerprint(7));
        assert_eq!(parse("crash", Some(&crash)), Ok(crash));
        assert_eq!(parse("crash", None), Ok(Target::AnyProblem));
        assert_eq!(
            parse("activity:.Settings", None),
            Ok(Target::Activity(".Settings".into()))
        );
        let shows = Target::Screen(Widget {
            text: "Total: 3".into(),
            ..Widget::default()
        });
        assert_eq!(parse("screen:Total: 3", None), Ok(shows));
        assert_eq!(parse("log:ANR in", None), Ok(Target::Log("ANR in".into())));
        assert!(matches!(
            parse("log:(", None),
            Err(TargetError::Pattern { .. })
        ));
        for wrong in [
            "",
            "log",
            "log:",
            "crash:",
            "activity:",
            "screen",
            "scren:x",
            "Crash",
        ] {
            assert_eq!(parse(wrong, None), Err(TargetError::Unknown(wrong.into())));
        }
    }
}
