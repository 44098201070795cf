//! The table from a breakpoint to what it stands for. Threads of the app look it up without a lock and without memory:
//! entries are published once and never move. It grows by further, larger parts.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::jvmti::{Location, MethodId};

const FIRST_PART: usize = 4_096;
/// Parts double in size: the last one would have more entries than memory.
const PARTS: usize = 24;

/// Values by method and position. Values live forever.
pub(crate) struct Lookup<T: 'static> {
    parts: [OnceLock<Part<T>>; PARTS],
    writer: Mutex<()>,
}

struct Part<T: 'static> {
    entries: Box<[Entry<T>]>,
    used: AtomicUsize,
}

struct Entry<T: 'static> {
    /// 0 while the entry is free. Written last.
    method: AtomicUsize,
    location: AtomicI64,
    value: AtomicPtr<T>,
}

impl<T: Sync> Lookup<T> {
    pub(crate) const fn new() -> Lookup<T> {
        Lookup {
            parts: [const { OnceLock::new() }; PARTS],
            writer: Mutex::new(()),
        }
    }

    pub(crate) fn get(&self, method: MethodId, location: Location) -> Option<&'static T> {
        let value = self.find(method, location)?.value.load(Ordering::Acquire);
        // SAFETY: only pointers from `&'static T` are stored.
        unsafe { value.as_ref() }
    }

    /// Adds a value. The VM may give the number of a method that is gone to a new one, whose value replaces the old.
    pub(crate) fn insert(&self, method: MethodId, location: Location, value: &'static T) {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let value = std::ptr::from_ref(value).cast_mut();
        if let Some(entry) = self.find(method, location) {
            entry.value.store(value, Ordering::Release);
            return;
        }
        for (number, slot) in self.parts.iter().enumerate() {
            let part = slot.get_or_init(|| Part::new(FIRST_PART << number));
            if part.add(method, location, value) {
                return;
            }
        }
    }

    fn find(&self, method: MethodId, location: Location) -> Option<&Entry<T>> {
        self.parts
            .iter()
            .map_while(OnceLock::get)
            .find_map(|part| part.find(method, location))
    }
}

impl<T> Part<T> {
    fn new(size: usize) -> Part<T> {
        let free = || Entry {
            method: AtomicUsize::new(0),
            location: AtomicI64::new(0),
            value: AtomicPtr::new(null_mut()),
        };
        Part {
            entries: (0..size).map(|_| free()).collect(),
            used: AtomicUsize::new(0),
        }
    }

    /// Entries from the place of the method's hash on, up to the first free one and with it.
    fn run(&self, method: MethodId, location: Location) -> impl Iterator<Item = &Entry<T>> {
        let (before, from) = self
            .entries
            .split_at(place(method, location) % self.entries.len().max(1));
        from.iter().chain(before)
    }

    fn find(&self, method: MethodId, location: Location) -> Option<&Entry<T>> {
        for entry in self.run(method, location) {
            match entry.method.load(Ordering::Acquire) {
                0 => return None,
                of if of == method && entry.location.load(Ordering::Relaxed) == location => {
                    return Some(entry);
                }
                _ => {}
            }
        }
        None
    }

    /// False if the part is full: a quarter stays free, so that runs are short.
    fn add(&self, method: MethodId, location: Location, value: *mut T) -> bool {
        if self.used.load(Ordering::Relaxed) >= self.entries.len() / 4 * 3 {
            return false;
        }
        let free = self
            .run(method, location)
            .find(|entry| entry.method.load(Ordering::Relaxed) == 0);
        let Some(entry) = free else { return false };
        entry.location.store(location, Ordering::Relaxed);
        entry.value.store(value, Ordering::Relaxed);
        entry.method.store(method, Ordering::Release);
        self.used.fetch_add(1, Ordering::Relaxed);
        true
    }
}

/// Method numbers are addresses: their low bits are equal.
fn place(method: MethodId, location: Location) -> usize {
    let key = (method as u64) ^ location.cast_unsigned().rotate_left(40);
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_found_while_others_are_added() {
        static TABLE: Lookup<usize> = Lookup::new();
        const ENTRIES: usize = 40_000;
        let known = AtomicUsize::new(0);
        let method = |number: usize| 0x7f00_0000_0000 + number * 8;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    loop {
                        let upto = known.load(Ordering::Acquire);
                        for number in (0..upto).step_by(97) {
                            assert_eq!(TABLE.get(method(number), 3), Some(&number));
                        }
                        if upto == ENTRIES {
                            return;
                        }
                    }
                });
            }
            for number in 0..ENTRIES {
                TABLE.insert(method(number), 3, Box::leak(Box::new(number)));
                known.store(number + 1, Ordering::Release);
            }
        });
        assert_eq!(TABLE.get(method(5), 4), None);
        assert_eq!(TABLE.get(method(ENTRIES), 3), None);
    }

    #[test]
    fn a_method_number_that_is_given_again_means_the_new_method() {
        static TABLE: Lookup<&str> = Lookup::new();
        TABLE.insert(8, 0, &"old");
        TABLE.insert(8, 0, &"new");
        assert_eq!(TABLE.get(8, 0), Some(&"new"));
    }
}
