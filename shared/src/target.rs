//! Targets of replays and reductions, and the rules of `retap.toml`: parsed, worded and matched here for both halves.

use std::fmt;
use std::str::FromStr;

use regex_lite::Regex;
use serde::{Deserialize, Serialize};

use crate::Text;
use crate::app_log::log_lines;
use crate::fingerprint::Fingerprint;
use crate::log_line::LogLine;
use crate::phone_event::PhoneEventKind;
use crate::screen::Screen;
use crate::widget::Widget;

/// The goal of a run. It counts if it is reached at any time during the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The crash, native crash or ANR of this fingerprint.
    Problem(Fingerprint),
    /// Any crash, native crash or ANR.
    AnyProblem,
    /// An activity by `package/class`, by its class, or by the end of its class name after a dot.
    Activity(Text),
    /// A screen that shows this widget; empty fields match anything.
    Screen(Widget),
    /// A log line that this regular expression matches.
    Log(Text),
    /// A screen of the app, without a dialog, menu or keyboard above it, that does not show the widget.
    Lacks {
        /// The activity as in `Activity`; empty for any.
        activity: Text,
        /// The missing widget; empty fields match anything.
        widget: Widget,
    },
}

/// Why a text is not a target or a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The text has none of a target's forms.
    #[error("`{0}` is not a target")]
    Unknown(String),
    /// The text after `log:` is not a regular expression.
    #[error("`{pattern}` is not a regular expression: {why}")]
    Pattern {
        /// The text after `log:`.
        pattern: String,
        /// The regular expression library's message.
        why: String,
    },
    /// Neither the user nor the trace names a target.
    #[error("the trace does not name a target")]
    NoneNamed,
    /// The text has none of a `never` rule's forms.
    #[error(
        "`{0}` is not a `never` rule; write `screen:TEXT`, `id:NAME`, `activity:NAME` or `log:REGEX`"
    )]
    UnknownNeverRule(String),
    /// The text has none of an `always` rule's forms.
    #[error(
        "`{0}` is not an `always` rule; write `screen:TEXT` or `id:NAME`, and ` in ACTIVITY` if it holds there only"
    )]
    UnknownAlwaysRule(String),
}

impl Target {
    /// The target that the user asked for, or else the one that the trace records. `crash` means the crash that the
    /// trace records, or any crash if it records none.
    pub fn resolve(asked: Option<&str>, recorded: Option<&Target>) -> Result<Target, TargetError> {
        match (asked, recorded) {
            (Some("crash"), Some(crash @ Target::Problem(_))) => Ok(crash.clone()),
            (Some(text), _) => text.parse(),
            (None, Some(recorded)) => Ok(recorded.clone()),
            (None, None) => Err(TargetError::NoneNamed),
        }
    }

    /// Parses a `never` rule: `screen:TEXT`, `id:NAME`, `activity:NAME` or `log:REGEX`.
    pub fn parse_never_rule(text: &str) -> Result<Target, TargetError> {
        let unknown = || TargetError::UnknownNeverRule(text.to_owned());
        match split_kind(text).ok_or_else(unknown)? {
            ("activity", name) => Ok(Target::Activity(name.into())),
            ("log", pattern) => parse_log(pattern),
            (kind, value) => parse_widget(kind, value)
                .map(Target::Screen)
                .ok_or_else(unknown),
        }
    }

    /// Parses an `always` rule: `screen:TEXT` or `id:NAME`, for every activity or only `in ACTIVITY`. The target is
    /// reached where the rule is broken.
    pub fn parse_always_rule(text: &str) -> Result<Target, TargetError> {
        let (rule, activity) = text.rsplit_once(" in ").unwrap_or((text, ""));
        let widget = split_kind(rule)
            .and_then(|(kind, value)| parse_widget(kind, value))
            .ok_or_else(|| TargetError::UnknownAlwaysRule(text.to_owned()))?;
        Ok(Target::Lacks {
            activity: activity.into(),
            widget,
        })
    }

    /// True if a screen reaches the target. `package` is the app under test.
    pub fn is_reached_on(&self, screen: &Screen, package: &str) -> bool {
        match self {
            Target::Activity(name) => is_activity(screen.activity(), name),
            Target::Screen(widget) => screen.shows(widget),
            Target::Lacks { activity, widget } => {
                let is_own = screen.activity().split('/').next() == Some(package);
                let is_meant = activity.is_empty() || is_activity(screen.activity(), activity);
                is_own && is_meant && screen.lacks(widget)
            }
            Target::Problem(_) | Target::AnyProblem | Target::Log(_) => false,
        }
    }

