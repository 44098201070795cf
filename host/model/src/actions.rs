//! Candidate actions: everything that a person could do on a screen. Which of them is done is up to the strategies.

use rand::{Rng, RngExt};
use retap_shared::Text;
use retap_shared::action::{Action, Key, SystemEvent, SystemEventKinds};
use retap_shared::geometry::{Point, Rect, Rotation};
use retap_shared::screen::{Node, NodeFlags, Screen, Window, WindowKind};

use crate::hash_mix::mixed;
use crate::input_texts;

/// Duration of a swipe in milliseconds. Retap's own figure.
const SWIPE_MILLIS: u32 = 300;
/// Number of parts that a scrollable area is divided into. A swipe begins and ends one part away from the edges.
const SWIPE_PARTS: i32 = 4;

/// An action that can be done on a screen, before its details are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateAction {
    /// Kind of the action.
    pub kind: ActionKind,
    /// Index of the node that it is done to, if any.
    pub node: Option<usize>,
    /// Part of the node that can be touched.
    pub area: Rect,
    /// Identity on its screen: a hash of the kind and of the node's position in the tree, not in pixels.
    pub key: u64,
}

/// Kind of an action: what is done, without where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActionKind {
    /// A tap on a widget.
    Tap,
    /// A long press on a widget.
    LongPress,
    /// A text typed into a field.
    Type,
    /// A tap into a field, to show the keyboard.
    Focus,
    /// A vertical swipe.
    ScrollVertically {
        /// Towards the start of the content.
        back: bool,
    },
    /// A horizontal swipe.
    ScrollHorizontally {
        /// Towards the start of the content.
        back: bool,
    },
    /// A tap at a random position, on screens without widgets to touch.
    TapAnywhere,
    /// The Back key.
    Back,
    /// The Menu key.
    Menu,
    /// A change of the display's rotation.
    Rotate,
    /// A system event, by its index in [`SYSTEM_EVENTS`].
    System(u8),
}

/// System events that can be done. Their indices are part of recorded models: new events are appended.
pub const SYSTEM_EVENTS: [SystemEvent; 12] = [
    SystemEvent::Call,
    SystemEvent::Offline,
    SystemEvent::Online,
    SystemEvent::LowMemory,
    SystemEvent::Locale(Text::new_static("ar")),
    SystemEvent::Locale(Text::new_static("de")),
    SystemEvent::Message,
    SystemEvent::Broadcast(Text::new_static("android.intent.action.MEDIA_BUTTON")),
    SystemEvent::TimeZone(Text::new_static("Asia/Kathmandu")),
    SystemEvent::TimeZone(Text::new_static("Pacific/Kiritimati")),
    SystemEvent::Doze,
    SystemEvent::Wake,
];

impl CandidateAction {
    /// Action with all details. Texts and random positions are drawn.
    pub fn to_action(&self, screen: &Screen, rng: &mut impl Rng) -> Action {
        let center = self.area.center();
        match self.kind {
            ActionKind::Tap | ActionKind::Focus => Action::Tap(center),
            ActionKind::LongPress => Action::LongPress(center),
            ActionKind::TapAnywhere => Action::Tap(random_point_in(self.area, rng)),
            ActionKind::Type => {
                let field = self.node.map(|node| &screen.nodes()[node]);
                Action::Text {
                    at: center,
                    text: input_texts::draw_text(field, rng),
                }
            }
            ActionKind::ScrollVertically { back } => scroll(self.area, back, |area, part| Point {
                x: area.center().x,
                y: area.top + area.height() / SWIPE_PARTS * part,
            }),
            ActionKind::ScrollHorizontally { back } => {
                scroll(self.area, back, |area, part| Point {
                    x: area.left + area.width() / SWIPE_PARTS * part,
                    y: area.center().y,
                })
            }
            ActionKind::Back => Action::Key(Key::Back),
            ActionKind::Menu => Action::Key(Key::Menu),
            ActionKind::Rotate if screen.rotation() == Rotation::Natural => {
                Action::Rotate(Rotation::Left)
            }
            ActionKind::Rotate => Action::Rotate(Rotation::Natural),
            ActionKind::System(event) => Action::System(
                SYSTEM_EVENTS
                    .get(usize::from(event))
                    .cloned()
                    .unwrap_or(SystemEvent::LowMemory),
            ),
        }
    }
}

