//! Instrumented tests in Kotlin with `androidx.test.uiautomator`, JUnit 4.

use retap_shared::action::Action;
use retap_shared::geometry::{Point, Rotation};
use retap_shared::trace::StartMode;

use super::ending::{Ending, OTHER_TARGET};
use super::literal::kotlin;
use super::phone_command::{self, CLEAR_PROBLEM_LOG, PROBLEM_LOG};
use super::selector::Selector;
use super::source::{ExportSource, NumberedStep};
use super::{LossList, PATH_ONLY, PLACE_ONLY, header_lines};

const IMPORTS: &str = "import android.content.pm.PackageManager
import android.os.SystemClock
import androidx.test.platform.app.InstrumentationRegistry
import androidx.test.uiautomator.By
import androidx.test.uiautomator.BySelector
import androidx.test.uiautomator.UiDevice
import androidx.test.uiautomator.UiObject2
import androidx.test.uiautomator.Until
import org.junit.Assert.fail
import org.junit.Test
";

/// Parts of every test. `$PACKAGE` and `$PROBLEM_LOG` are replaced.
const FUNCTIONS: &str = r#"
    private fun find(selector: BySelector, index: Int = 0): UiObject2 {
        device.wait(Until.hasObject(selector), TIMEOUT_MILLIS)
        return device.findObjects(selector).getOrNull(index) ?: throw AssertionError("$selector is not on the screen")
    }

    /** Finds a widget by its text or its description. */
    private fun labelled(label: String, id: String? = null): UiObject2 {
        val texts = listOf(By.text(label), By.desc(label)).map { if (id == null) it else it.res(id) }
        val deadline = SystemClock.uptimeMillis() + TIMEOUT_MILLIS
        while (SystemClock.uptimeMillis() < deadline) {
            texts.firstNotNullOfOrNull { device.findObject(it) }?.let { return it }
            SystemClock.sleep(100)
        }
        throw AssertionError("\"$label\" is not on the screen")
    }

    /** Finds a widget by its child numbers from the window's root. */
    private fun at(vararg numbers: Int): UiObject2 {
        var widget = find(By.pkg(PACKAGE).depth(0))
        for (number in numbers.drop(1)) {
            val child = widget.children.getOrNull(number)
            widget = child ?: throw AssertionError("no widget is at ${numbers.joinToString(".")}")
        }
        return widget
    }

    private fun shell(command: String): String = device.executeShellCommand(command)

    private fun grantPermissions() {
        val packages = instrumentation.context.packageManager
        val requested = packages.getPackageInfo(PACKAGE, PackageManager.GET_PERMISSIONS).requestedPermissions
        for (permission in requested.orEmpty()) {
            // Most permissions are not granted at run time.
            runCatching { instrumentation.uiAutomation.grantRuntimePermission(PACKAGE, permission) }
        }
    }

    /** Fails if the app has crashed or hangs. Android reports a hang after several seconds. */
    private fun assertNoProblem() {
        val deadline = SystemClock.uptimeMillis() + HANG_MILLIS
        while (SystemClock.uptimeMillis() < deadline) {
            val problems = shell("@PROBLEM_LOG@").lines().filter { ",$PACKAGE," in it || ",$PACKAGE:" in it }
            if (problems.isNotEmpty()) fail(problems.joinToString("\n"))
            SystemClock.sleep(1_000)
        }
    }
"#;

/// Writes a test class.
pub(super) fn write(source: &ExportSource<'_>, losses: &mut LossList) -> String {
    let mut body = Vec::new();
    body.push(call_shell(CLEAR_PROBLEM_LOG));
    start(source, &mut body);
    for step in source.steps() {
        body.push(format!("// {}: {}", step.number, step.words()));
        body.extend(step.pause.map(sleep));
        body.extend(statements(&step, source, losses));
        if step.pause.is_none() {
            body.push("device.waitForIdle()".into());
        }
    }
    body.push("assertNoProblem()".into());
    body.extend(end(source, losses));
    let name = source.trace.fingerprint().map_or_else(
        || "RetapTest".to_owned(),
        |fingerprint| format!("Crash{fingerprint}Test"),
    );
    let functions = FUNCTIONS.replace("@PROBLEM_LOG@", PROBLEM_LOG);
    let lines: Vec<String> = body.iter().map(|line| format!("        {line}")).collect();
    format!(
        "{}\n// If the app is stopped, so is a test in the app's own process: keep it in a module of its own.\n\n{IMPORTS}\n\
         private const val PACKAGE = {}\nprivate const val TIMEOUT_MILLIS = 10_000L\n\
         private const val HANG_MILLIS = 10_000L\n\nclass {name} {{\n    \
         private val instrumentation = InstrumentationRegistry.getInstrumentation()\n    \
         private val device = UiDevice.getInstance(instrumentation)\n\n    \
         @Test\n    fun doesNotCrash() {{\n{}\n    }}\n{functions}}}\n",
        header_lines(source, "//").join("\n"),
        kotlin(source.package()),
        lines.join("\n"),
    )
}