    /// The target in a few words, as run events record it.
    pub fn label(&self) -> String {
        match self {
            Target::Problem(fingerprint) => fingerprint.to_string(),
            Target::AnyProblem => "any problem".to_owned(),
            Target::Activity(name) => format!("activity {name}"),
            Target::Screen(widget) => format!("screen with {widget}"),
            Target::Log(pattern) => format!("log with {pattern}"),
            Target::Lacks { widget, .. } => format!("screen without {widget}"),
        }
    }

    /// The summary of the finding that a broken rule makes. Fingerprints are made of it, so it never changes.
    pub fn rule_summary(&self) -> String {
        match self {
            Target::Activity(name) => format!("must never appear: the activity {name}"),
            Target::Screen(widget) => format!("must never appear: {widget}"),
            Target::Log(pattern) => format!("must never be logged: {pattern}"),
            Target::Lacks { activity, widget } if activity.is_empty() => {
                format!("must always be there: {widget}")
            }
            Target::Lacks { activity, widget } => {
                format!("must always be there: {widget} in {activity}")
            }
            Target::Problem(_) | Target::AnyProblem => format!("must never appear: {self:?}"),
        }
    }
}

/// Parses `crash` (any crash), `activity:NAME`, `screen:TEXT` or `log:REGEX`.
impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Target, TargetError> {
        match split_kind(text) {
            None if text == "crash" => Ok(Target::AnyProblem),
            Some(("activity", name)) => Ok(Target::Activity(name.into())),
            Some(("screen", shown)) => Ok(Target::Screen(Widget {
                text: shown.into(),
                ..Widget::default()
            })),
            Some(("log", pattern)) => parse_log(pattern),
            _ => Err(TargetError::Unknown(text.to_owned())),
        }
    }
}

/// The target as an object of "reached …" or "the path to …".
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Problem(fingerprint) => write!(f, "the crash {fingerprint}"),
            Target::AnyProblem => f.write_str("a crash"),
            Target::Activity(name) => write!(f, "the activity `{name}`"),
            Target::Log(pattern) => write!(f, "a line of the log with `{pattern}`"),
            Target::Screen(widget) if widget.text.is_empty() => {
                write!(f, "a screen that shows {widget}")
            }
            Target::Screen(widget) => write!(f, "a screen that shows `{}`", widget.text),
            Target::Lacks { widget, .. } => write!(f, "a screen without {widget}"),
        }
    }
}

/// A target prepared for matching against many events.
#[derive(Clone, Debug)]
pub struct TargetMatcher {
    target: Target,
    /// The compiled pattern of `Target::Log`.
    pattern: Option<Regex>,
}

impl TargetMatcher {
    /// Compiles the target's regular expression, if it has one.
    pub fn new(target: Target) -> Result<TargetMatcher, TargetError> {
        let pattern = match &target {
            Target::Log(pattern) => Some(compile(pattern)?),
            _ => None,
        };
        Ok(TargetMatcher { target, pattern })
    }

    /// True if an event of the phone reaches the target.
    pub fn is_reached_by(&self, event: &PhoneEventKind) -> bool {
        if let Some(pattern) = &self.pattern {
            return log_lines(event).any(|line| pattern.is_match(&line));
        }
        match (&self.target, event) {
            (Target::Problem(fingerprint), PhoneEventKind::Finding(finding)) => {
                finding.is_named_by(*fingerprint)
            }
            (Target::AnyProblem, PhoneEventKind::Finding(_)) => true,
            (Target::Activity(name), PhoneEventKind::Activity(activity)) => {
                is_activity(activity, name)
            }
            _ => false,
        }
    }

    /// True if the target is a line of the log: `is_reached_in` must see what the app logs.
    pub fn needs_log(&self) -> bool {
        self.pattern.is_some()
    }

    /// True if a line of the app's log reaches the target.
    pub fn is_reached_in(&self, log: &str) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| {
            let mut lines = log.lines().filter_map(LogLine::parse);
            lines.any(|line| pattern.is_match(&line.plain()))
        })
    }

    /// True if a screen reaches the target. `package` is the app under test.
    pub fn is_reached_on(&self, screen: &Screen, package: &str) -> bool {
        self.target.is_reached_on(screen, package)
    }
}

/// True if `name` is the activity's `package/class`, its class, or the end of its class name after a dot.
pub fn is_activity(activity: &str, name: &str) -> bool {
    activity
        .strip_suffix(name)
        .is_some_and(|before| before.is_empty() || before.ends_with(['.', '/']))
}

/// `KIND:VALUE` with a value that is not empty.
fn split_kind(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').filter(|(_, value)| !value.is_empty())
}

