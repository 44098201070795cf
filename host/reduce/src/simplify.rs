//! Simpler actions in place of a recorded one: shorter texts, a tap for a long press, shorter waits. Reducers of traces and of
//! suites decide which of them to try.

use retap_shared::action::Action;

/// Waits up to this length are not shortened any further, in milliseconds.
const SHORT_WAIT: u32 = 100;

/// Alternatives to an action, the simplest first. Each is strictly simpler, so repeated simplification terminates.
pub(crate) fn simpler(action: &Action) -> Vec<Action> {
    match action {
        Action::LongPress(at) => vec![Action::Tap(*at)],
        Action::Text { at, text } => {
            let shorter = |text: String| Action::Text {
                at: *at,
                text: text.into(),
            };
            shorter_texts(text).into_iter().map(shorter).collect()
        }
        Action::Wait { millis } if *millis > SHORT_WAIT => {
            vec![
                Action::Wait { millis: 0 },
                Action::Wait { millis: millis / 2 },
            ]
        }
        Action::Wait { .. }
        | Action::Tap(_)
        | Action::Swipe { .. }
        | Action::Pinch { .. }
        | Action::Key(_)
        | Action::Rotate(_)
        | Action::Launch
        | Action::System(_) => Vec::new(),
    }
}

/// The empty text, either half, the text without its last and without its first character.
fn shorter_texts(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let count = letters.len();
    let half = letters.len() / 2;
    let mut texts: Vec<String> = Vec::new();
    for part in [
        0..0,
        0..half,
        half..count,
        0..count.saturating_sub(1),
        1.min(count)..count,
    ] {
        let part: String = letters[part].iter().collect();
        if part.len() < text.len() && !texts.contains(&part) {
            texts.push(part);
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_shorter_than_the_text_and_distinct() {
        assert_eq!(shorter_texts("abcd"), ["", "ab", "cd", "abc", "bcd"]);
        assert_eq!(shorter_texts("ab"), ["", "a", "b"]);
        assert_eq!(shorter_texts("x"), [""]);
        assert_eq!(shorter_texts(""), [""; 0]);
        assert_eq!(shorter_texts("äöü"), ["", "ä", "öü", "äö"]);
    }
}
