//! Scripts of Android's Monkey: a head, `start data >>`, and one event a line. They name places and no widgets.

use retap_shared::action::{Action, Key, key_code};
use retap_shared::geometry::Point;
use retap_shared::trace::StartMode;

use super::ending::Ending;
use super::phone_command::quarter_turns;
use super::source::ExportSource;
use super::{LossList, PLACES_ONLY};

/// Milliseconds of one step of a movement.
const MOVE_STEP: u32 = 10;
/// Milliseconds that a finger stays for a long press.
const LONG_PRESS: u32 = 700;

/// Writes a script.
pub(super) fn write(source: &ExportSource<'_>, losses: &mut LossList) -> String {
    let mut events = Vec::new();
    let launch = launch_event(source);
    match &launch {
        Some(launch) if source.trace.header.start != StartMode::Continue => {
            events.push(launch.clone());
        }
        Some(_) => {}
        None => losses.add_to_trace(
            "the trace does not name the app's first activity: launch the app before the script",
        ),
    }
    for step in source.steps() {
        if let Some(pause) = step.pause {
            events.push(format!("UserWait({pause})"));
        }
        let is_text = matches!(step.step.action, Action::Text { .. });
        match event(&step.step.action, launch.as_deref()) {
            Ok(event) => {
                events.push(event);
                if is_text {
                    losses.add(step.number, "Monkey adds the text to what the field has");
                }
            }
            Err(why) => losses.add(step.number, why),
        }
    }
    note_losses(source, losses);
    let head = format!(
        "type= raw events\ncount= {}\nspeed= 1.0\nstart data >>\n",
        events.len()
    );
    head + &events.join("\n") + "\n"
}

fn note_losses(source: &ExportSource<'_>, losses: &mut LossList) {
    losses.add_to_trace(PLACES_ONLY);
    if source.trace.header.start == StartMode::Clean {
        losses.add_to_trace(format!(
            "a script clears no data: run `adb shell pm clear {}` first",
            source.package()
        ));
    }
    if source.ending() != Ending::NoProblem {
        losses.add_to_trace("a script checks nothing but that the app does not crash");
    }
}

/// The event that launches the app: its activity, or the one of the first step.
fn launch_event(source: &ExportSource<'_>) -> Option<String> {
    let first = || {
        let first = source.trace.steps.first()?;
        (!first.activity.is_empty()).then(|| first.activity.to_string())
    };
    let component = source.component().or_else(first)?;
    let (package, class) = component.split_once('/')?;
    let is_own = package == source.package();
    let class = match class.strip_prefix('.') {
        Some(end) => format!("{package}.{end}"),
        None => class.to_owned(),
    };
    is_own.then(|| format!("LaunchActivity({package},{class})"))
}

fn event(action: &Action, launch: Option<&str>) -> Result<String, String> {
    Ok(match action {
        Action::Tap(Point { x, y }) => format!("Tap({x},{y})"),
        Action::LongPress(Point { x, y }) => format!("PressAndHold({x},{y},{LONG_PRESS})"),
        Action::Swipe { from, to, millis } => format!(
            "Drag({},{},{},{},{})",
            from.x,
            from.y,
            to.x,
            to.y,
            (millis / MOVE_STEP).max(1)
        ),
        Action::Pinch {
            center: Point { x, y },
            from,
            to,
            millis,
        } => {
            let side = |distance: i32, sign: i32| x.saturating_add(sign * (distance / 2));
            format!(
                "PinchZoom({},{y},{},{y},{},{y},{},{y},{})",
                side(*from, -1),
                side(*to, -1),
                side(*from, 1),
                side(*to, 1),
                (millis / MOVE_STEP).max(1)
            )
        }
        Action::Key(key) => press(*key),
        Action::Text {
            at: Point { x, y },
            text,
        } => {
            if text.chars().any(|one| !(' '..='~').contains(&one)) {
                return Err("Monkey types only ASCII: left out".into());
            }
            format!("Tap({x},{y})\nDispatchString({text})")
        }
        Action::Rotate(rotation) => format!("RotateScreen({},1)", quarter_turns(*rotation)),
        Action::Launch => match launch {
            Some(launch) => launch.to_owned(),
            None => return Err("the app's first activity is not known: left out".into()),
        },
        Action::Wait { millis } => format!("UserWait({millis})"),
        Action::System(event) => return Err(format!("Monkey cannot do this: {event}; left out")),
    })
}

fn press(key: Key) -> String {
    match key_code::name(key.code()) {
        Some(name) => format!("DispatchPress({name})"),
        None => {
            let code = key.code();
            format!("DispatchKey(0,0,0,{code},0,0,0,0)\nDispatchKey(0,0,1,{code},0,0,0,0)")
        }
    }
}
