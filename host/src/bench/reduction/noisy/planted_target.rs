//! A target that is planted in a trace: the success rate of every candidate, and the smallest candidate that is good enough.

use retap_device::seed::Seed;

use super::family::{NeededEvents, NoiseModel, NoisyCell};

/// Success rate that is asked of a result: 18 of 20.
pub const ASKED_RATE: f64 = 0.9;
/// Success rate below which a claim is false.
pub const FALSE_BELOW: f64 = 0.85;
/// Rates that differ by less are equal.
pub const RATE_TOLERANCE: f64 = 1e-9;

/// Target of one case.
#[derive(Clone, Debug)]
pub struct PlantedTarget {
    noise: NoiseModel,
    events: u32,
    /// Without these the target is not reached, or seldom. Ascending.
    pub needed: Vec<u32>,
    helpers: Vec<u32>,
    toggles: Vec<(u32, u32)>,
}

impl PlantedTarget {
    /// Plants the target of a cell in a trace of `events` events.
    pub fn new(cell: NoisyCell, events: u32, seed: u64) -> PlantedTarget {
        let seed = Seed(seed);
        let needed = cell
            .needed_events
            .choose(events, &mut seed.derive("needed", 0).rng());
        let others = |count: u32| {
            let mut rng = seed.derive("other events", 0).rng();
            let count = count.min(events - needed.len() as u32);
            // Positions among the events that are not needed.
            let free: Vec<u32> = (0..events)
                .filter(|event| !needed.contains(event))
                .collect();
            let chosen = NeededEvents::Anywhere(count).choose(free.len() as u32, &mut rng);
            let chosen = chosen.into_iter().map(|place| free[place as usize]);
            chosen.collect::<Vec<u32>>()
        };
        let (helpers, toggles) = match cell.noise {
            NoiseModel::Helpers { count, .. } => (others(count), Vec::new()),
            NoiseModel::Toggles { pairs, .. } => {
                let ends = others(2 * pairs);
                let pairs = ends.chunks_exact(2).map(|pair| (pair[0], pair[1]));
                (Vec::new(), pairs.collect())
            }
            _ => (Vec::new(), Vec::new()),
        };
        PlantedTarget {
            noise: cell.noise,
            events,
            needed,
            helpers,
            toggles,
        }
    }

    /// True success rate of a candidate. Over all moments where phones have phases, and on a good phone where one is bad.
    pub fn success_rate(&self, kept: &[u32]) -> f64 {
        let complete = self.is_complete(kept);
        match self.noise {
            NoiseModel::TwoRates { with, .. } if complete => with,
            NoiseModel::TwoRates { without, .. } => without,
            NoiseModel::SwallowingDialog { share } => {
                let swallowed = kept.get(1..).is_some_and(|rest| self.is_complete(rest));
                f64::from(u8::from(complete)) * (1.0 - share)
                    + f64::from(u8::from(swallowed)) * share
            }
            _ if !complete => 0.0,
            NoiseModel::FailingDialog { share } => 1.0 - share,
            NoiseModel::Helpers { none, all, .. } => {
                let present = self.helpers.iter().filter(|event| contains(kept, **event));
                let share = present.count() as f64 / self.helpers.len().max(1) as f64;
                none + (all - none) * share
            }
            NoiseModel::Toggles { rate, .. } => {
                let broken =
                    |(one, other): &(u32, u32)| contains(kept, *one) != contains(kept, *other);
                if self.toggles.iter().any(broken) {
                    0.0
                } else {
                    rate
                }
            }
            NoiseModel::Length { short, whole } => {
                let further = kept.len() as f64 - self.needed.len() as f64;
                let all_further = f64::from(self.events) - self.needed.len() as f64;
                short * (whole / short).powf(further / all_further.max(1.0))
            }
            NoiseModel::Bursts(pattern) | NoiseModel::Outages(pattern) => pattern.stationary_rate(),
            NoiseModel::History(pattern) => pattern.stationary_rate(),
            NoiseModel::BadPhone { good, .. } => good,
        }
    }

    /// True if all needed events are kept.
    pub fn is_complete(&self, kept: &[u32]) -> bool {
        self.needed.iter().all(|event| contains(kept, *event))
    }

