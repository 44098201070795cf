//! Pays for memory before it is taken. bincode says how long a list claims to be, serde reserves up to 1 MiB for each
//! list on the strength of that, and elements are larger in memory than on the wire (a step 176 bytes for 4): so every
//! list, text and packed part is charged against a budget that follows from the input's length.

use std::cell::Cell;

use serde::de::Error;

use crate::protocol::{AppInfo, PhoneEvent};
use crate::screen::EXPANSION;
use crate::trace::Step;

/// What any message may take, however short: 1 MiB, of which a little is kept for saying what is wrong with it.
const BASE: usize = (1 << 20) - (4 << 10);
/// What each byte of the input adds.
const PER_BYTE: usize = 8;
/// `serde`'s own bound on what it reserves for a list from its claimed length alone.
const SERDE_RESERVES: usize = 1 << 20;
/// A list is reserved for before it is known what its elements are; in no message are they larger than these.
const MAX_ELEMENT: usize = max(
    size_of::<Step>(),
    max(size_of::<PhoneEvent>(), size_of::<AppInfo>()),
);
/// In front of the characters of a shared text.
const SHARED_TEXT_HEAD: usize = 16;
/// Shorter texts are not shared but kept inline, or as long as they are.
const INLINE_TEXT: usize = 23;
/// A screen and its way into an `Arc`, beside what its packed bytes turn into.
const PACKED_HEAD: usize = 256;

pub(super) struct MemoryBudget {
    left: Cell<usize>,
    input: usize,
}

impl MemoryBudget {
    pub(super) fn for_input(bytes: &[u8]) -> Self {
        let input = bytes.len();
        MemoryBudget {
            left: Cell::new(BASE.saturating_add(input.saturating_mul(PER_BYTE))),
            input,
        }
    }

    pub(super) fn text<E: Error>(&self, length: usize) -> Result<(), E> {
        self.take(if length > INLINE_TEXT {
            length + SHARED_TEXT_HEAD
        } else {
            length
        })
    }

    pub(super) fn packed<E: Error>(&self, length: usize) -> Result<(), E> {
        self.take(length.saturating_mul(EXPANSION).saturating_add(PACKED_HEAD))
    }

    /// A list that claims `count` elements. Every element takes a byte at least, so the claim may be seen through.
    pub(super) fn list<E: Error>(&self, count: usize) -> Result<ListBudget<'_>, E> {
        if count > self.input {
            let input = self.input;
            return Err(E::custom(format_args!(
                "a list of {count} elements is claimed by a message of {input} bytes"
            )));
        }
        let reserve = count.min(self.left.get() / MAX_ELEMENT);
        Ok(ListBudget {
            budget: self,
            reserve,
            length: 0,
            capacity: 0,
        })
    }

    fn take<E: Error>(&self, bytes: usize) -> Result<(), E> {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(
            left.ok_or_else(|| {
                E::custom("the message needs more memory than its length warrants")
            })?,
        );
        Ok(())
    }

    fn give_back(&self, bytes: usize) {
        self.left.set(self.left.get() + bytes);
    }
}

/// A `Vec` that serde fills, mirrored: how much it has reserved, and when it will grow.
pub(super) struct ListBudget<'b> {
    budget: &'b MemoryBudget,
    /// What serde is told of the length, before it is known what an element costs.
    pub(super) reserve: usize,
    length: usize,
    capacity: usize,
}

impl ListBudget<'_> {
    /// Call before each element is read.
    pub(super) fn push<T, E: Error>(&mut self) -> Result<(), E> {
        let size = size_of::<T>();
        if size == 0 {
            return Ok(());
        }
        if size > MAX_ELEMENT {
            return Err(E::custom(format_args!(
                "elements of {size} bytes are not foreseen"
            )));
        }
        if self.length == 0 {
            self.capacity = self.reserve.min(SERDE_RESERVES / size);
            self.budget.take(self.capacity * size)?;
        }
        if self.length == self.capacity {
            let least = if size == 1 { 8 } else { 4 };
            let capacity = (2 * self.capacity).max(least);
            self.budget.take(capacity * size)?;
            self.budget.give_back(self.capacity * size);
            self.capacity = capacity;
        }
        self.length += 1;
        Ok(())
    }
}

const fn max(one: usize, other: usize) -> usize {
    if one > other { one } else { other }
}
