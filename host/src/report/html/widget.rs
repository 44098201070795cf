//! Drawings of nodes by class and flags: buttons, fields, check boxes, lists, bars, text.

use maud::{Markup, html};
use retap_shared::screen::{Node, NodeFlags};

use super::canvas::CanvasArea;
use super::label::{TextAlign, label};
use super::{icon, step_text};

/// Maximum height, in pixels of the phone, of a clickable image that is drawn as a button.
const SMALL: i32 = 200;

/// Margin around buttons and fields, so that neighbours stay separate.
const GAP: i64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WidgetLook {
    Button,
    Icon,
    Field,
    Tick(&'static str),
    Tab,
    Bar,
    List,
    Row,
    Image,
    Progress,
    Choice,
    Text,
}

impl WidgetLook {
    /// Returns whether it consists of letters and symbols only, which need a margin at the edge of a window.
    pub(crate) fn is_bare(self) -> bool {
        matches!(self, WidgetLook::Text | WidgetLook::Tick(_))
    }
}

/// Context of a node within its window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeSurroundings {
    /// True if no node inside it shows its text.
    pub(crate) leaf: bool,
    /// True inside a bar, where text is a title.
    pub(crate) in_bar: bool,
    /// True for one of several neighbours of which one is selected.
    pub(crate) in_tabs: bool,
}

pub(crate) fn draw(
    look: WidgetLook,
    node: &Node,
    area: CanvasArea,
    place: NodeSurroundings,
) -> Markup {
    let text = if place.leaf { node.label() } else { &node.text };
    let shape = match look {
        WidgetLook::Button => {
            html! { (rect("button", area.inset(GAP))) (label(text, area.inset(8), TextAlign::Middle, "on-button")) }
        }
        WidgetLook::Icon => pictogram(text, area),
        WidgetLook::Field => field(node, area),
        WidgetLook::Tick(kind) => tick(kind, node, text, area),
        WidgetLook::Tab => tab(node, text, area),
        WidgetLook::Bar => {
            html! { (rect("bar", area)) (label(text, area.inset(14), TextAlign::Left, "title")) }
        }
        WidgetLook::List => thumb(area),
        WidgetLook::Row => {
            html! { (rect("row", area)) (label(text, area.inset(10), TextAlign::Left, "ink")) }
        }
        WidgetLook::Image => html! { (rect("image", area)) (mountains(text, area)) },
        WidgetLook::Progress => progress(text, area),
        WidgetLook::Choice => html! {
            (rect("field", area.inset(GAP))) (label(text, area.inset(12), TextAlign::Left, "ink")) (triangle(area))
        },
        WidgetLook::Text if place.in_bar || node.id.ends_with("itle") => {
            label(text, area.inset(1), TextAlign::Left, "title")
        }
        WidgetLook::Text => label(text, area.inset(1), TextAlign::Left, "ink"),
    };
    if node.is(NodeFlags::ENABLED) {
        shape
    } else {
        html! { g.off { (shape) } }
    }
}