/// Kind of an action that was done to a node of the screen `before`. `None` for actions that are no candidates of any screen:
/// other keys, pinches, waits.
pub fn action_kind_of(action: &Action, node: Option<usize>, before: &Screen) -> Option<ActionKind> {
    let is_editable = |node: usize| {
        before
            .nodes()
            .get(node)
            .is_some_and(|node| node.is(NodeFlags::EDITABLE))
    };
    Some(match action {
        Action::Tap(_) => match node {
            Some(node) if is_editable(node) => ActionKind::Focus,
            Some(_) => ActionKind::Tap,
            None => ActionKind::TapAnywhere,
        },
        Action::LongPress(_) => node.map(|_| ActionKind::LongPress)?,
        Action::Text { .. } => node.map(|_| ActionKind::Type)?,
        Action::Swipe { from, to, .. } => {
            node?;
            let across = to.x - from.x;
            let down = to.y - from.y;
            if across.abs() > down.abs() {
                ActionKind::ScrollHorizontally { back: across > 0 }
            } else {
                ActionKind::ScrollVertically { back: down > 0 }
            }
        }
        Action::Key(Key::Back) => ActionKind::Back,
        Action::Key(Key::Menu) => ActionKind::Menu,
        Action::Rotate(_) => ActionKind::Rotate,
        Action::System(system) => {
            let index = SYSTEM_EVENTS.iter().position(|known| known == system)?;
            ActionKind::System(u8::try_from(index).ok()?)
        }
        Action::Key(_) | Action::Pinch { .. } | Action::Launch | Action::Wait { .. } => {
            return None;
        }
    })
}

impl ActionKind {
    /// True for system events that a phone supports, and for everything else.
    pub fn is_supported_by(self, supported: SystemEventKinds) -> bool {
        match self {
            ActionKind::System(event) => SYSTEM_EVENTS
                .get(usize::from(event))
                .is_some_and(|event| supported.contains(event.kind())),
            _ => true,
        }
    }

    /// Weight in a draw among all candidate actions of a screen. Retap's own figures.
    pub fn weight(self) -> u32 {
        match self {
            ActionKind::Tap | ActionKind::Type | ActionKind::TapAnywhere => 24,
            ActionKind::LongPress => 8,
            ActionKind::ScrollVertically { .. } | ActionKind::ScrollHorizontally { .. } => 6,
            ActionKind::Back => 4,
            ActionKind::Focus | ActionKind::Menu => 2,
            ActionKind::Rotate | ActionKind::System(_) => 1,
        }
    }

    /// Number of the kind in hashes and in states.
    pub fn code(self) -> u64 {
        match self {
            ActionKind::Tap => 1,
            ActionKind::LongPress => 2,
            ActionKind::Type => 3,
            ActionKind::Focus => 4,
            ActionKind::ScrollVertically { back } => 5 + u64::from(back),
            ActionKind::ScrollHorizontally { back } => 7 + u64::from(back),
            ActionKind::TapAnywhere => 9,
            ActionKind::Back => 10,
            ActionKind::Menu => 11,
            ActionKind::Rotate => 12,
            ActionKind::System(event) => 13 + u64::from(event),
        }
    }
}

/// Fills `candidates` with everything that can be done on a screen. Never empty: the Back key always works.
pub fn list_candidate_actions(screen: &Screen, candidates: &mut Vec<CandidateAction>) {
    candidates.clear();
    let display = display(screen);
    let area = above_keyboards(screen, display);
    if let Some((_, first, nodes)) = touchable_window(screen) {
        let mut position = TreePosition::default();
        for (index, node) in (first..).zip(nodes) {
            let position = position.next(node.depth);
            let area = intersection(node.bounds, area);
            if node.is(NodeFlags::VISIBLE | NodeFlags::ENABLED) && !area.is_empty() {
                add_node_actions(node, index, area, position, candidates);
            }
        }
    }
    if candidates.is_empty() && !area.is_empty() {
        candidates.push(candidate_action(ActionKind::TapAnywhere, None, area, 0));
    }
    for kind in [ActionKind::Back, ActionKind::Menu, ActionKind::Rotate] {
        candidates.push(candidate_action(kind, None, display, 0));
    }
}

