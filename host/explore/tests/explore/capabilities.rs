//! Explorations of phones that cannot do every system event.

use std::sync::{Arc, Mutex};

use retap_agent::in_process::InProcessConnection;
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DevicePool, RunContext};
use retap_explore::journal::MemoryExplorationJournal;
use retap_explore::run_exploration;
use retap_shared::action::{Action, SystemEvent, SystemEventKinds};
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Reply, Request, RequestFailure};

use crate::fixtures::{SPEC, auto, monkey, new_phone, settings, time_travel};

/// A simulated phone that refuses every system event.
struct RefusingPhone {
    phone: Arc<InProcessConnection>,
    refused: Arc<Mutex<Vec<Action>>>,
}

impl Connection for RefusingPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        if let Request::Act(act) = &request
            && matches!(act.step.action, Action::System(_))
        {
            self.refused.lock().unwrap().push(act.step.action.clone());
            return Box::pin(async {
                Err(RequestFailure::Unsupported("do that".to_owned()).into())
            });
        }
        self.phone.request(request)
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { None })
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_system_event_is_reported_once_and_left_out() {
    let refused = Arc::new(Mutex::new(Vec::new()));
    let phone = RefusingPhone {
        phone: new_phone(),
        refused: Arc::clone(&refused),
    };
    let pool = DevicePool::new(vec![
        Device::connect("refusing".to_owned(), Arc::new(phone))
            .await
            .unwrap(),
    ]);
    let warned = Arc::new(Mutex::new(0));
    let count = Arc::clone(&warned);
    let sink: EventSink = Arc::new(move |event| {
        *count.lock().unwrap() +=
            usize::from(matches!(event, RunEvent::Warning { text } if text.contains("left out")));
    });
    let settings = settings(SPEC, 2_000);
    let stop = CancellationToken::new();
    run_exploration(
        &pool,
        monkey(),
        &settings,
        RunContext {
            seed: Seed(3),
            events: &sink,
            journal: &MemoryExplorationJournal::default(),
            cancellation: &stop,
        },
    )
    .await
    .unwrap();
    // A call, offline, online, low memory, and one language for all.
    assert_eq!(
        (refused.lock().unwrap().len(), *warned.lock().unwrap()),
        (5, 5)
    );
}

/// A simulated phone that claims to be an Android phone with only some system events.
struct LimitedPhone {
    phone: Arc<InProcessConnection>,
    can: SystemEventKinds,
    asked: Arc<Mutex<Vec<SystemEvent>>>,
}

impl Connection for LimitedPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        if let Request::Act(act) = &request
            && let Action::System(system) = &act.step.action
        {
            self.asked.lock().unwrap().push(system.clone());
        }
        Box::pin(async move {
            let mut reply = self.phone.request(request).await?;
            if let Reply::DescribePhoneReply(described) = &mut reply {
                described.phone.kind = "android".into();
                described.capabilities.system_events = self.can;
            }
            Ok(reply)
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { None })
    }
}

#[tokio::test(start_paused = true)]
async fn only_supported_system_events_are_sent_and_the_others_are_reported_once() {
    let can = SystemEventKinds::LOW_MEMORY | SystemEventKinds::LOCALE;
    for explorer in [monkey(), time_travel(), auto()] {
        let name = explorer.name().to_owned();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let phone = LimitedPhone {
            phone: new_phone(),
            can,
            asked: Arc::clone(&asked),
        };
        let pool = DevicePool::new(vec![
            Device::connect("limited".to_owned(), Arc::new(phone))
                .await
                .unwrap(),
        ]);
        let warned = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&warned);
        let sink: EventSink = Arc::new(move |event| {
            if let RunEvent::Warning { text } = event {
                keep.lock().unwrap().push(text);
            }
        });
        let settings = settings(SPEC, 1_000);
        let stop = CancellationToken::new();
        run_exploration(
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
        .await
        .unwrap();
        let kinds = asked
            .lock()
            .unwrap()
            .iter()
            .fold(SystemEventKinds::default(), |kinds, event| {
                kinds | event.kind()
            });
        assert_eq!(kinds, can, "{name}");
        let reports = warned
            .lock()
            .unwrap()
            .iter()
            .filter(|text| text.contains("left out"))
            .count();
        assert_eq!(reports, 1, "{name}");
    }
}
