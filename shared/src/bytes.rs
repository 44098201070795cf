//! Byte strings on the wire, instead of lists of numbers.

use std::convert::Infallible;
use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A picture as the bytes of a PNG file.
#[derive(Clone, PartialEq, Eq)]
pub struct Png(pub Vec<u8>);

impl Serialize for Png {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Png {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor(|bytes: &[u8]| {
            Ok::<_, Infallible>(Png(bytes.to_vec()))
        }))
    }
}

impl fmt::Debug for Png {
    /// Shows the length only: there may be millions of bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Png({} bytes)", self.0.len())
    }
}

/// Builds a value from borrowed bytes. Formats without byte strings give a list of numbers.
pub(crate) struct BytesVisitor<F>(pub(crate) F);

impl<'de, T, E: fmt::Display, F: FnOnce(&[u8]) -> Result<T, E>> Visitor<'de> for BytesVisitor<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("packed bytes")
    }

    fn visit_bytes<D: Error>(self, bytes: &[u8]) -> Result<T, D> {
        (self.0)(bytes).map_err(D::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}
