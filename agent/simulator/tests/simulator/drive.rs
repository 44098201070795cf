//! Drives a simulated phone as an explorer does: candidate actions of a screen, gestures, and waiting until it settles.

use retap_agent::phone::Phone;
use retap_shared::Text;
use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::finding::Finding;
use retap_shared::geometry::{Point, Rect, Rotation};
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::Settle;
use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};
use retap_shared::trace::App;
use retap_simulator::{SimulatedPhone, open};

/// Texts to type: nothing, a word, a number, an address, a quote with a character beyond the basic plane, and more than
/// fits.
pub(crate) const WORDS: [&str; 6] = ["", "hello", "7", "user@example.com", "🎈 O'Neil", LONG];

const LONG: &str = "a text that is much longer than anyone would type into a field of this size, so that it does not \
    fit on the line, nor on the next one";

pub(crate) fn app(phone: &mut SimulatedPhone) -> App {
    phone.apps().unwrap().remove(0).app
}

/// A phone with its app freshly started.
pub(crate) fn started(spec: &str) -> SimulatedPhone {
    let mut phone = open(spec).unwrap();
    start_clean(&mut phone);
    events(&mut phone);
    phone
}

/// Stops the app, turns the phone upright, clears the app's data, and launches it.
pub(crate) fn start_clean(phone: &mut SimulatedPhone) {
    let app = app(phone);
    phone.watch(&app.package);
    phone.stop(&app).unwrap();
    phone.inject(&Action::Rotate(Rotation::Natural)).unwrap();
    phone.clear_data(&app).unwrap();
    phone.grant(&app).unwrap();
    phone.launch(&app).unwrap();
    settle(phone);
}

pub(crate) fn act(phone: &mut SimulatedPhone, action: &Action) {
    phone.inject(action).unwrap();
    settle(phone);
}

pub(crate) fn settle(phone: &mut SimulatedPhone) {
    let wait = Settle::default();
    let start = phone.now();
    loop {
        let quiet_at = phone.last_change().max(start) + wait.quiet;
        if phone.now() >= quiet_at || phone.now() >= start + wait.limit {
            return;
        }
        phone.sleep(quiet_at.since(phone.now()));
    }
}

pub(crate) fn events(phone: &mut SimulatedPhone) -> Vec<PhoneEvent> {
    let mut happened = Vec::new();
    phone.take_events(&mut happened);
    happened
}

pub(crate) fn findings(phone: &mut SimulatedPhone) -> Vec<Finding> {
    let finding = |event: PhoneEvent| match event.kind {
        PhoneEventKind::Finding(finding) => Some(finding),
        PhoneEventKind::Activity(_) => None,
    };
    events(phone).into_iter().filter_map(finding).collect()
}

/// Everything that can be done on a screen, with the node it is done to. Not the keyboard's keys: a field's text is set
/// at once.
pub(crate) fn possible(screen: &Screen) -> Vec<(Option<usize>, Action)> {
    let upright = screen.rotation() == Rotation::Natural;
    let turn = Action::Rotate(if upright {
        Rotation::Left
    } else {
        Rotation::Natural
    });
    let keys = [Key::Back, Key::Menu, Key::Enter].map(Action::Key);
    let mut actions: Vec<_> = keys
        .into_iter()
        .chain([turn])
        .map(|action| (None, action))
        .collect();
    let keyboard = screen
        .windows()
        .iter()
        .find(|window| window.kind == WindowKind::Keyboard);
    let bottom = keyboard.map_or(screen.size().height as i32, |window| window.bounds.top);
    let own = screen
        .windows_with_nodes()
        .filter(|(window, ..)| window.kind != WindowKind::Keyboard);
    let Some((_, first, nodes)) = own.last() else {
        return actions;
    };
    for (number, node) in (first..).zip(nodes) {
        let bounds = Rect {
            bottom: node.bounds.bottom.min(bottom),
            ..node.bounds
        };
        if !bounds.is_empty() && node.is(NodeFlags::ENABLED) {
            actions.extend(on_node(node, bounds).map(|action| (Some(number), action)));
        }
    }
    actions
}

