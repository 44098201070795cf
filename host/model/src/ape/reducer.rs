//! Reducers: which attributes of a widget are kept. Type, appearance, index, and whether it goes on with its parent's path;
//! none of them keeps nothing.

use std::fmt;
use std::str::FromStr;

use super::path::Attributes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reducer(u8);

const NAMES: [(&str, Reducer); 4] = [
    ("type", Reducer::TYPE),
    ("text", Reducer::TEXT),
    ("index", Reducer::INDEX),
    ("parent", Reducer::PARENT),
];

impl Reducer {
    pub const NONE: Reducer = Reducer(0);
    pub const TYPE: Reducer = Reducer(1);
    pub const TEXT: Reducer = Reducer(2);
    pub const INDEX: Reducer = Reducer(4);
    pub const PARENT: Reducer = Reducer(8);

    pub const fn with(self, other: Reducer) -> Reducer {
        Reducer(self.0 | other.0)
    }

    pub fn has(self, other: Reducer) -> bool {
        self.0 & other.0 == other.0
    }

    /// How many primitive reducers it is made of.
    pub fn size(self) -> u32 {
        self.0.count_ones()
    }

    /// All that are not coarser than this one, the smallest first. Of those equally small, what tells the place comes before
    /// what tells the text: a text may never come again.
    pub fn not_coarser(self) -> impl Iterator<Item = Reducer> {
        const ORDER: [u8; 16] = [0, 1, 8, 4, 2, 9, 5, 12, 3, 10, 6, 13, 11, 7, 14, 15];
        ORDER
            .into_iter()
            .map(Reducer)
            .filter(move |other| !self.has(*other))
    }

    /// What is left of a widget's own attributes.
    pub fn keep(self, of: &Attributes) -> Attributes {
        Attributes {
            class: of.class.filter(|_| self.has(Reducer::TYPE)),
            id: of.id.filter(|_| self.has(Reducer::TYPE)),
            text: of.text.filter(|_| self.has(Reducer::TEXT)),
            index: of.index.filter(|_| self.has(Reducer::INDEX)),
        }
    }
}

impl fmt::Display for Reducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<&str> = NAMES
            .iter()
            .filter(|(_, part)| self.has(*part))
            .map(|(name, _)| *name)
            .collect();
        f.write_str(&if parts.is_empty() {
            "none".to_owned()
        } else {
            parts.join("+")
        })
    }
}

/// Not a list of reducers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no reducer; it is `none`, or some of `type`, `text`, `index`, `parent` with `+` between them"
)]
pub struct NotAReducer(String);

impl FromStr for Reducer {
    type Err = NotAReducer;

    fn from_str(text: &str) -> Result<Reducer, NotAReducer> {
        if text.trim() == "none" {
            return Ok(Reducer::NONE);
        }
        text.split('+').try_fold(Reducer::NONE, |reducer, name| {
            let part = NAMES
                .iter()
                .find(|(known, _)| *known == name.trim())
                .map(|(_, part)| *part);
            part.map(|part| reducer.with(part))
                .ok_or_else(|| NotAReducer(text.trim().to_owned()))
        })
    }
}
