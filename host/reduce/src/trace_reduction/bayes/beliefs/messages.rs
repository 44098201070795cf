//! What one test says to the groups that it left out: numbers in plain lists, because this is where the time goes.

use super::CandidateFactor;
use super::group_set::GroupSet;

/// No chance is surer than these odds, e²⁵. What runs say is multiplied without that bound, up to the other: a number.
const MAX_ODDS: f64 = 7.2e10;
pub(super) const MAX_PRODUCT: f64 = 1e250;
/// Beliefs agree if what runs say of none is changed by more than this factor.
const CONVERGENCE_FACTOR: f64 = 1.02;

/// What a test has to do with the groups that it speaks to. Kept for its memory alone.
#[derive(Clone, Debug, Default)]
pub(super) struct FactorMessages {
    groups: Vec<u32>,
    inverse_messages: Vec<f64>,
    /// What is held of them but for what the test says.
    cavities: Vec<f64>,
}

impl FactorMessages {
    /// Prepares what a test says to the groups that are not quiet, or to all if it has never spoken to any or looks `around`.
    /// Returns one more than the odds of each group that it left out, multiplied.
    pub(super) fn gather_cavities(
        &mut self,
        test: &mut CandidateFactor,
        odds: &[f64],
        quiet: &GroupSet,
        around: bool,
    ) -> f64 {
        let all = around || test.inactive_product.is_none();
        let nothing = GroupSet::default();
        self.groups.clear();
        test.left_out
            .for_each_difference(if all { &nothing } else { quiet }, |group| {
                self.groups.push(group);
            });
        self.inverse_messages.clear();
        self.inverse_messages.extend(
            self.groups
                .iter()
                .map(|&group| test.inverse_messages[group as usize]),
        );
        self.cavities.clear();
        self.cavities
            .extend(self.groups.iter().map(|&group| odds[group as usize]));
        self.cavities
            .iter_mut()
            .zip(&self.inverse_messages)
            .for_each(|(rest, unsaid)| *rest *= unsaid);
        let spoken_to = product(&self.cavities);
        if !all {
            return spoken_to * test.inactive_product.unwrap_or(1.0);
        }
        let silent = self
            .groups
            .iter()
            .zip(&self.cavities)
            .filter(|(group, _)| quiet.contains(**group as usize));
        test.inactive_product = Some(silent.map(|(_, rest)| 1.0 + clamp_odds(*rest)).product());
        spoken_to
    }

    /// What each hears follows from what is held of the others. True if that is what they have heard before.
    pub(super) fn update(&mut self, none: f64, likelier: f64) -> bool {
        let mut agreed = true;
        let unlikelier = 1.0 / likelier;
        for (unsaid, rest) in self.inverse_messages.iter_mut().zip(&mut self.cavities) {
            let others = fast_min(1.0, none * (1.0 + clamp_odds(*rest)));
            let new = others * unlikelier + (1.0 - others);
            // Half of what is new is taken over at once, so that beliefs do not swing.
            let half = (*unsaid * new).sqrt();
            agreed &=
                (half <= *unsaid * CONVERGENCE_FACTOR) & (*unsaid <= half * CONVERGENCE_FACTOR);
            *unsaid = half;
            *rest = clamp_to(*rest / half, MAX_PRODUCT);
        }
        agreed
    }

    pub(super) fn scatter(&self, test: &mut CandidateFactor, odds: &mut [f64]) {
        for (&group, (&unsaid, &said)) in self
            .groups
            .iter()
            .zip(self.inverse_messages.iter().zip(&self.cavities))
        {
            test.inverse_messages[group as usize] = unsaid;
            odds[group as usize] = said;
        }
    }
}

/// Of one more than each of these odds. Four at a time: one after the other each would wait for the one before.
fn product(odds: &[f64]) -> f64 {
    let mut products = [1.0; 4];
    let fours = odds.chunks_exact(4);
    let rest: f64 = fours
        .remainder()
        .iter()
        .map(|odds| 1.0 + clamp_odds(*odds))
        .product();
    for four in fours {
        products
            .iter_mut()
            .zip(four)
            .for_each(|(product, odds)| *product *= 1.0 + clamp_odds(*odds));
    }
    products.iter().product::<f64>() * rest
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

/// `f64::min` without its care for what is not a number, which keeps loops from being made of wide instructions.
fn fast_min(most: f64, odds: f64) -> f64 {
    if odds < most { odds } else { most }
}
