//! A screen drawn from its UI tree: windows from the bottom up, their nodes in the order of the tree.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use retap_shared::bytes::Png;
use retap_shared::screen::{Node, NodeFlags, Screen, WindowFlags, WindowKind};

use super::canvas::{CanvasArea, DrawingCanvas};
use super::keyboard;
use super::widget::{self, NodeSurroundings, WidgetLook, rect};

/// Maximum number of parts drawn on one screen; more would only make the page larger.
const MOST_PARTS: usize = 400;

/// Distance of letters from the left edge of their window.
const MARGIN: i64 = 10;

#[derive(Debug)]
pub(crate) struct ScreenDrawing {
    pub(crate) picture: Markup,
    /// Number of parts that were not drawn.
    pub(crate) left_out: usize,
}

/// Draws a screen. `over` is drawn on top; `spoken` is the text for screen readers.
pub(crate) fn draw(
    screen: &Screen,
    canvas: &DrawingCanvas,
    spoken: &str,
    over: &Markup,
) -> ScreenDrawing {
    let mut parts = DrawnParts {
        drawn: 0,
        left_out: 0,
    };
    let picture = html! {
        svg.phone role="img" aria-label=(spoken) viewBox={ "0 0 " (canvas.width) " " (canvas.height) } {
            @for window in visible_windows(screen, canvas) { (parts.window(&window, canvas)) }
            (over)
        }
    };
    ScreenDrawing {
        picture,
        left_out: parts.left_out,
    }
}

/// Shows a screenshot, which is embedded in the page: one file can be sent around.
pub(crate) fn photograph(
    picture: &Png,
    canvas: &DrawingCanvas,
    spoken: &str,
    over: &Markup,
) -> Markup {
    let source = format!("data:image/png;base64,{}", STANDARD.encode(&picture.0));
    html! {
        svg.phone role="img" aria-label=(spoken) viewBox={ "0 0 " (canvas.width) " " (canvas.height) } {
            image href=(source) width=(canvas.width) height=(canvas.height) preserveAspectRatio="none" {}
            (over)
        }
    }
}

struct VisibleWindow<'a> {
    kind: WindowKind,
    flags: WindowFlags,
    area: CanvasArea,
    nodes: &'a [Node],
}

/// Windows that are not hidden by one that fills the screen.
fn visible_windows<'a>(screen: &'a Screen, canvas: &DrawingCanvas) -> Vec<VisibleWindow<'a>> {
    let shown = screen
        .windows_with_nodes()
        .filter_map(|(window, _, nodes)| {
            let area = canvas.area(window.bounds)?;
            Some(VisibleWindow {
                kind: window.kind,
                flags: window.flags,
                area,
                nodes,
            })
        });
    let mut windows: Vec<VisibleWindow<'a>> = shown.collect();
    let fills = |window: &VisibleWindow<'a>| {
        window.kind == WindowKind::Application && window.area.covers(&canvas.whole())
    };
    if let Some(lowest) = windows.iter().rposition(fills) {
        windows.drain(..lowest);
    }
    windows
}

struct DrawnParts {
    drawn: usize,
    left_out: usize,
}

impl DrawnParts {
    fn window(&mut self, window: &VisibleWindow<'_>, canvas: &DrawingCanvas) -> Markup {
        html! {
            @match window.kind {
                WindowKind::Application => (rect("app", window.area)),
                WindowKind::Dialog => { (rect("dim", canvas.whole())) (rect("dialog", window.area)) }
                WindowKind::Popup => (rect("dialog", window.area)),
                WindowKind::Keyboard => (rect("keyboard", window.area)),
                WindowKind::System => (rect("system", window.area)),
            }
            @if window.kind == WindowKind::Keyboard { (keyboard::keys(window.nodes, window.area, canvas)) }
            @else { (self.nodes(window, canvas)) }
            @if window.flags.contains(WindowFlags::SECURE) { (rect("secure", window.area.inset(2))) }
        }
    }

    fn nodes(&mut self, window: &VisibleWindow<'_>, canvas: &DrawingCanvas) -> Markup {
        html! {
            @for (node, place) in window.nodes.iter().zip(places(window.nodes)) {
                @if let Some(part) = self.node(node, place, window.area, canvas) { (part) }
            }
        }
    }

    fn node(
        &mut self,
        node: &Node,
        place: NodeSurroundings,
        window: CanvasArea,
        canvas: &DrawingCanvas,
    ) -> Option<Markup> {
        if !node.is(NodeFlags::VISIBLE) {
            return None;
        }
        let area = canvas.area(node.bounds)?;
        let look = widget::look(node, place)?;
        if self.drawn == MOST_PARTS {
            self.left_out += 1;
            return None;
        }
        self.drawn += 1;
        let at_edge = look.is_bare() && area.x < window.x + MARGIN;
        let area = if at_edge {
            area.indented(window.x + MARGIN - area.x)
        } else {
            area
        };
        Some(widget::draw(look, node, area, place))
    }
}

fn places(nodes: &[Node]) -> Vec<NodeSurroundings> {
    let mut places: Vec<NodeSurroundings> = Vec::with_capacity(nodes.len());
    let mut bar: Option<u16> = None;
    for (number, node) in nodes.iter().enumerate() {
        let leaf = nodes
            .get(number + 1)
            .is_none_or(|next| next.depth <= node.depth);
        let in_bar = bar.is_some_and(|bar| node.depth > bar);
        let place = NodeSurroundings {
            leaf,
            in_bar,
            in_tabs: false,
        };
        if !in_bar {
            bar = (widget::look(node, place) == Some(WidgetLook::Bar)).then_some(node.depth);
        }
        places.push(place);
    }
    mark_tabs(nodes, &mut places);
    places
}

/// Returns whether the node is a tab: one of several clickable neighbours of which one is selected, whatever its class.
fn mark_tabs(nodes: &[Node], places: &mut [NodeSurroundings]) {
    let beside = |one: &Node, next: &Node| {
        (one.depth, &one.class, one.bounds.top, one.bounds.bottom)
            == (next.depth, &next.class, next.bounds.top, next.bounds.bottom)
    };
    let mut first = 0;
    for group in nodes.chunk_by(beside) {
        let tabs = group.iter().any(|node| node.is(NodeFlags::SELECTED))
            && group.iter().all(|node| node.is(NodeFlags::CLICKABLE));
        places[first..first + group.len()]
            .iter_mut()
            .for_each(|place| place.in_tabs = tabs);
        first += group.len();
    }
}
