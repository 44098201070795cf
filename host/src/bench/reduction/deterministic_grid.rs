//! Reductions of targets that are reached every time: played events and runs of each algorithm, by the length of the trace and by
//! where the needed events are.

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::trace_reduction::{ReduceError, ReduceSettings, ReductionAlgorithm, reduce};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::verdict::{Outcome, Verdict};
use serde_json::json;

use super::noisy::{NeededEvents, trace};

/// Algorithms that are measured. `auto` is compared with the best of the three after it.
pub const ALGORITHMS: [ReductionAlgorithm; 5] = [
    ReductionAlgorithm::Auto,
    ReductionAlgorithm::Dd,
    ReductionAlgorithm::Probdd,
    ReductionAlgorithm::Cdd,
    ReductionAlgorithm::Wdd,
];
const RIVALS: [ReductionAlgorithm; 3] = [
    ReductionAlgorithm::Dd,
    ReductionAlgorithm::Probdd,
    ReductionAlgorithm::Cdd,
];
/// Lengths of the traces.
pub const LENGTHS: [u32; 4] = [50, 100, 500, 1_000];
/// Where the needed events are.
pub const NEEDED_EVENTS: [NeededEvents; 9] = [
    NeededEvents::Anywhere(0),
    NeededEvents::Anywhere(1),
    NeededEvents::Anywhere(2),
    NeededEvents::Anywhere(3),
    NeededEvents::Clustered(3),
    NeededEvents::Clustered(5),
    NeededEvents::Spread(5),
    NeededEvents::Anywhere(10),
    NeededEvents::Anywhere(20),
];

/// Mean cost of the algorithms on the traces of one length and with as many needed events.
#[derive(Clone, Debug)]
pub struct GridCell {
    length: u32,
    needed_events: NeededEvents,
    seeds: u64,
    costs: Vec<(ReductionAlgorithm, GridCost)>,
}

/// Cost of reductions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GridCost {
    pub events: f64,
    pub runs: f64,
    /// Reductions that left other events than the needed ones.
    pub wrong: u64,
}

/// Traces of one cell: as many as there are seeds.
#[derive(Clone, Copy, Debug)]
pub struct GridCase {
    pub length: u32,
    pub needed_events: NeededEvents,
    pub first_seed: u64,
    pub seeds: u64,
    /// An attempt ends with the last needed event.
    pub stops_at_target: bool,
}

/// Measures one cell. None if it is cancelled.
pub async fn measure(
    case: GridCase,
    cancellation: &CancellationToken,
) -> Result<Option<GridCell>, ReduceError> {
    let mut costs = Vec::new();
    for algorithm in ALGORITHMS {
        let mut sum = GridCost::default();
        for seed in case.first_seed..case.first_seed.saturating_add(case.seeds) {
            let Some(cost) = reduction_cost(case, algorithm, seed, cancellation).await? else {
                return Ok(None);
            };
            sum.events += cost.events / case.seeds as f64;
            sum.runs += cost.runs / case.seeds as f64;
            sum.wrong += cost.wrong;
        }
        costs.push((algorithm, sum));
    }
    Ok(Some(GridCell {
        length: case.length,
        needed_events: case.needed_events,
        seeds: case.seeds,
        costs,
    }))
}

async fn reduction_cost(
    case: GridCase,
    algorithm: ReductionAlgorithm,
    seed: u64,
    cancellation: &CancellationToken,
) -> Result<Option<GridCost>, ReduceError> {
    let mut rng = Seed(seed).derive("deterministic grid", 0).rng();
    let oracle = NeededEventsOracle {
        needed: case.needed_events.choose(case.length, &mut rng),
        stops_at_target: case.stops_at_target,
    };
    let settings = ReduceSettings {
        check_runs: 0,
        ..ReduceSettings::default()
    };
    let reduction = reduce(
        &trace(case.length),
        algorithm,
        &settings,
        &oracle,
        &null_sink(),
        cancellation,
    )
    .await?;
    let cost = GridCost {
        events: reduction.events as f64,
        runs: reduction.runs as f64,
        wrong: u64::from(reduction.kept != oracle.needed),
    };
    Ok((reduction.outcome != Outcome::Interrupted).then_some(cost))
}