    /// Smallest candidate with the asked rate. If there is none: the smallest with the highest rate.
    pub fn best_cut(&self) -> Vec<u32> {
        let mut cut = self.needed.clone();
        match self.noise {
            NoiseModel::SwallowingDialog { share } => {
                let first = cut.first().copied().unwrap_or(0);
                if share > 1.0 - ASKED_RATE + RATE_TOLERANCE && first > 0 {
                    cut.insert(0, first - 1);
                }
            }
            NoiseModel::Helpers { .. } => {
                for helper in &self.helpers {
                    if !is_asked_rate(self.success_rate(&cut)) {
                        cut.push(*helper);
                        cut.sort_unstable();
                    }
                }
            }
            _ => {}
        }
        cut
    }
}

/// True for a rate that is as high as asked.
pub fn is_asked_rate(rate: f64) -> bool {
    rate >= ASKED_RATE - RATE_TOLERANCE
}

fn contains(kept: &[u32], event: u32) -> bool {
    kept.binary_search(&event).is_ok()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::super::family::NoisyFamily;
    use super::*;

    const EVENTS: u32 = 11;

    fn subsets() -> impl Iterator<Item = Vec<u32>> {
        (0u32..1 << EVENTS).map(|set| (0..EVENTS).filter(|event| set >> event & 1 == 1).collect())
    }

    #[test]
    fn no_candidate_is_better_than_the_best_cut() {
        for cell in NoisyFamily::value_variants()
            .iter()
            .flat_map(|family| family.cells())
        {
            for seed in 0..5 {
                let target = PlantedTarget::new(cell, EVENTS, seed);
                let best = target.best_cut();
                let rate = target.success_rate(&best);
                let rivals = subsets().map(|kept| (target.success_rate(&kept), kept.len()));
                for (rival, size) in rivals {
                    assert!((0.0..=1.0).contains(&rival), "{cell}");
                    let better = if is_asked_rate(rate) {
                        is_asked_rate(rival) && size < best.len()
                    } else {
                        rival > rate + RATE_TOLERANCE
                    };
                    assert!(
                        !better,
                        "{cell}, seed {seed}: {rival} with {size} against {best:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_whole_trace_has_the_rate_that_its_cell_names() {
        let all: Vec<u32> = (0..500).collect();
        let rate = |noise| {
            let cell = NoisyCell {
                family: NoisyFamily::Length,
                noise,
                needed_events: NeededEvents::Anywhere(3),
            };
            PlantedTarget::new(cell, 500, 1).success_rate(&all)
        };
        let length = NoiseModel::Length {
            short: 0.98,
            whole: 0.05,
        };
        assert!((rate(length) - 0.05).abs() < 1e-12);
        let helpers = NoiseModel::Helpers {
            none: 0.6,
            all: 0.95,
            count: 3,
        };
        assert!((rate(helpers) - 0.95).abs() < 1e-12);
        assert_eq!(
            rate(NoiseModel::Toggles {
                rate: 0.9,
                pairs: 10
            }),
            0.9
        );
    }

    #[test]
    fn half_a_pair_breaks_the_target() {
        let cell = NoisyFamily::Toggles.cells()[0];
        let target = PlantedTarget::new(cell, 500, 1);
        let (one, other) = target.toggles[0];
        let with = |events: &[u32]| {
            let mut kept = [&target.needed, events].concat();
            kept.sort_unstable();
            target.success_rate(&kept)
        };
        assert_eq!(with(&[]), 1.0);
        assert_eq!(with(&[one, other]), 1.0);
        assert_eq!(with(&[one]), 0.0);
        assert_eq!(with(&[other]), 0.0);
    }

    #[test]
    fn a_dialog_swallows_a_needed_event_or_one_before_it() {
        let cell = NoisyFamily::Swallow.cells()[2];
        let target = (0..)
            .map(|seed| PlantedTarget::new(cell, 500, seed))
            .find(|target| target.needed[0] > 0)
            .unwrap();
        assert_eq!(target.success_rate(&target.needed), 0.75);
        assert_eq!(target.success_rate(&target.best_cut()), 1.0);
        assert_eq!(target.success_rate(&target.needed[1..]), 0.0);
    }
}
