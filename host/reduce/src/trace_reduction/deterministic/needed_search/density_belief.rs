//! Belief about the density of needed items: the share of items that are needed, with a weight for each of a few densities.

use super::super::super::entropy::entropy;

/// Highest density that is considered.
const HIGHEST: f64 = 0.9;

/// Densities with their weights, which sum up to 1.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::trace_reduction::deterministic) struct DensityBelief(Vec<DensityWeight>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct DensityWeight {
    /// Logarithm of the probability that an item is not needed.
    ln_not_needed: f64,
    weight: f64,
}

impl DensityBelief {
    /// Nothing is known: one needed item is as probable as two, four, eight, …
    pub(in crate::trace_reduction::deterministic) fn unknown(items: usize) -> DensityBelief {
        DensityBelief::weighted(items, |_| 1.0)
    }

    /// Most items are needed.
    pub(in crate::trace_reduction::deterministic) fn mostly_needed(items: usize) -> DensityBelief {
        DensityBelief::weighted(items, |density| density * density)
    }

    fn weighted(items: usize, weight: impl Fn(f64) -> f64) -> DensityBelief {
        let lowest = 1.0 / items.max(2) as f64;
        let doubling = std::iter::successors(Some(lowest), |density| Some(density * 2.0));
        let densities = doubling
            .take_while(|density| *density < HIGHEST)
            .chain([HIGHEST]);
        let weights = densities.map(|density| DensityWeight {
            ln_not_needed: (-density).ln_1p(),
            weight: weight(density),
        });
        DensityBelief(weights.collect()).normalized()
    }

    /// Probability that `count` items can be deleted: of items about which nothing is known, or of a group of suspects of
    /// this size.
    pub(super) fn pass_probability(&self, count: usize, group_size: Option<usize>) -> f64 {
        self.0
            .iter()
            .map(|density| density.weight * density.pass_probability(count, group_size))
            .sum()
    }

    /// Belief after such a deletion.
    pub(super) fn updated(
        &self,
        count: usize,
        group_size: Option<usize>,
        passes: bool,
    ) -> DensityBelief {
        let weights = self.0.iter().map(|density| {
            let pass_probability = density.pass_probability(count, group_size);
            let likelihood = if passes {
                pass_probability
            } else {
                1.0 - pass_probability
            };
            DensityWeight {
                weight: density.weight * likelihood,
                ..*density
            }
        });
        DensityBelief(weights.collect()).normalized()
    }

    /// Expected number of bits that decide which of the unknown items and of the suspects are needed.
    pub(super) fn open_bits(
        &self,
        unknown: usize,
        group_sizes: &(impl Iterator<Item = usize> + Clone),
    ) -> f64 {
        let bits = |density: &DensityWeight| {
            let per_item = entropy(density.ln_not_needed.exp());
            let groups = group_sizes.clone().map(|size| {
                let none_needed = density.none_needed(size);
                (size as f64 * per_item - entropy(none_needed)) / (1.0 - none_needed)
            });
            density.weight * (unknown as f64 * per_item + groups.sum::<f64>())
        };
        self.0.iter().map(bits).sum()
    }

    fn normalized(mut self) -> DensityBelief {
        let sum: f64 = self.0.iter().map(|density| density.weight).sum();
        // Observations that no density explains say nothing about the density.
        let share = |weight: f64, count: usize| {
            if sum > 0.0 {
                weight / sum
            } else {
                1.0 / count as f64
            }
        };
        let count = self.0.len();
        for density in &mut self.0 {
            density.weight = share(density.weight, count);
        }
        self
    }
}

impl DensityWeight {
    /// Probability that none of `count` items is needed.
    fn none_needed(self, count: usize) -> f64 {
        (self.ln_not_needed * count as f64).exp()
    }

    fn pass_probability(self, count: usize, group_size: Option<usize>) -> f64 {
        let passes = self.none_needed(count);
        match group_size {
            None => passes,
            // One of the others is needed, given that one of all is.
            Some(size) => {
                passes * (1.0 - self.none_needed(size - count)) / (1.0 - self.none_needed(size))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_raise_the_density_and_passes_lower_it() {
        let start = DensityBelief::unknown(100);
        let one_item = |belief: &DensityBelief| belief.pass_probability(1, None);
        assert!(one_item(&start.updated(10, None, false)) < one_item(&start));
        assert!(one_item(&start.updated(10, None, true)) > one_item(&start));
        assert!(one_item(&DensityBelief::mostly_needed(100)) < one_item(&start));
    }

    #[test]
    fn half_of_a_pair_of_suspects_can_be_deleted_about_every_second_time() {
        let rare = DensityBelief::unknown(100_000).updated(50_000, None, true);
        assert!((rare.pass_probability(1, Some(2)) - 0.5).abs() < 0.01);
        assert!((rare.pass_probability(500, Some(1000)) - 0.5).abs() < 0.01);
        assert!((rare.open_bits(0, &[1024].into_iter()) - 10.0).abs() < 0.2);
    }
}
