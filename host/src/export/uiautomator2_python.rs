//! Scripts with the Python package `uiautomator2`.

use retap_shared::action::Action;
use retap_shared::geometry::{Point, Rotation};
use retap_shared::trace::StartMode;

use super::ending::{Ending, OTHER_TARGET};
use super::literal::python;
use super::phone_command::{self, CLEAR_PROBLEM_LOG, PROBLEM_LOG};
use super::python::{script, sleep};
use super::selector::Selector;
use super::source::{ExportSource, NumberedStep};
use super::{LossList, PATH_ONLY, PLACE_ONLY};

const IMPORTS: &str =
    "# pip install uiautomator2. The phone: the only one, or the one that ANDROID_SERIAL names.

import re
import time

import uiautomator2
";

const FUNCTIONS: &str = r#"
d = None


def labelled(label, **more):
    """Finds a widget by its text or its description."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for widget in (d(text=label, **more), d(description=label, **more)):
            if widget.exists:
                return widget
        time.sleep(0.1)
    raise AssertionError(f"{label!r} is not on the screen")


def assert_no_problem():
    """Fails if the app has crashed or hangs. Android reports a hang after several seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        lines = d.shell("@PROBLEM_LOG@").output.splitlines()
        problems = [line for line in lines if f",{PACKAGE}," in line or f",{PACKAGE}:" in line]
        assert not problems, "\n".join(problems)
        time.sleep(1)
"#;

/// Writes a script.
pub(super) fn write(source: &ExportSource<'_>, losses: &mut LossList) -> String {
    let mut body = vec![
        "global d".to_owned(),
        "d = uiautomator2.connect()".into(),
        "d.implicitly_wait(10)".into(),
        shell(CLEAR_PROBLEM_LOG),
    ];
    body.extend(start(source));
    for step in source.steps() {
        body.push(format!("# {}: {}", step.number, step.words()));
        body.extend(step.pause.map(sleep));
        body.extend(statements(&step, source, losses));
    }
    body.push("assert_no_problem()".into());
    body.extend(end(source, losses));
    script(
        source,
        IMPORTS,
        &FUNCTIONS.replace("@PROBLEM_LOG@", PROBLEM_LOG),
        &body,
    )
}

fn start(source: &ExportSource<'_>) -> Vec<String> {
    let launch = || match source
        .component()
        .as_ref()
        .and_then(|it| it.split_once('/'))
    {
        Some((_, class)) => format!("d.app_start(PACKAGE, {}, wait=True)", python(class)),
        None => "d.app_start(PACKAGE, wait=True)".to_owned(),
    };
    match source.trace.header.start {
        StartMode::Clean => vec![
            "d.app_clear(PACKAGE)".into(),
            "d.app_auto_grant_permissions(PACKAGE)".into(),
            launch(),
        ],
        StartMode::Restart => vec!["d.app_stop(PACKAGE)".into(), launch()],
        StartMode::Continue => Vec::new(),
    }
}

fn shell(command: &str) -> String {
    format!("d.shell({})", python(command))
}

fn statements(
    step: &NumberedStep<'_>,
    source: &ExportSource<'_>,
    losses: &mut LossList,
) -> Vec<String> {
    let number = step.number;
    let widget = step
        .selector
        .as_ref()
        .map(|selector| expression(selector, number, losses));
    let statement = match (&step.step.action, widget) {
        (Action::Tap(_), Some(widget)) => format!("{widget}.click()"),
        (Action::LongPress(_), Some(widget)) => format!("{widget}.long_click()"),
        (Action::Text { text, .. }, Some(widget)) => format!("{widget}.set_text({})", python(text)),
        (Action::Tap(Point { x, y }), None) => {
            losses.add(number, PLACE_ONLY);
            format!("d.click({x}, {y})")
        }
        (Action::LongPress(Point { x, y }), None) => {
            losses.add(number, PLACE_ONLY);
            format!("d.long_click({x}, {y})")
        }
        (
            Action::Text {
                at: Point { x, y },
                text,
            },
            None,
        ) => {
            losses.add(number, PLACE_ONLY);
            let typed = format!("d.send_keys({}, clear=True)", python(text));
            return vec![format!("d.click({x}, {y})"), typed];
        }
        (Action::Swipe { from, to, millis }, _) => format!(
            "d.swipe({}, {}, {}, {}, duration={}.{:03})",
            from.x,
            from.y,
            to.x,
            to.y,
            millis / 1000,
            millis % 1000
        ),
        (Action::Pinch { from, to, .. }, Some(widget)) if !widget.starts_with("d.xpath") => {
            losses.add(
                number,
                "a pinch has a share of the widget and not its distance in pixels",
            );
            let share = 100 * i64::from(from - to).abs() / i64::from((*from).max(*to).max(1));
            let name = if from < to { "pinch_out" } else { "pinch_in" };
            format!("{widget}.{name}(percent={})", share.min(100))
        }
        (Action::Key(key), _) => format!("d.press({})", key.code()),
        (Action::Rotate(rotation), _) => {
            format!("d.orientation = {}", python(orientation(*rotation)))
        }
        (Action::Wait { millis }, _) => sleep(*millis),
        (action, _) => match phone_command::of_action(action, source) {
            Some(commands) => return commands.iter().map(|command| shell(command)).collect(),
            None => {
                losses.add(
                    number,
                    format!("uiautomator2 cannot do this: {action}; left out"),
                );
                return Vec::new();
            }
        },
    };
    vec![statement]
}

fn orientation(rotation: Rotation) -> &'static str {
    match rotation {
        Rotation::Natural => "natural",
        Rotation::Left => "left",
        Rotation::UpsideDown => "upsidedown",
        Rotation::Right => "right",
    }
}

/// An expression for the widget.
fn expression(selector: &Selector, number: usize, losses: &mut LossList) -> String {
    losses.add_ambiguity(number, selector);
    if let Some(xpath) = selector.xpath() {
        losses.add(number, PATH_ONLY);
        return format!("d.xpath({})", python(&xpath));
    }
    if let Some(label) = &selector.label {
        let id = selector.id.as_ref();
        let id = id.map_or_else(String::new, |id| format!(", resourceId={}", python(id)));
        return format!("labelled({}{id})", python(label));
    }
    let parts = [
        ("resourceId", &selector.id),
        ("text", &selector.text),
        ("description", &selector.description),
    ];
    let named = parts
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let mut fields: Vec<String> = named
        .map(|(name, value)| format!("{name}={}", python(value)))
        .collect();
    fields.extend(selector.index.map(|index| format!("instance={index}")));
    format!("d({})", fields.join(", "))
}

fn end(source: &ExportSource<'_>, losses: &mut LossList) -> Vec<String> {
    match source.ending() {
        Ending::NoProblem => Vec::new(),
        Ending::Activity(name) => {
            let class = python(name.rsplit(['.', '/']).next().unwrap_or(name));
            vec![format!(
                "assert re.split(r\"[./]\", d.app_current()[\"activity\"])[-1] == {class}, d.app_current()"
            )]
        }
        Ending::Shows(widget) => match Selector::of_widget(widget) {
            Some(selector) => vec![format!(
                "assert {}.exists",
                expression(&selector, 0, losses)
            )],
            None => Vec::new(),
        },
        Ending::Other => {
            losses.add_to_trace(OTHER_TARGET);
            Vec::new()
        }
    }
}
