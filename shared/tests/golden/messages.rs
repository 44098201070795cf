//! One message of each kind, with a value in every field.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::{Action, Key, SystemEvent, SystemEventKinds};
use retap_shared::bytes::Png;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::geometry::*;
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::*;
use retap_shared::screen::*;
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step};
use retap_shared::verdict::Verdict;
use retap_shared::widget::Widget;

pub(super) fn requests() -> Vec<Request> {
    vec![
        DescribePhone.into(),
        Capture {
            held_screen: Some(ScreenHash(1)),
        }
        .into(),
        Act {
            step: step(),
            settle: settle(),
            held_screen: None,
        }
        .into(),
        settle().into(),
        Play {
            app: app(),
            start: StartMode::Restart,
            steps: actions().into_iter().map(Step::new).collect(),
            target: Some(Target::Problem(Fingerprint(0xfedc_ba98_7654_3210))),
            pace: ReplayPace::Recorded,
            settle: settle(),
            final_wait: Micros(1),
            record: true,
        }
        .into(),
        ControlApp {
            app: app(),
            command: AppCommand::Start(StartMode::Continue),
        }
        .into(),
        WatchApp {
            package: "org.notes".into(),
        }
        .into(),
        ManageSnapshot::Restore(SnapshotId(9)).into(),
        TakeScreenshot.into(),
        ReadLog {
            only_new: true,
            failure: Some(FindingKind::Anr),
        }
        .into(),
    ]
}

pub(super) fn replies() -> Vec<Reply> {
    let change = ScreenDiff::between(&screen("OK"), &screen("No"));
    vec![
        describe_phone_reply().into(),
        CaptureReply {
            screen: ScreenUpdate::Full(Arc::new(screen("OK"))),
            agent_time: Micros(12),
        }
        .into(),
        ActReply {
            located_by: LocatedBy::Place,
            refusal: Some("no window".into()),
            screen: ScreenUpdate::Changed(change),
            events: events(),
            branches: vec![1, 250, 251, 70_000],
            quiet: true,
            took: Micros(12),
            at: Micros(300),
        }
        .into(),
        SettleReply {
            quiet: false,
            events: Vec::new(),
            took: Micros(12),
        }
        .into(),
        play_reply().into(),
        ControlAppReply {
            in_front: Some(Obstacle::OtherApp("b".into())),
            events: Vec::new(),
            took: Micros(12),
        }
        .into(),
        WatchAppReply { events: events() }.into(),
        ManageSnapshotReply {
            id: SnapshotId(9),
            bytes: 65_536,
            took: Micros(1),
        }
        .into(),
        TakeScreenshotReply {
            picture: Png(vec![0, 128, 255]),
        }
        .into(),
        ReadLogReply {
            log: "ready\n".into(),
            report: "PID 1".into(),
        }
        .into(),
    ]
}

fn actions() -> Vec<Action> {
    let at = Point { x: 1, y: 2 };
    vec![
        Action::Tap(at),
        Action::LongPress(at),
        Action::Swipe {
            from: at,
            to: Point { x: 3, y: 4 },
            millis: 5,
        },
        Action::Pinch {
            center: at,
            from: 3,
            to: 4,
            millis: 5,
        },
        Action::Key(Key::Back),
        Action::Key(Key::Code(300)),
        Action::Text {
            at,
            text: "hi".into(),
        },
        Action::Rotate(Rotation::Right),
        Action::Launch,
        Action::Wait { millis: 6 },
        Action::System(SystemEvent::Call),
        Action::System(SystemEvent::Offline),
        Action::System(SystemEvent::Online),
        Action::System(SystemEvent::LowMemory),
        Action::System(SystemEvent::Locale("ar".into())),
        Action::System(SystemEvent::Message),
        Action::System(SystemEvent::Broadcast("MEDIA".into())),
        Action::System(SystemEvent::TimeZone("UTC".into())),
        Action::System(SystemEvent::Doze),
        Action::System(SystemEvent::Wake),
    ]
}

