//! What is in the journal is not asked again, and a job that was stopped goes on to the same answer.

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

/// Writes until it is full.
#[derive(Default)]
struct Full {
    inner: MemoryReductionJournal,
    room: Mutex<usize>,
}

impl ObservationJournal for Full {
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
        seen: &Observation,
    ) -> Result<(), JournalError> {
        let mut room = self.room.lock().unwrap();
        let source = io::Error::from(io::ErrorKind::StorageFull);
        *room = room.checked_sub(1).ok_or(JournalError {
            what: "note a run".to_owned(),
            source: source.into(),
        })?;
        self.inner.record_observation(candidate, attempt, seen)
    }
}

fn does(steps: &[u32], _: u32) -> bool {
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
async fn a_question_is_played_once_and_recalled_ever_after() {
    let journal = MemoryReductionJournal::default();
    let formula = Formula::new(does);
    let (sink, heard) = listening();
    let oracle = JournaledOracle::new(&formula, &journal, &sink);
    let question = |attempt| OracleQuery {
        candidate: trace([3, 8, 21]).steps.into(),
        attempt,
        from_start: true,
    };
    let seen = oracle.ask(question(0)).await.unwrap();
    assert_eq!(oracle.ask(question(0)).await.unwrap(), seen);
    assert_eq!(formula.asked().len(), 1);
    oracle.ask(question(1)).await.unwrap();
    assert_eq!(formula.asked().len(), 2);
    let heard = heard.lock().unwrap();
    let recalled = heard.iter().map(|event| {
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
async fn what_cannot_be_noted_is_not_answered() {
    let journal = Full {
        room: Mutex::new(5),
        ..Full::default()
    };
    let formula = Formula::new(does);
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
    assert_eq!(formula.asked().len(), 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Stopped once, twice, … after any number of answers, with any number of phones.
    #[test]
    fn a_reduction_that_is_stopped_anywhere_goes_on_to_the_same_answer(
        stops in prop::collection::vec(0usize..60, 0..4),
        phones in 1usize..4,
    ) {
        in_virtual_time(async {
            let undisturbed = Formula::new(does);
            let whole = trace(0..30);
            let stop = CancellationToken::new();
            let expected = reduce(&whole, ReductionAlgorithm::Auto, &settings(phones), &undisturbed, &null_sink(), &stop).await;

            let journal = MemoryReductionJournal::default();
            let formula = Formula::new(does);
            for answers in stops {
                let stop = CancellationToken::new();
                let sink = stop_after(answers, &stop);
                let oracle = JournaledOracle::new(&formula, &journal, &sink);
                let part = reduce(&whole, ReductionAlgorithm::Auto, &settings(phones), &oracle, &sink, &stop).await.unwrap();
                prop_assert!(matches!(part.outcome, Outcome::Interrupted | Outcome::Done));
                prop_assert!(does(&numbers(&part.trace.steps), 0));
            }
            let oracle = JournaledOracle::new(&formula, &journal, &null_sink());
            let result = reduce(&whole, ReductionAlgorithm::Auto, &settings(phones), &oracle, &null_sink(), &CancellationToken::new()).await;
            let result = result.unwrap();
            let expected = expected.unwrap();
            prop_assert_eq!((result.outcome, &result.kept), (Outcome::Done, &expected.kept));
            prop_assert_eq!(result.result, expected.result);
            prop_assert_eq!(formula.most_answers_to_one(), 1);
            Ok(())
        })?;
    }
}

/// A sink that asks for a stop when it has heard of so many observations.
fn stop_after(answers: usize, stop: &CancellationToken) -> retap_device::run_event::EventSink {
    let left = Mutex::new(answers);
    let stop = stop.clone();
    std::sync::Arc::new(move |event| {
        if let RunEvent::Observed { .. } = event {
            let mut left = left.lock().unwrap();
            match left.checked_sub(1) {
                Some(fewer) => *left = fewer,
                None => stop.cancel(),
            }
        }
    })
}
