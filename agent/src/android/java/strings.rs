//! Converts Java's strings. Half a surrogate pair becomes U+FFFD.

use jni::Env;
use jni::objects::JString;

/// Converts a string; null becomes empty, even where Android documents that it is never null.
pub(crate) fn string(env: &Env, string: &JString) -> jni::errors::Result<String> {
    if string.is_null() {
        return Ok(String::new());
    }
    Ok(decode(string.mutf8_chars(env)?.to_bytes()))
}

/// Decodes Java's modified UTF-8: NUL has two bytes, and a character above U+FFFF is two halves of three bytes each.
fn decode(mut bytes: &[u8]) -> String {
    if bytes.is_ascii() {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    loop {
        let (unit, rest) = match *bytes {
            [] => return String::from_utf16_lossy(&units),
            [first @ 0..=0x7f, ref rest @ ..] => (u16::from(first), rest),
            [first @ 0xc0..=0xdf, second, ref rest @ ..] => {
                (bits(first, 0x1f) << 6 | bits(second, 0x3f), rest)
            }
            [first @ 0xe0..=0xef, second, third, ref rest @ ..] => (
                bits(first, 0x0f) << 12 | bits(second, 0x3f) << 6 | bits(third, 0x3f),
                rest,
            ),
            [_, ref rest @ ..] => (0xfffd, rest),
        };
        units.push(unit);
        bytes = rest;
    }
}

fn bits(byte: u8, mask: u8) -> u16 {
    u16::from(byte & mask)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_string_of_java_is_decoded(units: Vec<u16>) {
            prop_assert_eq!(decode(&encode(&units)), String::from_utf16_lossy(&units));
        }

        #[test]
        fn any_bytes_are_decoded_without_a_panic(bytes: Vec<u8>) {
            decode(&bytes);
        }
    }

    #[test]
    fn half_a_surrogate_pair_does_not_affect_its_neighbours() {
        let units: Vec<u16> = "ä\0😀".encode_utf16().chain([0xd800]).collect();
        assert_eq!(decode(&encode(&units)), "ä\0😀\u{fffd}");
    }

    /// Encodes as the VM does.
    fn encode(units: &[u16]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &unit in units {
            match unit {
                1..=0x7f => bytes.push(unit as u8),
                0 | 0x80..=0x7ff => {
                    bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]);
                }
                _ => bytes.extend([
                    0xe0 | (unit >> 12) as u8,
                    0x80 | (unit >> 6 & 0x3f) as u8,
                    0x80 | (unit & 0x3f) as u8,
                ]),
            }
        }
        bytes
    }
}
