//! A step in words: the action and its widget.

use maud::{Markup, html};
use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::geometry::{Point, Rotation};
use retap_shared::trace::Step;
use retap_shared::widget::Widget;

use super::sanitise_html;
use crate::wording::group_thousands;

/// Maximum length of a quoted text.
const QUOTED: usize = 48;

/// `tap Button “Save”`, with the verb in bold.
pub(crate) fn step_markup(step: &Step) -> Markup {
    let (verb, object) = parts(step);
    html! { b { (verb) } @if !object.is_empty() { " " bdi { (object) } } }
}

/// The same as plain text.
pub(crate) fn step_text(step: &Step) -> String {
    let (verb, object) = parts(step);
    if object.is_empty() {
        verb
    } else {
        format!("{verb} {object}")
    }
}

/// `1 step`, `12,000 steps`.
pub(crate) fn pluralise(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        group_thousands(number),
        if number == 1 { one } else { many }
    )
}

/// A class without its package; empty for a name that is too long to be one.
pub(crate) fn class_name(class: &str) -> &str {
    if class.len() > 400 {
        ""
    } else {
        class.rsplit(['.', '$']).next().unwrap_or_default()
    }
}

pub(crate) fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next()
        .map(|first| first.to_uppercase().chain(rest).collect())
        .unwrap_or_default()
}

/// Badge of an action without a touch.
pub(crate) fn badge(action: &Action) -> String {
    match action {
        Action::Key(Key::Back) => "← back".to_owned(),
        Action::Key(key @ Key::Code(_)) => format!("key {key}"),
        Action::Key(key) => format!("{key} key"),
        Action::Rotate(rotation) => format!("↻ turn {}", turned(*rotation)),
        Action::Launch => "launch".to_owned(),
        Action::Wait { millis } => format!("wait {}", duration_text(*millis)),
        other => other.to_string(),
    }
}

fn parts(step: &Step) -> (String, String) {
    let widget = step.widget.as_ref().map(widget);
    let on = |verb: &str| {
        (
            verb.to_owned(),
            widget.clone().unwrap_or_else(|| place(&step.action)),
        )
    };
    match &step.action {
        Action::Tap(_) => on("tap"),
        Action::LongPress(_) => on("long press"),
        Action::Swipe { from, to, .. } => on(swipe(*from, *to)),
        Action::Pinch { from, to, .. } => on(if to > from {
            "pinch open"
        } else {
            "pinch shut"
        }),
        Action::Text { text, .. } if text.is_empty() => on("clear"),
        Action::Text { text, .. } => {
            let into = widget.unwrap_or_else(|| place(&step.action));
            (
                "type".to_owned(),
                format!(
                    "“{}” into {into}",
                    sanitise_html::sanitise_line(text, QUOTED)
                ),
            )
        }
        Action::Key(Key::Back) => ("go back".to_owned(), String::new()),
        Action::Key(key) => ("press".to_owned(), format!("the {key} key")),
        Action::Rotate(rotation) => (
            "turn".to_owned(),
            format!("the phone {}", turned(*rotation)),
        ),
        Action::Launch => ("launch".to_owned(), "the app".to_owned()),
        Action::Wait { millis } => ("wait".to_owned(), duration_text(*millis)),
        Action::System(event) => {
            let (verb, object) = system_event(event);
            (
                verb.to_owned(),
                sanitise_html::sanitise_line(&object, QUOTED),
            )
        }
    }
}

/// A swipe by its main direction.
fn swipe(from: Point, to: Point) -> &'static str {
    let across = i64::from(to.x) - i64::from(from.x);
    let down = i64::from(to.y) - i64::from(from.y);
    match (across.abs() > down.abs(), across < 0, down < 0) {
        (true, true, _) => "swipe left",
        (true, false, _) => "swipe right",
        (false, _, true) => "swipe up",
        (false, _, false) => "swipe down",
    }
}

