//! Actions: events that can be injected, by a finger, by a key, or by the system.

mod key;
mod system;

use std::fmt;
use std::time::Duration;

pub use key::{Key, ParseKeyError, key_code};
use serde::{Deserialize, Serialize};
pub use system::{SystemEvent, SystemEventKinds};

use crate::Text;
use crate::geometry::{Point, Rotation};

/// An event that can be injected. Places are in pixels of the display in its current rotation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A finger goes down and up.
    Tap(Point),
    /// A finger goes down and stays until the app takes it for a long press.
    LongPress(Point),
    /// A finger moves in a straight line.
    Swipe {
        /// The place where the finger goes down.
        from: Point,
        /// The place where it goes up.
        to: Point,
        /// Duration of the movement.
        millis: u32,
    },
    /// Two fingers move around a centre, from one distance to another.
    Pinch {
        /// The point between the fingers.
        center: Point,
        /// Distance of the fingers at the start, in pixels.
        from: i32,
        /// Distance of the fingers at the end, in pixels.
        to: i32,
        /// Duration of the movement.
        millis: u32,
    },
    /// A key is pressed and released.
    Key(Key),
    /// Replaces the text of the field at `at`.
    Text {
        /// A place on the field.
        at: Point,
        /// The new text.
        text: Text,
    },
    /// Turns the display.
    Rotate(Rotation),
    /// Brings the app to the front by its launcher intent, without stopping it first.
    Launch,
    /// Waits for a fixed time.
    Wait {
        /// Duration of the wait.
        millis: u32,
    },
    /// An event of the system. Only phones with the capability can inject it.
    System(SystemEvent),
}

impl Action {
    /// The place where the first finger goes down; none for actions without a finger.
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

    /// The time that the action takes by its own definition.
    pub fn duration(&self) -> Duration {
        match self {
            Action::Swipe { millis, .. }
            | Action::Pinch { millis, .. }
            | Action::Wait { millis } => Duration::from_millis(u64::from(*millis)),
            _ => Duration::ZERO,
        }
    }

    /// The same action with its place moved to `to`, and its other points moved by the same distance.
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
            Action::Swipe { from, to: end, .. } => {
                *from = to;
                *end = shift(*end);
            }
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
