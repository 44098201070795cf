//! The messages of one factor to the groups that its candidate left out, in flat lists: this is the inner loop of propagation.

use super::CandidateFactor;
use super::group_set::GroupSet;

/// Bound of the odds of a belief, e²⁵.
const MAX_ODDS: f64 = 7.2e10;
/// Bound of products of messages, which keeps them finite.
pub(super) const MAX_PRODUCT: f64 = 1e250;
/// Propagation has converged if no message changes by more than this factor.
const CONVERGENCE_FACTOR: f64 = 1.02;

/// Messages of the factor that is being updated. The lists are reused from factor to factor.
#[derive(Clone, Debug, Default)]
pub(super) struct FactorMessages {
    groups: Vec<u32>,
    /// Reciprocals of the messages to the groups.
    inverse_messages: Vec<f64>,
    /// Odds of the groups without the message of this factor; after `update`, with the new message.
    cavities: Vec<f64>,
}

impl FactorMessages {
    /// Collects the cavities of the active groups; of all groups in a `full_pass` and the first time. Returns the product of
    /// 1 + odds over all groups that the factor's candidate left out.
    pub(super) fn gather_cavities(
        &mut self,
        factor: &mut CandidateFactor,
        odds: &[f64],
        inactive: &GroupSet,
        full_pass: bool,
    ) -> f64 {
        let all = full_pass || factor.inactive_product.is_none();
        let none = GroupSet::default();
        self.groups.clear();
        factor
            .left_out
            .for_each_difference(if all { &none } else { inactive }, |group| {
                self.groups.push(group);
            });
        self.inverse_messages.clear();
        self.inverse_messages.extend(
            self.groups
                .iter()
                .map(|&group| factor.inverse_messages[group as usize]),
        );
        self.cavities.clear();
        self.cavities
            .extend(self.groups.iter().map(|&group| odds[group as usize]));
        self.cavities
            .iter_mut()
            .zip(&self.inverse_messages)
            .for_each(|(cavity, inverse)| *cavity *= inverse);
        let updated_product = product(&self.cavities);
        if !all {
            return updated_product * factor.inactive_product.unwrap_or(1.0);
        }
        let inactive_cavities = self
            .groups
            .iter()
            .zip(&self.cavities)
            .filter(|(group, _)| inactive.contains(**group as usize));
        factor.inactive_product = Some(
            inactive_cavities
                .map(|(_, cavity)| 1.0 + clamp_odds(*cavity))
                .product(),
        );
        updated_product
    }

    /// Updates all messages from the cavities of the other groups. `none_needed` is the probability that no left-out step is
    /// needed, `ratio` the likelihood ratio of the observations. Returns true if the messages have converged.
    pub(super) fn update(&mut self, none_needed: f64, ratio: f64) -> bool {
        let mut converged = true;
        let inverse_ratio = 1.0 / ratio;
        for (inverse, cavity) in self.inverse_messages.iter_mut().zip(&mut self.cavities) {
            let others_unneeded = fast_min(1.0, none_needed * (1.0 + clamp_odds(*cavity)));
            let new = others_unneeded * inverse_ratio + (1.0 - others_unneeded);
            // Damping by the geometric mean, so that beliefs do not oscillate.
            let damped = (*inverse * new).sqrt();
            converged &= (damped <= *inverse * CONVERGENCE_FACTOR)
                & (*inverse <= damped * CONVERGENCE_FACTOR);
            *inverse = damped;
            *cavity = clamp_to(*cavity / damped, MAX_PRODUCT);
        }
        converged
    }

    /// Writes messages and odds back after `update`.
    pub(super) fn scatter(&self, factor: &mut CandidateFactor, odds: &mut [f64]) {
        for (&group, (&inverse, &updated)) in self
            .groups
            .iter()
            .zip(self.inverse_messages.iter().zip(&self.cavities))
        {
            factor.inverse_messages[group as usize] = inverse;
            odds[group as usize] = updated;
        }
    }
}

/// Product of 1 + odds. Four independent products, because each multiplication in a single one waits for the one before.
fn product(odds: &[f64]) -> f64 {
    let mut products = [1.0; 4];
    let chunks = odds.chunks_exact(4);
    let remainder: f64 = chunks
        .remainder()
        .iter()
        .map(|odds| 1.0 + clamp_odds(*odds))
        .product();
    for chunk in chunks {
        products
            .iter_mut()
            .zip(chunk)
            .for_each(|(product, odds)| *product *= 1.0 + clamp_odds(*odds));
    }
    products.iter().product::<f64>() * remainder
}

pub(super) fn clamp_odds(odds: f64) -> f64 {
    clamp_to(odds, MAX_ODDS)
}

pub(super) fn clamp_to(odds: f64, bound: f64) -> f64 {
    fast_min(
        bound,
        if odds > 1.0 / bound {
            odds
        } else {
            1.0 / bound
        },
    )
}

/// `f64::min` without the handling of NaN, which keeps loops from being vectorised.
fn fast_min(bound: f64, odds: f64) -> f64 {
    if odds < bound { odds } else { bound }
}
