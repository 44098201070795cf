//! Draws an index by weight, for all weighted choices of texts, actions and states.

use std::iter::Sum;
use std::ops::SubAssign;

use rand::{Rng, RngExt};

/// Draws an index with a probability proportional to its weight. Takes one number from `rng`, whatever the weights are.
/// `None` if there are no weights, if all are zero, or if rounding puts the drawn number behind the last weight.
///
/// `rand`'s `WeightedIndex` would draw other sequences from the same seeds: it rejects numbers where `random_range` corrects them,
/// takes 52 random bits instead of 53 for a float, and draws nothing if all weights are zero. Recorded runs must stay repeatable.
pub fn draw_weighted<W: DrawWeight>(
    weights: impl Iterator<Item = W> + Clone,
    rng: &mut impl Rng,
) -> Option<usize> {
    let mut rest = W::draw_below(weights.clone().sum(), rng);
    for (index, weight) in weights.enumerate() {
        if rest < weight {
            return Some(index);
        }
        rest -= weight;
    }
    None
}

/// A number that can be a weight of [`draw_weighted`]. Weights are not negative.
pub trait DrawWeight: Copy + PartialOrd + Sum + SubAssign {
    /// Draws a number from zero up to, and without, `sum`. Zero if `sum` is zero.
    fn draw_below(sum: Self, rng: &mut impl Rng) -> Self;
}

impl DrawWeight for u32 {
    fn draw_below(sum: u32, rng: &mut impl Rng) -> u32 {
        rng.random_range(0..sum.max(1))
    }
}

impl DrawWeight for u64 {
    fn draw_below(sum: u64, rng: &mut impl Rng) -> u64 {
        rng.random_range(0..sum.max(1))
    }
}

impl DrawWeight for f64 {
    fn draw_below(sum: f64, rng: &mut impl Rng) -> f64 {
        rng.random::<f64>() * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the numbers of a list, one after the other.
    struct Listed(Vec<u64>);

    impl rand::TryRng for Listed {
        type Error = std::convert::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            self.try_next_u64().map(|number| (number >> 32) as u32)
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0.remove(0))
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("weights are drawn as numbers")
        }
    }

    #[test]
    fn each_index_is_drawn_in_proportion_to_its_weight() {
        let weights = [1_u64, 0, 3];
        let drawn: Vec<_> = (0..4)
            .map(|quarter| {
                let mut rng = Listed(vec![(quarter << 62) + 1]);
                draw_weighted(weights.into_iter(), &mut rng)
            })
            .collect();
        assert_eq!(drawn, [Some(0), Some(2), Some(2), Some(2)]);
    }

    #[test]
    fn one_number_is_taken_even_where_nothing_can_be_drawn() {
        let mut rng = Listed(vec![5; 4]);
        assert_eq!(draw_weighted([0_u64, 0].into_iter(), &mut rng), None);
        assert_eq!(draw_weighted([0_u32; 0].into_iter(), &mut rng), None);
        assert_eq!(draw_weighted([0.0, 0.0].into_iter(), &mut rng), None);
        assert_eq!(rng.0.len(), 1);
    }
}
