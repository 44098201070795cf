//! A scripted phone: a counter on the screen that every tap increments, events at chosen times, and a list of all calls.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};

use retap_agent::phone::{Phone, PhoneError, ScreenshotTask};
use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::bytes::Png;
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::geometry::{Rect, Size};
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{AppInfo, Capabilities, RequestFailure, SnapshotId};
use retap_shared::screen::{
    Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window, WindowKind,
};
use retap_shared::trace::App;
use retap_shared::verdict::Interruption;

pub(crate) const PACKAGE: &str = "com.example.counter";

pub(crate) type Calls = Arc<Mutex<Vec<String>>>;

#[derive(Default)]
pub(crate) struct ScriptedPhone {
    pub(crate) now: Micros,
    /// True if phone time stands still.
    pub(crate) stands_still: bool,
    pub(crate) changed: Micros,
    pub(crate) counter: u32,
    /// Times after a tap at which the screen changes again.
    pub(crate) ripples: Vec<Micros>,
    /// Events after the counter has reached a value, with their delay.
    pub(crate) at_counter: HashMap<u32, (Micros, PhoneEventKind)>,
    /// Value of the counter at which the phone is lost.
    pub(crate) lost_at: Option<u32>,
    pub(crate) can_rotate: bool,
    /// What is in front after a launch, each until this long after it; the last one first.
    pub(crate) obstacles: Vec<(Micros, Obstacle)>,
    pub(crate) launched: Micros,
    /// Value of the counter at which the display goes off, once.
    pub(crate) sleeps_at: Option<u32>,
    /// True if only a person can unlock the phone.
    pub(crate) is_locked: bool,
    pub(crate) stop_takes: Micros,
    /// The only screenshot: it reports its start, and waits until it may continue.
    pub(crate) screenshot: Option<(Sender<()>, Receiver<()>)>,
    pub(crate) calls: Calls,
    pub(crate) scheduled: BTreeMap<Micros, Vec<Scheduled>>,
    pub(crate) events: Vec<PhoneEvent>,
    pub(crate) saved: Vec<Option<u32>>,
}

pub(crate) enum Scheduled {
    ScreenChange,
    Event(PhoneEventKind),
}

pub(crate) fn app() -> App {
    App {
        package: PACKAGE.into(),
        activity: "com.example.counter.Main".into(),
        version_code: 1,
    }
}

pub(crate) fn crash(number: u32) -> Finding {
    Finding {
        kind: FindingKind::Crash,
        process: PACKAGE.into(),
        summary: "java.lang.IllegalStateException: boom".into(),
        stack: format!(
            "java.lang.IllegalStateException: boom\n\tat com.example.counter.Main.onTap{number}(Main.java:12)\n\
             \tat android.view.View.performClick(View.java:7448)"
        ),
    }
}

impl ScriptedPhone {
    fn record(&self, call: impl Into<String>) {
        self.calls.lock().unwrap().push(call.into());
    }

    fn schedule(&mut self, after: Micros, scheduled: Scheduled) {
        self.scheduled
            .entry(self.now + after)
            .or_default()
            .push(scheduled);
    }

    fn increment(&mut self) -> Result<(), PhoneError> {
        self.counter += 1;
        self.changed = self.now;
        if self.lost_at == Some(self.counter) {
            return Err(Interruption::PhoneLost {
                why: "the cable was pulled".into(),
            }
            .into());
        }
        for ripple in self.ripples.clone() {
            self.schedule(ripple, Scheduled::ScreenChange);
        }
        if let Some((after, event)) = self.at_counter.get(&self.counter).cloned() {
            self.schedule(after, Scheduled::Event(event));
        }
        self.sleep(Micros(5_600));
        Ok(())
    }
}

impl Phone for ScriptedPhone {
    fn info(&self) -> PhoneInfo {
        PhoneInfo {
            kind: "simulated".into(),
            model: "scripted".into(),
            api_level: 34,
            ..PhoneInfo::default()
        }
    }

    fn capabilities(&self) -> Capabilities {
        let rotation = self.can_rotate;
        Capabilities {
            snapshots: true,
            branches: true,
            rotation,
            ..Capabilities::default()
        }
    }

    fn apps(&mut self) -> Result<Vec<AppInfo>, PhoneError> {
        Ok(vec![AppInfo {
            app: app(),
            label: "Counter".into(),
            activities: vec![],
            branches: 0,
        }])
    }

    fn now(&self) -> Micros {
        self.now
    }