fn add_node_actions(
    node: &Node,
    index: usize,
    area: Rect,
    position: u64,
    candidates: &mut Vec<CandidateAction>,
) {
    let mut add = |kind| candidates.push(candidate_action(kind, Some(index), area, position));
    if node.is(NodeFlags::EDITABLE) {
        add(ActionKind::Type);
        add(ActionKind::Focus);
    } else if node.is(NodeFlags::CLICKABLE) || node.is(NodeFlags::CHECKABLE) {
        add(ActionKind::Tap);
    }
    if node.is(NodeFlags::LONG_CLICKABLE) {
        add(ActionKind::LongPress);
    }
    if node.is(NodeFlags::SCROLLABLE) {
        for back in [false, true] {
            add(if scrolls_horizontally(node) {
                ActionKind::ScrollHorizontally { back }
            } else {
                ActionKind::ScrollVertically { back }
            });
        }
    }
}

/// Candidate action at a hashed position in the tree; 0 for actions that need no node.
pub fn candidate_action(
    kind: ActionKind,
    node: Option<usize>,
    area: Rect,
    position: u64,
) -> CandidateAction {
    CandidateAction {
        kind,
        node,
        area,
        key: mixed(position, kind.code()),
    }
}

/// Guesses the direction from class and shape: the tree does not contain it.
fn scrolls_horizontally(node: &Node) -> bool {
    let class = node.class.rsplit('.').next().unwrap_or_default();
    let is_named_so = ["Horizontal", "Pager", "Gallery", "SeekBar", "Slider"]
        .iter()
        .any(|name| class.contains(name));
    is_named_so || node.bounds.height().saturating_mul(3) < node.bounds.width()
}

/// Topmost window of an app, dialog or popup with the index of its first node and its nodes. Windows below it get no touches.
pub fn touchable_window(screen: &Screen) -> Option<(&Window, usize, &[Node])> {
    let is_touchable = |kind| {
        matches!(
            kind,
            WindowKind::Application | WindowKind::Dialog | WindowKind::Popup
        )
    };
    screen
        .windows_with_nodes()
        .filter(|(window, _, nodes)| is_touchable(window.kind) && !nodes.is_empty())
        .last()
}

/// Number of a node in the touchable window, counted from the window's first node.
pub fn touchable_widget(screen: &Screen, node: Option<usize>) -> Option<u32> {
    let first = touchable_window(screen).map_or(0, |(_, first, _)| first);
    u32::try_from(node?.checked_sub(first)?).ok()
}

/// Part of the display above all keyboards. Keys are never touched, and what lies under them cannot be.
fn above_keyboards(screen: &Screen, display: Rect) -> Rect {
    let keyboards = screen
        .windows()
        .iter()
        .filter(|window| window.kind == WindowKind::Keyboard);
    let bottom = keyboards
        .map(|window| window.bounds.top)
        .fold(display.bottom, i32::min);
    Rect { bottom, ..display }
}

fn display(screen: &Screen) -> Rect {
    let side = |length: u32| i32::try_from(length).unwrap_or(i32::MAX);
    Rect {
        left: 0,
        top: 0,
        right: side(screen.size().width),
        bottom: side(screen.size().height),
    }
}

fn intersection(one: Rect, other: Rect) -> Rect {
    Rect {
        left: one.left.max(other.left),
        top: one.top.max(other.top),
        right: one.right.min(other.right),
        bottom: one.bottom.min(other.bottom),
    }
}

/// Draws a point of an area.
pub fn random_point_in(area: Rect, rng: &mut impl Rng) -> Point {
    Point {
        x: rng.random_range(area.left..area.right.max(area.left + 1)),
        y: rng.random_range(area.top..area.bottom.max(area.top + 1)),
    }
}

/// Swipe through an area. The finger moves against the direction in which the content is read.
fn scroll(area: Rect, back: bool, point: impl Fn(Rect, i32) -> Point) -> Action {
    let (from, to) = if back {
        (1, SWIPE_PARTS - 1)
    } else {
        (SWIPE_PARTS - 1, 1)
    };
    Action::Swipe {
        from: point(area, from),
        to: point(area, to),
        millis: SWIPE_MILLIS,
    }
}

/// Position in the tree: the child numbers from the root, mixed into one hash.
#[derive(Default)]
struct TreePosition {
    /// Position and number of children so far of every node from the root to the last one.
    ancestors: Vec<(u64, u64)>,
}

impl TreePosition {
    /// Position of the next node, in the order of the tree.
    fn next(&mut self, depth: u16) -> u64 {
        self.ancestors.truncate(usize::from(depth));
        let position = match self.ancestors.last_mut() {
            Some((parent, children)) => {
                *children += 1;
                mixed(*parent, *children)
            }
            None => 1,
        };
        self.ancestors.push((position, 0));
        position
    }
}
