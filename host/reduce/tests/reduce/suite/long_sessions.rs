//! Sessions of 500 events: DetReduce's search gives up, greedy cuts take over, and the coverage stays.

use rand::RngExt;
use retap_device::seed::Seed;
use retap_reduce::suite::{SearchLimits, SuiteReductionAlgorithm, SuiteSettings};
use retap_shared::verdict::Outcome;

use super::machine::{Destination, Machine, reduce_with, reduced_actions};

const SESSION: usize = 500;
const TRACES: u64 = 4;

/// An app with many loops, of which some look like loops only: the screen does not show the whole state.
fn app_with_loops() -> Machine {
    Machine::new(|state, action| {
        let mut rng = Seed(u64::from(state)).derive("to", u64::from(action)).rng();
        let next = rng.random_range(0..60);
        let branch = rng.random_range(0..400);
        Destination::new(next, &[branch]).on_screen(u64::from(next % 20))
    })
}

fn long_suite() -> Vec<Vec<u32>> {
    let session = |number| {
        let mut rng = Seed(3).derive("session", number).rng();
        (0..SESSION).map(|_| rng.random_range(0..6)).collect()
    };
    (0..TRACES).map(session).collect()
}

#[tokio::test]
async fn sessions_of_500_events_end_within_the_limits_and_keep_their_coverage() {
    let suite = long_suite();
    let suite: Vec<&[u32]> = suite.iter().map(Vec::as_slice).collect();
    let search_limits = SearchLimits {
        candidates: 100,
        events: 5_000,
    };
    let settings = SuiteSettings {
        algorithm: SuiteReductionAlgorithm::DetReduce,
        search_limits,
        ..SuiteSettings::default()
    };
    let reduction = reduce_with(&app_with_loops(), &suite, &settings).await;
    assert_eq!(reduction.outcome, Outcome::Done);
    assert!(reduction.greedy() > 0);
    assert!(reduction.lost().is_empty());
    assert!(reduction.after.transitions < reduction.before.transitions);
    assert_eq!(reduction.check.followed, reduction.check.runs);
    // Ten replays of the suite; per trace of either phase a search, greedy cuts, and ten replays of a result of at most three
    // traces; ten replays as the check.
    let replays = u64::from(settings.replays);
    let session = SESSION as u64;
    let per_trace = 2 * search_limits.events + 2 * replays * 3 * session;
    let bound = replays * TRACES * session + 3 * TRACES * per_trace;
    assert!(reduction.cost.events <= bound, "{}", reduction.cost.events);
}

#[tokio::test]
async fn a_search_within_its_limits_does_not_depend_on_them() {
    let suite = long_suite();
    let suite: Vec<&[u32]> = suite.iter().map(|trace| &trace[..12]).collect();
    let with = async |search_limits| {
        let settings = SuiteSettings {
            algorithm: SuiteReductionAlgorithm::DetReduce,
            search_limits,
            ..SuiteSettings::default()
        };
        reduce_with(&app_with_loops(), &suite, &settings).await
    };
    let unlimited = SearchLimits {
        candidates: u32::MAX,
        events: u64::MAX,
    };
    let as_published = with(unlimited).await;
    let limited = with(SearchLimits::default()).await;
    assert_eq!(limited.greedy(), 0);
    assert_eq!(reduced_actions(&limited), reduced_actions(&as_published));
    assert_eq!(limited.cost, as_published.cost);
}
