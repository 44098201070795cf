//! The memory budget of a message: every list, text and packed part is charged before it is allocated.
//! serde reserves up to 1 MiB for the length that a list claims, and elements are larger in memory than on the wire (a
//! step 176 bytes for 4), so the input's length alone does not limit the memory.

use std::cell::Cell;

use serde::de::Error;

use crate::phone_event::PhoneEvent;
use crate::protocol::AppInfo;
use crate::screen::EXPANSION;
use crate::trace::Step;

/// Memory for a message of any length: 1 MiB, less a reserve for its error message.
const BASE: usize = (1 << 20) - (4 << 10);
/// Memory that each byte of the input adds.
const PER_BYTE: usize = 8;
/// serde's limit for the memory that it reserves by a list's claimed length.
const SERDE_RESERVES: usize = 1 << 20;
/// Size of the largest list element of any message. The reserve of a list is computed before its element type is known.
const MAX_ELEMENT: usize = max(
    size_of::<Step>(),
    max(size_of::<PhoneEvent>(), size_of::<AppInfo>()),
);
/// Bytes in front of the characters of a shared text.
const SHARED_TEXT_HEAD: usize = 16;
/// Maximum length of a text that is stored inline or in its own length.
const INLINE_TEXT: usize = 23;
/// Memory for a screen and its `Arc`, beside its unpacked parts.
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

    /// Charges a text of `length` bytes.
    pub(super) fn text<E: Error>(&self, length: usize) -> Result<(), E> {
        self.take(if length > INLINE_TEXT {
            length + SHARED_TEXT_HEAD
        } else {
            length
        })
    }

    /// Charges a packed part of `length` bytes.
    pub(super) fn packed<E: Error>(&self, length: usize) -> Result<(), E> {
        self.take(length.saturating_mul(EXPANSION).saturating_add(PACKED_HEAD))
    }

    /// The budget of a list that claims `count` elements. A claim of more elements than the input has bytes is refused.
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
            left.ok_or_else(|| E::custom("the message needs more memory than its length allows"))?,
        );
        Ok(())
    }

    fn give_back(&self, bytes: usize) {
        self.left.set(self.left.get() + bytes);
    }
}

/// The capacity of a `Vec` that serde fills, as it grows.
pub(super) struct ListBudget<'b> {
    budget: &'b MemoryBudget,
    /// The length that serde is given as a hint, chosen before the element type is known.
    pub(super) reserve: usize,
    length: usize,
    capacity: usize,
}

impl ListBudget<'_> {
    /// Charges one more element, before it is read.
    pub(super) fn push<T, E: Error>(&mut self) -> Result<(), E> {
        let size = size_of::<T>();
        if size == 0 {
            return Ok(());
        }
        if size > MAX_ELEMENT {
            return Err(E::custom(format_args!(
                "list elements of {size} bytes are too large"
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
