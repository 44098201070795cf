//! Single attempts, for reducers that are other programs and ask for one at a time.

use rand::RngExt;
use retap_device::seed::Seed;
use serde_json::json;

use super::measurement::NoisyCase;
use super::planted_target::PlantedTarget;

/// One attempt of a candidate, with what is true of it.
#[derive(Clone, Copy, Debug)]
pub struct SingleAttempt {
    pub reached: bool,
    played: usize,
    true_rate: f64,
    planted_size: usize,
    planted_rate: f64,
}

impl SingleAttempt {
    /// Draws an attempt at these events, ascending. Attempts with different numbers are independent.
    pub fn draw(case: NoisyCase, kept: &[u32], attempt: u64) -> SingleAttempt {
        let target = PlantedTarget::new(case.cell, case.events, case.seed);
        let true_rate = target.success_rate(kept);
        let planted = target.best_cut();
        let mut rng = Seed(case.seed).derive("single attempt", attempt).rng();
        SingleAttempt {
            reached: rng.random::<f64>() < true_rate,
            played: kept.len(),
            true_rate,
            planted_size: planted.len(),
            planted_rate: target.success_rate(&planted),
        }
    }

    pub fn to_json(self) -> String {
        json!({
            "reached": self.reached, "played": self.played, "true_rate": self.true_rate, "planted": self.planted_size,
            "planted_rate": self.planted_rate,
        })
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::super::family::NoisyFamily;
    use super::*;

    #[test]
    fn attempts_reach_the_target_as_often_as_the_rate_says() {
        let case = NoisyCase {
            cell: NoisyFamily::Flat.cells()[1],
            seed: 7,
            events: 50,
        };
        let all: Vec<u32> = (0..50).collect();
        let attempts = 0..4_000;
        let reached = attempts.filter(|attempt| SingleAttempt::draw(case, &all, *attempt).reached);
        let share = reached.count() as f64 / 4_000.0;
        assert!((share - 0.75).abs() < 0.03, "{share}");
        assert!(!SingleAttempt::draw(case, &[], 0).reached);
    }
}
