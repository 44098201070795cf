//! Values of the variables and texts of a declarative app.

use retap_shared::Text;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{DeclarativePage, FieldText, Variable};
use crate::framework::Unhashed;

/// Values of a declarative app's variables and texts.
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct DeclarativeState {
    persistent: Vec<u8>,
    memory: Vec<u8>,
    shared: Vec<u8>,
    inert: Unhashed<Vec<u8>>,
    texts: Vec<Text>,
    inert_texts: Unhashed<Vec<Text>>,
}

impl DeclarativeState {
    /// Equal for states in which a page looks the same apart from its switches, which have the first `switches` inert
    /// variables.
    pub(super) fn view_hash(&self, page: &DeclarativePage, switches: usize) -> u64 {
        let others = self.inert.0.get(switches..).unwrap_or_default();
        let values = [&self.persistent, &self.memory, &self.shared, others].into_iter();
        let texts = self
            .texts
            .iter()
            .chain(&self.inert_texts.0)
            .map(|text| text.as_bytes());
        let asks = page.open_dialog.map_or(0, |number| u64::from(number) + 1);
        let counts = (self.texts.len() as u64) << 32 | asks << 8 | u64::from(page.screen);
        values
            .chain(texts)
            .fold(counts, |hash, bytes| xxh3_64_with_seed(bytes, hash))
    }

    pub(crate) fn get(&self, var: Variable) -> u8 {
        let (values, place) = match var {
            Variable::Persistent(place) => (&self.persistent, place.into()),
            Variable::Memory(place) => (&self.memory, place.into()),
            Variable::Shared(place) => (&self.shared, place.into()),
            Variable::Inert(place) => (&self.inert.0, usize::from(place)),
        };
        values.get(place).copied().unwrap_or_default()
    }

    pub(super) fn set(&mut self, var: Variable, value: u8) {
        let (values, place) = match var {
            Variable::Persistent(place) => (&mut self.persistent, place.into()),
            Variable::Memory(place) => (&mut self.memory, place.into()),
            Variable::Shared(place) => (&mut self.shared, place.into()),
            Variable::Inert(place) => (&mut self.inert.0, usize::from(place)),
        };
        if place >= values.len() {
            values.resize(place + 1, 0);
        }
        values[place] = value;
        // Trailing zeros are dropped, so that equal states have equal hashes.
        while values.last() == Some(&0) {
            values.pop();
        }
    }

    pub(super) fn text(&self, field: FieldText) -> &Text {
        const NOTHING: &Text = &Text::new_static("");
        let found = match field {
            FieldText::Persistent(place) => self.texts.get(usize::from(place)),
            FieldText::Inert(place) => self.inert_texts.0.get(usize::from(place)),
        };
        found.unwrap_or(NOTHING)
    }

    pub(super) fn set_text(&mut self, field: FieldText, text: Text) {
        let (texts, place) = match field {
            FieldText::Persistent(place) => (&mut self.texts, usize::from(place)),
            FieldText::Inert(place) => (&mut self.inert_texts.0, usize::from(place)),
        };
        if place >= texts.len() {
            texts.resize(place + 1, Text::default());
        }
        texts[place] = text;
        while texts.last().is_some_and(Text::is_empty) {
            texts.pop();
        }
    }

    /// The app's data was cleared.
    pub(crate) fn data_cleared(&mut self, before: &DeclarativeState) {
        self.shared.clone_from(&before.shared);
    }

    /// The process ended.
    pub(crate) fn process_died(&mut self) {
        self.memory.clear();
    }
}
