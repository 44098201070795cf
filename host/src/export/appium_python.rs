//! Scripts with `Appium-Python-Client` and Appium's UiAutomator2 driver.

use retap_shared::action::{Action, SystemEvent};
use retap_shared::geometry::{Point, Rotation};
use retap_shared::trace::StartMode;

use super::ending::{Ending, OTHER_TARGET};
use super::literal::python;
use super::python::{script, sleep};
use super::selector::Selector;
use super::source::{ExportSource, NumberedStep};
use super::{LossList, PATH_ONLY, PLACE_ONLY};

const IMPORTS: &str =
    "# pip install Appium-Python-Client. The server: APPIUM_SERVER, with the driver uiautomator2.

import os
import time

from appium import webdriver
from appium.options.android import UiAutomator2Options
from appium.webdriver.common.appiumby import AppiumBy
";

const FUNCTIONS: &str = r#"
driver = None


def connect():
    options = UiAutomator2Options()
    options.no_reset = True
    options.set_capability("appium:clearDeviceLogsOnStart", True)
    server = os.environ.get("APPIUM_SERVER", "http://127.0.0.1:4723")
    connected = webdriver.Remote(server, options=options)
    connected.implicitly_wait(10)
    return connected


def find(by, value, index=0):
    found = driver.find_elements(by, value)
    assert len(found) > index, f"{value} is not on the screen"
    return found[index]


def labelled(label, resource_id=None):
    """Finds a widget by its text or its description."""
    quoted = "concat('', " + ', "\'", '.join(f"'{part}'" for part in label.split("'")) + ")"
    condition = f"(@text={quoted} or @content-desc={quoted})"
    if resource_id is not None:
        condition += f" and @resource-id='{resource_id}'"
    return find(AppiumBy.XPATH, f"//*[{condition}]")


def assert_no_problem():
    """Fails if the app has crashed or hangs. Android reports a hang after several seconds."""
    signs = (f"Process: {PACKAGE}", f"ANR in {PACKAGE}", f">>> {PACKAGE}")
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        lines = [entry["message"] for entry in driver.get_log("logcat")]
        problems = [line for line in lines if any(sign in line for sign in signs)]
        assert not problems, "\n".join(problems)
        time.sleep(1)
"#;

/// Writes a script.
pub(super) fn write(source: &ExportSource<'_>, losses: &mut LossList) -> String {
    let mut test = vec!["# The app.".to_owned()];
    test.extend(start(source));
    for step in source.steps() {
        test.push(format!("# {}: {}", step.number, step.words()));
        test.extend(step.pause.map(sleep));
        test.extend(statements(&step, losses));
    }
    test.push("assert_no_problem()".into());
    test.extend(end(source, losses));
    let mut body = vec![
        "global driver".to_owned(),
        "driver = connect()".into(),
        "try:".into(),
    ];
    body.extend(test.iter().map(|line| format!("    {line}")));
    body.extend(["finally:".to_owned(), "    driver.quit()".into()]);
    script(source, IMPORTS, FUNCTIONS, &body)
}

fn start(source: &ExportSource<'_>) -> Vec<String> {
    let launch = match source.component() {
        Some(component) => mobile(
            "startActivity",
            &format!("\"intent\": {}, \"wait\": True", python(&component)),
        ),
        None => "driver.activate_app(PACKAGE)".into(),
    };
    match source.trace.header.start {
        StartMode::Clean => vec![
            mobile("clearApp", "\"appId\": PACKAGE"),
            mobile(
                "changePermissions",
                "\"permissions\": \"all\", \"appPackage\": PACKAGE, \"action\": \"grant\"",
            ),
            launch,
        ],
        StartMode::Restart => vec!["driver.terminate_app(PACKAGE)".into(), launch],
        StartMode::Continue => Vec::new(),
    }
}

fn mobile(command: &str, arguments: &str) -> String {
    format!("driver.execute_script(\"mobile: {command}\", {{{arguments}}})")
}

