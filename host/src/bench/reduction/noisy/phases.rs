//! Good and bad phases of a phone over virtual time: a Markov chain with two states.

use std::time::Duration;

use rand::RngExt;
use retap_device::seed::{Rng, Seed};

/// Mean lengths of phases, and the success rate in each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhasePattern {
    pub good_rate: f64,
    pub bad_rate: f64,
    pub good_minutes: f64,
    pub bad_minutes: f64,
}

/// Phases of one phone, drawn as far as time has gone.
#[derive(Debug)]
pub struct PhonePhases {
    pattern: PhasePattern,
    rng: Rng,
    begins_good: bool,
    /// Moments at which the phase changes, ascending.
    changes: Vec<Duration>,
}

impl PhasePattern {
    /// Share of time that a phone is in a bad phase.
    pub fn bad_share(&self) -> f64 {
        self.bad_minutes / (self.good_minutes + self.bad_minutes)
    }

    /// Success rate at a random moment.
    pub fn stationary_rate(&self) -> f64 {
        let bad = self.bad_share();
        bad * self.bad_rate + (1.0 - bad) * self.good_rate
    }
}

impl PhonePhases {
    pub fn new(pattern: PhasePattern, seed: Seed) -> PhonePhases {
        let mut rng = seed.rng();
        PhonePhases {
            begins_good: rng.random::<f64>() >= pattern.bad_share(),
            pattern,
            rng,
            changes: Vec::new(),
        }
    }

    /// Success rate at a moment.
    pub fn rate_at(&mut self, moment: Duration) -> f64 {
        while self.changes.last().is_none_or(|last| *last <= moment) {
            let minutes = if self.is_good(self.changes.len()) {
                self.pattern.good_minutes
            } else {
                self.pattern.bad_minutes
            };
            // Lengths of phases are exponential; 1 - x is never 0.
            let length = -(1.0 - self.rng.random::<f64>()).ln() * minutes * 60.0;
            let since = self.changes.last().copied().unwrap_or_default();
            self.changes.push(since + Duration::from_secs_f64(length));
        }
        let phase = self.changes.partition_point(|change| *change <= moment);
        if self.is_good(phase) {
            self.pattern.good_rate
        } else {
            self.pattern.bad_rate
        }
    }

    fn is_good(&self, phase: usize) -> bool {
        self.begins_good == phase.is_multiple_of(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_over_time_is_the_stationary_rate() {
        let pattern = PhasePattern {
            good_rate: 0.9,
            bad_rate: 0.1,
            good_minutes: 6.0,
            bad_minutes: 2.0,
        };
        assert!((pattern.stationary_rate() - 0.7).abs() < 1e-12);
        let mut phases = PhonePhases::new(pattern, Seed(1));
        let minutes: u64 = 200_000;
        let sum: f64 = (0..minutes)
            .map(|minute| phases.rate_at(Duration::from_secs(60 * minute)))
            .sum();
        assert!((sum / minutes as f64 - 0.7).abs() < 0.01);
    }

    #[test]
    fn a_moment_has_the_same_phase_whenever_it_is_asked() {
        let pattern = PhasePattern {
            good_rate: 1.0,
            bad_rate: 0.0,
            good_minutes: 5.0,
            bad_minutes: 5.0,
        };
        let moments: Vec<Duration> = (0..500).map(|n| Duration::from_secs(17 * n)).collect();
        let rates = |order: &mut dyn Iterator<Item = &Duration>| -> Vec<f64> {
            let mut phases = PhonePhases::new(pattern, Seed(2));
            order.map(|moment| phases.rate_at(*moment)).collect()
        };
        let mut backwards = rates(&mut moments.iter().rev());
        backwards.reverse();
        assert_eq!(rates(&mut moments.iter()), backwards);
    }
}
