//! One call of a Monkey script, and the values of its arguments.

use retap_shared::action::Action;
use retap_shared::geometry::{Point, Rotation};

use super::MonkeyScriptError;

/// Duration of one step of a drag.
const DRAG_STEP_MILLIS: u32 = 10;

/// One call of a script: its name and its arguments.
pub(super) struct ScriptCall<'a> {
    line: usize,
    pub(super) name: &'a str,
    arguments: Vec<&'a str>,
    /// Everything after the opening bracket.
    pub(super) rest: &'a str,
}

impl<'a> ScriptCall<'a> {
    pub(super) fn parse(line: usize, text: &'a str) -> ScriptCall<'a> {
        let (name, rest) = text.split_once('(').unwrap_or((text, ""));
        let arguments = rest
            .trim_end_matches(')')
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        ScriptCall {
            line,
            // Monkey looks for the name anywhere in the line, and many scripts have it so.
            name: name.strip_prefix("capture").unwrap_or(name),
            arguments,
            rest,
        }
    }

    fn wrong_arguments(&self) -> MonkeyScriptError {
        MonkeyScriptError::Arguments {
            line: self.line,
            event: self.name.to_owned(),
        }
    }

    pub(super) fn first(&self) -> Result<&'a str, MonkeyScriptError> {
        let first = self.arguments.first().copied();
        first.ok_or_else(|| self.wrong_arguments())
    }

    pub(super) fn number(&self, place: usize) -> Result<f64, MonkeyScriptError> {
        self.arguments
            .get(place)
            .and_then(|part| part.parse::<f64>().ok())
            .ok_or_else(|| self.wrong_arguments())
    }

    pub(super) fn point(&self, place: usize) -> Result<Point, MonkeyScriptError> {
        Ok(Point {
            x: self.number(place)? as i32,
            y: self.number(place + 1)? as i32,
        })
    }

    pub(super) fn key(&self) -> Result<u16, MonkeyScriptError> {
        key_code(self.first()?).ok_or_else(|| self.wrong_arguments())
    }

    pub(super) fn drag(&self) -> Result<Action, MonkeyScriptError> {
        let millis = (self.number(4)? as u32).saturating_mul(DRAG_STEP_MILLIS);
        Ok(Action::Swipe {
            from: self.point(0)?,
            to: self.point(2)?,
            millis,
        })
    }

    pub(super) fn pinch(&self) -> Result<Action, MonkeyScriptError> {
        let from = apart(self.point(0)?, self.point(4)?);
        let to = apart(self.point(2)?, self.point(6)?);
        let center = middle(self.point(0)?, self.point(4)?);
        let millis = (self.number(8)? as u32).saturating_mul(DRAG_STEP_MILLIS);
        Ok(Action::Pinch {
            center,
            from,
            to,
            millis,
        })
    }

    pub(super) fn rotation(&self) -> Result<Rotation, MonkeyScriptError> {
        match self.number(0)? as i64 {
            0 => Ok(Rotation::Natural),
            1 => Ok(Rotation::Left),
            2 => Ok(Rotation::UpsideDown),
            3 => Ok(Rotation::Right),
            _ => Err(self.wrong_arguments()),
        }
    }
}

/// Distance of two points in pixels.
pub(super) fn apart(one: Point, other: Point) -> i32 {
    f64::from(one.x - other.x).hypot(f64::from(one.y - other.y)) as i32
}

fn middle(one: Point, other: Point) -> Point {
    Point {
        x: one.x.midpoint(other.x),
        y: one.y.midpoint(other.y),
    }
}

/// `KEYCODE_BACK`, or its number.
fn key_code(name: &str) -> Option<u16> {
    const NAMES: [(&str, u16); 18] = [
        ("HOME", 3),
        ("BACK", 4),
        ("CALL", 5),
        ("ENDCALL", 6),
        ("DPAD_UP", 19),
        ("DPAD_DOWN", 20),
        ("DPAD_LEFT", 21),
        ("DPAD_RIGHT", 22),
        ("DPAD_CENTER", 23),
        ("VOLUME_UP", 24),
        ("VOLUME_DOWN", 25),
        ("POWER", 26),
        ("TAB", 61),
        ("SPACE", 62),
        ("ENTER", 66),
        ("DEL", 67),
        ("MENU", 82),
        ("SEARCH", 84),
    ];
    let name = name.strip_prefix("KEYCODE_").unwrap_or(name);
    if let Some((_, code)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*code);
    }
    match name.as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(29 + u16::from(letter - b'A')),
        [digit @ b'0'..=b'9'] => Some(7 + u16::from(digit - b'0')),
        _ => name.parse().ok(),
    }
}
