//! Explorations of phones and apps that make trouble: nothing to aim at, a phone that restarts, one that does not answer.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use retap_agent::in_process::InProcessConnection;
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DevicePool, RunContext};
use retap_explore::journal::MemoryExplorationJournal;
use retap_explore::{
    ApeExplorer, ApeParameters, AutoExplorer, EventMix, ExplorationResult, ExploreError,
    ExploreSettings, Explorer, MonkeyExplorer, RandomSessions, TimeTravelExplorer,
    TimeTravelParameters, run_exploration,
};
use retap_model::ape::{AttributePaths, AttributeReducer, DecisionTree};
use retap_shared::action::{Action, SystemEvent, SystemEventKinds};
use retap_shared::bytes::Png;
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::geometry::{Point, Rect, Size};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{
    ActReply, AppInfo, Capabilities, CaptureReply, ControlAppReply, DescribePhoneReply, Reply,
    Request, RequestFailure, ScreenUpdate, TakeScreenshotReply, WatchAppReply,
};
use retap_shared::screen::{Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window};
use retap_shared::trace::App;
use retap_shared::verdict::Interruption;
use retap_testing::fakes::{Answer, Answering};

use crate::whole::settings;

/// A game that draws itself: three taps at the right places, one after the other, are its end.
struct Game {
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

impl Game {
    fn app() -> AppInfo {
        let app = App {
            package: "game".into(),
            ..App::default()
        };
        AppInfo {
            app,
            label: "Game".into(),
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
            apps: vec![Game::app()],
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
            // What is no widget of the app's is not named in a trace.
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

fn model() -> (ApeParameters, DecisionTree, AttributePaths) {
    (
        ApeParameters::default(),
        DecisionTree::uniform(AttributeReducer::TYPE),
        AttributePaths::default(),
    )
}

async fn played(game: Game, explorer: Box<dyn Explorer>) -> ExplorationResult {
    let (settings, silent): (_, EventSink) =
        (ExploreSettings::new(Game::app(), 3_000), Arc::new(|_| {}));
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
async fn an_app_without_nodes_is_explored_by_places_and_by_how_it_looks() {
    let (rules, tree, paths) = model();
    let ape = played(
        Game { screenshots: true },
        Box::new(ApeExplorer::new(rules, tree, paths)),
    )
    .await;
    let (rules, tree, paths) = model();
    let auto = played(
        Game { screenshots: true },
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
    let random = played(Game { screenshots: true }, Box::new(random)).await;
    assert!(random.coverage.screens.len() >= 2);
}

#[tokio::test(start_paused = true)]
async fn without_pixels_an_app_without_nodes_is_tapped_all_over() {
    let random = RandomSessions::new(Seed(3), NonZeroU32::new(500).unwrap());
    let exploration = played(Game { screenshots: false }, Box::new(random)).await;
    assert_eq!(
        (exploration.events, exploration.coverage.screens.len()),
        (3_000, 1)
    );
}

/// A simulated phone that nothing of the system's comes upon.
struct Sheltered {
    phone: Arc<InProcessConnection>,
    refused: Arc<Mutex<Vec<Action>>>,
}

impl Connection for Sheltered {
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
async fn what_the_system_cannot_do_on_a_phone_is_told_once_and_left_out() {
    let refused = Arc::new(Mutex::new(Vec::new()));
    let phone = Sheltered {
        phone: new_phone(),
        refused: Arc::clone(&refused),
    };
    let pool = DevicePool::new(vec![
        Device::connect("sheltered".to_owned(), Arc::new(phone))
            .await
            .unwrap(),
    ]);
    let warned = Arc::new(Mutex::new(0));
    let count = Arc::clone(&warned);
    let sink: EventSink = Arc::new(move |event| {
        *count.lock().unwrap() +=
            usize::from(matches!(event, RunEvent::Warning { text } if text.contains("left out")));
    });
    let monkey =
        MonkeyExplorer::new(EventMix::default(), Micros::from_millis(200)).with_system_events();
    let settings = settings(SPEC, 2_000);
    let stop = CancellationToken::new();
    let explorer = Box::new(monkey);
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
    // A call, offline, online, low memory, and one language for all.
    assert_eq!(
        (refused.lock().unwrap().len(), *warned.lock().unwrap()),
        (5, 5)
    );
}

/// A simulated phone that calls itself Android's, and can do only some of what the system does.
struct Narrow {
    phone: Arc<InProcessConnection>,
    can: SystemEventKinds,
    asked: Arc<Mutex<Vec<SystemEvent>>>,
}

impl Connection for Narrow {
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
async fn only_what_a_phone_can_do_is_asked_of_it_and_the_rest_is_told_once() {
    let can = SystemEventKinds::LOW_MEMORY | SystemEventKinds::LOCALE;
    let auto = || {
        AutoExplorer::new(
            ApeParameters::default(),
            DecisionTree::uniform(AttributeReducer::TYPE),
            AttributePaths::default(),
            true,
        )
    };
    let monkey =
        || MonkeyExplorer::new(EventMix::default(), Micros::from_millis(200)).with_system_events();
    let explorers: [Box<dyn Explorer>; 3] = [
        Box::new(monkey()),
        Box::new(TimeTravelExplorer::over(
            Box::new(monkey()),
            TimeTravelParameters::default(),
        )),
        Box::new(auto()),
    ];
    for explorer in explorers {
        let name = explorer.name().to_owned();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let phone = Narrow {
            phone: new_phone(),
            can,
            asked: Arc::clone(&asked),
        };
        let pool = DevicePool::new(vec![
            Device::connect("narrow".to_owned(), Arc::new(phone))
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
        let told = warned
            .lock()
            .unwrap()
            .iter()
            .filter(|text| text.contains("left out"))
            .count();
        assert_eq!(told, 1, "{name}");
    }
}

/// A simulated phone whose agent dies with the phone at an event, and that is as new afterwards; or that does not answer any more.
struct Shaky {
    phone: Mutex<Arc<InProcessConnection>>,
    asked: Mutex<usize>,
    events: Mutex<usize>,
    restarts_at: usize,
    silent_from: usize,
}

const SPEC: &str = "sim:notes";

fn new_phone() -> Arc<InProcessConnection> {
    Arc::new(InProcessConnection::new(Box::new(
        retap_simulator::open(SPEC).unwrap(),
    )))
}

impl Connection for Shaky {
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

async fn shaken(
    restarts_at: usize,
    silent_from: usize,
) -> (Result<ExplorationResult, ExploreError>, Vec<RunEvent>) {
    let shaky = Shaky {
        phone: Mutex::new(new_phone()),
        asked: Mutex::default(),
        events: Mutex::default(),
        restarts_at,
        silent_from,
    };
    let pool = DevicePool::new(vec![
        Device::connect("shaky".to_owned(), Arc::new(shaky))
            .await
            .unwrap(),
    ]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&heard);
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
    let heard = heard.lock().unwrap().clone();
    (ended, heard)
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_restarts_in_the_middle_is_gone_on_with_from_a_clean_start() {
    let (ended, heard) = shaken(200, usize::MAX).await;
    let exploration = ended.unwrap();
    // The one that was under way has no answer.
    assert_eq!(exploration.events, 399);
    assert!(exploration.counts.clean_starts >= 2);
    let told = |event: &RunEvent| matches!(event, RunEvent::Warning { text } if text.contains("restarted"));
    assert_eq!(heard.iter().filter(|event| told(event)).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_does_not_answer_any_more_ends_the_run_in_clear_words() {
    let (ended, heard) = shaken(usize::MAX, 200).await;
    let error = ended.unwrap_err();
    assert!(matches!(error, ExploreError::Pool(_)), "{error}");
    let lost = heard.iter().find_map(|event| match event {
        RunEvent::DeviceLost { device, why } => Some((device.as_str(), why.as_str())),
        _ => None,
    });
    let (device, why) = lost.unwrap();
    assert!(
        device == "shaky" && why.contains("has not answered") && why.contains("15 min"),
        "{why}"
    );
}
