//! How much attempts on one phone depend on each other: a phone that is bad for a while fails many times, and that is one event
//! and not many. Measured by pairs of failures on the same phone at about the same time, against what chance would give.

use super::failure_pairs::FailurePairs;
use crate::policy::AttemptTally;

/// Probability of so many pairs by chance below which they count.
pub(super) const SIGNIFICANCE_LEVEL: f64 = 0.1;
/// Attempts of each phone that are compared with those of the others at about the same time.
const WINDOW_RUNS_PER_PHONE: u32 = 8;

/// Tallies of phones, in windows of attempts at about the same time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PhoneWindows {
    /// Tallies by index of the phone, of each window; the last one is open.
    windows: Vec<Vec<AttemptTally>>,
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

    pub(super) fn pairs(&self) -> FailurePairs {
        let pairs = self.windows.iter().map(|window| FailurePairs::of(window));
        pairs.fold(FailurePairs::default(), FailurePairs::plus)
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

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use retap_device::seed::Seed;

    use super::*;

    /// Correlation that 15 phones show in 120 attempts, in turn.
    fn correlation(reached: impl FnMut(usize) -> bool) -> f64 {
        windows(reached).pairs().correlation(SIGNIFICANCE_LEVEL)
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
        assert!(
            alone.pairs().correlation(SIGNIFICANCE_LEVEL).abs() < 1e-9,
            "one phone"
        );
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
        assert!(windows.pairs().correlation(SIGNIFICANCE_LEVEL) > 0.8);
    }
}
