//! Explorations of phones that restart or stop answering.

use std::sync::{Arc, Mutex};

use retap_agent::in_process::InProcessConnection;
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DevicePool, RunContext};
use retap_explore::journal::MemoryExplorationJournal;
use retap_explore::{AutoExplorer, ExplorationResult, ExploreError, run_exploration};
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Reply, Request};
use retap_shared::verdict::Interruption;

use crate::fixtures::{SPEC, model, new_phone, settings};

/// A simulated phone that restarts at an event, as good as new, or stops answering at a request.
struct FailingPhone {
    phone: Mutex<Arc<InProcessConnection>>,
    asked: Mutex<usize>,
    events: Mutex<usize>,
    restarts_at: usize,
    silent_from: usize,
}

impl Connection for FailingPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(async move {
            let count = |number: &Mutex<usize>, one: usize| {
                let mut number = number.lock().unwrap();
                *number += one;
                *number
            };
            if count(&self.asked, 1) >= self.silent_from {
                return std::future::pending().await;
            }
            let is_event = matches!(request, Request::Act(_));
            if count(&self.events, usize::from(is_event)) == self.restarts_at && is_event {
                *self.phone.lock().unwrap() = new_phone();
                return Err(Interruption::AgentDied {
                    why: "the phone was restarted".to_owned(),
                }
                .into());
            }
            let phone = Arc::clone(&self.phone.lock().unwrap());
            phone.request(request).await
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { None })
    }
}

async fn explored_failing(
    restarts_at: usize,
    silent_from: usize,
) -> (Result<ExplorationResult, ExploreError>, Vec<RunEvent>) {
    let failing = FailingPhone {
        phone: Mutex::new(new_phone()),
        asked: Mutex::default(),
        events: Mutex::default(),
        restarts_at,
        silent_from,
    };
    let pool = DevicePool::new(vec![
        Device::connect("failing".to_owned(), Arc::new(failing))
            .await
            .unwrap(),
    ]);
    let events = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&events);
    let sink: EventSink = Arc::new(move |event| keep.lock().unwrap().push(event));
    let (rules, tree, paths) = model();
    let explorer = Box::new(AutoExplorer::new(rules, tree, paths, true));
    let settings = settings(SPEC, 400);
    let stop = CancellationToken::new();
    let ended = run_exploration(
        &pool,
        explorer,
        &settings,
        RunContext {
            seed: Seed(3),
            events: &sink,
            journal: &MemoryExplorationJournal::default(),
            cancellation: &stop,
        },
    )
    .await;
    let events = events.lock().unwrap().clone();
    (ended, events)
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_restarts_is_used_again_from_a_clean_start() {
    let (ended, events) = explored_failing(200, usize::MAX).await;
    let exploration = ended.unwrap();
    // The event at which it restarted has no answer.
    assert_eq!(exploration.events, 399);
    assert!(exploration.counts.clean_starts >= 2);
    let is_report = |event: &RunEvent| matches!(event, RunEvent::Warning { text } if text.contains("restarted"));
    assert_eq!(events.iter().filter(|event| is_report(event)).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_stops_answering_ends_the_run_with_a_clear_error() {
    let (ended, events) = explored_failing(usize::MAX, 200).await;
    let error = ended.unwrap_err();
    assert!(matches!(error, ExploreError::Pool(_)), "{error}");
    let lost = events.iter().find_map(|event| match event {
        RunEvent::DeviceLost { device, why } => Some((device.as_str(), why.as_str())),
        _ => None,
    });
    let (device, why) = lost.unwrap();
    assert!(
        device == "failing" && why.contains("has not answered") && why.contains("25 min"),
        "{why}"
    );
}
