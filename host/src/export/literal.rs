//! Texts as literals of other languages.

use std::fmt::Write;

/// A Python literal. JSON's escapes are Python's too.
pub(super) fn python(text: &str) -> String {
    escaped(text, |out, one| {
        let _ = write!(out, "\\u{:04x}", one as u32);
    })
}

/// A YAML literal in double quotes.
pub(super) fn yaml(text: &str) -> String {
    python(text)
}

/// A Kotlin literal: a dollar begins a template.
pub(super) fn kotlin(text: &str) -> String {
    python(text).replace('$', "\\$")
}

/// A regular expression of Java that matches the text and nothing else.
pub(super) fn java_regex(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for one in text.chars() {
        if "\\.[]{}()<>*+-=!?^$|".contains(one) {
            pattern.push('\\');
        }
        pattern.push(one);
    }
    pattern
}

/// A word of a POSIX shell.
pub(super) fn shell(text: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "/._-+:,=@%".contains(one);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn escaped(text: &str, control: impl Fn(&mut String, char)) -> String {
    let mut literal = String::from("\"");
    for one in text.chars() {
        match one {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            // The separators end a line in YAML, the mark begins a file.
            '\u{2028}' | '\u{2029}' | '\u{feff}' => control(&mut literal, one),
            one if one.is_control() => control(&mut literal, one),
            one => literal.push(one),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_every_language() {
        let text = "a\"b\\c\n$d 'ä\u{7f}\u{2028}";
        assert_eq!(python(text), r#""a\"b\\c\n$d 'ä\u007f\u2028""#);
        assert_eq!(kotlin(text), r#""a\"b\\c\n\$d 'ä\u007f\u2028""#);
        assert_eq!(shell("it's $1"), r"'it'\''s $1'");
        assert_eq!(shell("com.example/.Main"), "com.example/.Main");
        assert_eq!(java_regex("1 + 1 = 2?"), r"1 \+ 1 \= 2\?");
    }
}
