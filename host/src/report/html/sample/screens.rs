//! Made-up screens of a notes app, and steps on them.

use retap_shared::action::Action;
use retap_shared::geometry::{Point, Rect, Size};
use retap_shared::screen::{
    Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window, WindowFlags, WindowKind,
};
use retap_shared::trace::Step;
use retap_shared::widget::Widget;

pub(crate) const UPRIGHT: Size = Size {
    width: 1080,
    height: 2280,
};

/// Builds a screen window by window, node by node.
#[derive(Debug)]
pub(crate) struct ScreenBuilder(pub(crate) ScreenContent);

impl ScreenBuilder {
    pub(crate) fn new(activity: &str, size: Size) -> ScreenBuilder {
        let activity = format!("com.example.notes/.{activity}").into();
        ScreenBuilder(ScreenContent {
            size,
            activity,
            ..ScreenContent::default()
        })
    }

    pub(crate) fn window(mut self, kind: WindowKind, bounds: [i32; 4]) -> ScreenBuilder {
        let bounds = rect(bounds);
        let flags = WindowFlags::FOCUSED;
        self.0.windows.push(Window {
            kind,
            bounds,
            flags,
            ..Window::default()
        });
        self
    }

    pub(crate) fn node(
        mut self,
        depth: u16,
        class: &str,
        text: &str,
        bounds: [i32; 4],
        flags: NodeFlags,
    ) -> ScreenBuilder {
        let class = if class.contains('.') {
            class.into()
        } else {
            format!("android.widget.{class}").into()
        };
        let flags = flags | NodeFlags::VISIBLE | NodeFlags::ENABLED;
        let text = text.into();
        let bounds = rect(bounds);
        self.0.nodes.push(Node {
            depth,
            class,
            text,
            bounds,
            flags,
            ..Node::default()
        });
        if let Some(window) = self.0.windows.last_mut() {
            window.nodes += 1;
        }
        self
    }

    pub(crate) fn described(mut self, description: &str) -> ScreenBuilder {
        if let Some(node) = self.0.nodes.last_mut() {
            node.description = description.into();
        }
        self
    }

    pub(crate) fn build(self) -> SharedScreen {
        Screen::new(self.0).expect("the sample is a tree").into()
    }
}

fn rect([left, top, right, bottom]: [i32; 4]) -> Rect {
    Rect {
        left,
        top,
        right,
        bottom,
    }
}

const NONE: NodeFlags = NodeFlags::empty();
const TAPPED: NodeFlags = NodeFlags::CLICKABLE;

/// A list of notes with a search field, tabs and a button to add one.
pub(crate) fn list(notes: &[&str]) -> SharedScreen {
    (0..)
        .zip(notes)
        .fold(empty_list(), |screen, (row, note)| {
            list_row(screen, 500 + row * 200, note)
        })
        .node(1, "ImageButton", "", [880, 2050, 1040, 2210], TAPPED)
        .described("New note")
        .build()
}

fn empty_list() -> ScreenBuilder {
    ScreenBuilder::new("NotesActivity", UPRIGHT)
        .window(WindowKind::Application, [0, 0, 1080, 2280])
        .node(0, "FrameLayout", "", [0, 0, 1080, 2280], NONE)
        .node(1, "android.widget.Toolbar", "", [0, 0, 1080, 190], NONE)
        .node(2, "TextView", "Notes", [48, 60, 500, 130], NONE)
        .node(2, "ImageButton", "", [930, 35, 1050, 155], TAPPED)
        .described("More options")
        .node(
            1,
            "com.example.TabLayout$TabView",
            "All",
            [0, 190, 540, 320],
            TAPPED | NodeFlags::SELECTED,
        )
        .node(
            1,
            "com.example.TabLayout$TabView",
            "Pinned",
            [540, 190, 1080, 320],
            TAPPED,
        )
        .node(
            1,
            "EditText",
            "",
            [40, 350, 1040, 470],
            NodeFlags::EDITABLE | TAPPED,
        )
        .described("Search notes")
        .node(
            1,
            "androidx.recyclerview.widget.RecyclerView",
            "",
            [0, 500, 1080, 2100],
            NodeFlags::SCROLLABLE,
        )
}