impl GridCell {
    fn cost(&self, algorithm: ReductionAlgorithm) -> GridCost {
        let found = self.costs.iter().find(|(name, _)| *name == algorithm);
        found.map_or_else(GridCost::default, |(_, cost)| *cost)
    }

    /// `auto` divided by the best of ddmin, ProbDD and CDD.
    fn ratio(&self, what: fn(GridCost) -> f64) -> f64 {
        let costs = RIVALS.map(|rival| what(self.cost(rival)));
        what(self.cost(ReductionAlgorithm::Auto)) / costs.into_iter().fold(f64::MAX, f64::min)
    }

    pub fn events_ratio(&self) -> f64 {
        self.ratio(|cost| cost.events)
    }

    pub fn to_json(&self) -> String {
        let costs = self.costs.iter().map(|(algorithm, cost)| {
            json!({
                "algorithm": algorithm.to_string(), "events": cost.events, "runs": cost.runs, "wrong": cost.wrong,
            })
        });
        json!({
            "bench": "deterministic", "length": self.length, "needed": self.needed_events.to_string(), "seeds": self.seeds,
            "costs": costs.collect::<Vec<_>>(), "events_ratio": self.events_ratio(),
            "runs_ratio": self.ratio(|cost| cost.runs),
        })
        .to_string()
    }

    /// Events / runs of each algorithm, and the ratios of `auto`.
    pub fn to_words(&self) -> String {
        let costs = self.costs.iter().map(|(algorithm, cost)| {
            let wrong = if cost.wrong > 0 {
                format!(" ({} wrong)", cost.wrong)
            } else {
                String::new()
            };
            format!("{algorithm} {:.0} / {:.0}{wrong}", cost.events, cost.runs)
        });
        format!(
            "{:>5} events, {:<12} {}; ratio {:.2} / {:.2}",
            self.length,
            format!("{}:", self.needed_events),
            costs.collect::<Vec<_>>().join(", "),
            self.events_ratio(),
            self.ratio(|cost| cost.runs),
        )
    }
}

/// Reaches the target with all needed events.
struct NeededEventsOracle {
    needed: Vec<u32>,
    stops_at_target: bool,
}

impl Oracle for NeededEventsOracle {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let kept = query.candidate.kept();
        let mut until_target = 0;
        let reached = self.needed.iter().all(|event| {
            let place = kept.binary_search(event);
            until_target = place.map_or(kept.len(), |place| place + 1);
            place.is_ok()
        });
        let played = if reached && self.stops_at_target {
            until_target
        } else {
            kept.len()
        };
        let verdict = if reached {
            Verdict::TargetReached
        } else {
            Verdict::TargetNotReached
        };
        let played = u32::try_from(played).unwrap_or(u32::MAX);
        let observation = Observation::new(verdict, played, Micros::ZERO);
        Box::pin(std::future::ready(Ok(observation)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{ClockKind, block_on};

    /// The goal of the benchmark on short traces; long ones take too much time for a test.
    #[test]
    fn auto_plays_at_most_a_tenth_more_than_the_best_published_algorithm() {
        for length in [50, 100] {
            for needed_events in NEEDED_EVENTS {
                let case = GridCase {
                    length,
                    needed_events,
                    first_seed: 1,
                    seeds: 40,
                    stops_at_target: false,
                };
                let cancellation = CancellationToken::new();
                let measured = measure(case, &cancellation);
                let cell = block_on(ClockKind::Virtual, measured).unwrap().unwrap();
                let cell = cell.expect("nothing cancels it");
                assert!(cell.events_ratio() <= 1.1, "{}", cell.to_words());
                assert_eq!(cell.cost(ReductionAlgorithm::Auto).wrong, 0);
            }
        }
    }
}
