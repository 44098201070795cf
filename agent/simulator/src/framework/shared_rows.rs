//! A list of an app: notes, messages, orders. Snapshots share the pieces that have not changed since.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::{Index, IndexMut};
use std::sync::{Arc, OnceLock};

/// Length from which a piece is split in two.
const CHUNK_LIMIT: usize = 64;

/// A list that is cheap to save: snapshots share its unchanged pieces.
#[derive(Clone, Debug)]
pub(crate) struct SharedRows<T> {
    /// None is empty.
    chunks: Vec<Arc<RowChunk<T>>>,
    len: usize,
}

#[derive(Debug)]
struct RowChunk<T> {
    rows: Vec<T>,
    /// Bytes that the rows feed to a hasher, computed on first use.
    hashed_bytes: OnceLock<Vec<u8>>,
}

impl<T: Clone> SharedRows<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        let (piece, place) = self.find(place)?;
        self.chunks[piece].rows.get(place)
    }

    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        let (piece, place) = self.find(place)?;
        self.chunk_mut(piece).get_mut(place)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|piece| &piece.rows)
    }

    pub(crate) fn push(&mut self, row: T) {
        self.insert(self.len, row);
    }

    /// Inserts a row; at the end if there are fewer rows.
    pub(crate) fn insert(&mut self, place: usize, row: T) {
        let Some(last) = self.chunks.len().checked_sub(1) else {
            self.chunks.push(RowChunk::of(vec![row]));
            self.len = 1;
            return;
        };
        let (piece, place) = self
            .find(place)
            .unwrap_or((last, self.chunks[last].rows.len()));
        let rows = self.chunk_mut(piece);
        rows.insert(place, row);
        if rows.len() >= CHUNK_LIMIT {
            let behind = rows.split_off(CHUNK_LIMIT / 2);
            self.chunks.insert(piece + 1, RowChunk::of(behind));
        }
        self.len += 1;
    }

    /// None if there is no such row.
    pub(crate) fn remove(&mut self, place: usize) -> Option<T> {
        let (piece, place) = self.find(place)?;
        let rows = self.chunk_mut(piece);
        let removed = rows.remove(place);
        if rows.is_empty() {
            self.chunks.remove(piece);
        }
        self.len -= 1;
        Some(removed)
    }

    pub(crate) fn clear(&mut self) {
        *self = SharedRows::default();
    }

    pub(crate) fn is_sorted_by(&self, in_order: impl FnMut(&&T, &&T) -> bool) -> bool {
        self.iter().is_sorted_by(in_order)
    }

    pub(crate) fn sort_by(&mut self, order: impl FnMut(&T, &T) -> Ordering) {
        let mut rows: Vec<T> = self.iter().cloned().collect();
        rows.sort_by(order);
        *self = rows.into_iter().collect();
    }

    pub(crate) fn reverse(&mut self) {
        let rows: Vec<T> = self.iter().cloned().collect();
        *self = rows.into_iter().rev().collect();
    }

    /// The piece that a row is in, and its place there.
    fn find(&self, mut place: usize) -> Option<(usize, usize)> {
        for (number, piece) in self.chunks.iter().enumerate() {
            if place < piece.rows.len() {
                return Some((number, place));
            }
            place -= piece.rows.len();
        }
        None
    }

    fn chunk_mut(&mut self, piece: usize) -> &mut Vec<T> {
        let piece = Arc::make_mut(&mut self.chunks[piece]);
        piece.hashed_bytes.take();
        &mut piece.rows
    }
}

impl<T> RowChunk<T> {
    fn of(rows: Vec<T>) -> Arc<RowChunk<T>> {
        Arc::new(RowChunk {
            rows,
            hashed_bytes: OnceLock::new(),
        })
    }
}

/// Copies a piece because its owner is about to change it.
impl<T: Clone> Clone for RowChunk<T> {
    fn clone(&self) -> Self {
        RowChunk {
            rows: self.rows.clone(),
            hashed_bytes: OnceLock::new(),
        }
    }
}