fn describe_phone_reply() -> DescribePhoneReply {
    let phone = PhoneInfo {
        kind: "simulated".into(),
        model: "sim".into(),
        api_level: 34,
        display: 0,
        size: Size {
            width: 1_080,
            height: 2_400,
        },
        density: 420,
        rotation: Rotation::Natural,
        posture: Text::default(),
        locale: "en-GB".into(),
        font_scale: 100,
        dark_mode: true,
    };
    let apps = vec![AppInfo {
        app: app(),
        label: "Notes".into(),
        activities: vec![".Main".into()],
        branches: 12,
    }];
    let system = SystemEventKinds::SIMULATED | SystemEventKinds::WAKE;
    let can = Capabilities {
        snapshots: true,
        branches: false,
        rotation: true,
        screenshots: false,
        system_events: system,
    };
    DescribePhoneReply {
        phone,
        capabilities: can,
        apps,
    }
}

fn play_reply() -> PlayReply {
    PlayReply {
        verdict: Verdict::LeftApp {
            to: "org.other".into(),
        },
        played: 3,
        located_by: vec![LocatedBy::Widget, LocatedBy::Place, LocatedBy::Anywhere],
        refusals: vec![StepRefusal {
            step: 2,
            why: "no window".into(),
        }],
        events: events(),
        branches: vec![5],
        screens: vec![Arc::new(screen("OK"))],
        took: Micros(u64::MAX),
    }
}

fn app() -> App {
    App {
        package: "org.notes".into(),
        activity: ".Main".into(),
        version_code: 7,
    }
}

fn settle() -> Settle {
    Settle {
        quiet: Micros(200_000),
        limit: Micros(5_000_000),
    }
}

pub(super) fn widget() -> Widget {
    Widget {
        id: "id/ok".into(),
        text: "OK".into(),
        class: "Button".into(),
        path: "0.2".into(),
    }
}

fn finding() -> Finding {
    Finding {
        kind: FindingKind::Crash,
        process: "org.notes".into(),
        summary: "boom".into(),
        stack: "at x.Y.z(Y.java:1)".into(),
    }
}

fn screen(text: &str) -> Screen {
    let node = |depth, text: &str| Node {
        depth,
        class: "Button".into(),
        id: "id/ok".into(),
        text: text.into(),
        description: Text::default(),
        bounds: Rect {
            left: 0,
            top: -1,
            right: 1_080,
            bottom: 2_400,
        },
        flags: NodeFlags::ENABLED | NodeFlags::VISIBLE,
    };
    let window = Window {
        kind: WindowKind::Dialog,
        package: "org.notes".into(),
        title: "OK".into(),
        bounds: Rect {
            left: 0,
            top: 0,
            right: 1_080,
            bottom: 2_400,
        },
        flags: WindowFlags::FOCUSED,
        nodes: 2,
    };
    let content = ScreenContent {
        size: Size {
            width: 1_080,
            height: 2_400,
        },
        rotation: Rotation::Left,
        activity: ".Main".into(),
        windows: vec![window],
        nodes: vec![node(0, ""), node(1, text)],
    };
    Screen::new(content).unwrap()
}

fn step() -> Step {
    Step {
        action: Action::Tap(Point { x: 540, y: -800 }),
        widget: Some(widget()),
        activity: ".Main".into(),
        screen: Some(ScreenHash(0x0123_4567_89ab_cdef)),
        at_millis: Some(1_500),
    }
}

pub(super) fn events() -> Vec<PhoneEvent> {
    vec![
        PhoneEvent {
            at: Micros(3),
            kind: PhoneEventKind::Finding(finding()),
        },
        PhoneEvent {
            at: Micros(300),
            kind: PhoneEventKind::Activity(".Main".into()),
        },
    ]
}
