//! The texts that are typed into fields: few, and each likely to reach code that the others do not.

use rand::Rng;
use retap_shared::Text;
use retap_shared::screen::{Node, NodeFlags};

use crate::weighted_draw::draw_weighted;

/// Every text that is typed, with the kind of field that asks for it.
const TEXTS: [(&str, InputTextKind); 8] = [
    ("", InputTextKind::Any),
    ("hello", InputTextKind::Any),
    ("7", InputTextKind::Number),
    ("4111111111111111", InputTextKind::Number),
    ("user@example.com", InputTextKind::Address),
    ("Secret123!", InputTextKind::Password),
    ("Zürich 東京 🎈 O'Neil", InputTextKind::Any),
    (LONG_TEXT, InputTextKind::Any),
];

const LONG_TEXT: &str = "a text that is much longer than anyone would type into a field of this size, so long that it does \
    not fit on the line, nor on the next one, and that a fixed-size column behind it would cut in the middle";

/// Weight of a text in a field that asks for its kind. Every other text has the weight 1. Retap's own figure.
const FIT_WEIGHT: u32 = 12;

#[derive(Clone, Copy, PartialEq, Eq)]
enum InputTextKind {
    Any,
    Number,
    Address,
    Password,
}

/// Draws a text, with a preference for those that fit the field.
pub fn draw_text(field: Option<&Node>, rng: &mut impl Rng) -> Text {
    text_at(draw_weighted(fit_weights(field), rng).unwrap_or(0))
}

/// Weights of all texts in a field.
pub fn fit_weights(field: Option<&Node>) -> impl Iterator<Item = u32> + Clone {
    let expected = field.map_or(InputTextKind::Any, expected_kind);
    TEXTS.iter().map(move |(_, kind)| {
        if *kind != InputTextKind::Any && *kind == expected {
            FIT_WEIGHT
        } else {
            1
        }
    })
}

/// Text at an index of [`fit_weights`]; empty if there is none.
pub fn text_at(index: usize) -> Text {
    TEXTS
        .get(index)
        .map_or_else(Text::default, |(text, _)| Text::new_static(text))
}

/// Kind of text that a field asks for, by its flags and its texts.
fn expected_kind(field: &Node) -> InputTextKind {
    let has_any = |words: &[&str]| {
        [&field.id, &field.description, &field.text]
            .iter()
            .any(|label| words.iter().any(|word| contains(label, word)))
    };
    if field.is(NodeFlags::PASSWORD) {
        InputTextKind::Password
    } else if has_any(&["mail", "user", "login", "account"]) {
        InputTextKind::Address
    } else if has_any(&[
        "number", "phone", "card", "amount", "count", "quantity", "code", "zip", "age",
    ]) {
        InputTextKind::Number
    } else {
        InputTextKind::Any
    }
}

/// Searches without regard to case. `word` must be ASCII.
fn contains(label: &str, word: &str) -> bool {
    label
        .as_bytes()
        .windows(word.len())
        .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}
