//! Sanitises texts of an app for the page: no character that moves, hides or breaks its surroundings, and a limited
//! length. Escaping of HTML is left to maud.

/// Replacement of a character that is removed.
const REPLACED: char = '\u{fffd}';

/// Maximum number of combining marks on a letter; more would cover its neighbours.
const MARKS: usize = 3;

/// Returns one line of at most `limit` characters; `…` marks a text that was shortened.
pub(crate) fn sanitise_line(text: &str, limit: usize) -> String {
    let mut clean = String::with_capacity(text.len().min(4 * limit));
    let mut room = limit;
    for shown in characters(text) {
        if room == 0 {
            clean.pop();
            clean.push('…');
            return clean;
        }
        clean.push(shown);
        room -= 1;
    }
    clean
}

/// Returns at most `limit` lines of at most `width` characters, and the number of lines left out.
pub(crate) fn sanitise_lines(text: &str, limit: usize, width: usize) -> (Vec<String>, usize) {
    let mut all = text.lines();
    let shown = all
        .by_ref()
        .take(limit)
        .map(|one| sanitise_line(one, width))
        .collect();
    (shown, all.count())
}

fn characters(text: &str) -> impl Iterator<Item = char> {
    let mut marks = 0;
    text.chars().filter_map(move |one| {
        marks = if is_mark(one) { marks + 1 } else { 0 };
        if marks > MARKS {
            return None;
        }
        Some(match one {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
            // Control characters are shown as symbols: a NUL in a text is often the bug itself.
            '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(one)).unwrap_or(REPLACED),
            '\x7f' => '\u{2421}',
            _ if is_deceptive(one) => REPLACED,
            _ => one,
        })
    })
}

/// Returns whether a character is invisible, changes the direction of text, or is none. Joiners stay: scripts and emoji
/// need them.
fn is_deceptive(one: char) -> bool {
    matches!(one,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..)
        || u32::from(one) & 0xfffe == 0xfffe
}

fn is_mark(one: char) -> bool {
    matches!(one,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{e31}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_texts_stay_as_they_are() {
        for text in [
            "Save",
            "Grüße, 東京",
            "a < b & c",
            "👩‍👩‍👧",
            "שלום",
            "naïve",
            "",
        ] {
            assert_eq!(sanitise_line(text, 100), text);
        }
    }

    #[test]
    fn what_would_turn_or_hide_its_surroundings_is_replaced() {
        assert_eq!(
            sanitise_line("user\u{202e}gnp.exe", 100),
            "user\u{fffd}gnp.exe"
        );
        assert_eq!(
            sanitise_line("a\u{2066}b\u{200b}c\u{feff}d\u{e0041}e\u{ffff}f", 100),
            "a�b�c�d�e�f"
        );
        assert_eq!(
            sanitise_line("nul\0 escape\x1b[31m del\x7f", 100),
            "nul␀ escape␛[31m del␡"
        );
        assert_eq!(
            sanitise_line("one\ntwo\tthree\u{2028}four", 100),
            "one two three four"
        );
    }

    #[test]
    fn piled_up_marks_are_taken_down() {
        let pile = format!("e{}x", "\u{301}".repeat(500));
        assert_eq!(
            sanitise_line(&pile, 100),
            format!("e{}x", "\u{301}".repeat(3))
        );
    }

    #[test]
    fn a_long_text_ends_with_an_ellipsis_and_keeps_to_its_limit() {
        assert_eq!(sanitise_line("abcdef", 6), "abcdef");
        assert_eq!(sanitise_line("abcdefg", 6), "abcde…");
        assert_eq!(sanitise_line(&"ü".repeat(100_000), 40).chars().count(), 40);
        assert_eq!(sanitise_line("abc", 0), "…");
    }

    #[test]
    fn lines_that_are_left_out_are_counted() {
        assert_eq!(
            sanitise_lines("a\nb\r\nc\n", 2, 10),
            (vec!["a".to_owned(), "b".to_owned()], 1)
        );
        assert_eq!(sanitise_lines("", 5, 10), (vec![], 0));
    }
}
