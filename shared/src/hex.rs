//! 64-bit identities: 16 hexadecimal digits in text formats, a number on the wire.

use serde::{Deserialize, Deserializer, Serializer};

/// Parses exactly 16 digits; the standard library would accept a sign and fewer digits.
pub(crate) fn parse(digits: &str) -> Option<u64> {
    let fits = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if fits {
        u64::from_str_radix(digits, 16).ok()
    } else {
        None
    }
}

pub(crate) fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        serializer.collect_str(&format_args!("{number:016x}"))
    } else {
        serializer.serialize_u64(*number)
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    if !deserializer.is_human_readable() {
        return u64::deserialize(deserializer);
    }
    let digits = String::deserialize(deserializer)?;
    parse(&digits).ok_or_else(|| {
        serde::de::Error::invalid_value(
            serde::de::Unexpected::Str(&digits),
            &"16 hexadecimal digits",
        )
    })
}
