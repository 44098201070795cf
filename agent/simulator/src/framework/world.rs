//! The world outside of the app: the clock, chance, and the list of branches that ran.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_shared::action::Action;
use retap_shared::micros::Micros;

use super::{BranchCoverage, LateDialog, SimulatedLog};
use crate::noise::{LatencyTable, Noise};

/// Never part of a snapshot: restoring an app does not restore the world.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) now: Micros,
    pub(crate) branches: BranchCoverage,
    pub(crate) log: SimulatedLog,
    noise: Noise,
    latencies: &'static LatencyTable,
    rng: Pcg64Mcg,
    /// Replaces the random generator, if there is one.
    script: Option<ChanceScript>,
}

/// Scripted results of random draws. A draw beyond the script does not happen.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChanceScript {
    pub(crate) outcomes: Vec<bool>,
    asked: usize,
    /// Probability of all scripted results together.
    pub(crate) probability: f64,
}

impl ChanceScript {
    pub(crate) fn of(outcomes: Vec<bool>) -> ChanceScript {
        ChanceScript {
            outcomes,
            asked: 0,
            probability: 1.0,
        }
    }

    fn happens(&mut self, probability: f64) -> bool {
        if self.asked == self.outcomes.len() {
            self.outcomes.push(false);
        }
        let happens = self.outcomes[self.asked];
        self.asked += 1;
        self.probability *= if happens {
            probability
        } else {
            1.0 - probability
        };
        happens
    }
}

impl World {
    pub(crate) fn new(noise: Noise, seed: u64) -> World {
        World {
            now: Micros::ZERO,
            branches: BranchCoverage::default(),
            log: SimulatedLog::default(),
            noise,
            latencies: noise.latency.table(),
            rng: Pcg64Mcg::seed_from_u64(seed),
            script: None,
        }
    }

    pub(crate) fn noise(&self) -> &Noise {
        &self.noise
    }

    /// Logs a line of the app: `LEVEL/TAG: message`.
    pub(crate) fn log(&mut self, line: &str) {
        self.log.push(self.now, line);
    }

    /// Draws a latency of the phone.
    pub(crate) fn draw_latency(
        &mut self,
        what: impl Fn(&LatencyTable) -> &'static [u64],
    ) -> Micros {
        Micros(draw_from_quantiles(what(self.latencies), &mut self.rng))
    }

    /// Durations of saving and restoring a snapshot.
    pub(crate) fn snapshot_costs(&self) -> [Micros; 2] {
        let always = |figures: &[u64]| Micros(figures.first().copied().unwrap_or_default());
        self.noise.snapshot.costs(self.latencies).map(always)
    }

    /// Draws whether this event is lost.
    pub(crate) fn loses_event(&mut self, action: &Action) -> bool {
        self.happens(1.0 - self.noise.delivery_probability(action))
    }

    /// Draws whether a change of the screen is followed by an unexpected dialog, and its time.
    pub(crate) fn draw_late_dialog(&mut self) -> Option<(LateDialog, Micros)> {
        let comes = self.happens(self.noise.late_dialog);
        comes.then(|| {
            let at = self.now + Micros(self.rng.random_range(300_000..2_500_000));
            (
                LateDialog::ALL[self.rng.random_range(0..LateDialog::ALL.len())],
                at,
            )
        })
    }

    /// Draws the start time of a new activity.
    pub(super) fn activity_start(&mut self) -> Micros {
        self.draw_latency(|figures| figures.activity_start)
    }

    pub(super) fn network_delay(&mut self) -> Micros {
        self.draw_latency(|figures| figures.network)
    }

    pub(super) fn network_fails(&mut self) -> bool {
        self.happens(self.noise.flaky)
    }

    pub(crate) fn follow_script(&mut self, script: ChanceScript) {
        self.script = Some(script);
    }

    /// The part of the script that was used.
    pub(crate) fn take_script(&mut self) -> ChanceScript {
        self.script.take().unwrap_or_default()
    }

    fn happens(&mut self, probability: f64) -> bool {
        if probability <= 0.0 {
            return false;
        }
        match &mut self.script {
            Some(script) => script.happens(probability),
            None => self.rng.random_bool(probability.min(1.0)),
        }
    }
}

/// Draws from a distribution that is given by its quantiles, from the least to the greatest, evenly spaced.
/// In whole numbers, so that every machine draws the same. A single figure is not drawn at all.
fn draw_from_quantiles(quantiles: &[u64], rng: &mut Pcg64Mcg) -> u64 {
    match quantiles {
        [] => 0,
        [always] => *always,
        _ => {
            let intervals = quantiles.len() as u64 - 1;
            let place = rng.random_range(0..intervals << 16);
            let index = (place >> 16) as usize;
            let fraction = place & 0xffff;
            let low = quantiles[index];
            let high = quantiles[index + 1];
            low + ((high.saturating_sub(low) * fraction) >> 16)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_keep_to_their_quantiles() {
        let mut rng = Pcg64Mcg::seed_from_u64(3);
        let drawn: Vec<u64> = (0..10_000)
            .map(|_| draw_from_quantiles(&[10, 20, 1_000], &mut rng))
            .collect();
        assert!(drawn.iter().all(|drawn| (10..1_000).contains(drawn)));
        let low = drawn.iter().filter(|drawn| **drawn < 20).count();
        assert!(
            (4_800..5_200).contains(&low),
            "{low} of 10,000 in the lower half"
        );
    }

    #[test]
    fn a_single_figure_leaves_the_generator_alone() {
        let mut rng = Pcg64Mcg::seed_from_u64(3);
        let untouched = Pcg64Mcg::seed_from_u64(3);
        assert_eq!(draw_from_quantiles(&[7], &mut rng), 7);
        assert_eq!(rng, untouched);
    }
}
