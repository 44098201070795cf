//! Entropy of a yes-or-no event: how many bits its outcome decides.

/// Entropy of an event with probability `p`, in bits. Rounding may have put `p` just outside of 0 to 1.
pub(super) fn entropy(p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return 0.0;
    }
    let other = 1.0 - p;
    -p * p.log2() - other * other.log2()
}
