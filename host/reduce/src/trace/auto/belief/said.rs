//! What one test says to the groups that it left out: numbers in plain lists, because this is where the time goes.

use super::Test;
use super::set::Set;

/// No chance is surer than these odds, e²⁵. What runs say is multiplied without that bound, up to the other: a number.
const SUREST: f64 = 7.2e10;
pub(super) const NUMBER: f64 = 1e250;
/// Beliefs agree if what runs say of none is changed by more than this factor.
const AGREED: f64 = 1.02;

/// What a test has to do with the groups that it speaks to. Kept for its memory alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    groups: Vec<u32>,
    unsaid: Vec<f64>,
    /// What is held of them but for what the test says.
    rests: Vec<f64>,
}

impl Said {
    /// Prepares what a test says to the groups that are not quiet, or to all if it has never spoken to any or looks `around`.
    /// Returns one more than the odds of each group that it left out, multiplied.
    pub(super) fn take(&mut self, test: &mut Test, odds: &[f64], quiet: &Set, around: bool) -> f64 {
        let all = around || test.quiet.is_none();
        let nothing = Set::default();
        self.groups.clear();
        test.left_out
            .but(if all { &nothing } else { quiet }, |group| {
                self.groups.push(group)
            });
        self.unsaid.clear();
        self.unsaid
            .extend(self.groups.iter().map(|&group| test.unsaid[group as usize]));
        self.rests.clear();
        self.rests
            .extend(self.groups.iter().map(|&group| odds[group as usize]));
        self.rests
            .iter_mut()
            .zip(&self.unsaid)
            .for_each(|(rest, unsaid)| *rest *= unsaid);
        let spoken_to = product(&self.rests);
        if !all {
            return spoken_to * test.quiet.unwrap_or(1.0);
        }
        let silent = self
            .groups
            .iter()
            .zip(&self.rests)
            .filter(|(group, _)| quiet.has(**group as usize));
        test.quiet = Some(silent.map(|(_, rest)| 1.0 + at_surest(*rest)).product());
        spoken_to
    }

    /// What each hears follows from what is held of the others. True if that is what they have heard before.
    pub(super) fn speak(&mut self, none: f64, likelier: f64) -> bool {
        let mut agreed = true;
        let unlikelier = 1.0 / likelier;
        for (unsaid, rest) in self.unsaid.iter_mut().zip(&mut self.rests) {
            let others = at_most(1.0, none * (1.0 + at_surest(*rest)));
            let new = others * unlikelier + (1.0 - others);
            // Half of what is new is taken over at once, so that beliefs do not swing.
            let half = (*unsaid * new).sqrt();
            agreed &= (half <= *unsaid * AGREED) & (*unsaid <= half * AGREED);
            *unsaid = half;
            *rest = bounded(*rest / half, NUMBER);
        }
        agreed
    }

    pub(super) fn put_back(&self, test: &mut Test, odds: &mut [f64]) {
        for (&group, (&unsaid, &said)) in
            self.groups.iter().zip(self.unsaid.iter().zip(&self.rests))
        {
            test.unsaid[group as usize] = unsaid;
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
        .map(|odds| 1.0 + at_surest(*odds))
        .product();
    for four in fours {
        products
            .iter_mut()
            .zip(four)
            .for_each(|(product, odds)| *product *= 1.0 + at_surest(*odds));
    }
    products.iter().product::<f64>() * rest
}

pub(super) fn at_surest(odds: f64) -> f64 {
    bounded(odds, SUREST)
}

pub(super) fn bounded(odds: f64, bound: f64) -> f64 {
    at_most(
        bound,
        if odds > 1.0 / bound {
            odds
        } else {
            1.0 / bound
        },
    )
}

/// `f64::min` without its care for what is not a number, which keeps loops from being made of wide instructions.
fn at_most(most: f64, odds: f64) -> f64 {
    if odds < most { odds } else { most }
}
