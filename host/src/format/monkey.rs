//! Scripts of Android's own Monkey (`monkey -f`): a head, `start data >>`, and one event a line.

mod script_call;

use retap_shared::action::{Action, Key};
use retap_shared::geometry::Point;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};
use script_call::{ScriptCall, apart};

use crate::command_error::UserError;
use crate::exit::CommandExit;

const BEGIN: &str = "start data >>";
/// Milliseconds from which a touch is a long press, as in `ViewConfiguration`.
const LONG_PRESS: i64 = 500;
/// Pixels from which a touch that moves is a drag, as in `ViewConfiguration`.
const SLOP: f64 = 24.0;

#[derive(Debug, thiserror::Error)]
pub enum MonkeyScriptError {
    #[error("it is no script of Monkey's: no line is `{BEGIN}`")]
    NoBeginning,
    #[error("line {line}: `{event}` is no event of Monkey's")]
    Unknown { line: usize, event: String },
    #[error("line {line}: `{event}` has too few arguments, or some that are no numbers")]
    Arguments { line: usize, event: String },
    #[error("it launches no app, and none is named")]
    NoApp,
    #[error("it has no event")]
    NoEvent,
}

/// A script as a trace, and the number of its lines that are no event on a screen.
#[derive(Debug)]
pub struct ImportedScript {
    pub trace: Trace,
    pub left_out: usize,
}

/// Parses a script. `app` is the package for scripts that launch no app.
pub fn parse(text: &str, app: Option<&str>) -> Result<ImportedScript, MonkeyScriptError> {
    let mut lines = (1..).zip(text.lines().map(str::trim));
    lines
        .find(|(_, line)| *line == BEGIN)
        .ok_or(MonkeyScriptError::NoBeginning)?;
    let mut reading = ScriptReader {
        app: app.map(str::to_owned),
        ..ScriptReader::default()
    };
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        reading.event(number, line)?;
    }
    let ScriptReader {
        app,
        steps,
        left_out,
        ..
    } = reading;
    let package = app.ok_or(MonkeyScriptError::NoApp)?;
    if steps.is_empty() {
        return Err(MonkeyScriptError::NoEvent);
    }
    let header = TraceHeader {
        app: App {
            package: package.into(),
            ..App::default()
        },
        start: StartMode::Clean,
        seed: None,
        target: Some(Target::AnyProblem),
        phone: PhoneInfo::default(),
        pace: ReplayPace::Quiet,
        claim: None,
    };
    Ok(ImportedScript {
        trace: Trace { header, steps },
        left_out,
    })
}

/// Key that `LongPress` presses: the centre of the directional pad.
const LONG_PRESS_KEY: u16 = 23;

/// Calls of scripts that are no event on a screen.
const NO_SCREEN_EVENTS: [&str; 12] = [
    "DispatchTrackball",
    "DispatchFlip",
    "LaunchInstrumentation",
    "ProfileWait",
    "DeviceWakeUp",
    "RunCmd",
    "PowerLog",
    "WriteLog",
    "StartCaptureFramerate",
    "EndCaptureFramerate",
    "StartCaptureAppFramerate",
    "EndCaptureAppFramerate",
];

#[derive(Default)]
struct ScriptReader {
    app: Option<String>,
    steps: Vec<Step>,
    left_out: usize,
    /// Place and time at which the finger came down, and its last place.
    finger: Option<(Point, i64, Point)>,
    /// Place of the last tap: the field that gets a text.
    tapped: Option<Point>,
}

impl ScriptReader {
    fn event(&mut self, line: usize, text: &str) -> Result<(), MonkeyScriptError> {
        let call = ScriptCall::parse(line, text);
        match call.name {
            "DispatchPointer" => {
                self.pointer(
                    call.number(2)? as i64,
                    call.number(1)? as i64,
                    call.point(3)?,
                );
            }
            "DispatchKey" if call.number(2)? == 0.0 => {
                self.add(Action::Key(Key::of_code(call.number(3)? as u16)));
            }
            "DispatchPress" => self.add(Action::Key(Key::of_code(call.key()?))),
            "LongPress" => self.add(Action::Key(Key::of_code(LONG_PRESS_KEY))),
            "DispatchString" => self.string(call.rest.trim_end_matches(')')),
            "Tap" | "PressAndHold" => {
                self.touch(call.point(0)?, call.number(2).unwrap_or(0.0) as i64);
            }
            "Drag" => self.add(call.drag()?),
            "PinchZoom" => self.add(call.pinch()?),
            "RotateScreen" => self.add(Action::Rotate(call.rotation()?)),
            "LaunchActivity" => self.launch(call.first()?),
            "UserWait" => self.add(Action::Wait {
                millis: call.number(0)? as u32,
            }),
            // The key was pressed when it went down.
            "DispatchKey" => {}
            name if NO_SCREEN_EVENTS.contains(&name) => self.left_out += 1,
            other => {
                return Err(MonkeyScriptError::Unknown {
                    line,
                    event: other.to_owned(),
                });
            }
        }
        Ok(())
    }

    fn add(&mut self, action: Action) {
        self.steps.push(Step::new(action));
    }

