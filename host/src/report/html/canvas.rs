//! Conversion of a phone's pixels to the units of a drawing: integers, nothing outside the drawing.

use retap_shared::geometry::{Point, Rect, Size};

/// Length of the shorter side of every drawing, so that letters have the same size on all of them.
const SHORT_SIDE: i64 = 360;

/// Maximum ratio of the sides; longer screens are drawn compressed.
const LONGEST: i64 = 3;

#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawingCanvas {
    screen: (i64, i64),
    pub(crate) width: i64,
    pub(crate) height: i64,
}

/// A rectangle on the canvas: never empty, never outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CanvasArea {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) width: i64,
    pub(crate) height: i64,
}

impl DrawingCanvas {
    /// Canvas for a screen; none for a screen without an extent.
    pub(crate) fn of(size: Size) -> Option<DrawingCanvas> {
        let screen = (i64::from(size.width), i64::from(size.height));
        if screen.0 == 0 || screen.1 == 0 {
            return None;
        }
        let long = |long: i64, short: i64| (SHORT_SIDE * long / short).min(LONGEST * SHORT_SIDE);
        let (width, height) = if screen.0 <= screen.1 {
            (SHORT_SIDE, long(screen.1, screen.0))
        } else {
            (long(screen.0, screen.1), SHORT_SIDE)
        };
        Some(DrawingCanvas {
            screen,
            width,
            height,
        })
    }

    pub(crate) fn is_wide(&self) -> bool {
        self.width > self.height
    }

    pub(crate) fn whole(&self) -> CanvasArea {
        CanvasArea {
            x: 0,
            y: 0,
            width: self.width,
            height: self.height,
        }
    }

    /// Visible part of `rect`, if there is one.
    pub(crate) fn area(&self, rect: Rect) -> Option<CanvasArea> {
        if rect.is_empty() {
            return None;
        }
        let left = self.across(rect.left);
        let right = self.across(rect.right);
        let top = self.down(rect.top);
        let bottom = self.down(rect.bottom);
        let area = CanvasArea {
            x: left,
            y: top,
            width: right - left,
            height: bottom - top,
        };
        (area.width > 0 && area.height > 0).then_some(area)
    }

    /// Nearest point on the canvas.
    pub(crate) fn point(&self, point: Point) -> (i64, i64) {
        (self.across(point.x), self.down(point.y))
    }

    fn across(&self, x: i32) -> i64 {
        (i64::from(x) * self.width / self.screen.0).clamp(0, self.width)
    }

    fn down(&self, y: i32) -> i64 {
        (i64::from(y) * self.height / self.screen.1).clamp(0, self.height)
    }
}

impl CanvasArea {
    pub(crate) fn center(&self) -> (i64, i64) {
        (self.x + self.width / 2, self.y + self.height / 2)
    }

    pub(crate) fn covers(&self, other: &CanvasArea) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && self.x + self.width >= other.x + other.width
            && self.y + self.height >= other.y + other.height
    }

    /// Cuts `margin` off the left side, as far as something remains.
    pub(crate) fn indented(&self, margin: i64) -> CanvasArea {
        let margin = margin.min(self.width - 1);
        CanvasArea {
            x: self.x + margin,
            width: self.width - margin,
            ..*self
        }
    }

    /// Cuts `margin` off every side, as far as something remains.
    pub(crate) fn inset(&self, margin: i64) -> CanvasArea {
        let across = margin.min((self.width - 1) / 2);
        let down = margin.min((self.height - 1) / 2);
        CanvasArea {
            x: self.x + across,
            y: self.y + down,
            width: self.width - 2 * across,
            height: self.height - 2 * down,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canvas(width: u32, height: u32) -> DrawingCanvas {
        DrawingCanvas::of(Size { width, height }).unwrap()
    }

    #[test]
    fn letters_are_of_one_size_on_upright_and_turned_screens() {
        let upright = canvas(1080, 2400);
        let turned = canvas(2400, 1080);
        assert_eq!((upright.width, upright.height), (360, 800));
        assert_eq!((turned.width, turned.height), (800, 360));
        assert!(turned.is_wide() && !upright.is_wide());
    }

    #[test]
    fn no_extent_gives_no_canvas_and_absurd_ones_stay_small() {
        assert!(
            DrawingCanvas::of(Size {
                width: 0,
                height: 2400
            })
            .is_none()
        );
        assert!(
            DrawingCanvas::of(Size {
                width: 1080,
                height: 0
            })
            .is_none()
        );
        assert_eq!(canvas(1, u32::MAX).height, 1080);
        assert_eq!(canvas(u32::MAX, 1).width, 1080);
    }

    #[test]
    fn areas_are_cut_at_the_edges_and_dropped_outside() {
        let canvas = canvas(1080, 2400);
        let all = Rect {
            left: i32::MIN,
            top: i32::MIN,
            right: i32::MAX,
            bottom: i32::MAX,
        };
        assert_eq!(canvas.area(all), Some(canvas.whole()));
        for nothing in [
            Rect {
                left: 1100,
                top: 0,
                right: 1200,
                bottom: 100,
            },
            Rect {
                left: 0,
                top: -500,
                right: 1080,
                bottom: -1,
            },
            Rect {
                left: 500,
                top: 500,
                right: 400,
                bottom: 600,
            },
            Rect {
                left: i32::MAX,
                top: 0,
                right: i32::MIN,
                bottom: 100,
            },
        ] {
            assert_eq!(canvas.area(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn points_outside_are_moved_to_the_edge() {
        let canvas = canvas(1080, 2400);
        assert_eq!(
            canvas.point(Point {
                x: i32::MIN,
                y: i32::MAX
            }),
            (0, 800)
        );
        assert_eq!(canvas.point(Point { x: 540, y: 1200 }), (180, 400));
    }

    #[test]
    fn an_inset_never_turns_an_area_inside_out() {
        let area = CanvasArea {
            x: 10,
            y: 10,
            width: 1,
            height: 5,
        };
        assert_eq!(
            area.inset(40),
            CanvasArea {
                x: 10,
                y: 12,
                width: 1,
                height: 1
            }
        );
    }
}
