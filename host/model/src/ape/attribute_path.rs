//! Attribute paths: what a widget and those above it are called once attributes that do not matter are left out. Equal
//! paths have equal numbers.

use std::collections::HashMap;

use retap_shared::Text;
use xxhash_rust::xxh3::xxh3_64;

use crate::mixed;

/// A text by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextSymbol(u32);

/// A path by number. 0 is the empty path, under which stands what is done to no widget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttributePathId(pub u32);

impl AttributePathId {
    pub const NONE: AttributePathId = AttributePathId(0);
}

/// Of one widget, those attributes that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WidgetAttributes {
    pub class: Option<TextSymbol>,
    pub id: Option<TextSymbol>,
    pub text: Option<TextSymbol>,
    pub index: Option<u32>,
}

/// The last element, and the path of the elements before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributePath {
    pub above: Option<AttributePathId>,
    pub own: WidgetAttributes,
}

#[derive(Debug, Default)]
pub struct AttributePaths {
    paths: Vec<AttributePath>,
    /// Of what each path says, whatever its number.
    hashes: Vec<u64>,
    numbers: HashMap<AttributePath, AttributePathId>,
    texts: Vec<Text>,
    symbols: HashMap<Text, TextSymbol>,
}

impl AttributePaths {
    pub fn intern_text(&mut self, text: &Text) -> TextSymbol {
        if let Some(symbol) = self.symbols.get(text) {
            return *symbol;
        }
        let symbol = TextSymbol(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.clone());
        self.symbols.insert(text.clone(), symbol);
        symbol
    }

    pub fn text(&self, symbol: TextSymbol) -> &str {
        self.texts.get(symbol.0 as usize).map_or("", Text::as_str)
    }

    pub fn intern_path(&mut self, path: AttributePath) -> AttributePathId {
        if let Some(known) = self.numbers.get(&path) {
            return *known;
        }
        let next = AttributePathId(u32::try_from(self.paths.len() + 1).unwrap_or(u32::MAX));
        self.hashes.push(self.hashed(&path));
        self.paths.push(path);
        self.numbers.insert(path, next);
        next
    }

    /// The same for equal paths, also in another process that has met others before.
    pub fn hash(&self, path: AttributePathId) -> u64 {
        (path.0 as usize)
            .checked_sub(1)
            .and_then(|place| self.hashes.get(place))
            .copied()
            .unwrap_or(0)
    }

    fn hashed(&self, path: &AttributePath) -> u64 {
        let WidgetAttributes {
            class,
            id,
            text,
            index,
        } = path.own;
        let said = |symbol: Option<TextSymbol>| {
            symbol.map_or(0, |symbol| xxh3_64(self.text(symbol).as_bytes()))
        };
        let which = [
            class.is_some(),
            id.is_some(),
            text.is_some(),
            index.is_some(),
        ];
        let kept = which
            .into_iter()
            .fold(1, |bits, kept| bits << 1 | u64::from(kept));
        [
            said(class),
            said(id),
            said(text),
            u64::from(index.unwrap_or(0)),
            kept,
        ]
        .into_iter()
        .fold(path.above.map_or(0, |above| self.hash(above)), mixed)
    }

    /// `None` for the empty path.
    pub fn get(&self, path: AttributePathId) -> Option<&AttributePath> {
        self.paths.get((path.0 as usize).checked_sub(1)?)
    }
}

impl WidgetAttributes {
    /// Whether all that is kept here is so there.
    pub fn matches(&self, of: &WidgetAttributes) -> bool {
        fn fits<T: PartialEq + Copy>(kept: Option<T>, there: Option<T>) -> bool {
            kept.is_none() || kept == there
        }
        fits(self.class, of.class)
            && fits(self.id, of.id)
            && fits(self.text, of.text)
            && fits(self.index, of.index)
    }
}