/// Kind of a node; none for nodes that only arrange others.
pub(crate) fn look(node: &Node, place: NodeSurroundings) -> Option<WidgetLook> {
    let class = step_text::class_name(&node.class);
    let named = |names: &[&str]| names.iter().any(|name| class.contains(name));
    let clickable = node.is(NodeFlags::CLICKABLE);
    Some(match () {
        () if node.is(NodeFlags::EDITABLE)
            || named(&["EditText", "AutoComplete", "SearchView"]) =>
        {
            WidgetLook::Field
        }
        () if named(&["Switch", "ToggleButton"]) => WidgetLook::Tick("switch"),
        () if named(&["RadioButton", "CheckedText"]) => WidgetLook::Tick("radio"),
        () if node.is(NodeFlags::CHECKABLE) || named(&["CheckBox"]) => WidgetLook::Tick("box"),
        () if named(&["TabView", "TabItem"]) || class == "Tab" || (place.in_tabs && place.leaf) => {
            WidgetLook::Tab
        }
        () if named(&["ImageButton", "FloatingAction"]) => WidgetLook::Icon,
        () if named(&["Button", "Chip"]) => WidgetLook::Button,
        () if named(&["ImageView"]) && clickable && node.bounds.height() <= SMALL => {
            WidgetLook::Icon
        }
        () if named(&["ImageView", "SurfaceView", "TextureView", "VideoView"]) => WidgetLook::Image,
        () if named(&[
            "Toolbar",
            "ActionBar",
            "AppBar",
            "NavigationBar",
            "BottomNavigation",
        ]) =>
        {
            WidgetLook::Bar
        }
        () if named(&["ProgressBar", "SeekBar", "Slider", "RatingBar"]) => WidgetLook::Progress,
        () if named(&["Spinner"]) => WidgetLook::Choice,
        () if named(&["RecyclerView", "ListView", "GridView", "ScrollView"])
            || node.is(NodeFlags::SCROLLABLE) =>
        {
            WidgetLook::List
        }
        () if clickable => WidgetLook::Row,
        () if place.leaf && !node.label().is_empty() => WidgetLook::Text,
        () => return None,
    })
}

pub(crate) fn rect(class: &str, area: CanvasArea) -> Markup {
    html! { rect.(class) x=(area.x) y=(area.y) width=(area.width) height=(area.height) {} }
}

fn pictogram(text: &str, area: CanvasArea) -> Markup {
    let picture = match icon::named(text) {
        Some(name) => {
            let size = area.width.min(area.height).min(40);
            let (x, y) = area.center();
            icon::at(name, x - size / 2, y - size / 2, size, "on-button")
        }
        None if area.width > 2 * area.height => {
            label(text, area.inset(8), TextAlign::Middle, "on-button")
        }
        None => label(
            &initial(text),
            area.inset(4),
            TextAlign::Middle,
            "on-button",
        ),
    };
    html! { (rect("pictogram", area.inset(GAP))) (picture) }
}

/// Maximum size of a button with a single letter.
fn initial(text: &str) -> String {
    step_text::capitalised(&text.chars().take(1).collect::<String>())
}

fn field(node: &Node, area: CanvasArea) -> Markup {
    let class = if node.is(NodeFlags::FOCUSED) {
        "field focused"
    } else {
        "field"
    };
    let hidden = "•".repeat(node.text.chars().take(24).count());
    let (text, ink) = match node.text.is_empty() {
        true => (node.description.as_str(), "hint"),
        false if node.is(NodeFlags::PASSWORD) => (hidden.as_str(), "ink"),
        false => (node.text.as_str(), "ink"),
    };
    html! { (rect(class, area.inset(GAP))) (label(text, area.inset(12), TextAlign::Left, ink)) }
}

fn tick(kind: &str, node: &Node, text: &str, area: CanvasArea) -> Markup {
    let on = node.is(NodeFlags::CHECKED);
    let size = area.height.min(area.width).min(26);
    let top = area.y + (area.height - size) / 2;
    let broad = if kind == "switch" {
        (size * 7 / 4).min(area.width)
    } else {
        size
    };
    let mark = CanvasArea {
        x: area.x,
        y: top,
        width: broad,
        height: size,
    };
    let knob = mark.x + if on { broad - size / 2 } else { size / 2 };
    let beside = (area.width - broad - 10).max(1);
    let right = CanvasArea {
        x: area.x + area.width - beside,
        width: beside,
        ..area
    };
    html! {
        g.tick.(kind).on[on] {
            (rect("mark", mark))
            @match kind {
                "box" if on => (icon::at("done", mark.x, mark.y, size, "check")),
                "box" => {}
                _ => circle cx=(knob) cy=(top + size / 2) r=(size / 3) {},
            }
        }
        @if area.width > broad + 20 { (label(text, right, TextAlign::Left, "ink")) }
    }
}

fn tab(node: &Node, text: &str, area: CanvasArea) -> Markup {
    let on = node.is(NodeFlags::SELECTED);
    let line = CanvasArea {
        y: area.y + area.height - 4.min(area.height),
        height: 4.min(area.height),
        ..area
    };
    html! {
        (rect("tab", area))
        @if on { (rect("tab-line", line)) }
        (label(text, area.inset(4), TextAlign::Middle, if on { "on-button" } else { "hint" }))
    }
}