fn system_event(event: &SystemEvent) -> (&'static str, String) {
    match event {
        SystemEvent::Call => ("receive", "a call".to_owned()),
        SystemEvent::Message => ("receive", "a text message".to_owned()),
        SystemEvent::Broadcast(action) => ("receive", format!("the broadcast {action}")),
        SystemEvent::Offline => ("switch off", "the network".to_owned()),
        SystemEvent::Online => ("switch on", "the network".to_owned()),
        SystemEvent::LowMemory => ("simulate", "low memory".to_owned()),
        SystemEvent::Locale(tag) => ("switch", format!("the language to {tag}")),
        SystemEvent::TimeZone(id) => ("switch", format!("the time zone to {id}")),
        SystemEvent::Doze => ("enter", "doze mode".to_owned()),
        SystemEvent::Wake => ("leave", "doze mode".to_owned()),
    }
}

/// `Button “Save”`; by id or path if it has no text.
pub(crate) fn widget(widget: &Widget) -> String {
    let class = sanitise_html::sanitise_line(class_name(&widget.class), 40);
    let class = if class.is_empty() {
        "widget".to_owned()
    } else {
        class
    };
    let id = widget.id.rsplit('/').next().unwrap_or_default();
    match (widget.text.trim().is_empty(), id.is_empty()) {
        (false, _) => format!(
            "{class} “{}”",
            sanitise_html::sanitise_line(widget.text.trim(), QUOTED)
        ),
        (true, false) => format!("{class} #{}", sanitise_html::sanitise_line(id, QUOTED)),
        (true, true) if widget.path.is_empty() => class,
        (true, true) => format!(
            "{class} at {}",
            sanitise_html::sanitise_line(&widget.path, QUOTED)
        ),
    }
}

fn place(action: &Action) -> String {
    action
        .place()
        .map(|place| format!("at {place}"))
        .unwrap_or_default()
}

fn turned(rotation: Rotation) -> &'static str {
    match rotation {
        Rotation::Natural => "upright",
        Rotation::Left => "left",
        Rotation::UpsideDown => "upside down",
        Rotation::Right => "right",
    }
}

fn duration_text(millis: u32) -> String {
    retap_shared::micros::Micros::from_millis(u64::from(millis)).to_string()
}

#[cfg(test)]
mod tests {

    use super::*;

    fn words(action: Action, widget: Option<Widget>) -> String {
        step_text(&Step {
            widget,
            ..Step::new(action)
        })
    }

    #[test]
    fn numbers_agree_with_their_noun() {
        assert_eq!(pluralise(1, "step", "steps"), "1 step");
        assert_eq!(pluralise(0, "step", "steps"), "0 steps");
        assert_eq!(pluralise(12_345_678, "step", "steps"), "12,345,678 steps");
    }

    #[test]
    fn steps_read_like_instructions() {
        let at = Point { x: 10, y: 20 };
        let button = Widget {
            class: "android.widget.Button".into(),
            text: "Save".into(),
            ..Widget::default()
        };
        let icon = Widget {
            text: "".into(),
            id: "com.example:id/more".into(),
            ..button.clone()
        };
        assert_eq!(
            words(Action::Tap(at), Some(button.clone())),
            "tap Button “Save”"
        );
        assert_eq!(
            words(Action::LongPress(at), Some(icon)),
            "long press Button #more"
        );
        assert_eq!(words(Action::Tap(at), None), "tap at (10, 20)");
        let typed = Action::Text {
            at,
            text: "milk".into(),
        };
        assert_eq!(words(typed, Some(button)), "type “milk” into Button “Save”");
        let swipe = Action::Swipe {
            from: at,
            to: Point { x: 12, y: -300 },
            millis: 200,
        };
        assert_eq!(words(swipe, None), "swipe up at (10, 20)");
        assert_eq!(words(Action::Key(Key::Back), None), "go back");
        assert_eq!(
            words(Action::Rotate(Rotation::Left), None),
            "turn the phone left"
        );
        assert_eq!(words(Action::Wait { millis: 1500 }, None), "wait 1.5 s");
    }
}
