//! Crash traces as SimplyDroid published them, one JSON object a file: Monkey's events with the activity before and after
//! each, and the stack of the crash at the end.

use retap_shared::Text;
use retap_shared::action::{Action, Key};
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::geometry::{Point, Size};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};
use serde::Deserialize;

use crate::command_error::UserError;
use crate::exit::CommandExit;

/// Interval at which the published code sends moves while it drags.
const DRAG_STEP_MILLIS: u32 = 10;

#[derive(Debug, thiserror::Error)]
pub enum SimplyDroidError {
    #[error("it is no trace of SimplyDroid")]
    Json(#[from] serde_json::Error),
    #[error("its first event does not launch an app")]
    NoLaunch,
    #[error("its event {0} launches an app, which only the first may do")]
    SecondLaunch(usize),
    #[error("its event {number} presses `{key}`, which is no number of a key")]
    Key { number: usize, key: String },
    #[error("it has no event after the launch")]
    NoEvent,
    #[error("it does not end with a crash")]
    NoCrash,
}

#[derive(Deserialize)]
struct RecordedCrash {
    screen: [u32; 2],
    crash: Vec<String>,
    events: Vec<SimplyDroidEvent>,
}

#[derive(Deserialize)]
struct SimplyDroidEvent {
    #[serde(flatten)]
    kind: SimplyDroidEventKind,
    before: String,
    after: String,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum SimplyDroidEventKind {
    Launch {
        package: String,
        activity: String,
    },
    Tap {
        x: f64,
        y: f64,
        ms: u32,
    },
    Drag {
        x1: f64,
        y1: f64,
        x2: f64,
        y2: f64,
        steps: u32,
    },
    Key {
        key: String,
    },
}

/// Parses a recorded crash. The launch becomes the clean start of the trace. The activity of a step is where it was
/// recorded, not where the previous event claims to have led: in 6 of the 65 public traces the two differ.
pub fn parse(text: &str) -> Result<Trace, SimplyDroidError> {
    let RecordedCrash {
        screen: [width, height],
        crash,
        events,
    } = serde_json::from_str(text)?;
    let mut events = events.into_iter();
    let Some(SimplyDroidEvent {
        kind: SimplyDroidEventKind::Launch { package, activity },
        ..
    }) = events.next()
    else {
        return Err(SimplyDroidError::NoLaunch);
    };
    let steps = crash_steps(events, &package)?;
    let finding = Finding {
        kind: FindingKind::Crash,
        process: Text::new(&package),
        summary: crash.first().cloned().unwrap_or_default(),
        stack: crash.join("\n"),
    };
    let app = App {
        activity: named(&package, &activity),
        package: Text::new(package),
        version_code: 0,
    };
    let phone = PhoneInfo {
        kind: "android".into(),
        size: Size { width, height },
        ..PhoneInfo::default()
    };
    let target = Some(Target::Problem(finding.fingerprint()));
    Ok(Trace {
        header: TraceHeader {
            app,
            start: StartMode::Clean,
            seed: None,
            target,
            phone,
            pace: ReplayPace::Quiet,
            claim: None,
        },
        steps,
    })
}

/// The steps after the launch. The last one must be the crash.
fn crash_steps(
    events: impl Iterator<Item = SimplyDroidEvent>,
    package: &str,
) -> Result<Vec<Step>, SimplyDroidError> {
    let mut steps = Vec::new();
    let mut crashed = false;
    for (number, event) in events.enumerate() {
        steps.push(Step {
            activity: named(package, &event.before),
            ..Step::new(event.kind.action(number + 1)?)
        });
        crashed = event.after == "CRASH";
    }
    match (steps.is_empty(), crashed) {
        (true, _) => Err(SimplyDroidError::NoEvent),
        (false, false) => Err(SimplyDroidError::NoCrash),
        (false, true) => Ok(steps),
    }
}

impl SimplyDroidEventKind {
    fn action(self, number: usize) -> Result<Action, SimplyDroidError> {
        let at = |x: f64, y: f64| Point {
            x: x as i32,
            y: y as i32,
        };
        Ok(match self {
            SimplyDroidEventKind::Launch { .. } => {
                return Err(SimplyDroidError::SecondLaunch(number));
            }
            SimplyDroidEventKind::Tap { x, y, ms: 0 } => Action::Tap(at(x, y)),
            SimplyDroidEventKind::Tap { x, y, ms } => Action::Swipe {
                from: at(x, y),
                to: at(x, y),
                millis: ms,
            },
            SimplyDroidEventKind::Drag {
                x1,
                y1,
                x2,
                y2,
                steps,
            } => Action::Swipe {
                from: at(x1, y1),
                to: at(x2, y2),
                millis: steps.saturating_mul(DRAG_STEP_MILLIS),
            },
            SimplyDroidEventKind::Key { key } => match key.parse() {
                Ok(code) => Action::Key(Key::Code(code)),
                Err(_) => return Err(SimplyDroidError::Key { number, key }),
            },
        })
    }
}

/// `package/class`; the recordings have the class only. One of another app is taken to be in the package it is named by.
fn named(package: &str, class: &str) -> Text {
    let own = class.starts_with(package);
    let package = if own {
        package
    } else {
        class.rsplit_once('.').map_or(class, |(package, _)| package)
    };
    Text::new(format!("{package}/{class}"))
}

impl UserError for SimplyDroidError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "name a file with `screen`, `crash` and `events`, as SimplyDroid's crash traces have them"
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(events: &str) -> String {
        format!(
            r#"{{"app":"A","trace":1,"screen":[480,854],"crash":["java.lang.Error","at a.b.C.d(C.java:1)"],"events":[{events}]}}"#
        )
    }

