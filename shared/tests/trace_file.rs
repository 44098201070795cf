//! The `.retap` file: its format, and the messages for malformed ones.

use std::hash::{DefaultHasher, Hash, Hasher};

use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::geometry::{Point, Rotation, Size};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::screen::ScreenHash;
use retap_shared::target::Target;
use retap_shared::trace::{
    App, ClaimStanding, ReplayPace, RunShare, RunTally, StartMode, Step, Trace, TraceClaim,
    TraceErrorKind, TraceHeader,
};
use retap_shared::widget::Widget;

const HEADER: &str = r#"{"retap":"1.0","app":{"package":"org.notes"}}"#;

fn error(text: &str) -> String {
    Trace::parse(text)
        .expect_err("this is no trace")
        .to_string()
}

/// The error of a file whose second line is `step`.
fn error_of_step(step: &str) -> String {
    error(&format!("{HEADER}\n{step}\n"))
}

#[test]
fn a_trace_is_a_header_and_one_line_per_step() {
    let widget = Widget {
        id: "id/save".into(),
        text: "Save".into(),
        class: "Button".into(),
        path: "0.2".into(),
    };
    let at = Point { x: 540, y: 800 };
    let actions = [
        Action::LongPress(at),
        Action::Swipe {
            from: at,
            to: Point { x: 540, y: 100 },
            millis: 300,
        },
        Action::Pinch {
            center: at,
            from: 100,
            to: 400,
            millis: 250,
        },
        Action::Key(Key::Back),
        Action::Key(Key::Code(24)),
        Action::Text {
            at,
            text: "ä \"quoted\"\n".into(),
        },
        Action::Rotate(Rotation::UpsideDown),
        Action::Launch,
        Action::Wait { millis: 500 },
        Action::System(SystemEvent::LowMemory),
        Action::System(SystemEvent::Locale("ar".into())),
        Action::System(SystemEvent::Message),
        Action::System(SystemEvent::Broadcast("MEDIA".into())),
        Action::System(SystemEvent::TimeZone("UTC".into())),
        Action::System(SystemEvent::Doze),
    ];
    let first = Step {
        action: Action::Tap(at),
        widget: Some(widget),
        activity: "org.notes/.Main".into(),
        screen: Some(ScreenHash(0x00c0_ffee)),
        at_millis: Some(1_500),
    };
    let trace = Trace {
        header: TraceHeader {
            app: App {
                package: "org.notes".into(),
                activity: "org.notes/.Main".into(),
                version_code: 12,
            },
            start: StartMode::Clean,
            seed: Some(u64::MAX),
            target: Some(Target::Problem(Fingerprint(0xbad))),
            phone: PhoneInfo {
                kind: "simulated".into(),
                api_level: 34,
                size: Size {
                    width: 1_080,
                    height: 2_400,
                },
                rotation: Rotation::Left,
                dark_mode: true,
                ..PhoneInfo::default()
            },
            pace: ReplayPace::Recorded,
            claim: Some(TraceClaim {
                standing: ClaimStanding::Proven,
                tally: RunTally {
                    successes: 39,
                    runs: 40,
                },
                interval: [RunShare::at_most(0.90129), RunShare::at_least(0.99991)],
                required_rate: RunShare::nearest(0.9),
                phones: 2,
                fresh_starts: RunTally {
                    successes: 1,
                    runs: 1,
                },
                as_published: false,
            }),
        },
        steps: [first].into_iter().chain(actions.map(Step::new)).collect(),
    };
    insta::assert_snapshot!(trace.to_text(), @r#"
    {"retap":"1.2","app":{"package":"org.notes","activity":"org.notes/.Main","version_code":12},"start":"clean","seed":18446744073709551615,"target":{"problem":"0000000000000bad"},"phone":{"kind":"simulated","api_level":34,"size":{"width":1080,"height":2400},"rotation":"left","dark_mode":true},"pace":"recorded","claim":{"standing":"proven","successes":39,"runs":40,"rate":0.975,"interval":[0.9012,1.0],"required_rate":0.9,"phones":2,"fresh_starts":1,"fresh_successes":1}}
    {"do":{"tap":{"x":540,"y":800}},"widget":{"id":"id/save","text":"Save","class":"Button","path":"0.2"},"activity":"org.notes/.Main","screen":"0000000000c0ffee","at":1500}
    {"do":{"long_press":{"x":540,"y":800}}}
    {"do":{"swipe":{"from":{"x":540,"y":800},"to":{"x":540,"y":100},"millis":300}}}
    {"do":{"pinch":{"center":{"x":540,"y":800},"from":100,"to":400,"millis":250}}}
    {"do":{"key":"back"}}
    {"do":{"key":{"code":24}}}
    {"do":{"text":{"at":{"x":540,"y":800},"text":"ä \"quoted\"\n"}}}
    {"do":{"rotate":"upside_down"}}
    {"do":"launch"}
    {"do":{"wait":{"millis":500}}}
    {"do":{"system":"low_memory"}}
    {"do":{"system":{"locale":"ar"}}}
    {"do":{"system":"message"}}
    {"do":{"system":{"broadcast":"MEDIA"}}}
    {"do":{"system":{"time_zone":"UTC"}}}
    {"do":{"system":"doze"}}
    "#);
    assert_eq!(Trace::parse(&trace.to_text()).unwrap(), trace);
}

#[test]
fn every_target_has_its_json() {
    let widget = Widget {
        text: "Thanks".into(),
        ..Widget::default()
    };
    let targets = [
        (Target::AnyProblem, r#""any_problem""#),
        (
            Target::Activity("Checkout".into()),
            r#"{"activity":"Checkout"}"#,
        ),
        (
            Target::Screen(widget.clone()),
            r#"{"screen":{"text":"Thanks"}}"#,
        ),
        (
            Target::Lacks {
                activity: "Cart".into(),
                widget: widget.clone(),
            },
            r#"{"lacks":{"activity":"Cart","widget":{"text":"Thanks"}}}"#,
        ),
        (
            Target::Lacks {
                activity: "".into(),
                widget,
            },
            r#"{"lacks":{"widget":{"text":"Thanks"}}}"#,
        ),
        (Target::Log("ANR in .*".into()), r#"{"log":"ANR in .*"}"#),
    ];
    for (target, words) in targets {
        let text = format!(r#"{{"retap":"1.0","app":{{"package":"p"}},"target":{words}}}"#);
        let trace = Trace::parse(&text).unwrap();
        assert_eq!(trace.header.target, Some(target));
        assert!(trace.to_text().contains(words), "{}", trace.to_text());
    }
}

#[test]
fn missing_fields_are_empty() {
    let trace = Trace::parse(&format!("{HEADER}\n{{\"do\":\"launch\"}}")).unwrap();
    assert_eq!(trace.header.start, StartMode::Clean);
    assert_eq!((trace.header.seed, trace.header.target), (None, None));
    assert_eq!(trace.header.phone, PhoneInfo::default());
    assert_eq!(trace.steps, [Step::new(Action::Launch)]);
}

#[test]
fn a_newer_major_version_is_refused_by_name() {
    assert_eq!(
        error("{\"retap\":\"2.3\",\"everything\":\"else\"}\nwhatever"),
        "line 1, field `retap`: the file has format 2.3, this Retap reads 1.2 and others that begin with 1; \
         update Retap"
    );
}

#[test]
fn unknown_fields_of_a_newer_minor_version_are_ignored() {
    let text = "{\"retap\":\"1.7\",\"app\":{\"package\":\"p\",\"signed\":true},\"weather\":\"fine\"}\n\
                {\"do\":{\"tap\":{\"x\":1,\"y\":2,\"force\":3}},\"mood\":[]}";
    let trace = Trace::parse(text).unwrap();
    assert_eq!(trace.steps, [Step::new(Action::Tap(Point { x: 1, y: 2 }))]);
    let same = error(&text.replace("1.7", "1.0"));
    assert_eq!(
        same,
        "line 1, field `weather`: unknown; known here: `retap`, `app`, `start`, `seed`, `target`, `phone`, `pace`, `claim`"
    );
    let wrong = error(&text.replace("\"x\":1", "\"x\":true"));
    assert_eq!(
        wrong,
        "line 2, field `do.tap.x`: expected a whole number, found true"
    );
}

#[test]
fn malformed_versions_are_refused() {
    for version in [
        "\"\"",
        "\"1\"",
        "\"one.two\"",
        "\"0.9\"",
        "\"1.0.0\"",
        "\"99999999999.0\"",
    ] {
        let message = error(&format!(
            "{{\"retap\":{version},\"app\":{{\"package\":\"p\"}}}}"
        ));
        assert_eq!(
            message,
            format!("line 1, field `retap`: expected a version such as \"1.0\", found {version}")
        );
    }
    assert_eq!(
        error("{\"retap\":1.0}"),
        "line 1, field `retap`: expected a text, found 1.0"
    );
}

#[test]
fn wrong_fields_are_reported_with_line_path_and_expected_value() {
    let cases = [
        (
            r#"{"do":{"tap":{"x":"abc","y":1}}}"#,
            r#"field `do.tap.x`: expected a whole number, found "abc""#,
        ),
        (
            r#"{"do":{"tap":{"x":1.5,"y":1}}}"#,
            "field `do.tap.x`: expected a whole number, found 1.5",
        ),
        (
            r#"{"do":{"tap":{"x":1,"y":99999999999}}}"#,
            "field `do.tap.y`: expected a whole number from -2147483648 to 2147483647, found 99999999999",
        ),
        (r#"{"do":{"tap":{"x":1}}}"#, "field `do.tap.y`: missing"),
        (
            r#"{"do":{"tap":{"x":1,"y":1,"z":1}}}"#,
            "field `do.tap.z`: unknown; known here: `x`, `y`",
        ),
        (
            r#"{"do":{"tap":[1,2]}}"#,
            "field `do.tap`: expected an object, found [1,2]",
        ),
        (
            r#"{"do":"tap"}"#,
            "field `do.tap`: expected an object, found null",
        ),
        (
            r#"{"do":{"swipe":{"from":{"x":1,"y":1},"to":{"x":1,"y":null},"millis":1}}}"#,
            "field `do.swipe.to.y`: missing",
        ),
        (
            r#"{"do":{"wait":{"millis":-1}}}"#,
            "field `do.wait.millis`: expected a whole number from 0 to 4294967295, found -1",
        ),
        (
            r#"{"do":{"key":{"code":65536}}}"#,
            "field `do.key.code`: expected a whole number from 0 to 65535, found 65536",
        ),
        (
            r#"{"do":{"rotate":"round"}}"#,
            "field `do.rotate`: expected one of `natural`, `left`, `upside_down`, `right`, found \"round\"",
        ),
        (
            r#"{"do":{"fling":{}}}"#,
            "field `do`: expected one of `tap`, `long_press`, `swipe`, `pinch`, `key`, `text`, `rotate`, `launch`, \
             `wait`, `system`, found {\"fling\":{}}",
        ),
        (
            r#"{"do":{"launch":1}}"#,
            "field `do.launch`: expected the bare name, found 1",
        ),
        (
            r#"{"do":"launch","screen":"xyz"}"#,
            "field `screen`: expected 16 hexadecimal digits, found \"xyz\"",
        ),
        (
            r#"{"do":"launch","at":-5}"#,
            "field `at`: expected a whole number from 0 to 4294967295, found -5",
        ),
        (
            r#"{"do":"launch","widget":{"id":7}}"#,
            "field `widget.id`: expected a text, found 7",
        ),
        (
            r#"{"tap":{"x":1,"y":1}}"#,
            "field `tap`: unknown; known here: `do`, `widget`, `activity`, `screen`, `at`",
        ),
        (r"{}", "field `do`: missing"),
    ];
    for (step, expected) in cases {
        assert_eq!(error_of_step(step), format!("line 2, {expected}"), "{step}");
    }
}

#[test]
fn wrong_headers_are_reported() {
    let cases = [
        (r#"{"app":{"package":"p"}}"#, "field `retap`: missing"),
        (r#"{"retap":"1.0"}"#, "field `app`: missing"),
        (
            r#"{"retap":"1.0","app":{}}"#,
            "field `app.package`: missing",
        ),
        (
            r#"{"retap":"1.1","app":{"package":"p"},"pace":"fast"}"#,
            "field `pace`: expected one of `quiet`, `recorded`, found \"fast\"",
        ),
        (
            r#"{"retap":"1.2","app":{"package":"p"},"claim":{"successes":1,"runs":1,"rate":1.5}}"#,
            "field `claim.rate`: expected a share from 0 to 1, found 1.5",
        ),
        (
            r#"{"retap":"1.2","app":{"package":"p"},"claim":{"successes":1,"runs":1,"standing":"sure"}}"#,
            "field `claim.standing`: expected one of `proven`, `flaky`, `unproven`, found \"sure\"",
        ),
        (
            r#"{"retap":"1.2","app":{"package":"p"},"claim":{"successes":1,"runs":1,"standing":"flaky","interval":[0]}}"#,
            "field `claim.interval`: expected two shares, found [0]",
        ),
        (
            r#"{"retap":"1.0","app":{"package":"p"},"start":"fresh"}"#,
            "field `start`: expected one of `clean`, `restart`, `continue`, found \"fresh\"",
        ),
        (
            r#"{"retap":"1.0","app":{"package":"p"},"phone":{"size":{"width":-1,"height":1}}}"#,
            "field `phone.size.width`: expected a whole number from 0 to 4294967295, found -1",
        ),
        (
            r#"{"retap":"1.0","app":{"package":"p"},"phone":{"dark_mode":"yes"}}"#,
            "field `phone.dark_mode`: expected true or false, found \"yes\"",
        ),
        (
            r#"{"retap":"1.0","app":{"package":"p"},"target":{"problem":"12"}}"#,
            "field `target.problem`: expected 16 hexadecimal digits, found \"12\"",
        ),
    ];
    for (header, expected) in cases {
        assert_eq!(error(header), format!("line 1, {expected}"), "{header}");
    }
}

#[test]
fn lines_that_are_not_json_are_reported_with_their_column() {
    assert_eq!(
        error("hello"),
        "line 1: not JSON: expected value at column 1"
    );
    assert_eq!(
        error_of_step(r#"{"do":{"tap":{"x":NaN,"y":1}}}"#),
        "line 2: not JSON: expected value at column 19"
    );
    assert_eq!(
        error_of_step(r#"{"do":{"tap":{"x":1e999,"y":1}}}"#),
        "line 2: not JSON: number out of range at column 23"
    );
    assert_eq!(error("[1]"), "line 1: expected an object, found [1]");
    let deep = "[".repeat(100_000);
    assert!(error_of_step(&deep).starts_with("line 2: not JSON: recursion limit exceeded"));
}

#[test]
fn an_incomplete_line_is_reported_as_cut_off() {
    let cut = "line 3: the line ends too early; the file was cut off";
    assert_eq!(
        error(&format!(
            "{HEADER}\n{{\"do\":\"launch\"}}\n{{\"do\":{{\"tap\":{{\"x\":5"
        )),
        cut
    );
}

#[test]
fn an_empty_file_is_reported_with_an_example_of_a_header() {
    let message =
        "line 1: the file is empty; a trace begins with a header such as `{\"retap\":\"1.0\",…}`";
    for empty in ["", "\n\n", "\u{feff}", "  \r\n"] {
        assert_eq!(error(empty), message);
    }
}

#[test]
fn a_second_header_is_refused() {
    let found = Trace::parse(&format!("{HEADER}\n{{\"do\":\"launch\"}}\n{HEADER}\n")).unwrap_err();
    assert_eq!((found.line, found.kind), (3, TraceErrorKind::SecondHeader));
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    let text = format!("\u{feff}\r\n{HEADER}\r\n\r\n{{\"do\":1}}\r\n");
    assert!(
        error(&text).starts_with("line 4, field `do`: "),
        "{}",
        error(&text)
    );
}

#[test]
fn names_and_values_of_the_file_are_shortened_and_escaped() {
    let name = "\\u001b[31m".to_owned() + &"x".repeat(1_000);
    let message = error_of_step(&format!("{{\"{name}\":1}}"));
    assert!(
        message.starts_with("line 2, field `\\u{1b}[31mxxx") && message.contains("xx…`: unknown"),
        "{message}"
    );
    let message = error_of_step(&format!("{{\"do\":\"{}\"}}", "ü".repeat(1_000)));
    assert!(message.ends_with("üü…") && message.len() < 400, "{message}");
}

#[test]
fn a_trace_has_times_if_every_step_has_one_and_none_goes_back() {
    let trace = |times: &str| {
        let steps = times
            .split(' ')
            .map(|at| format!("\n{{\"do\":\"launch\",\"at\":{at}}}"));
        let text: String = std::iter::once(HEADER.to_owned()).chain(steps).collect();
        Trace::parse(&text).unwrap()
    };
    assert!(trace("0 5 5 900").has_times());
    assert!(!trace("0 null 900").has_times());
    assert!(!trace("0 900 5").has_times());
    let bare = trace("0 5").without_times();
    assert_eq!(bare, Trace::parse(&trace("null null").to_text()).unwrap());
}

#[test]
fn a_step_without_a_time_has_the_hash_of_its_other_fields() {
    let hash = |value: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        value(&mut hasher);
        hasher.finish()
    };
    let untimed = Step::new(Action::Launch);
    let timed = Step {
        at_millis: Some(0),
        ..untimed.clone()
    };
    let Step {
        action,
        widget,
        activity,
        screen,
        at_millis: _,
    } = &untimed;
    let fields = hash(&|hasher| (action, widget, activity, screen).hash(hasher));
    assert_eq!(hash(&|hasher| untimed.hash(hasher)), fields);
    assert_ne!(hash(&|hasher| timed.hash(hasher)), fields);
}
