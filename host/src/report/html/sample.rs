//! A made-up report like that of the simulated apps, for the tests of the page.

use retap_explore::FindingContext;
use retap_shared::action::{Action, Key, Widget};
use retap_shared::micros::Micros;
use retap_shared::protocol::{LocatedBy, PhoneInfo};
use retap_shared::screen::{
    Node, NodeFlags, Point, Rect, Rotation, Screen, ScreenContent, SharedScreen, Size, Window,
    WindowFlags, WindowKind,
};
use retap_shared::trace::{App, Step};
use retap_shared::verdict::{Finding, FindingKind, Outcome};

use crate::report::data::{
    AppSection, CoverageCurvePoint, ExplorationSection, FindingSection, IllustratedTrace,
    PhoneSection, ReducedTraceSection, ReplayTally, ReportData,
};
use crate::run::findings::ReductionCurve;

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
    let mut screen = ScreenBuilder::new("NotesActivity", UPRIGHT)
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
        );
    for (row, note) in (0..).zip(notes) {
        let top = 500 + row * 200;
        screen = screen
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
            );
    }
    screen
        .node(1, "ImageButton", "", [880, 2050, 1040, 2210], TAPPED)
        .described("New note")
        .build()
}

pub(crate) fn editor(title: &str, size: Size) -> SharedScreen {
    let right = size.width as i32;
    let bottom = size.height as i32;
    let editor = ScreenBuilder::new("EditorActivity", size)
        .window(WindowKind::Application, [0, 0, right, bottom])
        .node(0, "FrameLayout", "", [0, 0, right, bottom], NONE)
        .node(1, "android.widget.Toolbar", "", [0, 0, right, 190], NONE)
        .node(2, "ImageButton", "", [20, 35, 140, 155], TAPPED)
        .described("Navigate up")
        .node(2, "TextView", "Edit note", [170, 60, 600, 130], NONE)
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
        );
    if right > bottom {
        return editor.build();
    }
    editor
        .window(WindowKind::Keyboard, [0, bottom * 2 / 3, right, bottom])
        .build()
}

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

pub(crate) fn launcher() -> SharedScreen {
    ScreenBuilder::new("Launcher", UPRIGHT)
        .window(WindowKind::Application, [0, 0, 1080, 2280])
        .build()
}

pub(crate) fn tap(screen: &SharedScreen, class: &str, text: &str) -> Step {
    on(screen, class, text, Action::Tap)
}

