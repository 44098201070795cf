//! How much attempts on one phone depend on each other: a phone that is bad for a while fails many times, and that is one event
//! and not many. Measured by pairs of failures on the same phone at about the same time, against what chance would give.

use crate::policy::AttemptTally;

/// Probability of so many pairs by chance below which they count.
const SIGNIFICANCE_LEVEL: f64 = 0.1;
/// Attempts of each phone that are compared with those of the others at about the same time.
const WINDOW_RUNS_PER_PHONE: u32 = 8;

/// Tallies of phones, in windows of attempts at about the same time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PhoneWindows {
    /// Tallies by index of the phone, of each window; the last one is open.
    windows: Vec<Vec<AttemptTally>>,
}

/// Pairs of attempts on the same phone in the same window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PhonePairs {
    /// Pairs of two failures.
    failed: f64,
    /// Number of these that is expected if failures fall on phones by chance.
    expected: f64,
    /// Number of pairs by which two failures would be more than expected if attempts of one phone were all alike.
    at_most: f64,
}

impl PhoneWindows {
    /// Counts the next attempt in order.
    pub(super) fn count(&mut self, phone: usize, reached: bool) {
        if self.windows.last().is_none_or(|window| is_full(window)) {
            self.windows.push(Vec::new());
        }
        let window = self.windows.last_mut().expect("a window has been added");
        if window.len() <= phone {
            window.resize(phone + 1, AttemptTally::default());
        }
        window[phone].count(reached);
    }

    pub(super) fn has_failures(&self) -> bool {
        let mut tallies = self.windows.iter().flatten();
        tallies.any(|tally| tally.failures > 0)
    }

    pub(super) fn pairs(&self) -> PhonePairs {
        let pairs = self.windows.iter().map(|window| PhonePairs::of(window));
        pairs.fold(PhonePairs::default(), PhonePairs::plus)
    }
}

impl PhonePairs {
    fn of(window: &[AttemptTally]) -> PhonePairs {
        let count = |of: fn(&AttemptTally) -> u32| window.iter().map(of).sum::<u32>();
        let sum_pairs =
            |of: fn(&AttemptTally) -> u32| window.iter().map(|tally| pairs(of(tally))).sum::<f64>();
        let runs = count(|tally| tally.runs());
        let failures = count(|tally| tally.failures);
        let same_phone = sum_pairs(|tally| tally.runs());
        let share = same_phone / pairs(runs).max(1.0);
        PhonePairs {
            failed: sum_pairs(|tally| tally.failures),
            expected: share * pairs(failures),
            at_most: share * f64::from(failures) * f64::from(runs - failures) / 2.0,
        }
    }

    pub(super) fn plus(self, other: PhonePairs) -> PhonePairs {
        PhonePairs {
            failed: self.failed + other.failed,
            expected: self.expected + other.expected,
            at_most: self.at_most + other.at_most,
        }
    }

    /// Correlation of attempts on the same phone; 0 unless failures gather by more than chance.
    pub(super) fn correlation(self) -> f64 {
        if at_least_by_chance(self.failed, self.expected) >= SIGNIFICANCE_LEVEL {
            return 0.0;
        }
        ((self.failed - self.expected) / self.at_most.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }
}

/// Factor by which the variance of a tally exceeds that of independent attempts (design effect), with this correlation of
/// attempts on the same phone.
pub(super) fn dispersion(phones: &[AttemptTally], correlation: f64) -> f64 {
    let runs = |tally: &AttemptTally| f64::from(tally.runs());
    let squares: f64 = phones.iter().map(|tally| runs(tally).powi(2)).sum();
    let sum: f64 = phones.iter().map(runs).sum();
    let runs_per_phone = squares / sum.max(1.0);
    1.0 + (runs_per_phone - 1.0).max(0.0) * correlation
}

fn is_full(window: &[AttemptTally]) -> bool {
    let used = window.iter().filter(|tally| tally.runs() > 0).count() as u32;
    let runs: u32 = window.iter().map(|tally| tally.runs()).sum();
    runs >= WINDOW_RUNS_PER_PHONE * used
}

fn pairs(of: u32) -> f64 {
    f64::from(of) * f64::from(of.saturating_sub(1)) / 2.0
}

/// Probability of at least so many rare events where this number is expected (Poisson).
fn at_least_by_chance(count: f64, expected: f64) -> f64 {
    if expected <= 0.0 {
        return if count > 0.0 { 0.0 } else { 1.0 };
    }
    let mut log_term = -expected;
    let mut fewer = 0.0;
    for number in 0..count as u32 {
        fewer += log_term.exp();
        log_term += expected.ln() - f64::from(number + 1).ln();
    }
    1.0 - fewer
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use retap_device::seed::Seed;

    use super::*;

    /// Correlation that 15 phones show in 120 attempts, in turn.
    fn correlation(reached: impl FnMut(usize) -> bool) -> f64 {
        windows(reached).pairs().correlation()
    }

    fn windows(mut reached: impl FnMut(usize) -> bool) -> PhoneWindows {
        let mut windows = PhoneWindows::default();
        (0..120).for_each(|attempt| windows.count(attempt % 15, reached(attempt)));
        windows
    }

    #[test]
    fn failures_of_one_phone_are_one_event() {
        let one_phone = correlation(|attempt| attempt % 15 != 3);
        assert!((0.95..=1.0).contains(&one_phone), "{one_phone}");
        let phones = [AttemptTally {
            successes: 8,
            failures: 0,
        }; 15];
        assert!((dispersion(&phones, 1.0) - 8.0).abs() < 1e-9);
        assert!((dispersion(&phones, 0.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn failures_of_different_phones_do_not_gather() {
        assert!(correlation(|attempt| attempt % 16 != 3).abs() < 1e-9);
        assert!(correlation(|_| true).abs() < 1e-9);
        assert!(correlation(|_| false).abs() < 1e-9);
        let mut alone = PhoneWindows::default();
        (0..40).for_each(|attempt| alone.count(0, attempt > 5));
        assert!(alone.pairs().correlation().abs() < 1e-9, "one phone");
    }

    #[test]
    fn phones_that_are_alike_seldom_seem_to_depend() {
        for rate in [0.8, 0.9, 0.95] {
            let gathered = (0..400).filter(|seed| {
                let mut rng = Seed(*seed).rng();
                correlation(|_| rng.random::<f64>() < rate) > 0.0
            });
            let count = gathered.count();
            assert!(count <= 60, "{rate}: {count} of 400 at 10 %");
        }
    }

    /// Phases that change between windows show in the windows, although over both every phone fails as often.
    #[test]
    fn phones_are_compared_at_the_same_time() {
        let mut windows = PhoneWindows::default();
        for attempt in 0..240 {
            let is_bad = (attempt % 2 == 0) == (attempt < 120);
            windows.count(attempt % 2, !is_bad);
        }
        assert!(windows.pairs().correlation() > 0.8);
    }
}
