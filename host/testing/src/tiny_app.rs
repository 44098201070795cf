//! An app of three buttons on a test double of a phone, for what the simulated apps never do: fail at every start,
//! stay outside, refuse an action, vanish in the middle.

use std::sync::{Arc, Mutex};

use retap_device::Device;
use retap_shared::action::{Action, Key};
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::geometry::{Rect, Size};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{
    ActReply, AppCommand, AppInfo, CaptureReply, ControlAppReply, Request, RequestFailure,
    ScreenUpdate, WatchAppReply,
};
use retap_shared::screen::{Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window};
use retap_shared::trace::{App, Step};

use crate::fakes::{Answer, device, lost};

/// How this phone and app behave.
#[derive(Clone, Debug, Default)]
pub struct TinyApp {
    pub fails_at_start: bool,
    /// The button `leave` leads to another app; this is what leads back, if anything does.
    pub back_by: Option<Action>,
    pub cannot_rotate: bool,
    /// The link is lost at this request.
    pub lost_at: Option<usize>,
    /// Everything that was injected, and `None` for every clean start.
    pub injected: Arc<Mutex<Vec<Option<Action>>>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Home,
    Second,
    OtherApp,
}

impl TinyApp {
    pub async fn device(&self, name: &str) -> Device {
        let tiny = self.clone();
        let place = Mutex::new(Place::Home);
        device(name, move |before, request| {
            if tiny.lost_at.is_some_and(|at| before >= at) {
                return Err(lost());
            }
            tiny.answer(&mut place.lock().unwrap(), request)
        })
        .await
    }

    pub fn app() -> AppInfo {
        AppInfo {
            app: App {
                package: "tiny".into(),
                ..App::default()
            },
            label: "TinyApp".into(),
            activities: vec!["tiny/Home".into(), "tiny/Second".into()],
            branches: 3,
        }
    }

    fn answer(&self, place: &mut Place, request: Request) -> Answer {
        match request {
            Request::WatchApp(_) => Ok(WatchAppReply { events: Vec::new() }.into()),
            Request::Capture(_) => Ok(CaptureReply {
                screen: ScreenUpdate::Full(screen(*place)),
                agent_time: Micros::ZERO,
            }
            .into()),
            Request::ControlApp(control) => {
                assert!(matches!(control.command, AppCommand::Start(_)));
                self.injected.lock().unwrap().push(None);
                *place = Place::Home;
                let happened = self
                    .fails_at_start
                    .then(|| finding("start"))
                    .into_iter()
                    .collect();
                Ok(ControlAppReply {
                    in_front: None,
                    events: happened,
                    took: Micros(1_000_000),
                }
                .into())
            }
            Request::Act(act) => self.act(place, &act.step),
            other => panic!("{other:?}"),
        }
    }

    fn act(&self, place: &mut Place, step: &Step) -> Answer {
        self.injected
            .lock()
            .unwrap()
            .push(Some(step.action.clone()));
        if self.cannot_rotate && matches!(step.action, Action::Rotate(_)) {
            return Err(RequestFailure::Unsupported("rotate".to_owned()).into());
        }
        let label = step.widget.as_ref().map(|widget| widget.text.as_str());
        let mut happened = Vec::new();
        let branch = match (*place, label) {
            (Place::Home, Some("next")) => {
                *place = Place::Second;
                0
            }
            (Place::Home, Some("leave")) => {
                *place = Place::OtherApp;
                1
            }
            (Place::Second, Some("fail")) => {
                happened.push(finding("fail"));
                2
            }
            (Place::Second, _) if step.action == Action::Key(Key::Back) => {
                *place = Place::Home;
                0
            }
            (Place::OtherApp, _) if self.back_by.as_ref() == Some(&step.action) => {
                *place = Place::Home;
                1
            }
            _ => 1,
        };
        let screen = ScreenUpdate::Full(screen(*place));
        let took = Micros(300_000);
        Ok(ActReply {
            located_by: LocatedBy::Widget,
            refusal: None,
            screen,
            events: happened,
            branches: vec![branch],
            quiet: true,
            took,
            at: Micros::ZERO,
        }
        .into())
    }
}

fn finding(method: &str) -> PhoneEvent {
    let finding = Finding {
        kind: FindingKind::Crash,
        process: "tiny".into(),
        summary: format!("java.lang.IllegalStateException: {method}"),
        stack: format!(
            "java.lang.IllegalStateException: {method}\n\tat tiny.Main.{method}(Main.java:3)"
        ),
    };
    PhoneEvent {
        at: Micros(5),
        kind: PhoneEventKind::Finding(finding),
    }
}

fn screen(place: Place) -> SharedScreen {
    let (activity, labels): (_, &[&str]) = match place {
        Place::Home => ("tiny/Home", &["next", "leave", "nothing"]),
        Place::Second => ("tiny/Second", &["fail", "nothing"]),
        Place::OtherApp => ("launcher/Launcher", &["tiny"]),
    };
    let button = |(row, label): (i32, &&str)| Node {
        depth: 1,
        class: "android.widget.Button".into(),
        text: (*label).into(),
        bounds: Rect {
            left: 0,
            top: 100 * row,
            right: 400,
            bottom: 100 * row + 90,
        },
        flags: NodeFlags::VISIBLE | NodeFlags::ENABLED | NodeFlags::CLICKABLE,
        ..Node::default()
    };
    let root = Node {
        class: "android.widget.FrameLayout".into(),
        flags: NodeFlags::VISIBLE,
        ..Node::default()
    };
    let nodes: Vec<Node> = std::iter::once(root)
        .chain((0..).zip(labels).map(button))
        .collect();
    let windows = vec![Window {
        nodes: nodes.len() as u32,
        ..Window::default()
    }];
    let size = Size {
        width: 400,
        height: 800,
    };
    let content = ScreenContent {
        size,
        activity: activity.into(),
        windows,
        nodes,
        ..ScreenContent::default()
    };
    Arc::new(Screen::new(content).unwrap())
}
