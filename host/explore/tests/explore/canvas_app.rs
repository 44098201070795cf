//! Explorations of an app that draws itself: one node, no widgets, screens that differ only in pixels.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use retap_device::run_event::EventSink;
use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DevicePool, RunContext};
use retap_explore::journal::MemoryExplorationJournal;
use retap_explore::{
    ApeExplorer, AutoExplorer, ExplorationResult, ExploreSettings, Explorer, RandomSessions,
    run_exploration,
};
use retap_shared::action::Action;
use retap_shared::bytes::Png;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::geometry::{Point, Rect, Size};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{
    ActReply, AppInfo, Capabilities, CaptureReply, ControlAppReply, DescribePhoneReply, Request,
    RequestFailure, ScreenUpdate, TakeScreenshotReply, WatchAppReply,
};
use retap_shared::screen::{Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window};
use retap_shared::trace::App;
use retap_testing::fakes::{Answer, Answering};

use crate::fixtures::model;

/// A game that draws itself. Three taps at the right places, one after the other, win it, and it crashes.
struct DrawnGame {
    screenshots: bool,
}

const PLACES: [Rect; 3] = [
    Rect {
        left: 0,
        top: 0,
        right: 270,
        bottom: 320,
    },
    Rect {
        left: 810,
        top: 1_600,
        right: 1_080,
        bottom: 1_920,
    },
    Rect {
        left: 270,
        top: 640,
        right: 540,
        bottom: 960,
    },
];

impl DrawnGame {
    fn app() -> AppInfo {
        let app = App {
            package: "game".into(),
            ..App::default()
        };
        AppInfo {
            app,
            label: "DrawnGame".into(),
            activities: vec!["game/Main".into()],
            branches: 0,
        }
    }

    async fn pool(self) -> DevicePool {
        let can = Capabilities {
            screenshots: self.screenshots,
            ..Capabilities::default()
        };
        let described = DescribePhoneReply {
            phone: PhoneInfo::default(),
            capabilities: can,
            apps: vec![DrawnGame::app()],
        };
        let level = Mutex::new(0_usize);
        let answer = move |_, request| match request {
            Request::DescribePhone(_) => Ok(described.clone().into()),
            other => answer(&mut level.lock().unwrap(), other),
        };
        DevicePool::new(vec![
            Device::connect("game".to_owned(), Answering::new(answer))
                .await
                .unwrap(),
        ])
    }
}

fn answer(level: &mut usize, request: Request) -> Answer {
    let screen = || ScreenUpdate::Full(canvas());
    match request {
        Request::WatchApp(_) => Ok(WatchAppReply { events: Vec::new() }.into()),
        Request::Capture(_) => Ok(CaptureReply {
            screen: screen(),
            agent_time: Micros::ZERO,
        }
        .into()),
        Request::ControlApp(_) => {
            *level = 0;
            Ok(ControlAppReply {
                in_front: None,
                events: Vec::new(),
                took: Micros(1_000_000),
            }
            .into())
        }
        Request::TakeScreenshot(_) => Ok(TakeScreenshotReply {
            picture: Png(vec![*level as u8]),
        }
        .into()),
        Request::Act(act) => {
            let mut happened = Vec::new();
            // A place of a canvas is no widget, so the trace must name none.
            assert!(act.step.widget.is_none(), "{:?}", act.step);
            if let Action::Tap(at) = act.step.action {
                *level = if PLACES[*level].contains(at) {
                    *level + 1
                } else {
                    0
                };
            }
            if *level == PLACES.len() {
                *level = 0;
                happened.push(PhoneEvent {
                    at: Micros(5),
                    kind: PhoneEventKind::Finding(won()),
                });
            }
            let hit = LocatedBy::Place;
            let branches = Vec::new();
            let took = Micros(300_000);
            Ok(ActReply {
                located_by: hit,
                refusal: None,
                screen: screen(),
                events: happened,
                branches,
                quiet: true,
                took,
                at: Micros::ZERO,
            }
            .into())
        }
        Request::ManageSnapshot(_) => {
            Err(RequestFailure::Unsupported("save its state".to_owned()).into())
        }
        other => panic!("{other:?}"),
    }
}

fn won() -> Finding {
    let stack = "java.lang.IllegalStateException: won\n\tat game.Main.won(Main.java:3)".to_owned();
    let summary = "java.lang.IllegalStateException: won".to_owned();
    Finding {
        kind: FindingKind::Crash,
        process: "game".into(),
        summary,
        stack,
    }
}

fn canvas() -> SharedScreen {
    let size = Size {
        width: 1_080,
        height: 1_920,
    };
    let bounds = Rect {
        left: 0,
        top: 0,
        right: 1_080,
        bottom: 1_920,
    };
    let flags = NodeFlags::VISIBLE | NodeFlags::ENABLED;
    let node = Node {
        class: "android.view.SurfaceView".into(),
        bounds,
        flags,
        ..Node::default()
    };
    let windows = vec![Window {
        nodes: 1,
        bounds,
        ..Window::default()
    }];
    let content = ScreenContent {
        size,
        activity: "game/Main".into(),
        windows,
        nodes: vec![node],
        ..ScreenContent::default()
    };
    Arc::new(Screen::new(content).unwrap())
}

async fn played(game: DrawnGame, explorer: Box<dyn Explorer>) -> ExplorationResult {
    let (settings, silent): (_, EventSink) = (
        ExploreSettings::new(DrawnGame::app(), 3_000),
        Arc::new(|_| {}),
    );
    let pool = game.pool().await;
    run_exploration(
        &pool,
        explorer,
        &settings,
        RunContext {
            seed: Seed(3),
            events: &silent,
            journal: &MemoryExplorationJournal::default(),
            cancellation: &CancellationToken::new(),
        },
    )
    .await
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_app_without_nodes_is_explored_by_places_and_pixels() {
    let (rules, tree, paths) = model();
    let ape = played(
        DrawnGame { screenshots: true },
        Box::new(ApeExplorer::new(rules, tree, paths)),
    )
    .await;
    let (rules, tree, paths) = model();
    let auto = played(
        DrawnGame { screenshots: true },
        Box::new(AutoExplorer::new(rules, tree, paths, false)),
    )
    .await;
    for exploration in [&ape, &auto] {
        assert_eq!(exploration.coverage.screens.len(), 3);
        assert_eq!(exploration.findings.len(), 1);
        let taps = exploration.findings[0]
            .trace
            .steps
            .iter()
            .rev()
            .filter_map(|step| step.action.place());
        let last: Vec<Point> = taps.take(1).collect();
        assert!(PLACES[2].contains(last[0]), "{last:?}");
    }
    let random = RandomSessions::new(Seed(3), NonZeroU32::new(500).unwrap());
    let random = played(DrawnGame { screenshots: true }, Box::new(random)).await;
    assert!(random.coverage.screens.len() >= 2);
}

#[tokio::test(start_paused = true)]
async fn without_pixels_an_app_without_nodes_is_tapped_all_over() {
    let random = RandomSessions::new(Seed(3), NonZeroU32::new(500).unwrap());
    let exploration = played(DrawnGame { screenshots: false }, Box::new(random)).await;
    assert_eq!(
        (exploration.events, exploration.coverage.screens.len()),
        (3_000, 1)
    );
}
