//! Malformed `.retap` files and those of other versions, with the messages for them.

use retap_shared::action::Action;
use retap_shared::geometry::Point;
use retap_shared::trace::{Step, Trace, TraceErrorKind};

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
