//! Texts that come from an app, a trace or a file name, made harmless for a terminal: nothing moves the cursor, turns
//! the direction of writing, breaks the line or fills the screen.

/// As much as a person takes in of one text while others go by.
pub const PROGRESS_WIDTH: usize = 80;
/// As much as a person reads of one text within a line.
pub const INLINE_WIDTH: usize = 120;
/// As much as a person reads of one line.
pub const LINE_WIDTH: usize = 1_000;

/// The same text on one line of at most `limit` characters, with everything that a terminal would obey spelled out.
pub fn sanitise_line(text: &str, limit: usize) -> String {
    let mut safe = String::with_capacity(text.len().min(limit * 4));
    let mut room = limit;
    for character in text.chars() {
        let spelled =
            is_terminal_control(character).then(|| character.escape_default().to_string());
        let needed = spelled.as_ref().map_or(1, String::len);
        if needed > room {
            while room == 0 && safe.pop().is_some() {
                room += 1;
            }
            safe.push('…');
            break;
        }
        room -= needed;
        match spelled {
            Some(spelled) => safe.push_str(&spelled),
            None => safe.push(character),
        }
    }
    safe
}

fn is_terminal_control(character: char) -> bool {
    let turns_direction = matches!(character,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks_line = matches!(character, '\u{2028}' | '\u{2029}');
    let is_invisible = matches!(character,
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    character.is_control() || turns_direction || breaks_line || is_invisible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_control_characters_are_spelled_out() {
        assert_eq!(
            sanitise_line("\u{1b}[2Jgone\u{7}\r\n\u{9b}31m", LINE_WIDTH),
            r"\u{1b}[2Jgone\u{7}\r\n\u{9b}31m"
        );
    }

    #[test]
    fn the_direction_of_writing_cannot_be_turned() {
        assert_eq!(
            sanitise_line("pay \u{202e}000,1", LINE_WIDTH),
            r"pay \u{202e}000,1"
        );
        assert_eq!(
            sanitise_line("a\u{2066}b\u{2069}", LINE_WIDTH),
            r"a\u{2066}b\u{2069}"
        );
    }

    #[test]
    fn ordinary_text_of_every_script_stays_as_it_is() {
        for text in ["Änderung speichern", "保存", "שמור", "👩‍💻 done", "a\u{301}"] {
            assert_eq!(sanitise_line(text, LINE_WIDTH), text);
        }
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_and_shows_it() {
        assert_eq!(sanitise_line("abcdef", 6), "abcdef");
        assert_eq!(sanitise_line("abcdefg", 6), "abcde…");
        assert_eq!(sanitise_line(&"\u{1b}".repeat(100), 12), r"\u{1b}\u{1b…");
        assert_eq!(sanitise_line("x", 0), "…");
        assert_eq!(sanitise_line("", 0), "");
    }

    #[test]
    fn no_cut_makes_a_line_longer_than_its_limit() {
        let nasty = "a\u{1b}ü\n\u{202e}z".repeat(50);
        for limit in 1..80 {
            assert!(
                sanitise_line(&nasty, limit).chars().count() <= limit,
                "limit {limit}"
            );
        }
    }
}