impl<T> Default for SharedRows<T> {
    fn default() -> Self {
        SharedRows {
            chunks: Vec::new(),
            len: 0,
        }
    }
}

impl<T> FromIterator<T> for SharedRows<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut rows = rows.into_iter();
        let mut made = SharedRows::default();
        loop {
            let piece: Vec<T> = rows.by_ref().take(CHUNK_LIMIT / 2).collect();
            if piece.is_empty() {
                return made;
            }
            made.len += piece.len();
            made.chunks.push(RowChunk::of(piece));
        }
    }
}

impl<T: Clone> Index<usize> for SharedRows<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        self.get(place)
            .expect("whoever asks by number has looked how many there are")
    }
}

impl<T: Clone> IndexMut<usize> for SharedRows<T> {
    fn index_mut(&mut self, place: usize) -> &mut T {
        self.get_mut(place)
            .expect("whoever asks by number has looked how many there are")
    }
}

/// Equal for equal rows, whatever their pieces: hashers take bytes as one stream.
impl<T: Hash> Hash for SharedRows<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len);
        for piece in &self.chunks {
            state.write(piece.hashed_bytes.get_or_init(|| {
                let mut fed = RecordingHasher(Vec::new());
                piece.rows.iter().for_each(|row| row.hash(&mut fed));
                fed.0
            }));
        }
    }
}

struct RecordingHasher(Vec<u8>);

impl Hasher for RecordingHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Never called: the fed bytes are the result.
    fn finish(&self) -> u64 {
        self.0.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::Xxh3;

    use super::*;

    fn hash(rows: &SharedRows<u32>) -> u64 {
        let mut hasher = Xxh3::new();
        rows.hash(&mut hasher);
        hasher.finish()
    }

    proptest! {
        #[test]
        fn they_do_what_a_vec_does(
            start in prop::collection::vec(any::<u32>(), 0..200),
            changes in prop::collection::vec((0_u8..6, any::<prop::sample::Index>(), any::<u32>()), 0..120),
        ) {
            let mut list = start.clone();
            let mut rows = start.into_iter().collect::<SharedRows<u32>>();
            for (what, place, value) in changes {
                let place = place.index(list.len() + 1);
                match what {
                    0 | 1 => {
                        list.insert(place, value);
                        rows.insert(place, value);
                    }
                    2 => prop_assert_eq!(rows.remove(place), (place < list.len()).then(|| list.remove(place))),
                    3 => {
                        list.get_mut(place).into_iter().for_each(|row| *row = value);
                        rows.get_mut(place).into_iter().for_each(|row| *row = value);
                    }
                    4 => {
                        list.push(value);
                        rows.push(value);
                    }
                    _ if value % 9 == 0 => {
                        list.sort_by(|one, other| other.cmp(one));
                        rows.sort_by(|one, other| other.cmp(one));
                    }
                    _ => {
                        list.reverse();
                        rows.reverse();
                    }
                }
                prop_assert_eq!((rows.len(), rows.is_empty()), (list.len(), list.is_empty()));
                prop_assert_eq!(rows.get(place), list.get(place));
            }
            prop_assert!(rows.iter().eq(&list));
            prop_assert!(rows.chunks.iter().all(|piece| (1..CHUNK_LIMIT).contains(&piece.rows.len())));
            prop_assert_eq!(hash(&rows), hash(&list.into_iter().collect()));
        }
    }

    #[test]
    fn a_saved_list_shares_all_but_the_piece_that_was_changed() {
        for many in [10_000, 100_000] {
            let mut rows: SharedRows<u32> = (0..many).collect();
            let saved = rows.clone();
            rows[5_000] = 1;
            rows.insert(0, 2);
            let own = |piece: &&Arc<RowChunk<u32>>| Arc::strong_count(piece) == 1;
            assert_eq!(
                rows.chunks.iter().filter(own).count(),
                2,
                "of {} pieces",
                rows.chunks.len()
            );
            assert!(saved.iter().copied().eq(0..many));
        }
    }
}
