//! Attribute reducers: which attributes of a widget its name keeps. There are four primitive ones: type, appearance (`text`),
//! index, and the path of the parent.

use std::fmt;
use std::str::FromStr;

use super::attribute_path::WidgetAttributes;

/// A set of primitive reducers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttributeReducer(u8);

/// Names of the primitive reducers in files.
const NAMES: [(&str, AttributeReducer); 4] = [
    ("type", AttributeReducer::TYPE),
    ("text", AttributeReducer::TEXT),
    ("index", AttributeReducer::INDEX),
    ("parent", AttributeReducer::PARENT),
];

impl AttributeReducer {
    /// Keeps nothing.
    pub const NONE: AttributeReducer = AttributeReducer(0);
    /// Keeps class and id.
    pub const TYPE: AttributeReducer = AttributeReducer(1);
    /// Keeps the appearance.
    pub const TEXT: AttributeReducer = AttributeReducer(2);
    /// Keeps the number among the siblings.
    pub const INDEX: AttributeReducer = AttributeReducer(4);
    /// Prefixes the path of the parent.
    pub const PARENT: AttributeReducer = AttributeReducer(8);

    /// Keeps what either of the two keeps.
    pub const fn with(self, other: AttributeReducer) -> AttributeReducer {
        AttributeReducer(self.0 | other.0)
    }

    /// Keeps everything that `other` keeps.
    pub fn has(self, other: AttributeReducer) -> bool {
        self.0 & other.0 == other.0
    }

    /// Number of primitive reducers in the set.
    pub fn size(self) -> u32 {
        self.0.count_ones()
    }

    /// All reducers that are not coarser than this one, the smallest first. Among equally small ones, those with the position come
    /// before those with the text: a text may never occur again.
    pub fn not_coarser(self) -> impl Iterator<Item = AttributeReducer> {
        const ORDER: [u8; 16] = [0, 1, 8, 4, 2, 9, 5, 12, 3, 10, 6, 13, 11, 7, 14, 15];
        ORDER
            .into_iter()
            .map(AttributeReducer)
            .filter(move |other| !self.has(*other))
    }

    /// Reduces a widget's own attributes.
    pub fn keep(self, attributes: &WidgetAttributes) -> WidgetAttributes {
        WidgetAttributes {
            class: attributes
                .class
                .filter(|_| self.has(AttributeReducer::TYPE)),
            id: attributes.id.filter(|_| self.has(AttributeReducer::TYPE)),
            text: attributes.text.filter(|_| self.has(AttributeReducer::TEXT)),
            index: attributes
                .index
                .filter(|_| self.has(AttributeReducer::INDEX)),
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

/// A text that names no reducer.
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