/// Actions of the system that are possible at any moment; a launch only if the app is not in front.
pub(crate) fn from_outside(screen: &Screen) -> Vec<Action> {
    let away = screen.activity().starts_with("com.android.launcher3");
    let front = if away {
        Action::Launch
    } else {
        Action::Key(Key::Home)
    };
    let locales = ["ar", "en-US"].map(|tag| SystemEvent::Locale(Text::new_static(tag)));
    let events = [
        SystemEvent::Call,
        SystemEvent::Offline,
        SystemEvent::Online,
        SystemEvent::LowMemory,
    ]
    .into_iter()
    .chain(locales);
    events.map(Action::System).chain([front]).collect()
}

fn on_node(node: &Node, bounds: Rect) -> impl Iterator<Item = Action> {
    let at = bounds.center();
    let if_is = |flag, actions: &[Action]| {
        if node.is(flag) {
            actions.to_vec()
        } else {
            Vec::new()
        }
    };
    let texts = WORDS.map(|word| Action::Text {
        at,
        text: Text::new_static(word),
    });
    if_is(NodeFlags::EDITABLE, &texts)
        .into_iter()
        .chain(if_is(NodeFlags::CLICKABLE, &[Action::Tap(at)]))
        .chain(if_is(NodeFlags::LONG_CLICKABLE, &[Action::LongPress(at)]))
        .chain(if_is(NodeFlags::SCROLLABLE, &swipes(bounds)))
}

fn swipes(bounds: Rect) -> [Action; 4] {
    let at = |x: i32, y: i32| Point {
        x: bounds.left + bounds.width() / 4 * x,
        y: bounds.top + bounds.height() / 4 * y,
    };
    let swipe = |from, to| Action::Swipe {
        from,
        to,
        millis: 300,
    };
    [
        swipe(at(2, 3), at(2, 1)),
        swipe(at(2, 1), at(2, 3)),
        swipe(at(3, 2), at(1, 2)),
        swipe(at(1, 2), at(3, 2)),
    ]
}

/// The topmost window's node whose id ends with `name`, or whose label it is.
pub(crate) fn find(screen: &Screen, name: &str) -> Option<usize> {
    let windows: Vec<_> = screen.windows_with_nodes().collect();
    windows.iter().rev().find_map(|(_, first, nodes)| {
        let is = |node: &Node| node.label() == name || node.id.rsplit('/').next() == Some(name);
        nodes.iter().position(is).map(|place| first + place)
    })
}

/// The middle of that node.
pub(crate) fn place(phone: &mut SimulatedPhone, name: &str) -> Point {
    let screen = phone.capture().unwrap();
    let node = find(&screen, name).unwrap_or_else(|| panic!("no `{name}` on {:?}", screen.nodes()));
    screen.nodes()[node].bounds.center()
}

pub(crate) fn tap(phone: &mut SimulatedPhone, name: &str) {
    let at = place(phone, name);
    act(phone, &Action::Tap(at));
}

pub(crate) fn shows(phone: &mut SimulatedPhone, name: &str) -> bool {
    find(&phone.capture().unwrap(), name).is_some()
}

pub(crate) fn text_of(phone: &mut SimulatedPhone, name: &str) -> Text {
    let screen = phone.capture().unwrap();
    find(&screen, name)
        .map(|node| screen.nodes()[node].text.clone())
        .unwrap_or_default()
}

pub(crate) fn press(phone: &mut SimulatedPhone, key: Key) {
    act(phone, &Action::Key(key));
}

pub(crate) fn dialog_is_up(phone: &mut SimulatedPhone) -> bool {
    phone
        .capture()
        .unwrap()
        .windows()
        .iter()
        .any(|window| window.kind == WindowKind::Dialog)
}
