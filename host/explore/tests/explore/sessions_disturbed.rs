//! Random exploration in sessions while phones are lost and runs are cancelled.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use retap_device::run_event::{EventSink, RunEvent, null_sink};
use retap_device::{CancellationToken, DevicePool};
use retap_explore::journal::MemoryExplorationJournal;
use retap_shared::verdict::Outcome;
use retap_testing::TinyApp;
use retap_testing::fakes::in_virtual_time;

use crate::sessions::{alone, back, explored, pool};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_phone_that_is_lost_at_any_request_costs_no_event_and_no_finding(at in 0usize..150, phones in 2usize..4) {
        in_virtual_time(async {
            let tiny = TinyApp { back_by: back(), ..TinyApp::default() };
            let mut devices = vec![TinyApp { lost_at: Some(at), ..tiny.clone() }.device("broken").await];
            for phone in 1..phones {
                devices.push(tiny.device(&format!("phone-{phone}")).await);
            }
            let pool = DevicePool::new(devices);
            let journal = MemoryExplorationJournal::default();
            let disturbed = explored(&pool, 330, &journal, &null_sink(), &CancellationToken::new()).await;
            // The event that the phone was lost in has begun, and counts towards the limit.
            prop_assert!((329..=330).contains(&disturbed.events), "{}", disturbed.events);
            let whole = alone(&tiny, 330).await;
            prop_assert_eq!(disturbed.coverage, whole.coverage);
            prop_assert_eq!(disturbed.findings.len(), whole.findings.len());
            Ok(())
        })?;
    }

    #[test]
    fn an_exploration_that_is_cancelled_anywhere_is_resumed_to_its_end(
        stops in prop::collection::vec(0usize..330, 1..4),
        phones in 1usize..4,
    ) {
        in_virtual_time(async {
            let tiny = TinyApp { back_by: back(), ..TinyApp::default() };
            let journal = MemoryExplorationJournal::default();
            for steps in stops {
                let stop = CancellationToken::new();
                let sink = stop_after(steps, &stop);
                let part = explored(&pool(&tiny, phones).await, 330, &journal, &sink, &stop).await;
                let all = part.events == 330;
                prop_assert_eq!(part.outcome, if all { Outcome::Done } else { Outcome::Interrupted });
            }
            let resumed = explored(&pool(&tiny, phones).await, 330, &journal, &null_sink(), &CancellationToken::new()).await;
            let whole = alone(&tiny, 330).await;
            prop_assert_eq!((resumed.outcome, resumed.events), (Outcome::Done, 330));
            prop_assert_eq!(resumed.coverage, whole.coverage);
            prop_assert_eq!(resumed.findings.len(), whole.findings.len());
            Ok(())
        })?;
    }
}

#[tokio::test(start_paused = true)]
async fn a_finding_of_a_cancelled_run_is_in_its_result_and_in_the_resumed_one() {
    let tiny = TinyApp {
        back_by: back(),
        ..TinyApp::default()
    };
    let journal = MemoryExplorationJournal::default();
    let stop = CancellationToken::new();
    let asking = stop.clone();
    let sink: EventSink = Arc::new(move |event| {
        if let RunEvent::ProblemFound { .. } = event {
            asking.cancel();
        }
    });
    let part = explored(&pool(&tiny, 1).await, 330, &journal, &sink, &stop).await;
    assert_eq!(
        (part.outcome, part.findings.len()),
        (Outcome::Interrupted, 1)
    );
    let stop = CancellationToken::new();
    let resumed = explored(&pool(&tiny, 1).await, 330, &journal, &null_sink(), &stop).await;
    assert_eq!(resumed.recalled_events, part.events);
    assert_eq!(
        resumed.findings[0].trace.steps,
        part.findings[0].trace.steps
    );
}

#[tokio::test(start_paused = true)]
async fn recalled_steps_are_not_played_again() {
    let tiny = TinyApp {
        back_by: back(),
        ..TinyApp::default()
    };
    let journal = MemoryExplorationJournal::default();
    explored(
        &pool(&tiny, 1).await,
        80,
        &journal,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await;
    let steps_before = tiny.injected.lock().unwrap().len();
    let again = explored(
        &pool(&tiny, 1).await,
        80,
        &journal,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await;
    assert_eq!((again.events, again.recalled_events), (80, 80));
    assert_eq!(tiny.injected.lock().unwrap().len(), steps_before);
}

/// A sink that cancels after this number of steps.
fn stop_after(steps: usize, stop: &CancellationToken) -> EventSink {
    let left = Mutex::new(steps);
    let stop = stop.clone();
    Arc::new(move |event| {
        if let RunEvent::Stepped { .. } = event {
            let mut left = left.lock().unwrap();
            match left.checked_sub(1) {
                Some(fewer) => *left = fewer,
                None => stop.cancel(),
            }
        }
    })
}
