//! Everything that can be done on a screen by a person who looks at it.

use rand::{Rng, RngExt};
use retap_shared::Text;
use retap_shared::action::{Action, Key, SystemEvent, SystemEventKinds};
use retap_shared::geometry::{Point, Rect, Rotation};
use retap_shared::screen::{Node, NodeFlags, Screen, Window, WindowKind};

use super::input_texts;
use crate::mixed;

const SWIPE_MILLIS: u32 = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateAction {
    pub kind: ActionKind,
    pub node: Option<usize>,
    /// What of the node can be touched.
    pub area: Rect,
    /// Tells it from everything else on the screen: the place in the tree, not in pixels, and what is done there.
    pub key: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActionKind {
    Tap,
    LongPress,
    Type,
    /// A tap into a field, for the keyboard's sake.
    Focus,
    ScrollVertically {
        back: bool,
    },
    ScrollHorizontally {
        back: bool,
    },
    /// For screens that show nothing one could aim at.
    TapAnywhere,
    Back,
    Menu,
    Rotate,
    /// Something that the system does, by its place among all that it can do.
    System(u8),
}

/// All that can come upon an app, by a number that stays: new events come last.
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
    /// The event that does it. A text is drawn by how well it fits.
    pub fn to_action(&self, screen: &Screen, rng: &mut impl Rng) -> Action {
        let at = self.area.center();
        match self.kind {
            ActionKind::Tap | ActionKind::Focus => Action::Tap(at),
            ActionKind::LongPress => Action::LongPress(at),
            ActionKind::TapAnywhere => Action::Tap(random_point_in(self.area, rng)),
            ActionKind::Type => {
                let field = self.node.map(|node| &screen.nodes()[node]);
                Action::Text {
                    at,
                    text: input_texts::draw_text(field, rng),
                }
            }
            ActionKind::ScrollVertically { back } => scroll(self.area, back, |area, part| Point {
                x: area.center().x,
                y: area.top + area.height() / 4 * part,
            }),
            ActionKind::ScrollHorizontally { back } => {
                scroll(self.area, back, |area, part| Point {
                    x: area.left + area.width() / 4 * part,
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

/// What a step was a case of. Nothing for what no screen lists: other keys, pinches, waits.
pub fn action_kind_of(action: &Action, node: Option<usize>, before: &Screen) -> Option<ActionKind> {
    let editable = |node: usize| {
        before
            .nodes()
            .get(node)
            .is_some_and(|node| node.is(NodeFlags::EDITABLE))
    };
    Some(match action {
        Action::Tap(_) => match node {
            Some(node) if editable(node) => ActionKind::Focus,
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
            let place = SYSTEM_EVENTS.iter().position(|known| known == system)?;
            ActionKind::System(u8::try_from(place).ok()?)
        }
        Action::Key(_) | Action::Pinch { .. } | Action::Launch | Action::Wait { .. } => {
            return None;
        }
    })
}

impl ActionKind {
    /// Whether such a phone can do it.
    pub fn is_supported_by(self, can: SystemEventKinds) -> bool {
        match self {
            ActionKind::System(event) => SYSTEM_EVENTS
                .get(usize::from(event))
                .is_some_and(|event| can.contains(event.kind())),
            _ => true,
        }
    }

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

/// Never empty: one can always go back.
pub fn list_candidate_actions(screen: &Screen, into: &mut Vec<CandidateAction>) {
    into.clear();
    let display = display(screen);
    let area = above_keyboards(screen, display);
    if let Some((_, first, nodes)) = touchable_window(screen) {
        let mut path = TreePosition::default();
        for (number, node) in (first..).zip(nodes) {
            let place = path.to(node.depth);
            let area = intersection(node.bounds, area);
            if node.is(NodeFlags::VISIBLE | NodeFlags::ENABLED) && !area.is_empty() {
                add_node_actions(node, number, area, place, into);
            }
        }
    }
    if into.is_empty() && !area.is_empty() {
        into.push(candidate_action(ActionKind::TapAnywhere, None, area, 0));
    }
    for what in [ActionKind::Back, ActionKind::Menu, ActionKind::Rotate] {
        into.push(candidate_action(what, None, display, 0));
    }
}

fn add_node_actions(
    node: &Node,
    number: usize,
    area: Rect,
    place: u64,
    into: &mut Vec<CandidateAction>,
) {
    let mut add = |what| into.push(candidate_action(what, Some(number), area, place));
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
            let sideways = scrolls_horizontally(node);
            add(if sideways {
                ActionKind::ScrollHorizontally { back }
            } else {
                ActionKind::ScrollVertically { back }
            });
        }
    }
}

pub fn candidate_action(
    what: ActionKind,
    node: Option<usize>,
    area: Rect,
    place: u64,
) -> CandidateAction {
    CandidateAction {
        kind: what,
        node,
        area,
        key: mixed(place, what.code()),
    }
}

/// The tree does not tell; class and shape do.
fn scrolls_horizontally(node: &Node) -> bool {
    let class = node.class.rsplit('.').next().unwrap_or_default();
    let named = ["Horizontal", "Pager", "Gallery", "SeekBar", "Slider"]
        .iter()
        .any(|name| class.contains(name));
    named || node.bounds.height().saturating_mul(3) < node.bounds.width()
}

/// The topmost one that an app or a dialog has put there: what is below it gets no touches.
pub fn touchable_window(screen: &Screen) -> Option<(&Window, usize, &[Node])> {
    let touchable = |kind| {
        matches!(
            kind,
            WindowKind::Application | WindowKind::Dialog | WindowKind::Popup
        )
    };
    screen
        .windows_with_nodes()
        .filter(|(window, _, nodes)| touchable(window.kind) && !nodes.is_empty())
        .last()
}

/// The keyboard's own keys are never touched, and what lies under it cannot be.
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

pub fn random_point_in(area: Rect, rng: &mut impl Rng) -> Point {
    Point {
        x: rng.random_range(area.left..area.right.max(area.left + 1)),
        y: rng.random_range(area.top..area.bottom.max(area.top + 1)),
    }
}

/// The finger goes against the direction in which the content is read.
fn scroll(area: Rect, back: bool, place: impl Fn(Rect, i32) -> Point) -> Action {
    let (from, to) = if back { (1, 3) } else { (3, 1) };
    Action::Swipe {
        from: place(area, from),
        to: place(area, to),
        millis: SWIPE_MILLIS,
    }
}

/// Child numbers from the root, mixed into one.
#[derive(Default)]
struct TreePosition {
    /// For every depth above the current node: the place, and how many children it has had.
    above: Vec<(u64, u64)>,
}

impl TreePosition {
    fn to(&mut self, depth: u16) -> u64 {
        self.above.truncate(usize::from(depth));
        let place = match self.above.last_mut() {
            Some((parent, children)) => {
                *children += 1;
                mixed(*parent, *children)
            }
            None => 1,
        };
        self.above.push((place, 0));
        place
    }
}
