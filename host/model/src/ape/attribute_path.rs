//! Attribute paths: the names of widgets, made of the reduced attributes of a widget and of its ancestors. Paths and texts are
//! interned: equal ones have equal numbers.

use std::collections::HashMap;

use retap_shared::Text;
use xxhash_rust::xxh3::xxh3_64;

use crate::hash_mix::mixed;

/// Number of an interned text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextSymbol(u32);

/// Number of an interned path. 0 is the empty path, the name of actions that need no widget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttributePathId(pub u32);

impl AttributePathId {
    /// The empty path.
    pub const NONE: AttributePathId = AttributePathId(0);
}

/// Attributes of one widget; `None` for those that were reduced away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WidgetAttributes {
    /// Class of the widget.
    pub class: Option<TextSymbol>,
    /// Resource id.
    pub id: Option<TextSymbol>,
    /// Appearance: the visible text with its marks.
    pub text: Option<TextSymbol>,
    /// Number among its siblings.
    pub index: Option<u32>,
}

/// A path: its last element, and the path of the elements before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributePath {
    /// Path of the ancestors, if it is kept.
    pub above: Option<AttributePathId>,
    /// Attributes of the widget itself.
    pub own: WidgetAttributes,
}

/// Interned paths and texts.
#[derive(Debug, Default)]
pub struct AttributePaths {
    paths: Vec<AttributePath>,
    /// Hash of the contents of each path, independent of its number.
    hashes: Vec<u64>,
    numbers: HashMap<AttributePath, AttributePathId>,
    texts: Vec<Text>,
    symbols: HashMap<Text, TextSymbol>,
}

impl AttributePaths {
    /// Number of a text.
    pub fn intern_text(&mut self, text: &Text) -> TextSymbol {
        if let Some(symbol) = self.symbols.get(text) {
            return *symbol;
        }
        let symbol = TextSymbol(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.clone());
        self.symbols.insert(text.clone(), symbol);
        symbol
    }

    /// Text with this number; empty if there is none.
    pub fn text(&self, symbol: TextSymbol) -> &str {
        self.texts.get(symbol.0 as usize).map_or("", Text::as_str)
    }

    /// Number of a path.
    pub fn intern_path(&mut self, path: AttributePath) -> AttributePathId {
        if let Some(known) = self.numbers.get(&path) {
            return *known;
        }
        let next = AttributePathId(u32::try_from(self.paths.len() + 1).unwrap_or(u32::MAX));
        self.hashes.push(self.content_hash(&path));
        self.paths.push(path);
        self.numbers.insert(path, next);
        next
    }

    /// Hash of a path's contents: the same in every process, whatever paths it interned before.
    pub fn hash(&self, path: AttributePathId) -> u64 {
        (path.0 as usize)
            .checked_sub(1)
            .and_then(|index| self.hashes.get(index))
            .copied()
            .unwrap_or(0)
    }

    fn content_hash(&self, path: &AttributePath) -> u64 {
        let WidgetAttributes {
            class,
            id,
            text,
            index,
        } = path.own;
        let text_hash = |symbol: Option<TextSymbol>| {
            symbol.map_or(0, |symbol| xxh3_64(self.text(symbol).as_bytes()))
        };
        let is_kept = [
            class.is_some(),
            id.is_some(),
            text.is_some(),
            index.is_some(),
        ];
        let kept_bits = is_kept
            .into_iter()
            .fold(1, |bits, kept| bits << 1 | u64::from(kept));
        [
            text_hash(class),
            text_hash(id),
            text_hash(text),
            u64::from(index.unwrap_or(0)),
            kept_bits,
        ]
        .into_iter()
        .fold(path.above.map_or(0, |above| self.hash(above)), mixed)
    }

    /// Path with this number; `None` for the empty path.
    pub fn get(&self, path: AttributePathId) -> Option<&AttributePath> {
        self.paths.get((path.0 as usize).checked_sub(1)?)
    }
}

impl WidgetAttributes {
    /// True if `other` has all attributes that are kept here.
    pub fn matches(&self, other: &WidgetAttributes) -> bool {
        fn matches<T: PartialEq + Copy>(kept: Option<T>, actual: Option<T>) -> bool {
            kept.is_none() || kept == actual
        }
        matches(self.class, other.class)
            && matches(self.id, other.id)
            && matches(self.text, other.text)
            && matches(self.index, other.index)
    }
}
