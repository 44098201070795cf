//! Replaces the parts of messages that differ from run to run: numbers, times, addresses, tokens of windows.

pub(super) fn normalized(message: &str) -> String {
    let mut plain = String::new();
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let end = rest
            .find(|letter| !in_word(letter))
            .unwrap_or(rest.len())
            .max(first.len_utf8());
        let (word, after) = rest.split_at(end);
        plain.push_str(if is_volatile(word) { "#" } else { word });
        rest = after;
    }
    plain
        .replace("#.#", "#")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// True for a number, with or without a unit, and for an address of at least six hexadecimal digits.
fn is_volatile(word: &str) -> bool {
    let is_address = word.len() >= 6 && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_address || word.starts_with(|digit: char| digit.is_ascii_digit())
}
