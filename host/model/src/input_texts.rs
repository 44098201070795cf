//! What is typed into fields: few texts, each apt to reach code that the others do not.

use rand::{Rng, RngExt};
use retap_shared::Text;
use retap_shared::screen::{Node, NodeFlags};

const TEXTS: [(&str, InputTextKind); 8] = [
    ("", InputTextKind::Any),
    ("hello", InputTextKind::Any),
    ("7", InputTextKind::Number),
    ("4111111111111111", InputTextKind::Number),
    ("user@example.com", InputTextKind::Address),
    ("Secret123!", InputTextKind::Password),
    ("Zürich 東京 🎈 O'Neil", InputTextKind::Any),
    (LONG, InputTextKind::Any),
];

const LONG: &str = "a text that is much longer than anyone would type into a field of this size, so long that it does \
    not fit on the line, nor on the next one, and that a fixed-size column behind it would cut in the middle";

/// How much more likely a text is in a field that asks for its kind.
const FIT_WEIGHT: u32 = 12;

#[derive(Clone, Copy, PartialEq, Eq)]
enum InputTextKind {
    Any,
    Number,
    Address,
    Password,
}

/// How well each text fits the field.
pub fn fit_weights(field: Option<&Node>) -> impl Iterator<Item = u32> + Clone {
    let asked = field.map_or(InputTextKind::Any, expected_kind);
    TEXTS.iter().map(move |(_, kind)| {
        if *kind != InputTextKind::Any && *kind == asked {
            FIT_WEIGHT
        } else {
            1
        }
    })
}

pub fn text_at(number: usize) -> Text {
    TEXTS
        .get(number)
        .map_or_else(Text::default, |(text, _)| Text::new_static(text))
}

/// One of them, by how well it fits.
pub fn draw_text(field: Option<&Node>, rng: &mut impl Rng) -> Text {
    let mut left = rng.random_range(0..fit_weights(field).sum::<u32>().max(1));
    let chosen = fit_weights(field).position(|fit| {
        let here = left < fit;
        left = left.saturating_sub(fit);
        here
    });
    text_at(chosen.unwrap_or(0))
}

fn expected_kind(field: &Node) -> InputTextKind {
    let named = |words: &[&str]| {
        [&field.id, &field.description, &field.text]
            .iter()
            .any(|name| words.iter().any(|word| contains(name, word)))
    };
    if field.is(NodeFlags::PASSWORD) {
        InputTextKind::Password
    } else if named(&["mail", "user", "login", "account"]) {
        InputTextKind::Address
    } else if named(&[
        "number", "phone", "card", "amount", "count", "quantity", "code", "zip", "age",
    ]) {
        InputTextKind::Number
    } else {
        InputTextKind::Any
    }
}

/// `word` is in lower case and ASCII.
fn contains(name: &str, word: &str) -> bool {
    name.as_bytes()
        .windows(word.len())
        .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}
