//! Everything that can be done on a screen by a person who looks at it.

use retap_shared::screen::{Node, NodeFlags, Rect, Screen, Window, WindowKind};

use crate::model::mixed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Possible {
    pub(super) what: What,
    pub(super) node: Option<usize>,
    /// What of the node can be touched.
    pub(super) area: Rect,
    /// Tells it from everything else on the screen: the place in the tree, not in pixels, and what is done there.
    pub(super) key: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
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
}

impl What {
    pub(super) fn weight(self) -> u32 {
        match self {
            What::Tap | What::Type | What::TapAnywhere => 24,
            What::LongPress => 8,
            What::ScrollVertically { .. } | What::ScrollHorizontally { .. } => 6,
            What::Back => 4,
            What::Focus | What::Menu => 2,
            What::Rotate => 1,
        }
    }

    fn number(self) -> u64 {
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
        }
    }
}

/// Never empty: one can always go back.
pub(super) fn list(screen: &Screen, into: &mut Vec<Possible>) {
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
            add(if sideways { What::ScrollHorizontally { back } } else { What::ScrollVertically { back } });
        }
    }
}

fn possible(what: What, node: Option<usize>, area: Rect, place: u64) -> Possible {
    Possible { what, node, area, key: mixed(place, what.number()) }
}

/// The tree does not tell; class and shape do.
fn goes_sideways(node: &Node) -> bool {
    let class = node.class.rsplit('.').next().unwrap_or_default();
    let named =
        ["Horizontal", "Pager", "Gallery", "SeekBar", "Slider"].iter().any(|name| class.contains(name));
    named || node.bounds.height().saturating_mul(3) < node.bounds.width()
}

/// The topmost one that an app or a dialog has put there: what is below it gets no touches.
fn touchable_window(screen: &Screen) -> Option<(&Window, usize, &[Node])> {
    let touchable = |kind| matches!(kind, WindowKind::Application | WindowKind::Dialog | WindowKind::Popup);
    screen
        .windows_with_nodes()
        .filter(|(window, _, nodes)| touchable(window.kind) && !nodes.is_empty())
        .last()
}

/// The keyboard's own keys are never touched, and what lies under it cannot be.
fn above_keyboards(screen: &Screen, display: Rect) -> Rect {
    let keyboards = screen.windows().iter().filter(|window| window.kind == WindowKind::Keyboard);
    let bottom = keyboards.map(|window| window.bounds.top).fold(display.bottom, i32::min);
    Rect { bottom, ..display }
}

fn display(screen: &Screen) -> Rect {
    let side = |length: u32| i32::try_from(length).unwrap_or(i32::MAX);
    Rect { left: 0, top: 0, right: side(screen.size().width), bottom: side(screen.size().height) }
}

fn intersection(one: Rect, other: Rect) -> Rect {
    Rect {
        left: one.left.max(other.left),
        top: one.top.max(other.top),
        right: one.right.min(other.right),
        bottom: one.bottom.min(other.bottom),
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
