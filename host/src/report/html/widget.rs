//! How a node looks, by its class and flags: buttons, fields, boxes to tick, lists, bars, plain text.

use maud::{Markup, html};
use retap_shared::screen::{Node, NodeFlags};

use super::canvas::Area;
use super::label::{Align, label};
use super::{icon, words};

/// A picture to tap that is not higher than this, in pixels of the phone, is a button.
const SMALL: i32 = 200;

/// Around buttons and fields, so that neighbours do not grow together.
const GAP: i64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
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

impl Look {
    /// Nothing but letters and signs: they need a margin of their own at the edge of a window.
    pub(crate) fn is_bare(self) -> bool {
        matches!(self, Look::Text | Look::Tick(_))
    }
}

/// What a node's neighbours say about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// No node is inside it that would show its text.
    pub(crate) leaf: bool,
    /// It is inside a bar: its text is a title.
    pub(crate) in_bar: bool,
    /// It is one of several beside each other of which one is selected.
    pub(crate) in_tabs: bool,
}

pub(crate) fn draw(look: Look, node: &Node, area: Area, place: Place) -> Markup {
    let text = if place.leaf { node.label() } else { &node.text };
    let shape = match look {
        Look::Button => {
            html! { (rect("button", area.inset(GAP))) (label(text, area.inset(8), Align::Middle, "on-button")) }
        }
        Look::Icon => pictogram(text, area),
        Look::Field => field(node, area),
        Look::Tick(kind) => tick(kind, node, text, area),
        Look::Tab => tab(node, text, area),
        Look::Bar => {
            html! { (rect("bar", area)) (label(text, area.inset(14), Align::Left, "title")) }
        }
        Look::List => thumb(area),
        Look::Row => {
            html! { (rect("row", area)) (label(text, area.inset(10), Align::Left, "ink")) }
        }
        Look::Image => html! { (rect("image", area)) (mountains(text, area)) },
        Look::Progress => progress(text, area),
        Look::Choice => html! {
            (rect("field", area.inset(GAP))) (label(text, area.inset(12), Align::Left, "ink")) (triangle(area))
        },
        Look::Text if place.in_bar || node.id.ends_with("itle") => {
            label(text, area.inset(1), Align::Left, "title")
        }
        Look::Text => label(text, area.inset(1), Align::Left, "ink"),
    };
    if node.is(NodeFlags::ENABLED) {
        shape
    } else {
        html! { g.off { (shape) } }
    }
}

/// `None` for what only arranges other nodes.
pub(crate) fn look(node: &Node, place: Place) -> Option<Look> {
    let class = words::class_name(&node.class);
    let named = |names: &[&str]| names.iter().any(|name| class.contains(name));
    let clickable = node.is(NodeFlags::CLICKABLE);
    Some(match () {
        () if node.is(NodeFlags::EDITABLE)
            || named(&["EditText", "AutoComplete", "SearchView"]) =>
        {
            Look::Field
        }
        () if named(&["Switch", "ToggleButton"]) => Look::Tick("switch"),
        () if named(&["RadioButton", "CheckedText"]) => Look::Tick("radio"),
        () if node.is(NodeFlags::CHECKABLE) || named(&["CheckBox"]) => Look::Tick("box"),
        () if named(&["TabView", "TabItem"]) || class == "Tab" || (place.in_tabs && place.leaf) => {
            Look::Tab
        }
        () if named(&["ImageButton", "FloatingAction"]) => Look::Icon,
        () if named(&["Button", "Chip"]) => Look::Button,
        () if named(&["ImageView"]) && clickable && node.bounds.height() <= SMALL => Look::Icon,
        () if named(&["ImageView", "SurfaceView", "TextureView", "VideoView"]) => Look::Image,
        () if named(&[
            "Toolbar",
            "ActionBar",
            "AppBar",
            "NavigationBar",
            "BottomNavigation",
        ]) =>
        {
            Look::Bar
        }
        () if named(&["ProgressBar", "SeekBar", "Slider", "RatingBar"]) => Look::Progress,
        () if named(&["Spinner"]) => Look::Choice,
        () if named(&["RecyclerView", "ListView", "GridView", "ScrollView"])
            || node.is(NodeFlags::SCROLLABLE) =>
        {
            Look::List
        }
        () if clickable => Look::Row,
        () if place.leaf && !node.label().is_empty() => Look::Text,
        () => return None,
    })
}

pub(crate) fn rect(class: &str, area: Area) -> Markup {
    html! { rect.(class) x=(area.x) y=(area.y) width=(area.width) height=(area.height) {} }
}