fn statements(step: &NumberedStep<'_>, losses: &mut LossList) -> Vec<String> {
    let number = step.number;
    let widget = step
        .selector
        .as_ref()
        .map(|selector| expression(selector, number, losses));
    let statement = match (&step.step.action, widget) {
        (Action::Tap(_), Some(widget)) => format!("{widget}.click()"),
        (Action::LongPress(_), Some(widget)) => {
            mobile("longClickGesture", &format!("\"elementId\": {widget}.id"))
        }
        (Action::Text { text, .. }, Some(widget)) => {
            let field = format!("field = {widget}");
            return vec![
                field,
                "field.clear()".into(),
                format!("field.send_keys({})", python(text)),
            ];
        }
        (Action::Tap(Point { x, y }), None) => {
            losses.add(number, PLACE_ONLY);
            mobile("clickGesture", &format!("\"x\": {x}, \"y\": {y}"))
        }
        (Action::LongPress(Point { x, y }), None) => {
            losses.add(number, PLACE_ONLY);
            mobile("longClickGesture", &format!("\"x\": {x}, \"y\": {y}"))
        }
        (Action::Text { .. }, None) => {
            losses.add(number, "no field was recorded: left out");
            return Vec::new();
        }
        (Action::Swipe { from, to, millis }, _) => {
            format!(
                "driver.swipe({}, {}, {}, {}, {millis})",
                from.x, from.y, to.x, to.y
            )
        }
        (
            Action::Pinch {
                center, from, to, ..
            },
            _,
        ) => pinch(*center, *from, *to),
        (Action::Key(key), _) => format!("driver.press_keycode({})", key.code()),
        (Action::Rotate(Rotation::Natural), _) => "driver.orientation = \"PORTRAIT\"".into(),
        (Action::Rotate(Rotation::Left), _) => "driver.orientation = \"LANDSCAPE\"".into(),
        (Action::Rotate(Rotation::Right), _) => {
            losses.add(number, "Appium turns the display to the left only");
            "driver.orientation = \"LANDSCAPE\"".into()
        }
        (Action::Launch, _) => "driver.activate_app(PACKAGE)".into(),
        (Action::Wait { millis }, _) => sleep(*millis),
        (Action::System(event), _) => match system_event(event) {
            Some(statement) => statement,
            None => return left_out(number, &step.step.action, losses),
        },
        (action @ Action::Rotate(Rotation::UpsideDown), _) => {
            return left_out(number, action, losses);
        }
    };
    vec![statement]
}

fn left_out(number: usize, action: &Action, losses: &mut LossList) -> Vec<String> {
    losses.add(number, format!("Appium cannot do this: {action}; left out"));
    Vec::new()
}

fn pinch(center: Point, from: i32, to: i32) -> String {
    let side = from.max(to).max(1);
    let share = f64::from(from.saturating_sub(to).saturating_abs()) / f64::from(side);
    let name = if from < to {
        "pinchOpenGesture"
    } else {
        "pinchCloseGesture"
    };
    let [left, top] = [center.x, center.y].map(|at| at.saturating_sub(side / 2));
    let area = format!("\"left\": {left}, \"top\": {top}, \"width\": {side}, \"height\": {side}");
    mobile(name, &format!("{area}, \"percent\": {:.2}", share.min(1.0)))
}

fn system_event(event: &SystemEvent) -> Option<String> {
    Some(match event {
        SystemEvent::Offline => mobile("setConnectivity", "\"wifi\": False, \"data\": False"),
        SystemEvent::Online => mobile("setConnectivity", "\"wifi\": True, \"data\": True"),
        SystemEvent::LowMemory => mobile(
            "sendTrimMemory",
            "\"pkg\": PACKAGE, \"level\": \"RUNNING_CRITICAL\"",
        ),
        SystemEvent::Broadcast(action) => mobile(
            "broadcast",
            &format!("\"action\": {}, \"package\": PACKAGE", python(action)),
        ),
        SystemEvent::Call
        | SystemEvent::Message
        | SystemEvent::Locale(_)
        | SystemEvent::TimeZone(_)
        | SystemEvent::Doze
        | SystemEvent::Wake => return None,
    })
}

/// An expression for the widget.
fn expression(selector: &Selector, number: usize, losses: &mut LossList) -> String {
    losses.add_ambiguity(number, selector);
    if let Some(xpath) = selector.xpath() {
        losses.add(number, PATH_ONLY);
        return format!("find(AppiumBy.XPATH, {})", python(&xpath));
    }
    if let Some(label) = &selector.label {
        let id = selector.id.as_ref();
        let id = id.map_or_else(String::new, |id| format!(", {}", python(id)));
        return format!("labelled({}{id})", python(label));
    }
    let index = selector
        .index
        .map_or_else(String::new, |index| format!(", {index}"));
    let (by, value) = match (&selector.id, &selector.text, &selector.description) {
        (Some(id), None, None) => ("ID", id.clone()),
        (None, None, Some(description)) => ("ACCESSIBILITY_ID", description.clone()),
        _ => ("ANDROID_UIAUTOMATOR", ui_selector(selector)),
    };
    format!("find(AppiumBy.{by}, {}{index})", python(&value))
}

/// `new UiSelector().resourceId("…").text("…")`: the literals are Java's.
fn ui_selector(selector: &Selector) -> String {
    let parts = [
        ("resourceId", &selector.id),
        ("text", &selector.text),
        ("description", &selector.description),
    ];
    let named = parts
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let calls: String = named
        .map(|(name, value)| format!(".{name}({})", python(value)))
        .collect();
    format!("new UiSelector(){calls}")
}

fn end(source: &ExportSource<'_>, losses: &mut LossList) -> Vec<String> {
    match source.ending() {
        Ending::NoProblem => Vec::new(),
        Ending::Activity(name) => {
            let class = python(name.rsplit(['.', '/']).next().unwrap_or(name));
            vec![format!(
                "assert driver.current_activity.rsplit(\".\")[-1] == {class}, driver.current_activity"
            )]
        }
        Ending::Shows(widget) => match Selector::of_widget(widget) {
            Some(selector) => vec![expression(&selector, 0, losses)],
            None => Vec::new(),
        },
        Ending::Other => {
            losses.add_to_trace(OTHER_TARGET);
            Vec::new()
        }
    }
}