/// The scroll bar of a list.
fn thumb(area: CanvasArea) -> Markup {
    let bar = CanvasArea {
        x: area.x + area.width - 6,
        y: area.y + 6,
        width: 3,
        height: area.height / 4,
    };
    html! { @if area.width > 40 && area.height > 60 { (rect("thumb", bar)) } }
}

/// A field: its line at the bottom, its text above.
fn progress(text: &str, area: CanvasArea) -> Markup {
    let line = CanvasArea {
        y: area.y + area.height - 6.min(area.height),
        height: 6.min(area.height),
        ..area
    };
    html! {
        (label(text, area.inset(1), TextAlign::Left, "hint"))
        (rect("track", line))
        (rect("done", CanvasArea { width: (area.width * 2 / 5).max(1), ..line }))
    }
}

fn triangle(area: CanvasArea) -> Markup {
    let x = area.x + area.width - 24;
    let y = area.center().1;
    html! { @if area.width > 60 { path.arrow-down d={ "M" (x) " " (y - 4) "h14l-7 9z" } {} } }
}

/// The symbol of an image, with its description below if there is space.
fn mountains(text: &str, area: CanvasArea) -> Markup {
    let size = area.width.min(area.height / 2).min(56);
    let (x, y) = area.center();
    let below = CanvasArea {
        y,
        height: (area.height / 2 - 4).max(1),
        ..area
    };
    html! {
        @if size > 20 { (icon::at("image", x - size / 2, y - size, size, "faint")) }
        @if below.height > 20 { (label(text, below, TextAlign::Middle, "hint")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(class: &str, flags: NodeFlags) -> Node {
        Node {
            class: class.into(),
            text: "Text".into(),
            flags,
            ..Node::default()
        }
    }

    #[test]
    fn a_node_looks_as_its_class_and_flags_say() {
        let none = NodeFlags::empty();
        for (class, flags, expected) in [
            ("android.widget.Button", none, Some(WidgetLook::Button)),
            ("android.widget.EditText", none, Some(WidgetLook::Field)),
            (
                "com.example.OddField",
                NodeFlags::EDITABLE,
                Some(WidgetLook::Field),
            ),
            (
                "android.widget.CheckBox",
                none,
                Some(WidgetLook::Tick("box")),
            ),
            (
                "android.widget.Switch",
                NodeFlags::CHECKABLE,
                Some(WidgetLook::Tick("switch")),
            ),
            (
                "androidx.recyclerview.widget.RecyclerView",
                none,
                Some(WidgetLook::List),
            ),
            (
                "com.google.android.material.tabs.TabLayout$TabView",
                none,
                Some(WidgetLook::Tab),
            ),
            ("android.widget.TextView", none, Some(WidgetLook::Text)),
            (
                "android.widget.TextView",
                NodeFlags::CLICKABLE,
                Some(WidgetLook::Row),
            ),
        ] {
            assert_eq!(
                look(
                    &node(class, flags),
                    NodeSurroundings {
                        leaf: true,
                        in_bar: false,
                        in_tabs: false
                    }
                ),
                expected,
                "{class}"
            );
        }
        assert_eq!(
            look(
                &node("android.widget.FrameLayout", none),
                NodeSurroundings {
                    leaf: false,
                    in_bar: false,
                    in_tabs: false
                }
            ),
            None
        );
    }

    #[test]
    fn a_password_is_not_written_out() {
        let mut secret = node(
            "android.widget.EditText",
            NodeFlags::PASSWORD | NodeFlags::ENABLED,
        );
        secret.text = "hunter2".into();
        let drawn = field(
            &secret,
            CanvasArea {
                x: 0,
                y: 0,
                width: 300,
                height: 50,
            },
        )
        .into_string();
        assert!(
            drawn.contains("•••••••") && !drawn.contains("hunter2"),
            "{drawn}"
        );
    }
}