fn start(source: &ExportSource<'_>, body: &mut Vec<String>) {
    let is_clean = source.trace.header.start == StartMode::Clean;
    for (place, command) in phone_command::start(source).iter().enumerate() {
        body.push(call_shell(command));
        if place == 0 && is_clean {
            body.push("grantPermissions()".into());
        }
    }
    body.push("device.wait(Until.hasObject(By.pkg(PACKAGE).depth(0)), TIMEOUT_MILLIS)".into());
    body.push("device.waitForIdle()".into());
}

fn call_shell(command: &str) -> String {
    format!("shell({})", kotlin(command))
}

fn sleep(millis: u32) -> String {
    format!("SystemClock.sleep({millis})")
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
    match (&step.step.action, widget) {
        (Action::Tap(_), Some(widget)) => vec![format!("{widget}.click()")],
        (Action::LongPress(_), Some(widget)) => vec![format!("{widget}.longClick()")],
        (Action::Text { text, .. }, Some(widget)) => {
            vec![format!("{widget}.text = {}", kotlin(text))]
        }
        (Action::Tap(Point { x, y }), None) => {
            losses.add(number, PLACE_ONLY);
            vec![format!("device.click({x}, {y})")]
        }
        (Action::LongPress(Point { x, y }), None) => {
            losses.add(number, PLACE_ONLY);
            vec![format!("device.swipe({x}, {y}, {x}, {y}, 140)")]
        }
        (Action::Text { .. }, None) => {
            losses.add(number, "no field was recorded: left out");
            Vec::new()
        }
        // A step of a swipe takes 5 ms.
        (Action::Swipe { from, to, millis }, _) => vec![format!(
            "device.swipe({}, {}, {}, {}, {})",
            from.x,
            from.y,
            to.x,
            to.y,
            (millis / 5).max(1)
        )],
        (Action::Pinch { from, to, .. }, Some(widget)) => {
            losses.add(
                number,
                "a pinch has a share of the widget and not its distance in pixels",
            );
            let share = f64::from((from - to).abs()) / f64::from((*from).max(*to).max(1));
            let name = if from < to { "pinchOpen" } else { "pinchClose" };
            vec![format!("{widget}.{name}({:.2}f)", share.min(1.0))]
        }
        (Action::Key(key), _) => vec![format!("device.pressKeyCode({})", key.code())],
        (Action::Rotate(Rotation::Natural), _) => vec!["device.setOrientationNatural()".into()],
        (Action::Rotate(Rotation::Left), _) => vec!["device.setOrientationLeft()".into()],
        (Action::Rotate(Rotation::Right), _) => vec!["device.setOrientationRight()".into()],
        (Action::Wait { millis }, _) => vec![sleep(*millis)],
        (action, _) => match phone_command::of_action(action, source) {
            Some(commands) => commands.iter().map(|command| call_shell(command)).collect(),
            None => {
                losses.add(
                    number,
                    format!("UiAutomator cannot do this: {action}; left out"),
                );
                Vec::new()
            }
        },
    }
}

/// An expression for the widget.
fn expression(selector: &Selector, number: usize, losses: &mut LossList) -> String {
    losses.add_ambiguity(number, selector);
    if let Some(path) = &selector.path {
        losses.add(number, PATH_ONLY);
        return format!("at({})", path.replace('.', ", "));
    }
    if let Some(label) = &selector.label {
        let id = selector.id.as_ref();
        let id = id.map_or_else(String::new, |id| format!(", {}", kotlin(id)));
        return format!("labelled({}{id})", kotlin(label));
    }
    let parts = [
        ("res", &selector.id),
        ("text", &selector.text),
        ("desc", &selector.description),
    ];
    let named = parts
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let calls: Vec<String> = named
        .map(|(name, value)| format!("{name}({})", kotlin(value)))
        .collect();
    let index = selector
        .index
        .map_or_else(String::new, |index| format!(", {index}"));
    format!("find(By.{}{index})", calls.join("."))
}

fn end(source: &ExportSource<'_>, losses: &mut LossList) -> Vec<String> {
    match source.ending() {
        Ending::NoProblem => Vec::new(),
        Ending::Activity(name) => {
            let class = kotlin(name.rsplit(['.', '/']).next().unwrap_or(name));
            vec![
                "val activities = shell(\"dumpsys activity activities\").lines()".to_owned(),
                "val resumed = activities.filter { \"ResumedActivity\" in it }".into(),
                format!("val wanted = Regex(\"[./]\" + Regex.escape({class}) + \"[ }}]\")"),
                "if (resumed.none { wanted in it }) fail(\"$resumed\")".into(),
            ]
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
