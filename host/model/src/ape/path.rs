//! Attribute paths: what a widget and those above it are called once attributes that do not matter are left out. Equal
//! paths have equal numbers.

use std::collections::HashMap;

use retap_shared::Text;
use xxhash_rust::xxh3::xxh3_64;

use crate::mixed;

/// A text by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

/// A path by number. 0 is the empty path, under which stands what is done to no widget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(pub u32);

impl PathId {
    pub const NONE: PathId = PathId(0);
}

/// Of one widget, those attributes that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    pub class: Option<Symbol>,
    pub id: Option<Symbol>,
    pub text: Option<Symbol>,
    pub index: Option<u32>,
}

/// The last element, and the path of the elements before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    pub above: Option<PathId>,
    pub own: Attributes,
}

#[derive(Debug, Default)]
pub struct Paths {
    paths: Vec<Path>,
    /// Of what each path says, whatever its number.
    hashes: Vec<u64>,
    numbers: HashMap<Path, PathId>,
    texts: Vec<Text>,
    symbols: HashMap<Text, Symbol>,
}

impl Paths {
    pub fn symbol(&mut self, text: &Text) -> Symbol {
        if let Some(symbol) = self.symbols.get(text) {
            return *symbol;
        }
        let symbol = Symbol(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.clone());
        self.symbols.insert(text.clone(), symbol);
        symbol
    }

    pub fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.0 as usize).map_or("", Text::as_str)
    }

    pub fn path(&mut self, path: Path) -> PathId {
        if let Some(known) = self.numbers.get(&path) {
            return *known;
        }
        let next = PathId(u32::try_from(self.paths.len() + 1).unwrap_or(u32::MAX));
        self.hashes.push(self.hashed(&path));
        self.paths.push(path);
        self.numbers.insert(path, next);
        next
    }

    /// The same for equal paths, also in another process that has met others before.
    pub fn hash(&self, path: PathId) -> u64 {
        (path.0 as usize)
            .checked_sub(1)
            .and_then(|place| self.hashes.get(place))
            .copied()
            .unwrap_or(0)
    }

    fn hashed(&self, path: &Path) -> u64 {
        let Attributes {
            class,
            id,
            text,
            index,
        } = path.own;
        let said = |symbol: Option<Symbol>| {
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
    pub fn get(&self, path: PathId) -> Option<&Path> {
        self.paths.get((path.0 as usize).checked_sub(1)?)
    }
}

impl Attributes {
    /// Whether all that is kept here is so there.
    pub fn select(&self, of: &Attributes) -> bool {
        fn fits<T: PartialEq + Copy>(kept: Option<T>, there: Option<T>) -> bool {
            kept.is_none() || kept == there
        }
        fits(self.class, of.class)
            && fits(self.id, of.id)
            && fits(self.text, of.text)
            && fits(self.index, of.index)
    }
}