    const LAUNCH: &str = r#"{"kind":"launch","package":"a.b","activity":"a.b.Main","before":"a.b.Main","after":"a.b.Main"}"#;
    const CRASH: &str =
        r#"{"kind":"tap","x":7.6,"y":8.2,"ms":0,"before":"a.b.Main","after":"CRASH"}"#;

    #[test]
    fn a_trace_becomes_steps_with_the_activities_they_were_recorded_in() {
        let drag = r#"{"kind":"drag","x1":1,"y1":2,"x2":3,"y2":4,"steps":5,"before":"com.android.launcher3.Launcher","after":"a.b.Main"}"#;
        let key = r#"{"kind":"key","key":"3","before":"a.b.Main","after":"a.b.Main"}"#;
        let trace = parse(&file(&[LAUNCH, drag, key, CRASH].join(","))).unwrap();
        assert_eq!(trace.header.app.package, "a.b");
        assert_eq!(trace.steps.len(), 3);
        assert_eq!(
            trace.steps[0].activity,
            "com.android.launcher3/com.android.launcher3.Launcher"
        );
        assert_eq!(trace.steps[1].action, Action::Key(Key::Code(3)));
        assert_eq!(trace.steps[2].activity, "a.b/a.b.Main");
        assert_eq!(Trace::parse(&trace.to_text()).unwrap(), trace);
    }

    #[test]
    fn a_file_that_is_no_crash_trace_is_refused_with_the_reason() {
        let refused = |events: &str| parse(&file(events)).unwrap_err().to_string();
        assert!(refused("").contains("launch"));
        assert!(refused(CRASH).contains("launch"));
        assert!(refused(LAUNCH).contains("no event"));
        assert!(refused(&[LAUNCH, LAUNCH].join(",")).contains("event 1 launches"));
        let key = r#"{"kind":"key","key":"back","before":"a.b.Main","after":"CRASH"}"#;
        assert!(refused(&[LAUNCH, key].join(",")).contains("`back`"));
        let tap = CRASH.replace("CRASH", "a.b.Main");
        assert!(refused(&[LAUNCH, &tap].join(",")).contains("crash"));
        assert!(parse("[]").is_err());
    }
}
