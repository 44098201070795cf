//! Texts within their bounds: broken into lines, shortened with an ellipsis, and clipped.

use maud::{Markup, html};

use super::canvas::CanvasArea;
use super::sanitise_html;

/// Smallest and largest letters, in units of the canvas.
const SMALLEST: i64 = 19;
const LARGEST: i64 = 22;

/// Distance that letters may exceed bounds that are lower than they are.
const OVERHANG: i64 = 3;

/// Maximum length of a text; it is cut before it is measured.
const LONGEST: usize = 160;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextAlign {
    Left,
    Middle,
}

/// Draws `text` within `area`, on as many lines as fit.
pub(crate) fn label(text: &str, area: CanvasArea, align: TextAlign, class: &str) -> Markup {
    let text = sanitise_html::sanitise_line(text.trim(), LONGEST);
    if text.is_empty() {
        return html! {};
    }
    let (size, lines) = fitted(&text, area);
    let pitch = pitch(size);
    let height = pitch * i64::try_from(lines.len()).unwrap_or(1);
    let top = OVERHANG + (area.height - height) / 2 + pitch / 2;
    let x = if align == TextAlign::Middle {
        area.width / 2
    } else {
        0
    };
    // The inner svg clips the text, because the width of letters is only estimated.
    html! {
        svg x=(area.x) y=(area.y - OVERHANG) width=(area.width) height=(area.height + 2 * OVERHANG) {
            @for (number, line) in (0i64..).zip(&lines) {
                text.(class).mid[align == TextAlign::Middle] x=(x) y=(top + number * pitch) font-size=(size) { (line) }
            }
        }
    }
}

/// Large letters where the text fits on one line, small ones where it needs more.
fn fitted(text: &str, area: CanvasArea) -> (i64, Vec<String>) {
    let size = (area.height * 3 / 5).clamp(SMALLEST, LARGEST);
    if fitting(text, area.width * 100, size) == text.len() {
        return (size, vec![text.to_owned()]);
    }
    let room = usize::try_from(area.height / pitch(SMALLEST))
        .unwrap_or(0)
        .clamp(1, 6);
    (SMALLEST, broken(text, area.width, SMALLEST, room))
}

/// Distance from one line to the next.
fn pitch(size: i64) -> i64 {
    size * 6 / 5
}

/// Breaks the text at spaces; the last line ends with `…` if something does not fit.
fn broken(text: &str, width: i64, size: i64, room: usize) -> Vec<String> {
    let room_across = width * 100;
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let fits = fitting(rest, room_across, size);
        if fits == rest.len() {
            lines.push(rest.to_owned());
            break;
        }
        if lines.len() + 1 == room {
            let shorter = fitting(rest, room_across - breadth('…') * size, size);
            lines.push(format!("{}…", rest[..shorter].trim_end()));
            break;
        }
        let (line, next) = match rest[..fits].rfind(' ') {
            Some(space) if space > 0 => (&rest[..space], &rest[space + 1..]),
            _ => rest.split_at(fits.max(rest.chars().next().map_or(0, char::len_utf8))),
        };
        lines.push(line.to_owned());
        rest = next;
    }
    lines
}

/// Number of bytes of `text` that fit into `room` hundredths of a unit.
fn fitting(text: &str, room: i64, size: i64) -> usize {
    let mut used = 0;
    for (at, one) in text.char_indices() {
        used += breadth(one) * size;
        if used > room {
            return at;
        }
    }
    text.len()
}

/// Estimated width of a sans-serif letter, in hundredths of its size.
fn breadth(one: char) -> i64 {
    match one {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'I' => 27,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '-' | '"' | '/' => 38,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 92,
        'A'..='Z' => 69,
        '\0'..='\u{2fff}' => 61,
        _ => 100,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_is_left_whole() {
        assert_eq!(broken("Save", 100, 20, 1), ["Save"]);
    }

    #[test]
    fn a_text_breaks_at_spaces_and_ends_with_an_ellipsis_where_room_ends() {
        let text = "Milk, bread and a very long list of other things";
        assert_eq!(broken(text, 160, 20, 2), ["Milk, bread", "and a very lo…"]);
    }

    #[test]
    fn a_word_broader_than_its_room_is_cut_not_looped_over() {
        let lines = broken(&"x".repeat(50), 32, 20, 3);
        assert_eq!(lines, ["xx", "xx", "x…"]);
        assert_eq!(broken("wide", 1, 20, 2), ["w", "…"]);
    }
}
