//! Recorded attempts are not played again, and a cancelled reduction resumes to the same result.

use std::io;
use std::sync::Mutex;

use proptest::prelude::*;
use retap_device::run_event::{RunEvent, null_sink};
use retap_device::{CancellationToken, JournalError};
use retap_reduce::journal::MemoryReductionJournal;
use retap_reduce::oracle::{
    CandidateKey, JournaledOracle, Observation, ObservationJournal, Oracle, OracleError,
    OracleQuery,
};
use retap_reduce::trace_reduction::{ReduceError, ReduceSettings, ReductionAlgorithm, reduce};
use retap_shared::verdict::Outcome;
use retap_testing::fakes::{in_virtual_time, listening, numbers, trace};

use crate::formula::Formula;

/// A journal with room for a number of observations.
#[derive(Default)]
struct LimitedJournal {
    inner: MemoryReductionJournal,
    room: Mutex<usize>,
}

impl ObservationJournal for LimitedJournal {
    fn recall_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
    ) -> Result<Option<Observation>, JournalError> {
        self.inner.recall_observation(candidate, attempt)
    }

    fn record_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
        observation: &Observation,
    ) -> Result<(), JournalError> {
        let mut room = self.room.lock().unwrap();
        let source = io::Error::from(io::ErrorKind::StorageFull);
        *room = room.checked_sub(1).ok_or(JournalError {
            what: "note a run".to_owned(),
            source: source.into(),
        })?;
        self.inner
            .record_observation(candidate, attempt, observation)
    }
}

fn reaches(steps: &[u32], _: u32) -> bool {
    [3, 8, 21].iter().all(|needed| steps.contains(needed))
        && steps.contains(&9) == steps.contains(&10)
}

fn settings(parallel: usize) -> ReduceSettings {
    ReduceSettings {
        parallel,
        ..ReduceSettings::default()
    }
}

#[tokio::test(start_paused = true)]
async fn an_attempt_is_played_once_and_then_recalled() {
    let journal = MemoryReductionJournal::default();
    let formula = Formula::new(reaches);
    let (events, received) = listening();
    let oracle = JournaledOracle::new(&formula, &journal, &events);
    let query = |attempt| OracleQuery {
        candidate: trace([3, 8, 21]).steps.into(),
        attempt,
        from_start: true,
        fresh_phone: false,
    };
    let observation = oracle.ask(query(0)).await.unwrap();
    assert_eq!(oracle.ask(query(0)).await.unwrap(), observation);
    assert_eq!(formula.queries().len(), 1);
    oracle.ask(query(1)).await.unwrap();
    assert_eq!(formula.queries().len(), 2);
    let received = received.lock().unwrap();
    let recalled = received.iter().map(|event| {
        matches!(
            event,
            RunEvent::Observed {
                steps: 3,
                recalled: true,
                ..
            }
        )
    });
    assert_eq!(recalled.collect::<Vec<_>>(), [false, true, false]);
}

#[tokio::test(start_paused = true)]
async fn an_observation_that_cannot_be_recorded_is_an_error() {
    let journal = LimitedJournal {
        room: Mutex::new(5),
        ..LimitedJournal::default()
    };
    let formula = Formula::new(reaches);
    let oracle = JournaledOracle::new(&formula, &journal, &null_sink());
    let error = reduce(
        &trace(0..30),
        ReductionAlgorithm::Auto,
        &settings(1),
        &oracle,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap_err();
    assert!(
        matches!(error, ReduceError::Oracle(OracleError::Journal(_))),
        "{error}"
    );
    assert_eq!(formula.queries().len(), 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Cancelled several times, after any number of observations, with any number of phones.
    #[test]
    fn a_reduction_that_is_cancelled_anywhere_resumes_to_the_same_result(
        cancelled_after in prop::collection::vec(0usize..60, 0..4),
        phones in 1usize..4,
    ) {
        in_virtual_time(async {
            let undisturbed = Formula::new(reaches);
            let original = trace(0..30);
            let cancellation = CancellationToken::new();
            let expected = reduce(&original, ReductionAlgorithm::Auto, &settings(phones), &undisturbed, &null_sink(), &cancellation).await;

            let journal = MemoryReductionJournal::default();
            let formula = Formula::new(reaches);
            for observations in cancelled_after {
                let cancellation = CancellationToken::new();
                let events = cancel_after(observations, &cancellation);
                let oracle = JournaledOracle::new(&formula, &journal, &events);
                let part = reduce(&original, ReductionAlgorithm::Auto, &settings(phones), &oracle, &events, &cancellation).await.unwrap();
                prop_assert!(matches!(part.outcome, Outcome::Interrupted | Outcome::Done));
                prop_assert!(reaches(&numbers(&part.trace.steps), 0));
            }
            let oracle = JournaledOracle::new(&formula, &journal, &null_sink());
            let result = reduce(&original, ReductionAlgorithm::Auto, &settings(phones), &oracle, &null_sink(), &CancellationToken::new()).await;
            let result = result.unwrap();
            let expected = expected.unwrap();
            prop_assert_eq!((result.outcome, &result.kept), (Outcome::Done, &expected.kept));
            prop_assert_eq!(result.result, expected.result);
            prop_assert_eq!(formula.most_observations_of_one_attempt(), 1);
            Ok(())
        })?;
    }
}

/// A sink that cancels after a number of observations.
fn cancel_after(
    observations: usize,
    cancellation: &CancellationToken,
) -> retap_device::run_event::EventSink {
    let left = Mutex::new(observations);
    let cancellation = cancellation.clone();
    std::sync::Arc::new(move |event| {
        if let RunEvent::Observed { .. } = event {
            let mut left = left.lock().unwrap();
            match left.checked_sub(1) {
                Some(fewer) => *left = fewer,
                None => cancellation.cancel(),
            }
        }
    })
}
