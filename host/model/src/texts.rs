//! What is typed into fields: few texts, each apt to reach code that the others do not.

use rand::{Rng, RngExt};
use retap_shared::Text;
use retap_shared::screen::{Node, NodeFlags};

const TEXTS: [(&str, Kind); 8] = [
    ("", Kind::Any),
    ("hello", Kind::Any),
    ("7", Kind::Number),
    ("4111111111111111", Kind::Number),
    ("user@example.com", Kind::Address),
    ("Secret123!", Kind::Password),
    ("Zürich 東京 🎈 O'Neil", Kind::Any),
    (LONG, Kind::Any),
];

const LONG: &str = "a text that is much longer than anyone would type into a field of this size, so long that it does \
    not fit on the line, nor on the next one, and that a fixed-size column behind it would cut in the middle";

/// How much more likely a text is in a field that asks for its kind.
const FITS: u32 = 12;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Number,
    Address,
    Password,
}

/// How well each text fits the field.
pub fn fitting(field: Option<&Node>) -> impl Iterator<Item = u32> + Clone {
    let asked = field.map_or(Kind::Any, asks_for);
    TEXTS.iter().map(move |(_, kind)| {
        if *kind != Kind::Any && *kind == asked {
            FITS
        } else {
            1
        }
    })
}

pub fn text(number: usize) -> Text {
    TEXTS
        .get(number)
        .map_or_else(Text::default, |(text, _)| Text::new_static(text))
}

/// One of them, by how well it fits.
pub fn drawn(field: Option<&Node>, rng: &mut impl Rng) -> Text {
    let mut left = rng.random_range(0..fitting(field).sum::<u32>().max(1));
    let chosen = fitting(field).position(|fit| {
        let here = left < fit;
        left = left.saturating_sub(fit);
        here
    });
    text(chosen.unwrap_or(0))
}

fn asks_for(field: &Node) -> Kind {
    let named = |words: &[&str]| {
        [&field.id, &field.description, &field.text]
            .iter()
            .any(|name| words.iter().any(|word| contains(name, word)))
    };
    if field.is(NodeFlags::PASSWORD) {
        Kind::Password
    } else if named(&["mail", "user", "login", "account"]) {
        Kind::Address
    } else if named(&[
        "number", "phone", "card", "amount", "count", "quantity", "code", "zip", "age",
    ]) {
        Kind::Number
    } else {
        Kind::Any
    }
}

/// `word` is in lower case and ASCII.
fn contains(name: &str, word: &str) -> bool {
    name.as_bytes()
        .windows(word.len())
        .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}
