//! Drawings of actions: a circle for a tap, two for a long press, an arrow for a swipe, a badge for actions without a
//! touch. The touched widget is outlined.

use maud::{Markup, html};
use retap_shared::action::Action;
use retap_shared::geometry::Point;
use retap_shared::screen::Screen;

use super::canvas::{CanvasArea, DrawingCanvas};
use super::label::{TextAlign, label};
use super::step_touch::StepTouch;
use super::widget::rect;
use super::{sanitise_html, step_text};

/// Radius of a fingertip.
const TIP: i64 = 22;

/// Draws the action of a step over its screen.
pub(crate) fn draw(aim: &StepTouch, screen: &Screen, canvas: &DrawingCanvas) -> Markup {
    let met = aim
        .node
        .and_then(|node| canvas.area(screen.nodes()[node].bounds));
    html! {
        @if let Some(area) = met.filter(|area| *area != canvas.whole()) { (rect("met", area)) }
        (gesture(&aim.action, met, canvas))
    }
}

fn gesture(action: &Action, met: Option<CanvasArea>, canvas: &DrawingCanvas) -> Markup {
    match action {
        Action::Tap(at) => tap(*at, canvas, false),
        Action::LongPress(at) => tap(*at, canvas, true),
        Action::Swipe { from, to, .. } => {
            let from = canvas.point(*from);
            let to = canvas.point(*to);
            html! { circle.tip cx=(from.0) cy=(from.1) r=(TIP) {} (arrow(from, to)) }
        }
        Action::Pinch {
            center, from, to, ..
        } => pinch(*center, *from, *to, canvas),
        Action::Text { at, text } => typing(*at, text, met, canvas),
        Action::Key(_)
        | Action::Rotate(_)
        | Action::Launch
        | Action::Wait { .. }
        | Action::System(_) => badge(&step_text::badge(action), canvas),
    }
}

fn tap(at: Point, canvas: &DrawingCanvas, long: bool) -> Markup {
    let (x, y) = canvas.point(at);
    html! {
        circle.halo cx=(x) cy=(y) r=(TIP) {}
        circle.tip cx=(x) cy=(y) r=(TIP) {}
        @if long { circle.ring cx=(x) cy=(y) r=(TIP + 12) {} }
    }
}

fn pinch(center: Point, from: i32, to: i32, canvas: &DrawingCanvas) -> Markup {
    let at = |distance: i32| Point {
        x: center.x.saturating_add(distance / 2),
        y: center.y,
    };
    let here = canvas.point(center);
    let start = canvas.point(at(from));
    let end = canvas.point(at(to));
    let mirrored = |place: (i64, i64)| ((2 * here.0 - place.0).clamp(0, canvas.width), place.1);
    html! { (arrow(start, end)) (arrow(mirrored(start), mirrored(end))) }
}

/// An arrow.
fn arrow(from: (i64, i64), to: (i64, i64)) -> Markup {
    let across = (to.0 - from.0) as f64;
    let down = (to.1 - from.1) as f64;
    let length = across.hypot(down);
    if length < 1.0 {
        return html! { circle.ring cx=(to.0) cy=(to.1) r=(TIP) {} };
    }
    let ahead = across / length * 26.0;
    let aside = down / length * 26.0;
    let wing = |side: f64| {
        let x = to.0 as f64 - ahead + side * aside * 0.6;
        let y = to.1 as f64 - aside - side * ahead * 0.6;
        format!("{} {}", x.round(), y.round())
    };
    html! {
        path.way d={ "M" (from.0) " " (from.1) "L" (to.0) " " (to.1) } {}
        path.way d={ "M" (wing(1.0)) "L" (to.0) " " (to.1) "L" (wing(-1.0)) } {}
    }
}

/// The typed text in a bubble below the field, or above it if there is no space below.
fn typing(at: Point, text: &str, met: Option<CanvasArea>, canvas: &DrawingCanvas) -> Markup {
    let (x, y) = canvas.point(at);
    let text = if text.is_empty() {
        "clears it".to_owned()
    } else {
        format!("“{}”", sanitise_html::sanitise_line(text, 22))
    };
    let width =
        (i64::try_from(text.chars().count()).unwrap_or(22) * 12 + 32).clamp(60, canvas.width - 16);
    let bottom = met.map_or(y + 20, |area| (area.y + area.height).min(y + 60));
    let top = if bottom + 60 < canvas.height {
        bottom + 14
    } else {
        y - 74
    };
    let left = (x - width / 2).clamp(8, canvas.width - 8 - width);
    let bubble = CanvasArea {
        x: left,
        y: top,
        width,
        height: 42,
    };
    let center = x.clamp(left + 20, left + width - 20);
    let tip = if top > y { top - 12 } else { top + 54 };
    let foot = if top > y { top + 2 } else { top + 40 };
    html! {
        path.badge d={ "M" (center - 12) " " (foot) "L" (center) " " (tip) "L" (center + 12) " " (foot) "z" } {}
        (rect("badge", bubble))
        (label(&text, bubble.inset(8), TextAlign::Middle, "on-badge"))
    }
}

fn badge(text: &str, canvas: &DrawingCanvas) -> Markup {
    let text = sanitise_html::sanitise_line(text, 26);
    let width =
        (i64::try_from(text.chars().count()).unwrap_or(26) * 12 + 44).min(canvas.width - 16);
    let x = (canvas.width - width) / 2;
    let pill = CanvasArea {
        x,
        y: (canvas.height - 76).max(0),
        width,
        height: 48,
    };
    html! { (rect("badge pill", pill)) (label(&text, pill.inset(8), TextAlign::Middle, "on-badge")) }
}
