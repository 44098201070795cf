//! The app's classes with their methods and lines, by name, and which of these have been hit since the reader asked to
//! forget. Names decide: a class that is loaded again, by another loader or after a restart, is the same class.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A method, or a line of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Item {
    pub(crate) method: String,
    pub(crate) signature: String,
    /// Line of the source; 0 for the method as a whole.
    pub(crate) line: i32,
    /// The method's first line, 0 if that is not known.
    pub(crate) first_line: i32,
}

/// Items of one class that were found together. Lives forever.
#[derive(Debug)]
pub(crate) struct ClassItems {
    pub(crate) class: String,
    pub(crate) source_file: String,
    pub(crate) items: Vec<Item>,
    hits: Box<[AtomicU64]>,
}

/// One bit of a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemPlace {
    pub(crate) class: &'static ClassItems,
    pub(crate) item: usize,
}

/// All classes, in the order in which they were found.
#[derive(Debug)]
pub(crate) struct Classes {
    found: Mutex<Found>,
    has_news: AtomicBool,
}

#[derive(Debug)]
struct Found {
    order: Vec<&'static ClassItems>,
    by_name: Option<HashMap<String, Vec<&'static ClassItems>>>,
}

impl ClassItems {
    /// Words of the bit map, as they are now.
    pub(crate) fn hits(&self) -> impl Iterator<Item = u64> {
        self.hits.iter().map(|word| word.load(Ordering::Relaxed))
    }
}

impl Classes {
    pub(crate) const fn new() -> Classes {
        Classes {
            found: Mutex::new(Found {
                order: Vec::new(),
                by_name: None,
            }),
            has_news: AtomicBool::new(false),
        }
    }

    /// Places of these items, in their order. Items that are not known of the class yet are added.
    pub(crate) fn places(&self, class: &str, source_file: &str, items: &[Item]) -> Vec<ItemPlace> {
        let mut found = self.lock();
        let Found { order, by_name } = &mut *found;
        let parts = by_name
            .get_or_insert_default()
            .entry(class.to_owned())
            .or_default();
        let mut known = known_items(parts);
        let new: Vec<Item> = items
            .iter()
            .filter(|item| !known.contains_key(item))
            .cloned()
            .collect();
        if !new.is_empty() || parts.is_empty() {
            let part = add(class, source_file, new);
            parts.push(part);
            order.push(part);
            known = known_items(parts);
            self.has_news.store(true, Ordering::Release);
        }
        items
            .iter()
            .filter_map(|item| known.get(item).copied())
            .collect()
    }

    /// Notes a hit: one atomic operation, whatever other threads do. True for the first.
    pub(crate) fn hit(&self, place: ItemPlace) -> bool {
        let Some(word) = place.class.hits.get(place.item / 64) else {
            return false;
        };
        let bit = 1 << (place.item % 64);
        let is_first = word.fetch_or(bit, Ordering::Relaxed) & bit == 0;
        if is_first {
            self.has_news.store(true, Ordering::Release);
        }
        is_first
    }

    /// True if there was a new class or a hit since the last call.
    pub(crate) fn take_news(&self) -> bool {
        self.has_news.swap(false, Ordering::AcqRel)
    }

    /// Classes that were found from this number on.
    pub(crate) fn from(&self, number: usize) -> Vec<&'static ClassItems> {
        let found = self.lock();
        found.order.get(number..).unwrap_or_default().to_vec()
    }

    /// Forgets what was hit.
    pub(crate) fn forget(&self) {
        for class in self.from(0) {
            for word in &class.hits {
                word.store(0, Ordering::Relaxed);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn add(class: &str, source_file: &str, items: Vec<Item>) -> &'static ClassItems {
    let words = items.len().div_ceil(64);
    Box::leak(Box::new(ClassItems {
        class: class.to_owned(),
        source_file: source_file.to_owned(),
        items,
        hits: (0..words).map(|_| AtomicU64::new(0)).collect(),
    }))
}

fn known_items(parts: &[&'static ClassItems]) -> HashMap<&'static Item, ItemPlace> {
    let of_part = |class: &&'static ClassItems| {
        let class = *class;
        let place = move |(item, about)| (about, ItemPlace { class, item });
        class.items.iter().enumerate().map(place)
    };
    parts.iter().flat_map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(method: &str) -> Item {
        Item {
            method: method.to_owned(),
            signature: "()V".to_owned(),
            line: 0,
            first_line: 0,
        }
    }

    #[test]
    fn a_hit_counts_once_and_a_class_that_is_loaded_again_is_the_same() {
        let classes = Classes::new();
        let first = classes.places("a/B", "B.java", &[item("one"), item("two")]);
        assert!(classes.take_news());
        assert!(classes.hit(first[1]));
        assert!(!classes.hit(first[1]));
        assert!(classes.take_news() && !classes.take_news());
        let again = classes.places("a/B", "B.java", &[item("two"), item("three")]);
        assert!(
            !classes.hit(again[0]),
            "another loader's class has the same method"
        );
        assert!(classes.hit(again[1]));
        assert_eq!(classes.from(0).len(), 2);
        assert_eq!(classes.from(1)[0].items, [item("three")]);
        classes.forget();
        assert!(classes.hit(first[1]));
    }
}