    fn sleep(&mut self, span: Micros) {
        if self.stands_still {
            return;
        }
        let end = self.now + span;
        while let Some(entry) = self
            .scheduled
            .first_entry()
            .filter(|entry| *entry.key() <= end)
        {
            let (at, all) = entry.remove_entry();
            self.now = at;
            for scheduled in all {
                match scheduled {
                    Scheduled::ScreenChange => self.changed = at,
                    Scheduled::Event(kind) => self.events.push(PhoneEvent { at, kind }),
                }
            }
        }
        self.now = end;
    }

    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        self.record(action.to_string());
        match action {
            Action::Tap(_) if self.sleeps_at == Some(self.counter) => Ok(()),
            Action::Tap(_) => self.increment(),
            Action::Rotate(_) if !self.can_rotate => {
                Err(RequestFailure::Unsupported("rotate".into()).into())
            }
            _ => Ok(()),
        }
    }

    fn last_change(&mut self) -> Micros {
        self.changed
    }

    fn capture(&mut self) -> Result<SharedScreen, PhoneError> {
        Ok(Arc::new(screen(self.counter)))
    }

    fn screenshot(&mut self) -> Result<ScreenshotTask, PhoneError> {
        let screenshot = self.screenshot.take();
        let (started, permission) =
            screenshot.ok_or_else(|| RequestFailure::Unsupported("take screenshots".into()))?;
        Ok(Box::new(move || {
            started.send(()).unwrap();
            permission.recv().unwrap();
            Ok(Png(vec![1, 2, 3]))
        }))
    }

    fn wake(&mut self) -> Result<bool, PhoneError> {
        if self.is_locked {
            return Err(RequestFailure::Obstructed(Obstacle::LockScreen).into());
        }
        let is_off = self.sleeps_at == Some(self.counter);
        if is_off {
            self.sleeps_at = None;
        }
        Ok(is_off)
    }

    fn obstacle(&mut self, _: &App) -> Result<Option<Obstacle>, PhoneError> {
        let since = self.now.since(self.launched);
        let lasting = |(until, _): &&(Micros, Obstacle)| since < *until;
        let obstacle = self.obstacles.iter().rev().find(lasting);
        Ok(obstacle.map(|(_, obstacle)| obstacle.clone()))
    }

    fn launch(&mut self, _: &App) -> Result<(), PhoneError> {
        self.record("launch");
        self.launched = self.now;
        self.counter = 0;
        self.changed = self.now;
        Ok(())
    }

    fn stop(&mut self, _: &App) -> Result<(), PhoneError> {
        self.record("stop");
        self.sleep(self.stop_takes);
        Ok(())
    }

    fn clear_data(&mut self, _: &App) -> Result<(), PhoneError> {
        self.record("clear");
        Ok(())
    }

    fn grant(&mut self, _: &App) -> Result<(), PhoneError> {
        self.record("grant");
        Ok(())
    }

    fn watch(&mut self, package: &Text) {
        self.record(format!("watch {package}"));
    }

    fn take_events(&mut self, into: &mut Vec<PhoneEvent>) {
        into.append(&mut self.events);
    }

    fn take_branches(&mut self, into: &mut Vec<u32>) {
        into.extend([self.counter, 7, 7]);
    }

    fn save_snapshot(&mut self) -> Result<(SnapshotId, u64), PhoneError> {
        self.saved.push(Some(self.counter));
        Ok((SnapshotId(self.saved.len() as u32 - 1), 4))
    }

    fn restore_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        let saved = self.saved.get(id.0 as usize).copied().flatten();
        self.counter = saved
            .ok_or_else(|| RequestFailure::Impossible(format!("there is no snapshot {}", id.0)))?;
        Ok(4)
    }

    fn discard_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        self.saved[id.0 as usize] = None;
        Ok(4)
    }
}

/// A screen with the counter, and two buttons that move down by a pixel with every tap.
pub(crate) fn screen(counter: u32) -> Screen {
    let top = counter as i32;
    let button = |id: &str, text: &str, left: i32| Node {
        depth: 1,
        class: "android.widget.Button".into(),
        id: id.into(),
        text: text.into(),
        bounds: Rect {
            left,
            top: 200 + top,
            right: left + 100,
            bottom: 300 + top,
        },
        flags: NodeFlags::ENABLED | NodeFlags::CLICKABLE | NodeFlags::VISIBLE,
        ..Node::default()
    };
    let root = Rect {
        left: 0,
        top: 0,
        right: 1080,
        bottom: 1920,
    };
    let visible = NodeFlags::ENABLED | NodeFlags::VISIBLE;
    let nodes = vec![
        Node {
            class: "android.widget.FrameLayout".into(),
            bounds: root,
            flags: visible,
            ..Node::default()
        },
        Node {
            depth: 1,
            class: "android.widget.TextView".into(),
            text: format!("{counter} taps").into(),
            bounds: Rect {
                left: 0,
                top: 0,
                right: 400,
                bottom: 100,
            },
            flags: visible,
            ..Node::default()
        },
        button("com.example.counter:id/more", "More", 0),
        button("com.example.counter:id/less", "Less", 500),
    ];
    Screen::new(ScreenContent {
        size: Size {
            width: 1080,
            height: 1920,
        },
        activity: format!("{PACKAGE}/com.example.counter.Main").into(),
        windows: vec![Window {
            kind: WindowKind::Application,
            package: PACKAGE.into(),
            bounds: root,
            nodes: nodes.len() as u32,
            ..Window::default()
        }],
        nodes,
        ..ScreenContent::default()
    })
    .unwrap()
}
