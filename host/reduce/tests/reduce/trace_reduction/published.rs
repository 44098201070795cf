//! ProbDD, CDD and weighted delta debugging from outside: every candidate that they try on a small example.

use std::sync::Mutex;

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::trace_reduction::{ReductionAlgorithm, reduce};
use retap_shared::action::Action;
use retap_shared::connection::BoxFuture;
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use retap_shared::verdict::Verdict;
use retap_testing::fakes::{in_virtual_time, trace};

use super::unchecked;

/// Reaches the target with all needed steps, and records what it was asked.
struct RecordingOracle {
    needed: Vec<u32>,
    tried: Mutex<Vec<Vec<u32>>>,
}

impl Oracle for RecordingOracle {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let kept = query.candidate.kept().to_vec();
        let reached = self.needed.iter().all(|step| kept.contains(step));
        let played = kept.len() as u32;
        self.tried.lock().unwrap().push(kept);
        let verdict = if reached {
            Verdict::TargetReached
        } else {
            Verdict::TargetNotReached
        };
        Box::pin(async move { Ok(Observation::new(verdict, played, Micros::ZERO)) })
    }
}

/// Candidates in the order in which one phone tries them, and the result.
fn tried(
    algorithm: ReductionAlgorithm,
    trace: &Trace,
    needed: &[u32],
) -> (Vec<Vec<u32>>, Vec<u32>) {
    let oracle = RecordingOracle {
        needed: needed.to_vec(),
        tried: Mutex::default(),
    };
    let cancellation = CancellationToken::new();
    let reduction = in_virtual_time(reduce(
        trace,
        algorithm,
        &unchecked(),
        &oracle,
        &null_sink(),
        &cancellation,
    ))
    .unwrap();
    let tried = oracle.tried.into_inner().unwrap();
    (tried, reduction.kept)
}

/// All steps from 0 on but these.
fn without(steps: u32, deleted: &[u32]) -> Vec<u32> {
    (0..steps).filter(|step| !deleted.contains(step)).collect()
}

/// With 0.1 each, ten steps have the highest gain: 10 · 0.9¹⁰, the same as nine.
#[test]
fn probdd_begins_with_the_ten_steps_of_the_highest_gain() {
    let (tried, kept) = tried(ReductionAlgorithm::Probdd, &trace(0..30), &[4, 25]);
    let first_ten: Vec<u32> = (0..10).collect();
    let second_ten: Vec<u32> = (10..20).collect();
    assert_eq!(tried[0], without(30, &[]));
    assert_eq!(tried[1], without(0, &[]));
    assert_eq!(tried[2], without(30, &first_ten));
    assert_eq!(tried[3], without(30, &second_ten));
    assert_eq!(kept, [4, 25]);
}

#[test]
fn cdd_tries_parts_of_9_5_3_and_1_steps() {
    let (tried, kept) = tried(ReductionAlgorithm::Cdd, &trace(0..20), &[3]);
    let expected: [&[u32]; 10] = [
        &without(20, &[]),
        &[],
        // Parts of 9.
        &without(20, &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 18, 19],
        &[0, 1, 2, 3, 4, 5, 6, 7, 8],
        // Parts of 5.
        &[5, 6, 7, 8],
        &[0, 1, 2, 3, 4],
        // Parts of 3 and of 1.
        &[3, 4],
        &[4],
        &[3],
    ];
    assert_eq!(tried, expected);
    assert_eq!(kept, [3]);
}

/// Worked by hand from the authors' implementation. The text is as heavy as all other steps together.
#[test]
fn wdd_divides_by_weight() {
    let mut trace = trace(0..6);
    let at = Point { x: 1, y: 1 };
    let text = |text: &str| Action::Text {
        at,
        text: text.into(),
    };
    trace.steps[0].action = text("sixsix");
    trace.steps[5].action = text("ab");
    let (tried, kept) = tried(ReductionAlgorithm::Wdd, &trace, &[2, 5]);
    let expected: [&[u32]; 16] = [
        &[0, 1, 2, 3, 4, 5],
        &[],
        &[0],
        &[1, 2, 3, 4, 5],
        &[1, 2, 3],
        &[4, 5],
        &[1, 2],
        &[3],
        &[4],
        &[5],
        &[3, 4, 5],
        &[1, 2, 4, 5],
        &[1, 2, 5],
        &[1],
        &[2],
        &[2, 5],
    ];
    assert_eq!(tried, expected);
    assert_eq!(kept, [2, 5]);
}