fn list_row(screen: ScreenBuilder, top: i32, note: &str) -> ScreenBuilder {
    screen
        .node(
            2,
            "LinearLayout",
            "",
            [0, top, 1080, top + 200],
            TAPPED | NodeFlags::LONG_CLICKABLE,
        )
        .node(
            3,
            "CheckBox",
            "",
            [40, top + 50, 140, top + 150],
            TAPPED | NodeFlags::CHECKABLE,
        )
        .node(3, "TextView", note, [170, top + 30, 1020, top + 100], NONE)
        .node(
            3,
            "TextView",
            "Changed today",
            [170, top + 110, 1020, top + 170],
            NONE,
        )
}

/// An editor with fields, a switch and, upright, a keyboard.
pub(crate) fn editor(title: &str, size: Size) -> SharedScreen {
    let right = size.width as i32;
    let bottom = size.height as i32;
    let editor = ScreenBuilder::new("EditorActivity", size)
        .window(WindowKind::Application, [0, 0, right, bottom])
        .node(0, "FrameLayout", "", [0, 0, right, bottom], NONE)
        .node(1, "android.widget.Toolbar", "", [0, 0, right, 190], NONE)
        .node(2, "ImageButton", "", [20, 35, 140, 155], TAPPED)
        .described("Navigate up")
        .node(2, "TextView", "Edit note", [170, 60, 600, 130], NONE);
    let editor = editor_fields(editor, title, right);
    if right > bottom {
        return editor.build();
    }
    editor
        .window(WindowKind::Keyboard, [0, bottom * 2 / 3, right, bottom])
        .build()
}

fn editor_fields(screen: ScreenBuilder, title: &str, right: i32) -> ScreenBuilder {
    screen
        .node(
            1,
            "EditText",
            title,
            [40, 240, right - 40, 370],
            NodeFlags::EDITABLE | NodeFlags::FOCUSED,
        )
        .described("Title")
        .node(
            1,
            "Switch",
            "Pinned to the top",
            [40, 420, right - 40, 530],
            NodeFlags::CHECKABLE | NodeFlags::CHECKED,
        )
        .node(
            1,
            "RadioButton",
            "Private",
            [40, 550, right / 2, 650],
            NodeFlags::CHECKABLE | NodeFlags::CHECKED,
        )
        .node(
            1,
            "RadioButton",
            "Shared",
            [right / 2, 550, right - 40, 650],
            NodeFlags::CHECKABLE,
        )
        .node(1, "Button", "Save", [40, 700, right / 2 - 20, 830], TAPPED)
        .node(
            1,
            "Button",
            "Discard",
            [right / 2 + 20, 700, right - 40, 830],
            TAPPED,
        )
}

/// A dialog above the list.
pub(crate) fn question() -> SharedScreen {
    let mut below = ScreenBuilder(
        list(&["Shopping list", "Call the plumber"])
            .content()
            .clone(),
    );
    below = below
        .window(WindowKind::Dialog, [100, 850, 980, 1400])
        .node(0, "FrameLayout", "", [100, 850, 980, 1400], NONE)
        .node(
            1,
            "TextView",
            "Delete this note?",
            [160, 900, 920, 980],
            NONE,
        )
        .node(
            1,
            "TextView",
            "It cannot be brought back once it is gone.",
            [160, 1000, 920, 1160],
            NONE,
        )
        .node(1, "Button", "Cancel", [160, 1220, 530, 1350], TAPPED)
        .node(1, "Button", "Delete", [560, 1220, 920, 1350], TAPPED);
    below.build()
}

/// The screen after a crash.
pub(crate) fn launcher() -> SharedScreen {
    ScreenBuilder::new("Launcher", UPRIGHT)
        .window(WindowKind::Application, [0, 0, 1080, 2280])
        .build()
}

/// A tap on a widget of the screen.
pub(crate) fn tap(screen: &SharedScreen, class: &str, text: &str) -> Step {
    on(screen, class, text, Action::Tap)
}

/// An action on a widget of the screen.
pub(crate) fn on(
    screen: &SharedScreen,
    class: &str,
    text: &str,
    action: impl Fn(Point) -> Action,
) -> Step {
    let wanted = |node: &Node| node.class.ends_with(class) && (node.label() == text);
    let node = screen
        .nodes()
        .iter()
        .position(wanted)
        .expect("the sample has this widget");
    let widget: Option<Widget> = Some(screen.widget(node));
    Step {
        widget,
        ..Step::new(action(screen.nodes()[node].bounds.center()))
    }
}
