//! What a finger or a key can do, and to which widget.

mod system;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
pub use system::{SystemEvent, SystemEventKinds};

use crate::Text;
use crate::screen::{Point, Rotation};

/// One event as it is injected. Places are in pixels of the display in its current rotation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Tap(Point),
    LongPress(Point),
    Swipe {
        from: Point,
        to: Point,
        millis: u32,
    },
    /// Two fingers around a centre, from one distance to another.
    Pinch {
        center: Point,
        from: i32,
        to: i32,
        millis: u32,
    },
    Key(Key),
    /// Replaces the text of the field at `at`.
    Text {
        at: Point,
        text: Text,
    },
    Rotate(Rotation),
    /// Brings the app to the front by its launcher intent, without stopping it first.
    Launch,
    Wait {
        millis: u32,
    },
    /// No finger and no key: the system does it. A phone may not be able to.
    System(SystemEvent),
}

impl Action {
    /// Where the finger first comes down, if a finger is in it.
    pub fn place(&self) -> Option<Point> {
        match self {
            Action::Tap(at) | Action::LongPress(at) | Action::Text { at, .. } => Some(*at),
            Action::Swipe { from, .. } => Some(*from),
            Action::Pinch { center, .. } => Some(*center),
            Action::Key(_)
            | Action::Rotate(_)
            | Action::Launch
            | Action::Wait { .. }
            | Action::System(_) => None,
        }
    }

    /// How long it lasts by itself.
    pub fn duration(&self) -> Duration {
        match self {
            Action::Swipe { millis, .. }
            | Action::Pinch { millis, .. }
            | Action::Wait { millis } => Duration::from_millis(u64::from(*millis)),
            _ => Duration::ZERO,
        }
    }

    /// The same action with its first place moved to `to`, and everything else moved along.
    pub fn moved_to(&self, to: Point) -> Action {
        let Some(place) = self.place() else {
            return self.clone();
        };
        let shift = |point: Point| Point {
            x: point.x.saturating_add(to.x.saturating_sub(place.x)),
            y: point.y.saturating_add(to.y.saturating_sub(place.y)),
        };
        let mut moved = self.clone();
        match &mut moved {
            Action::Tap(at) | Action::LongPress(at) | Action::Text { at, .. } => *at = to,
            Action::Swipe { from, to: end, .. } => (*from, *end) = (to, shift(*end)),
            Action::Pinch { center, .. } => *center = to,
            Action::Key(_)
            | Action::Rotate(_)
            | Action::Launch
            | Action::Wait { .. }
            | Action::System(_) => {}
        }
        moved
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Tap(at) => write!(f, "tap {at}"),
            Action::LongPress(at) => write!(f, "long press {at}"),
            Action::Swipe { from, to, .. } => write!(f, "swipe {from} → {to}"),
            Action::Pinch {
                center, from, to, ..
            } => write!(f, "pinch {from} → {to} around {center}"),
            Action::Key(key) => write!(f, "key {key}"),
            Action::Text { at, text } => write!(f, "type {text:?} at {at}"),
            Action::Rotate(rotation) => write!(f, "rotate to {rotation}"),
            Action::Launch => f.write_str("launch the app"),
            Action::Wait { millis } => write!(f, "wait {millis} ms"),
            Action::System(system) => system.fmt(f),
        }
    }
}

/// A key by name where a person would know it, by Android's key code otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    Back,
    Home,
    Menu,
    Enter,
    Delete,
    Code(u16),
}

impl Key {
    /// `KeyEvent.KEYCODE_*`.
    pub fn code(self) -> u16 {
        match self {
            Key::Back => 4,
            Key::Home => 3,
            Key::Menu => 82,
            Key::Enter => 66,
            Key::Delete => 67,
            Key::Code(code) => code,
        }
    }

    /// The key of this code, by its name if it has one.
    pub fn of_code(code: u16) -> Key {
        let named = [Key::Back, Key::Home, Key::Menu, Key::Enter, Key::Delete];
        named
            .into_iter()
            .find(|key| key.code() == code)
            .unwrap_or(Key::Code(code))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Back => f.write_str("back"),
            Key::Home => f.write_str("home"),
            Key::Menu => f.write_str("menu"),
            Key::Enter => f.write_str("enter"),
            Key::Delete => f.write_str("delete"),
            Key::Code(code) => write!(f, "{code}"),
        }
    }
}

/// Which widget an action was meant for, as it looked when the action was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Widget {
    /// Resource id such as `com.example:id/save`; empty if it has none.
    pub id: Text,
    /// Its text, or its description where it has no text.
    pub text: Text,
    pub class: Text,
    /// Child numbers from the window's root: `0.2.1`.
    pub path: Text,
}

impl fmt::Display for Widget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self
            .class
            .rsplit('.')
            .next()
            .filter(|class| !class.is_empty())
            .unwrap_or("widget");
        let id = self.id.rsplit('/').next().unwrap_or_default();
        match (self.text.is_empty(), id.is_empty()) {
            (false, _) => write!(f, "{class} {:?}", self.text),
            (true, false) => write!(f, "{class} #{id}"),
            (true, true) => write!(f, "{class} at {}", self.path),
        }
    }
}