fn pictogram(text: &str, area: Area) -> Markup {
    let picture = match icon::named(text) {
        Some(name) => {
            let size = area.width.min(area.height).min(40);
            let (x, y) = area.center();
            icon::at(name, x - size / 2, y - size / 2, size, "on-button")
        }
        None if area.width > 2 * area.height => {
            label(text, area.inset(8), Align::Middle, "on-button")
        }
        None => label(&initial(text), area.inset(4), Align::Middle, "on-button"),
    };
    html! { (rect("pictogram", area.inset(GAP))) (picture) }
}

/// A button of this size has room for one letter.
fn initial(text: &str) -> String {
    words::capitalised(&text.chars().take(1).collect::<String>())
}

fn field(node: &Node, area: Area) -> Markup {
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
    html! { (rect(class, area.inset(GAP))) (label(text, area.inset(12), Align::Left, ink)) }
}

fn tick(kind: &str, node: &Node, text: &str, area: Area) -> Markup {
    let on = node.is(NodeFlags::CHECKED);
    let size = area.height.min(area.width).min(26);
    let top = area.y + (area.height - size) / 2;
    let broad = if kind == "switch" {
        (size * 7 / 4).min(area.width)
    } else {
        size
    };
    let mark = Area {
        x: area.x,
        y: top,
        width: broad,
        height: size,
    };
    let knob = mark.x + if on { broad - size / 2 } else { size / 2 };
    let beside = (area.width - broad - 10).max(1);
    let right = Area {
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
        @if area.width > broad + 20 { (label(text, right, Align::Left, "ink")) }
    }
}

fn tab(node: &Node, text: &str, area: Area) -> Markup {
    let on = node.is(NodeFlags::SELECTED);
    let line = Area {
        y: area.y + area.height - 4.min(area.height),
        height: 4.min(area.height),
        ..area
    };
    html! {
        (rect("tab", area))
        @if on { (rect("tab-line", line)) }
        (label(text, area.inset(4), Align::Middle, if on { "on-button" } else { "hint" }))
    }
}

/// The bar at the edge by which one sees that a list scrolls.
fn thumb(area: Area) -> Markup {
    let bar = Area {
        x: area.x + area.width - 6,
        y: area.y + 6,
        width: 3,
        height: area.height / 4,
    };
    html! { @if area.width > 40 && area.height > 60 { (rect("thumb", bar)) } }
}

/// The bar at the bottom, its text above.
fn progress(text: &str, area: Area) -> Markup {
    let line = Area {
        y: area.y + area.height - 6.min(area.height),
        height: 6.min(area.height),
        ..area
    };
    html! {
        (label(text, area.inset(1), Align::Left, "hint"))
        (rect("track", line))
        (rect("done", Area { width: (area.width * 2 / 5).max(1), ..line }))
    }
}

fn triangle(area: Area) -> Markup {
    let x = area.x + area.width - 24;
    let y = area.center().1;
    html! { @if area.width > 60 { path.arrow-down d={ "M" (x) " " (y - 4) "h14l-7 9z" } {} } }
}

/// The sign for a picture, with its description below where there is room.
fn mountains(text: &str, area: Area) -> Markup {
    let size = area.width.min(area.height / 2).min(56);
    let (x, y) = area.center();
    let below = Area {
        y,
        height: (area.height / 2 - 4).max(1),
        ..area
    };
    html! {
        @if size > 20 { (icon::at("image", x - size / 2, y - size, size, "faint")) }
        @if below.height > 20 { (label(text, below, Align::Middle, "hint")) }
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
            ("android.widget.Button", none, Some(Look::Button)),
            ("android.widget.EditText", none, Some(Look::Field)),
            (
                "com.example.OddField",
                NodeFlags::EDITABLE,
                Some(Look::Field),
            ),
            ("android.widget.CheckBox", none, Some(Look::Tick("box"))),
            (
                "android.widget.Switch",
                NodeFlags::CHECKABLE,
                Some(Look::Tick("switch")),
            ),
            (
                "androidx.recyclerview.widget.RecyclerView",
                none,
                Some(Look::List),
            ),
            (
                "com.google.android.material.tabs.TabLayout$TabView",
                none,
                Some(Look::Tab),
            ),
            ("android.widget.TextView", none, Some(Look::Text)),
            (
                "android.widget.TextView",
                NodeFlags::CLICKABLE,
                Some(Look::Row),
            ),
        ] {
            assert_eq!(
                look(
                    &node(class, flags),
                    Place {
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
                Place {
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
            Area {
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