    fn pointer(&mut self, action: i64, at: i64, place: Point) {
        match (action, self.finger) {
            (0, _) => self.finger = Some((place, at, place)),
            (1, Some((from, since, _))) => {
                self.finger = None;
                if f64::from(apart(from, place)) <= SLOP {
                    self.touch(from, at - since);
                } else {
                    let millis = u32::try_from(at - since).unwrap_or(0);
                    self.add(Action::Swipe {
                        from,
                        to: place,
                        millis,
                    });
                }
            }
            (2, Some((from, since, _))) => self.finger = Some((from, since, place)),
            _ => {}
        }
    }

    fn touch(&mut self, at: Point, millis: i64) {
        self.tapped = Some(at);
        self.add(if millis >= LONG_PRESS {
            Action::LongPress(at)
        } else {
            Action::Tap(at)
        });
    }

    fn string(&mut self, text: &str) {
        match self.tapped {
            Some(at) => self.add(Action::Text {
                at,
                text: text.into(),
            }),
            None => self.left_out += 1,
        }
    }

    /// Launches an app. The first launch is the start of the trace, and no step.
    fn launch(&mut self, package: &str) {
        self.app.get_or_insert_with(|| package.to_owned());
        if !self.steps.is_empty() {
            self.add(Action::Launch);
        }
    }
}

impl UserError for MonkeyScriptError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            MonkeyScriptError::NoApp => "name the app's package with `--app`".into(),
            _ => "name a script as `monkey -f` takes it".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "type= raw events\ncount= 9\nspeed= 1.0\nstart data >>\n";

    fn actions(lines: &str) -> Vec<String> {
        let script = format!(
            "{HEAD}LaunchActivity(com.example.notes,com.example.notes.ListActivity)\n{lines}"
        );
        let ImportedScript { trace, .. } = parse(&script, None).unwrap();
        assert_eq!(trace.header.app.package, "com.example.notes");
        trace
            .steps
            .iter()
            .map(|step| step.action.to_string())
            .collect()
    }

    #[test]
    fn fingers_become_gestures() {
        let pointer = |action, at, x, y| {
            format!("DispatchPointer(5109520,{at},{action},{x},{y},0,0,0,0,0,0,0)\n")
        };
        let tap = pointer(0, 100, 230.75, 458.17) + &pointer(1, 180, 231.0, 459.0);
        let hold = pointer(0, 1000, 10.0, 20.0) + &pointer(1, 1700, 10.0, 20.0);
        let drag = pointer(0, 2000, 10.0, 20.0)
            + &pointer(2, 2100, 50.0, 90.0)
            + &pointer(1, 2300, 10.0, 300.0);
        assert_eq!(
            actions(&(tap + &hold + &drag)),
            [
                "tap (230, 458)",
                "long press (10, 20)",
                "swipe (10, 20) → (10, 300)"
            ]
        );
    }

    #[test]
    fn every_event_a_person_could_do_is_taken_over_and_others_are_counted() {
        let script = "Tap(5,6)\nTap(5,6,900)\nPressAndHold(1,2,800)\nDrag(1,2,3,400,5)\nDispatchString(a b)\n\
            DispatchKey(0,0,0,4,0,0,0,0)\nDispatchKey(0,0,1,4,0,0,0,0)\nDispatchPress(KEYCODE_Q)\nRotateScreen(1,1)\n\
            PinchZoom(10,10,0,0,20,20,40,40,3)\nUserWait(250)\nDispatchFlip(true)\nRunCmd(ls)\n";
        assert_eq!(
            actions(script),
            [
                "tap (5, 6)",
                "long press (5, 6)",
                "long press (1, 2)",
                "swipe (1, 2) → (3, 400)",
                "type \"a b\" at (1, 2)",
                "key back",
                "key KEYCODE_Q",
                "rotate to left",
                "pinch 14 → 56 around (15, 15)",
                "wait 250 ms",
            ]
        );
        let whole = format!("{HEAD}{script}");
        assert_eq!(parse(&whole, Some("a.b")).unwrap().left_out, 2);
    }

    #[test]
    fn recorded_names_are_known_and_an_app_may_be_launched_late() {
        let script = format!(
            "{HEAD}captureDispatchPress(KEYCODE_MENU)\ncaptureDispatchKey(0,0,0,4,0,0,0,0)\n\
             LaunchActivity(com.example.notes,x)\n"
        );
        let Trace { header, steps } = parse(&script, None).unwrap().trace;
        assert_eq!(header.app.package, "com.example.notes");
        let actions: Vec<String> = steps.iter().map(|step| step.action.to_string()).collect();
        assert_eq!(actions, ["key menu", "key back", "launch the app"]);
    }

    #[test]
    fn a_line_that_is_no_script_is_named() {
        let wrong = |text: &str| parse(text, Some("a.b")).unwrap_err().to_string();
        assert!(wrong("Tap(1,2)").contains("start data"));
        assert_eq!(
            wrong(&format!("{HEAD}Tap(1)")),
            "line 5: `Tap` has too few arguments, or some that are no numbers"
        );
        assert_eq!(
            wrong(&format!("{HEAD}Jump(1)")),
            "line 5: `Jump` is no event of Monkey's"
        );
        assert_eq!(wrong(HEAD), "it has no event");
        assert!(matches!(
            parse(&format!("{HEAD}Tap(1,2)"), None),
            Err(MonkeyScriptError::NoApp)
        ));
    }
}
