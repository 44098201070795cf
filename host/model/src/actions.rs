//! Everything that can be done on a screen by a person who looks at it.

use rand::{Rng, RngExt};
use retap_shared::Text;
use retap_shared::action::{Action, Key, System, SystemKinds};
use retap_shared::screen::{Node, NodeFlags, Point, Rect, Rotation, Screen, Window, WindowKind};

use super::texts;
use crate::mixed;

const SWIPE_MILLIS: u32 = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Possible {
    pub what: What,
    pub node: Option<usize>,
    /// What of the node can be touched.
    pub area: Rect,
    /// Tells it from everything else on the screen: the place in the tree, not in pixels, and what is done there.
    pub key: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
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
pub const SYSTEM: [System; 12] = [
    System::Call,
    System::Offline,
    System::Online,
    System::LowMemory,
    System::Locale(Text::new_static("ar")),
    System::Locale(Text::new_static("de")),
    System::Message,
    System::Broadcast(Text::new_static("android.intent.action.MEDIA_BUTTON")),
    System::TimeZone(Text::new_static("Asia/Kathmandu")),
    System::TimeZone(Text::new_static("Pacific/Kiritimati")),
    System::Doze,
    System::Wake,
];

impl Possible {
    /// The event that does it. A text is drawn by how well it fits.
    pub fn action(&self, screen: &Screen, rng: &mut impl Rng) -> Action {
        let at = self.area.center();
        match self.what {
            What::Tap | What::Focus => Action::Tap(at),
            What::LongPress => Action::LongPress(at),
            What::TapAnywhere => Action::Tap(somewhere(self.area, rng)),
            What::Type => {
                let field = self.node.map(|node| &screen.nodes()[node]);
                Action::Text {
                    at,
                    text: texts::drawn(field, rng),
                }
            }
            What::ScrollVertically { back } => scroll(self.area, back, |area, part| Point {
                x: area.center().x,
                y: area.top + area.height() / 4 * part,
            }),
            What::ScrollHorizontally { back } => scroll(self.area, back, |area, part| Point {
                x: area.left + area.width() / 4 * part,
                y: area.center().y,
            }),
            What::Back => Action::Key(Key::Back),
            What::Menu => Action::Key(Key::Menu),
            What::Rotate if screen.rotation() == Rotation::Natural => {
                Action::Rotate(Rotation::Left)
            }
            What::Rotate => Action::Rotate(Rotation::Natural),
            What::System(event) => Action::System(
                SYSTEM
                    .get(usize::from(event))
                    .cloned()
                    .unwrap_or(System::LowMemory),
            ),
        }
    }
}

/// What a step was a case of. Nothing for what no screen lists: other keys, pinches, waits.
pub fn recognised(action: &Action, node: Option<usize>, before: &Screen) -> Option<What> {
    let editable = |node: usize| {
        before
            .nodes()
            .get(node)
            .is_some_and(|node| node.is(NodeFlags::EDITABLE))
    };
    Some(match action {
        Action::Tap(_) => match node {
            Some(node) if editable(node) => What::Focus,
            Some(_) => What::Tap,
            None => What::TapAnywhere,
        },
        Action::LongPress(_) => node.map(|_| What::LongPress)?,
        Action::Text { .. } => node.map(|_| What::Type)?,
        Action::Swipe { from, to, .. } => {
            node?;
            let across = to.x - from.x;
            let down = to.y - from.y;
            if across.abs() > down.abs() {
                What::ScrollHorizontally { back: across > 0 }
            } else {
                What::ScrollVertically { back: down > 0 }
            }
        }
        Action::Key(Key::Back) => What::Back,
        Action::Key(Key::Menu) => What::Menu,
        Action::Rotate(_) => What::Rotate,
        Action::System(system) => {
            let place = SYSTEM.iter().position(|known| known == system)?;
            What::System(u8::try_from(place).ok()?)
        }
        Action::Key(_) | Action::Pinch { .. } | Action::Launch | Action::Wait { .. } => {
            return None;
        }
    })
}

impl What {
    /// Whether such a phone can do it.
    pub fn is_within(self, can: SystemKinds) -> bool {
        match self {
            What::System(event) => SYSTEM
                .get(usize::from(event))
                .is_some_and(|event| can.contains(event.kind())),
            _ => true,
        }
    }

    pub fn weight(self) -> u32 {
        match self {
            What::Tap | What::Type | What::TapAnywhere => 24,
            What::LongPress => 8,
            What::ScrollVertically { .. } | What::ScrollHorizontally { .. } => 6,
            What::Back => 4,
            What::Focus | What::Menu => 2,
            What::Rotate | What::System(_) => 1,
        }
    }

    pub fn number(self) -> u64 {
        match self {
            What::Tap => 1,
            What::LongPress => 2,
            What::Type => 3,
            What::Focus => 4,
            What::ScrollVertically { back } => 5 + u64::from(back),
            What::ScrollHorizontally { back } => 7 + u64::from(back),
            What::TapAnywhere => 9,
            What::Back => 10,
            What::Menu => 11,
            What::Rotate => 12,
            What::System(event) => 13 + u64::from(event),
        }
    }
}

/// Never empty: one can always go back.
pub fn list(screen: &Screen, into: &mut Vec<Possible>) {
    into.clear();
    let display = display(screen);
    let area = above_keyboards(screen, display);
    if let Some((_, first, nodes)) = touchable_window(screen) {
        let mut path = Path::default();
        for (number, node) in (first..).zip(nodes) {
            let place = path.to(node.depth);
            let area = intersection(node.bounds, area);
            if node.is(NodeFlags::VISIBLE | NodeFlags::ENABLED) && !area.is_empty() {
                on_node(node, number, area, place, into);
            }
        }
    }
    if into.is_empty() && !area.is_empty() {
        into.push(possible(What::TapAnywhere, None, area, 0));
    }
    for what in [What::Back, What::Menu, What::Rotate] {
        into.push(possible(what, None, display, 0));
    }
}

fn on_node(node: &Node, number: usize, area: Rect, place: u64, into: &mut Vec<Possible>) {
    let mut add = |what| into.push(possible(what, Some(number), area, place));
    if node.is(NodeFlags::EDITABLE) {
        add(What::Type);
        add(What::Focus);
    } else if node.is(NodeFlags::CLICKABLE) || node.is(NodeFlags::CHECKABLE) {
        add(What::Tap);
    }
    if node.is(NodeFlags::LONG_CLICKABLE) {
        add(What::LongPress);
    }
    if node.is(NodeFlags::SCROLLABLE) {
        for back in [false, true] {
            let sideways = goes_sideways(node);
            add(if sideways {
                What::ScrollHorizontally { back }
            } else {
                What::ScrollVertically { back }
            });
        }
    }
}

pub fn possible(what: What, node: Option<usize>, area: Rect, place: u64) -> Possible {
    Possible {
        what,
        node,
        area,
        key: mixed(place, what.number()),
    }
}

/// The tree does not tell; class and shape do.
fn goes_sideways(node: &Node) -> bool {
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

pub fn somewhere(area: Rect, rng: &mut impl Rng) -> Point {
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
struct Path {
    /// For every depth above the current node: the place, and how many children it has had.
    above: Vec<(u64, u64)>,
}

impl Path {
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
