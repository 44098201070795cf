//! A phone that does what a test tells it: a counter on the screen that every tap raises, things that happen at
//! chosen times, and a list of every call that was made.

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
    /// Its clock does not move.
    pub(crate) stands_still: bool,
    pub(crate) changed: Micros,
    pub(crate) counter: u32,
    /// Every tap changes the screen once more after each of these spans.
    pub(crate) ripples: Vec<Micros>,
    /// What happens when the counter gets to a value, and how long after that.
    pub(crate) at_counter: HashMap<u32, (Micros, PhoneEventKind)>,
    /// The phone is lost when the counter gets there.
    pub(crate) lost_at: Option<u32>,
    pub(crate) can_rotate: bool,
    pub(crate) stop_takes: Micros,
    /// The one picture that can be taken: it tells that it has begun, and waits until it may go on.
    pub(crate) picture: Option<(Sender<()>, Receiver<()>)>,
    pub(crate) calls: Calls,
    pub(crate) due: BTreeMap<Micros, Vec<Due>>,
    pub(crate) happened: Vec<PhoneEvent>,
    pub(crate) saved: Vec<Option<u32>>,
}

pub(crate) enum Due {
    Change,
    Happen(PhoneEventKind),
}

pub(crate) fn app() -> App {
    App {
        package: PACKAGE.into(),
        activity: "com.example.counter.Main".into(),
        version_code: 1,
    }
}

pub(crate) fn crash(line: u32) -> Finding {
    Finding {
        kind: FindingKind::Crash,
        process: PACKAGE.into(),
        summary: "java.lang.IllegalStateException: boom".into(),
        stack: format!(
            "java.lang.IllegalStateException: boom\n\tat com.example.counter.Main.onTap(Main.java:{line})\n\
             \tat android.view.View.performClick(View.java:7448)"
        ),
    }
}

impl ScriptedPhone {
    fn call(&self, what: impl Into<String>) {
        self.calls.lock().unwrap().push(what.into());
    }

    fn schedule(&mut self, after: Micros, due: Due) {
        self.due.entry(self.now + after).or_default().push(due);
    }

    fn count(&mut self) -> Result<(), PhoneError> {
        self.counter += 1;
        self.changed = self.now;
        if self.lost_at == Some(self.counter) {
            return Err(Interruption::PhoneLost {
                why: "the cable was pulled".into(),
            }
            .into());
        }
        for ripple in self.ripples.clone() {
            self.schedule(ripple, Due::Change);
        }
        if let Some((after, what)) = self.at_counter.get(&self.counter).cloned() {
            self.schedule(after, Due::Happen(what));
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
        while let Some(entry) = self.due.first_entry().filter(|entry| *entry.key() <= end) {
            let (at, due) = entry.remove_entry();
            self.now = at;
            for due in due {
                match due {
                    Due::Change => self.changed = at,
                    Due::Happen(what) => self.happened.push(PhoneEvent { at, kind: what }),
                }
            }
        }
        self.now = end;
    }

    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        self.call(action.to_string());
        match action {
            Action::Tap(_) => self.count(),
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
        let picture = self.picture.take();
        let (begun, go_on) =
            picture.ok_or_else(|| RequestFailure::Unsupported("take screenshots".into()))?;
        Ok(Box::new(move || {
            begun.send(()).unwrap();
            go_on.recv().unwrap();
            Ok(Png(vec![1, 2, 3]))
        }))
    }

    fn launch(&mut self, _: &App) -> Result<(), PhoneError> {
        self.call("launch");
        self.counter = 0;
        self.changed = self.now;
        Ok(())
    }

    fn stop(&mut self, _: &App) -> Result<(), PhoneError> {
        self.call("stop");
        self.sleep(self.stop_takes);
        Ok(())
    }

    fn clear_data(&mut self, _: &App) -> Result<(), PhoneError> {
        self.call("clear");
        Ok(())
    }

    fn grant(&mut self, _: &App) -> Result<(), PhoneError> {
        self.call("grant");
        Ok(())
    }

    fn watch(&mut self, package: &Text) {
        self.call(format!("watch {package}"));
    }

    fn take_events(&mut self, into: &mut Vec<PhoneEvent>) {
        into.append(&mut self.happened);
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
        self.counter = saved.ok_or_else(|| {
            RequestFailure::Impossible(format!("there is no checkpoint {}", id.0))
        })?;
        Ok(4)
    }

    fn discard_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        self.saved[id.0 as usize] = None;
        Ok(4)
    }
}

/// A label with the counter, and two buttons that move down by a pixel with every count.
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
