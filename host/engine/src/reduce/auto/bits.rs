//! A set of steps, for comparing what runs leave out.

#[derive(Debug)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Those of `base` that are not in `kept`.
    pub(super) fn left_out(base: &[u32], kept: &[u32], steps: usize) -> Bits {
        let mut bits = vec![0; steps.div_ceil(64)];
        base.iter().for_each(|&step| bits[step as usize / 64] |= 1 << (step % 64));
        kept.iter().for_each(|&step| bits[step as usize / 64] &= !(1 << (step % 64)));
        Bits(bits)
    }

    /// What they have in common, as a share of what either has.
    pub(super) fn alike(&self, other: &Bits) -> f64 {
        let count = |of: fn(u64, u64) -> u64| -> u32 {
            self.0.iter().zip(&other.0).map(|(one, other)| of(*one, *other).count_ones()).sum()
        };
        match count(|one, other| one | other) {
            0 => 1.0,
            all => f64::from(count(|one, other| one & other)) / f64::from(all),
        }
    }
}
