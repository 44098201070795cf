//! Pages of apps whose texts and bounds are broken or hostile.

use retap_shared::action::Action;
use retap_shared::finding::FindingKind;
use retap_shared::geometry::Point;
use retap_shared::locate::LocatedBy;
use retap_shared::screen::{NodeFlags, SharedScreen, WindowKind};
use retap_shared::trace::Step;
use retap_shared::widget::Widget;

use super::super::sample::{self, SampleTrace, ScreenBuilder, UPRIGHT};
use super::super::strip::strip;
use super::nesting::read;
use super::{checked, report_with};
use crate::report::data::{ExplorationSection, ReportData};
use crate::run::findings::StoredFinding;

/// Texts as an app under attack, or a broken one, would show them.
fn hostile_texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "</script><img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "' onclick='alert(1)",
        "</title></style><script>alert(1)</script>",
        "]]><!-- --><![CDATA[ <? ?> &#x202e; &lt;b&gt; &",
        "javascript:alert(1)",
        "http://evil.example/x.js",
        "\u{202e}txt.exe\u{2066}\u{200f}",
        "nul\0bell\x07escape\x1b[2Jdel\x7fc1\u{9b}",
        "line\nline\r\nline\u{2028}line\tline",
        "\u{feff}\u{fffe}\u{ffff}\u{10ffff}\u{e0001}",
        "at <b>(<i>:0)",
        "#00 pc 00 <u> (<i>+0)",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("e".to_owned() + &"\u{301}".repeat(5_000));
    texts.push("<&\">".repeat(25_000));
    texts
}

fn hostile_report(text: &str) -> ReportData {
    let trace = hostile_trace(text);
    let mut report = report_with(&trace);
    report.title = text.into();
    report.command = text.into();
    for phone in &mut report.phones {
        phone.name = text.into();
        phone.info.kind = text.into();
        phone.info.model = text.into();
    }
    let app = &mut report.apps[0];
    app.label = text.into();
    app.app.package = text.into();
    app.exploration = Some(ExplorationSection {
        explorer: text.into(),
        ..ExplorationSection::default()
    });
    for kind in [
        FindingKind::Crash,
        FindingKind::NativeCrash,
        FindingKind::Anr,
    ] {
        let mut stored = StoredFinding {
            reduced: None,
            trace: sample::trace(trace.steps.clone()),
            ..sample::stored_finding(kind)
        };
        stored.finding.process = text.into();
        stored.finding.summary = text.into();
        stored.finding.stack = format!("{text}\nCaused by: a.{text}\n\tat a.b.{text}(x)\n{text}");
        app.findings.push(stored);
    }
    report
}

/// A tap, a long press and a text, on widgets that show the text.
fn hostile_trace(text: &str) -> SampleTrace {
    let at = Point { x: 400, y: 100 };
    let widget = Widget {
        id: text.into(),
        text: text.into(),
        class: text.into(),
        path: text.into(),
    };
    let without_text = Widget {
        text: "".into(),
        ..widget.clone()
    };
    let without_id = Widget {
        id: "".into(),
        ..without_text.clone()
    };
    let typed = Action::Text {
        at,
        text: text.into(),
    };
    let step = |action, widget: Widget| Step {
        widget: Some(widget),
        ..Step::new(action)
    };
    SampleTrace {
        screens: vec![hostile_screen(text); 4],
        steps: vec![
            step(Action::Tap(at), widget),
            step(Action::LongPress(at), without_text),
            step(typed, without_id),
        ],
        located_by: vec![LocatedBy::Widget],
        ..SampleTrace::default()
    }
}

fn hostile_screen(text: &str) -> SharedScreen {
    let mut screen =
        ScreenBuilder::new(text, UPRIGHT).window(WindowKind::Application, [0, 0, 1080, 2280]);
    for class in [
        "Button",
        "EditText",
        "CheckBox",
        "ImageButton",
        "TextView",
        "Toolbar",
        "Spinner",
        "Tab",
        text,
    ] {
        let class = format!("a.{class}");
        screen = screen
            .node(0, &class, text, [0, 0, 800, 300], NodeFlags::empty())
            .described(text);
    }
    screen.build()
}

fn turns_direction(one: char) -> bool {
    matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}'..='\u{200f}')
}

#[test]
fn no_text_of_an_app_gets_out_of_its_place() {
    let (_, ordinary) = checked(&hostile_report("ordinary"));
    for text in hostile_texts() {
        let (page, seen) = checked(&hostile_report(&text));
        assert_eq!(seen.elements, ordinary.elements, "{text:.60}");
        assert_eq!(seen.attributes, ordinary.attributes, "{text:.60}");
        assert!(!page.contains(turns_direction), "{text:.60}");
        assert!(page.len() < 400_000, "{} bytes for {text:.60}", page.len());
    }
}

#[test]
fn bounds_that_make_no_sense_leave_every_shape_within_its_screen() {
    let steps = odd_steps();
    let screens = vec![odd_screen(); steps.len()];
    let trace = SampleTrace {
        screens,
        steps,
        ..SampleTrace::default()
    };
    checked(&report_with(&trace));
    let seen = read(
        &strip(
            &trace.illustrated(),
            &sample::finding(FindingKind::Crash),
            None,
        )
        .into_string(),
    );
    assert!(seen.coordinates.len() > 500);
    let outside: Vec<&i64> = seen
        .coordinates
        .iter()
        .filter(|number| number.abs() > 800)
        .collect();
    assert_eq!(outside, Vec::<&i64>::new());
}

/// Nodes and windows with impossible bounds.
fn odd_screen() -> SharedScreen {
    let edges = [i32::MIN, -1, 0, 1, 539, 1080, 5_000, i32::MAX];
    let mut screen = ScreenBuilder::new("Odd", UPRIGHT)
        .window(WindowKind::Application, [i32::MIN, -5, i32::MAX, i32::MAX]);
    for (number, left) in edges.into_iter().enumerate() {
        for right in edges {
            let class = [
                "Button",
                "EditText",
                "CheckBox",
                "ScrollView",
                "SeekBar",
                "Spinner",
                "ImageView",
                "Switch",
            ][number];
            for (top, bottom) in [(left, right), (right, left), (i32::MIN, 20), (20, i32::MAX)] {
                screen = screen.node(
                    0,
                    class,
                    "Odd",
                    [left, top, right, bottom],
                    NodeFlags::CHECKED,
                );
            }
        }
    }
    screen
        .window(WindowKind::Dialog, [900, 0, 100, 10])
        .window(WindowKind::Keyboard, [0, 9, 9, 0])
        .build()
}

/// Actions at impossible places.
fn odd_steps() -> Vec<Step> {
    let points = [
        Point {
            x: i32::MIN,
            y: i32::MAX,
        },
        Point { x: 0, y: 0 },
        Point {
            x: i32::MAX,
            y: i32::MIN,
        },
    ];
    let mut steps = Vec::new();
    for at in points {
        for to in points {
            steps.push(Step::new(Action::Swipe {
                from: at,
                to,
                millis: u32::MAX,
            }));
        }
        steps.push(Step::new(Action::Text {
            at,
            text: "x".repeat(500).into(),
        }));
        steps.push(Step::new(Action::Pinch {
            center: at,
            from: i32::MIN,
            to: i32::MAX,
            millis: 0,
        }));
        steps.push(Step::new(Action::LongPress(at)));
    }
    steps
}
