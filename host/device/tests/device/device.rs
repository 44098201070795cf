//! A device handles the replies of a phone, correct and wrong ones.

use std::sync::{Arc, Mutex};

use retap_device::run_event::{EventSink, RunEvent};
use retap_device::{Device, DeviceError, ProtocolViolation};
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{
    ActReply, Capabilities, CaptureReply, DescribePhoneReply, ManageSnapshotReply, Reply, Request,
    RequestFailure, ScreenUpdate, SnapshotId, WatchAppReply,
};
use retap_shared::screen::{Node, Screen, ScreenContent, ScreenDiff, SharedScreen, Window};
use retap_shared::verdict::Interruption;
use retap_testing::fakes::{device, lost, step};

fn screen(texts: &[&str]) -> SharedScreen {
    let node = |(depth, text): (u16, &str)| Node {
        depth,
        text: text.into(),
        ..Node::default()
    };
    let nodes: Vec<Node> = (0..).zip(texts.iter().copied()).map(node).collect();
    let windows = vec![Window {
        nodes: nodes.len() as u32,
        ..Window::default()
    }];
    Arc::new(
        Screen::new(ScreenContent {
            windows,
            nodes,
            ..ScreenContent::default()
        })
        .unwrap(),
    )
}

fn acted(screen: ScreenUpdate) -> Reply {
    let happened = Vec::new();
    let branches = vec![3];
    ActReply {
        located_by: LocatedBy::Place,
        refusal: None,
        screen,
        events: happened,
        branches,
        quiet: true,
        took: Micros(7),
        at: Micros::ZERO,
    }
    .into()
}

#[tokio::test(start_paused = true)]
async fn a_difference_to_the_screen_it_holds_is_all_that_travels() {
    let first = screen(&["a", "b"]);
    let second = screen(&["a", "c"]);
    let held = Arc::new(Mutex::new(Vec::new()));
    let asked = held.clone();
    let one = first.clone();
    let other = second.clone();
    let mut phone = device("phone", move |_, request| match request {
        Request::Capture(capture) => {
            asked.lock().unwrap().push(capture.held_screen);
            Ok(CaptureReply {
                screen: ScreenUpdate::Full(one.clone()),
                agent_time: Micros::ZERO,
            }
            .into())
        }
        Request::Act(act) => {
            let holds = act.held_screen;
            asked.lock().unwrap().push(holds);
            let change = ScreenDiff::between(&one, &other);
            Ok(acted(if holds == Some(one.hash()) {
                ScreenUpdate::Changed(change)
            } else {
                ScreenUpdate::Unchanged
            }))
        }
        other => panic!("{other:?}"),
    })
    .await;
    assert_eq!(phone.capture().await.unwrap(), first);
    let stepped = phone.step(step(1)).await.unwrap();
    assert_eq!(
        (stepped.screen, stepped.branches, stepped.took),
        (second.clone(), vec![3], Micros(7))
    );
    assert_eq!(phone.step(step(2)).await.unwrap().screen, second);
    assert_eq!(
        *held.lock().unwrap(),
        [None, Some(first.hash()), Some(second.hash())]
    );
}

#[tokio::test(start_paused = true)]
async fn a_difference_that_does_not_apply_is_replaced_by_the_whole_screen() {
    let real = screen(&["a", "b"]);
    let stranger = screen(&["x"]);
    let whole = real.clone();
    let mut phone = device("phone", move |_, request| match request {
        Request::Act(_) => Ok(acted(ScreenUpdate::Changed(ScreenDiff::between(
            &stranger, &whole,
        )))),
        Request::Capture(capture) => {
            assert_eq!(capture.held_screen, None);
            Ok(CaptureReply {
                screen: ScreenUpdate::Full(whole.clone()),
                agent_time: Micros::ZERO,
            }
            .into())
        }
        other => panic!("{other:?}"),
    })
    .await;
    assert_eq!(phone.step(step(1)).await.unwrap().screen, real);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_never_sends_a_whole_screen_is_given_up_after_one_more_request() {
    let requests = Arc::new(Mutex::new(0));
    let count = requests.clone();
    let mut phone = device("phone", move |_, request| {
        *count.lock().unwrap() += 1;
        match request {
            Request::Act(_) => Ok(acted(ScreenUpdate::Unchanged)),
            _ => Ok(CaptureReply {
                screen: ScreenUpdate::Unchanged,
                agent_time: Micros::ZERO,
            }
            .into()),
        }
    })
    .await;
    let error = phone.step(step(1)).await.unwrap_err();
    assert_eq!(
        error,
        DeviceError::Protocol(ProtocolViolation::MissingFullScreen)
    );
    assert!(error.is_interruption());
    assert_eq!(*requests.lock().unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_reply_to_another_question_is_named_in_the_error() {
    let mut phone = device("phone", |_, _| {
        Ok(WatchAppReply { events: Vec::new() }.into())
    })
    .await;
    let error = phone.capture().await.unwrap_err().to_string();
    assert!(
        error.contains("`Capture`") && error.contains("`WatchAppReply`"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_lost_phone_is_distinguished_from_a_refusal() {
    let mut phone = device("phone", |before, _| match before {
        0 => Err(RequestFailure::Unsupported("save its state".to_owned()).into()),
        1 => Err(lost()),
        _ => Ok(ManageSnapshotReply {
            id: SnapshotId(9),
            bytes: 5,
            took: Micros(1),
        }
        .into()),
    })
    .await;
    let refusal = phone.take_snapshot().await.unwrap_err();
    assert!(matches!(refusal, DeviceError::Refused(_)) && !refusal.is_interruption());
    let loss = phone.take_snapshot().await.unwrap_err();
    assert!(matches!(loss, DeviceError::Interrupted(_)) && loss.is_interruption());
    assert_eq!(phone.take_snapshot().await.unwrap().id, SnapshotId(9));
}

/// A phone that describes itself and answers nothing else.
struct SilentPhone;

impl Connection for SilentPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(async move {
            match request {
                Request::DescribePhone(_) => Ok(DescribePhoneReply {
                    phone: PhoneInfo::default(),
                    capabilities: Capabilities::default(),
                    apps: Vec::new(),
                }
                .into()),
                _ => std::future::pending().await,
            }
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_phone_is_told_of_after_ten_seconds_with_how_long_it_is_waited_for() {
    let notices = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&notices);
    let began = tokio::time::Instant::now();
    let sink: EventSink = Arc::new(move |event| {
        if let RunEvent::Warning { text } = event {
            keep.lock().unwrap().push((began.elapsed(), text));
        }
    });
    let connection: Arc<dyn Connection> = Arc::new(SilentPhone);
    let connecting = Device::connect_with_notices("far".to_owned(), connection, sink);
    let mut device = connecting.await.unwrap();
    let error = device.capture().await.unwrap_err();
    assert!(
        matches!(
            error,
            DeviceError::Interrupted(Interruption::PhoneLost { .. })
        ),
        "{error}"
    );
    let notices = notices.lock().unwrap().clone();
    let [(when, text)] = notices.as_slice() else {
        panic!("{notices:?}");
    };
    assert_eq!(when.as_secs(), 10);
    assert_eq!(
        text,
        "`far` is silent: no reply to `Capture` for 10 s; it is given up after 60 s, or when a broken link does not \
         come back"
    );
}
