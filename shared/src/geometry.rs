//! Points, sizes, rectangles and rotations of a display, in pixels.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A point of the display in its current rotation, in pixels from the top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Point {
    /// Pixels from the left edge.
    pub x: i32,
    /// Pixels from the top edge.
    pub y: i32,
}

/// The size of a display in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

/// A rectangle in pixels; `right` and `bottom` are exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rect {
    /// The first column.
    pub left: i32,
    /// The first row.
    pub top: i32,
    /// The column after the last one.
    pub right: i32,
    /// The row after the last one.
    pub bottom: i32,
}

/// `Surface.ROTATION_*`: how far the display is turned from its natural orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    /// `ROTATION_0`.
    #[default]
    Natural,
    /// `ROTATION_90`.
    Left,
    /// `ROTATION_180`.
    UpsideDown,
    /// `ROTATION_270`.
    Right,
}

impl Rect {
    /// The point in the middle, rounded down.
    pub fn center(&self) -> Point {
        Point {
            x: self.left.midpoint(self.right),
            y: self.top.midpoint(self.bottom),
        }
    }

    /// True if the point lies in the rectangle.
    pub fn contains(&self, point: Point) -> bool {
        (self.left..self.right).contains(&point.x) && (self.top..self.bottom).contains(&point.y)
    }

    /// True if no point lies in the rectangle.
    pub fn is_empty(&self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }

    /// Pixels from left to right; negative if the sides are swapped.
    pub fn width(&self) -> i32 {
        self.right.saturating_sub(self.left)
    }

    /// Pixels from top to bottom; negative if the sides are swapped.
    pub fn height(&self) -> i32 {
        self.bottom.saturating_sub(self.top)
    }
}

impl fmt::Display for Rect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{},{} to {},{}",
            self.left, self.top, self.right, self.bottom
        )
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rotation::Natural => "natural",
            Rotation::Left => "left",
            Rotation::UpsideDown => "upside down",
            Rotation::Right => "right",
        })
    }
}
