//! A list that an app keeps: notes, messages, orders. Saved states share what was not changed since, piece by piece.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::{Index, IndexMut};
use std::sync::{Arc, OnceLock};

/// A piece that has grown to this is cut in two.
const LARGE: usize = 64;

/// What was a `Vec` before it had to be saved often.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    /// None is empty.
    pieces: Vec<Arc<Piece<T>>>,
    len: usize,
}

#[derive(Debug)]
struct Piece<T> {
    rows: Vec<T>,
    /// What the rows feed to a hasher, once one has asked.
    fed: OnceLock<Vec<u8>>,
}

impl<T: Clone> Rows<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        let (piece, place) = self.find(place)?;
        self.pieces[piece].rows.get(place)
    }

    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        let (piece, place) = self.find(place)?;
        self.change(piece).get_mut(place)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flat_map(|piece| &piece.rows)
    }

    pub(crate) fn push(&mut self, row: T) {
        self.insert(self.len, row);
    }

    /// At the end if it has fewer rows.
    pub(crate) fn insert(&mut self, place: usize, row: T) {
        let Some(last) = self.pieces.len().checked_sub(1) else {
            self.pieces.push(Piece::of(vec![row]));
            self.len = 1;
            return;
        };
        let (piece, place) = self
            .find(place)
            .unwrap_or((last, self.pieces[last].rows.len()));
        let rows = self.change(piece);
        rows.insert(place, row);
        if rows.len() >= LARGE {
            let behind = rows.split_off(LARGE / 2);
            self.pieces.insert(piece + 1, Piece::of(behind));
        }
        self.len += 1;
    }

    /// None if there is no such row.
    pub(crate) fn remove(&mut self, place: usize) -> Option<T> {
        let (piece, place) = self.find(place)?;
        let rows = self.change(piece);
        let removed = rows.remove(place);
        if rows.is_empty() {
            self.pieces.remove(piece);
        }
        self.len -= 1;
        Some(removed)
    }

    pub(crate) fn clear(&mut self) {
        *self = Rows::default();
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
        for (number, piece) in self.pieces.iter().enumerate() {
            if place < piece.rows.len() {
                return Some((number, place));
            }
            place -= piece.rows.len();
        }
        None
    }

    fn change(&mut self, piece: usize) -> &mut Vec<T> {
        let piece = Arc::make_mut(&mut self.pieces[piece]);
        piece.fed.take();
        &mut piece.rows
    }
}

impl<T> Piece<T> {
    fn of(rows: Vec<T>) -> Arc<Piece<T>> {
        Arc::new(Piece {
            rows,
            fed: OnceLock::new(),
        })
    }
}

/// Whoever copies a piece is about to change it.
impl<T: Clone> Clone for Piece<T> {
    fn clone(&self) -> Self {
        Piece {
            rows: self.rows.clone(),
            fed: OnceLock::new(),
        }
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows {
            pieces: Vec::new(),
            len: 0,
        }
    }
}

impl<T> FromIterator<T> for Rows<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut rows = rows.into_iter();
        let mut made = Rows::default();
        loop {
            let piece: Vec<T> = rows.by_ref().take(LARGE / 2).collect();
            if piece.is_empty() {
                return made;
            }
            made.len += piece.len();
            made.pieces.push(Piece::of(piece));
        }
    }
}

impl<T: Clone> Index<usize> for Rows<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        self.get(place)
            .expect("whoever asks by number has looked how many there are")
    }
}

impl<T: Clone> IndexMut<usize> for Rows<T> {
    fn index_mut(&mut self, place: usize) -> &mut T {
        self.get_mut(place)
            .expect("whoever asks by number has looked how many there are")
    }
}

/// The same for the same rows, in whatever pieces they are: hashers take bytes as one stream.
impl<T: Hash> Hash for Rows<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len);
        for piece in &self.pieces {
            state.write(piece.fed.get_or_init(|| {
                let mut fed = Fed(Vec::new());
                piece.rows.iter().for_each(|row| row.hash(&mut fed));
                fed.0
            }));
        }
    }
}

struct Fed(Vec<u8>);

impl Hasher for Fed {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Nobody asks: what was fed is what is wanted.
    fn finish(&self) -> u64 {
        self.0.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::Xxh3;

    use super::*;

    fn hash(rows: &Rows<u32>) -> u64 {
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
            let mut rows = start.into_iter().collect::<Rows<u32>>();
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
            prop_assert!(rows.pieces.iter().all(|piece| (1..LARGE).contains(&piece.rows.len())));
            prop_assert_eq!(hash(&rows), hash(&list.into_iter().collect()));
        }
    }

    #[test]
    fn a_saved_list_shares_all_but_the_piece_that_was_changed() {
        for many in [10_000, 100_000] {
            let mut rows: Rows<u32> = (0..many).collect();
            let saved = rows.clone();
            rows[5_000] = 1;
            rows.insert(0, 2);
            let own = |piece: &&Arc<Piece<u32>>| Arc::strong_count(piece) == 1;
            assert_eq!(
                rows.pieces.iter().filter(own).count(),
                2,
                "of {} pieces",
                rows.pieces.len()
            );
            assert!(saved.iter().copied().eq(0..many));
        }
    }
}
