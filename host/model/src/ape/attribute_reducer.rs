//! Reducers: which attributes of a widget are kept. Type, appearance, index, and whether it goes on with its parent's path;
//! none of them keeps nothing.

use std::fmt;
use std::str::FromStr;

use super::attribute_path::WidgetAttributes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttributeReducer(u8);

const NAMES: [(&str, AttributeReducer); 4] = [
    ("type", AttributeReducer::TYPE),
    ("text", AttributeReducer::TEXT),
    ("index", AttributeReducer::INDEX),
    ("parent", AttributeReducer::PARENT),
];

impl AttributeReducer {
    pub const NONE: AttributeReducer = AttributeReducer(0);
    pub const TYPE: AttributeReducer = AttributeReducer(1);
    pub const TEXT: AttributeReducer = AttributeReducer(2);
    pub const INDEX: AttributeReducer = AttributeReducer(4);
    pub const PARENT: AttributeReducer = AttributeReducer(8);

    pub const fn with(self, other: AttributeReducer) -> AttributeReducer {
        AttributeReducer(self.0 | other.0)
    }

    pub fn has(self, other: AttributeReducer) -> bool {
        self.0 & other.0 == other.0
    }

    /// How many primitive reducers it is made of.
    pub fn size(self) -> u32 {
        self.0.count_ones()
    }

    /// All that are not coarser than this one, the smallest first. Of those equally small, what tells the place comes before
    /// what tells the text: a text may never come again.
    pub fn not_coarser(self) -> impl Iterator<Item = AttributeReducer> {
        const ORDER: [u8; 16] = [0, 1, 8, 4, 2, 9, 5, 12, 3, 10, 6, 13, 11, 7, 14, 15];
        ORDER
            .into_iter()
            .map(AttributeReducer)
            .filter(move |other| !self.has(*other))
    }

    /// What is left of a widget's own attributes.
    pub fn keep(self, of: &WidgetAttributes) -> WidgetAttributes {
        WidgetAttributes {
            class: of.class.filter(|_| self.has(AttributeReducer::TYPE)),
            id: of.id.filter(|_| self.has(AttributeReducer::TYPE)),
            text: of.text.filter(|_| self.has(AttributeReducer::TEXT)),
            index: of.index.filter(|_| self.has(AttributeReducer::INDEX)),
        }
    }
}

impl fmt::Display for AttributeReducer {
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
pub struct AttributeReducerError(String);

impl FromStr for AttributeReducer {
    type Err = AttributeReducerError;

    fn from_str(text: &str) -> Result<AttributeReducer, AttributeReducerError> {
        if text.trim() == "none" {
            return Ok(AttributeReducer::NONE);
        }
        text.split('+')
            .try_fold(AttributeReducer::NONE, |reducer, name| {
                let part = NAMES
                    .iter()
                    .find(|(known, _)| *known == name.trim())
                    .map(|(_, part)| *part);
                part.map(|part| reducer.with(part))
                    .ok_or_else(|| AttributeReducerError(text.trim().to_owned()))
            })
    }
}
