//! Combines 64-bit hashes.

/// Mixes two hashes into one, depending on their order. Strong, and cheaper than hashing both as bytes.
pub fn mixed(one: u64, other: u64) -> u64 {
    let wide = u128::from(one ^ 0x9e37_79b9_7f4a_7c15)
        * u128::from(other.rotate_left(23) ^ 0xd6e8_feb8_6659_fd93);
    (wide as u64) ^ ((wide >> 64) as u64).rotate_left(32) ^ other
}