fn parse_widget(kind: &str, value: &str) -> Option<Widget> {
    let none = Widget::default();
    match kind {
        "screen" => Some(Widget {
            text: value.into(),
            ..none
        }),
        "id" => Some(Widget {
            id: value.into(),
            ..none
        }),
        _ => None,
    }
}

fn parse_log(pattern: &str) -> Result<Target, TargetError> {
    compile(pattern).map(|_| Target::Log(pattern.into()))
}

fn compile(pattern: &str) -> Result<Regex, TargetError> {
    Regex::new(pattern).map_err(|error| TargetError::Pattern {
        pattern: pattern.to_owned(),
        why: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, FindingKind};

    fn shows(text: &str) -> Target {
        Target::Screen(Widget {
            text: text.into(),
            ..Widget::default()
        })
    }

    fn with_id(id: &str) -> Widget {
        Widget {
            id: id.into(),
            ..Widget::default()
        }
    }

    #[test]
    fn each_form_of_a_target_is_parsed_and_nothing_else() {
        assert_eq!("crash".parse(), Ok(Target::AnyProblem));
        assert_eq!(
            "activity:.Settings".parse(),
            Ok(Target::Activity(".Settings".into()))
        );
        assert_eq!("screen:Total: 3".parse(), Ok(shows("Total: 3")));
        assert_eq!("log:ANR in".parse(), Ok(Target::Log("ANR in".into())));
        assert!(matches!(
            "log:(".parse::<Target>(),
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
            "id:x",
            "Crash",
        ] {
            assert_eq!(
                wrong.parse::<Target>(),
                Err(TargetError::Unknown(wrong.into()))
            );
        }
    }

    #[test]
    fn the_recorded_target_is_taken_if_none_is_asked_for_and_names_the_crash() {
        let crash = Target::Problem(Fingerprint(7));
        assert_eq!(
            Target::resolve(Some("crash"), Some(&crash)),
            Ok(crash.clone())
        );
        assert_eq!(
            Target::resolve(Some("crash"), Some(&shows("Total"))),
            Ok(Target::AnyProblem)
        );
        assert_eq!(
            Target::resolve(Some("screen:Total"), Some(&crash)),
            Ok(shows("Total"))
        );
        assert_eq!(Target::resolve(None, Some(&crash)), Ok(crash));
        assert_eq!(Target::resolve(None, None), Err(TargetError::NoneNamed));
    }

    #[test]
    fn each_form_of_a_rule_is_parsed_and_nothing_else() {
        assert_eq!(Target::parse_never_rule("screen:Error"), Ok(shows("Error")));
        assert_eq!(
            Target::parse_never_rule("id:error"),
            Ok(Target::Screen(with_id("error")))
        );
        assert_eq!(
            Target::parse_never_rule("activity:Login"),
            Ok(Target::Activity("Login".into()))
        );
        assert!(matches!(
            Target::parse_never_rule("log:("),
            Err(TargetError::Pattern { .. })
        ));
        assert_eq!(
            Target::parse_always_rule("id:menu in .Main"),
            Ok(Target::Lacks {
                activity: ".Main".into(),
                widget: with_id("menu"),
            })
        );
        for wrong in ["", "crash", "id:", "text:x"] {
            assert!(Target::parse_never_rule(wrong).is_err(), "{wrong}");
            assert!(Target::parse_always_rule(wrong).is_err(), "{wrong}");
        }
        assert!(Target::parse_always_rule("log:x").is_err());
    }

    #[test]
    fn an_event_reaches_targets_by_fingerprint_activity_or_log_line() {
        let finding = Finding {
            kind: FindingKind::Crash,
            process: "com.example".into(),
            summary: "java.lang.Error: no".into(),
            stack: "java.lang.Error: no\n\tat com.example.Main.run(Main.java:1)".into(),
        };
        let fingerprint = finding.fingerprint();
        let crash = PhoneEventKind::Finding(finding);
        let activity = PhoneEventKind::Activity("com.example/com.example.ui.Main".into());
        let reached =
            |target: Target, event| TargetMatcher::new(target).unwrap().is_reached_by(event);
        assert!(reached(Target::AnyProblem, &crash));
        assert!(reached(Target::Problem(fingerprint), &crash));
        assert!(!reached(Target::Problem(Fingerprint(7)), &crash));
        assert!(!reached(Target::AnyProblem, &activity));
        assert!(reached(Target::Activity("Main".into()), &activity));
        assert!(!reached(Target::Activity("ain".into()), &activity));
        assert!(reached(Target::Log("FATAL.*main".into()), &crash));
        assert!(reached(Target::Log("Displayed".into()), &activity));
        assert!(!reached(Target::Log("ANR".into()), &crash));
    }
}
