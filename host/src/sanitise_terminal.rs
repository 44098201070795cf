//! Texts that come from an app, a trace or a file name, made harmless for a terminal: nothing moves the cursor, turns
//! the direction of writing, breaks the line or fills the screen.

use std::fmt::Write as _;

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

/// The same text with its lines, tabs and length, and everything else that a terminal would obey spelled out. The spelling
/// is that of JSON: within a JSON string it means the same character.
pub fn sanitise_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if !is_terminal_control(character) || matches!(character, '\n' | '\t') {
            safe.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    }
    safe
}

/// The same for lines of the log, which may have colours of their own: those that the log has itself are kept, and it
/// spells out the escape characters of its values.
pub fn sanitise_log(text: &str) -> String {
    const COLOR_START: &str = "\u{1b}[";
    let mut parts = text.split(COLOR_START);
    let mut safe = sanitise_text(parts.next().unwrap_or_default());
    for part in parts {
        let is_code = |character: char| character.is_ascii_digit() || character == ';';
        let codes = part.trim_start_matches(is_code);
        match codes.strip_prefix('m') {
            Some(rest) => {
                safe.push_str(COLOR_START);
                safe.push_str(&part[..part.len() - rest.len()]);
                safe.push_str(&sanitise_text(rest));
            }
            None => safe.push_str(&sanitise_text(&format!("{COLOR_START}{part}"))),
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
    fn text_keeps_its_lines_and_json_keeps_its_meaning() {
        let nasty = "a\tb\n\u{1b}]0;title\u{7}\u{9b}2J\u{202e}\u{e0041}\r";
        let safe = sanitise_text(nasty);
        assert_eq!(
            safe,
            "a\tb\n\\u001b]0;title\\u0007\\u009b2J\\u202e\\udb40\\udc41\\u000d"
        );
        let json = serde_json::json!({ "text": nasty }).to_string();
        let read: serde_json::Value = serde_json::from_str(&sanitise_text(&json)).unwrap();
        assert_eq!(read["text"], nasty);
    }

    #[test]
    fn the_log_keeps_its_own_colors_and_nothing_else() {
        let line = "\u{1b}[32m INFO\u{1b}[0m host=\u{1b}[2J\u{9b}1m\u{202e}\n";
        assert_eq!(
            sanitise_log(line),
            "\u{1b}[32m INFO\u{1b}[0m host=\\u001b[2J\\u009b1m\\u202e\n"
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