fn on(screen: &SharedScreen, class: &str, text: &str, action: impl Fn(Point) -> Action) -> Step {
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

/// Six steps through lists, an editor, a turned phone and a question.
pub(crate) fn trail() -> IllustratedTrace {
    let wide = Size {
        width: 2280,
        height: 1080,
    };
    let few = list(&["Shopping list"]);
    let many = list(&[
        "Shopping list",
        "Call the plumber",
        "A poem about autumn leaves",
    ]);
    let empty = editor("", UPRIGHT);
    let typed = editor("milk, eggs", UPRIGHT);
    let turned = editor("milk, eggs", wide);
    let asked = question();
    let steps = vec![
        tap(&few, "ImageButton", "New note"),
        on(&empty, "EditText", "Title", |at| Action::Text {
            at,
            text: "milk, eggs".into(),
        }),
        Step::new(Action::Rotate(Rotation::Left)),
        tap(&turned, "Button", "Save"),
        Step::new(Action::Swipe {
            from: Point { x: 540, y: 1700 },
            to: Point { x: 540, y: 800 },
            millis: 200,
        }),
        on(&many, "TextView", "Call the plumber", Action::LongPress),
        Step::new(Action::Key(Key::Back)),
        tap(&asked, "Button", "Delete"),
    ];
    let hits = steps
        .iter()
        .map(|step| {
            if step.widget.is_some() {
                LocatedBy::Widget
            } else {
                LocatedBy::Anywhere
            }
        })
        .collect();
    let screens = vec![
        few,
        empty,
        typed,
        turned,
        many.clone(),
        many,
        asked.clone(),
        asked,
        launcher(),
    ];
    IllustratedTrace {
        steps,
        screens,
        hits,
        pictures: Vec::new(),
        file: "crashes/3f1c9a7be0d24415/reduced.retap".into(),
    }
}

pub(crate) fn problem(kind: FindingKind) -> Finding {
    let (summary, stack) = match kind {
        FindingKind::Crash => (
            "java.lang.IndexOutOfBoundsException: Index: 2, Size: 2",
            "java.lang.IndexOutOfBoundsException: Index: 2, Size: 2\n\
             \tat java.util.ArrayList.get(ArrayList.java:437)\n\
             \tat com.example.notes.NoteAdapter.remove(NoteAdapter.java:88)\n\
             \tat com.example.notes.NotesActivity.onDeleteConfirmed(NotesActivity.java:142)\n\
             \tat android.view.View.performClick(View.java:7506)\n\
             \tat android.os.Handler.dispatchMessage(Handler.java:106)\n\
             \tat android.os.Looper.loop(Looper.java:294)",
        ),
        FindingKind::NativeCrash => (
            "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0",
            "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\n\
             #00 pc 000000000004f3c8  /data/app/com.example.mail/lib/arm64/libmime.so (decode_header+24)\n\
             #01 pc 0000000000051a10  /data/app/com.example.mail/lib/arm64/libmime.so (decode_message+96)\n\
             #02 pc 00000000000222b4  /apex/com.android.art/lib64/libart.so (art_quick_generic_jni_trampoline+148)",
        ),
        FindingKind::Anr => (
            "Input dispatching timed out (waited 5001 ms)",
            "\"main\" prio=5 tid=1 Waiting\n  at java.lang.Object.wait(Native method)\n  \
             at com.example.shop.PaymentGate.await(PaymentGate.java:61)\n  \
             at com.example.shop.CheckoutActivity.onPay(CheckoutActivity.java:203)",
        ),
        FindingKind::Rule => ("must never appear: TextView \"null\"", ""),
    };
    Finding {
        kind,
        process: "com.example.notes".into(),
        summary: summary.into(),
        stack: stack.into(),
    }
}

pub(crate) fn crash(kind: FindingKind) -> FindingSection {
    let problem = problem(kind);
    let trail = trail();
    let steps = trail.steps.iter().cycle().take(213).cloned().collect();
    FindingSection {
        fingerprint: problem.fingerprint(),
        finding: problem,
        occurrences: 7,
        original: IllustratedTrace {
            steps,
            ..IllustratedTrace::default()
        },
        reduced: Some(ReducedTraceSection {
            trace: trail,
            runs: 164,
            replays: Some(ReplayTally {
                successes: 3,
                runs: 3,
            }),
            curve: ReductionCurve::default(),
        }),
        note: None,
        scene: FindingContext::default(),
    }
}

pub(crate) fn app(label: &str, crashes: Vec<FindingSection>) -> AppSection {
    let grown =
        |most: u32, at: u64| (f64::from(most) * (1.0 - (-(at as f64) / 900.0).exp())) as u32;
    let point = |events| CoverageCurvePoint {
        events,
        took: Micros::from_millis(events * 930),
        activities: grown(8, events),
        screens: grown(46, events),
        branches: grown(131, events),
    };
    AppSection {
        label: label.into(),
        app: App {
            package: format!("com.example.{}", label.to_lowercase()).into(),
            version_code: 12,
            ..App::default()
        },
        suite: None,
        exploration: Some(ExplorationSection {
            explorer: "random".into(),
            sessions: 8,
            events: 4_000,
            took: Micros::from_millis(3_720_000),
            activities_total: 9,
            starts: "7 clean, 4.1 s".into(),
            travel: "none".into(),
            branches_total: 154,
            curve: (0..=400).map(|n| point(n * 10)).collect(),
        }),
        findings: crashes,
    }
}

pub(crate) fn report() -> ReportData {
    let phone = |name: &str| PhoneSection {
        name: name.into(),
        info: PhoneInfo {
            kind: "simulated".into(),
            api_level: 34,
            size: UPRIGHT,
            ..PhoneInfo::default()
        },
    };
    let unreduced = FindingSection {
        reduced: None,
        note: Some("It did not reproduce: 0 of 5 runs.".into()),
        ..crash(FindingKind::Anr)
    };
    ReportData {
        title: "Three simulated apps".into(),
        command: "retap demo --seed 7".into(),
        seed: 7,
        outcome: Outcome::Done,
        took: Micros::from_millis(9_300),
        phones: vec![
            phone("sim:notes"),
            phone("sim:shop"),
            phone("sim:mail?noise=0.2"),
        ],
        apps: vec![
            app("Notes", vec![crash(FindingKind::Crash)]),
            app("Shop", vec![unreduced]),
            app("Mail", vec![crash(FindingKind::NativeCrash)]),
            app("Clock", vec![]),
        ],
    }
}
