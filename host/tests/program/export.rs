//! `retap export`: tests of other tools. `scripts/test-formats` has the other side read them.

use std::fmt::Write as _;

use crate::environment::{ProgramOutput, TestEnvironment};

const FORMATS: [&str; 6] = [
    "maestro",
    "uiautomator-kotlin",
    "uiautomator2-python",
    "appium-python",
    "monkey",
    "adb",
];
const HEAD: &str = r#"{"retap":"1.2","app":{"package":"com.example.notes"},"start":"clean","target":{"problem":"3de5b561e3fe1206"}}"#;

fn exported(environment: &TestEnvironment, trace: &str, format: &str) -> ProgramOutput {
    let ended = environment.run(&format!("export {trace} --to {format}"));
    assert_eq!(ended.code, 0, "{format}: {}", ended.err);
    ended
}

#[test]
fn the_screens_beside_a_reduced_trace_tell_which_of_many_widgets_is_meant() {
    let environment = TestEnvironment::new();
    environment.explored("shop", "found");
    let reduced = environment.run("reduce found --out short --only-delete");
    assert_eq!(reduced.code, 0, "{}", reduced.err);
    let traces: Vec<String> = environment
        .crashes("short")
        .iter()
        .map(|id| format!("short/crashes/{id}/reduced.retap"))
        .collect();
    // A row of the list of products: all rows have the same id and no text.
    let is_row = |trace: &&String| environment.read(trace).contains(r#"id/product""#);
    let trace = traces.iter().find(is_row).unwrap();
    let flow = exported(&environment, trace, "maestro");
    assert!(
        flow.out
            .contains(r#"tapOn: { id: "com\\.example\\.shop:id/product", index: "#),
        "{}",
        flow.out
    );
    assert!(!flow.err.contains("only the id"), "{}", flow.err);
    // The same trace without its screens.
    environment.write("alone.retap", &environment.read(trace));
    let alone = exported(&environment, "alone.retap", "maestro");
    assert!(!alone.out.contains("index:"), "{}", alone.out);
    assert!(alone.err.contains("only the id"), "{}", alone.err);
}

#[test]
fn texts_of_an_app_cannot_leave_their_literals_and_comments() {
    let environment = TestEnvironment::new();
    let text = r#"\"\\n- stopApp\n'); rm -rf /\n\u2028- stopApp ${1+1} \"\"\""#;
    let widget = format!(r#""widget":{{"text":"{text}","class":"android.widget.Button"}}"#);
    environment.write(
        "evil.retap",
        &format!("{HEAD}\n{{\"do\":{{\"tap\":{{\"x\":1,\"y\":2}}}},{widget}}}\n"),
    );
    for format in FORMATS {
        let test = exported(&environment, "evil.retap", format);
        for line in test.out.lines() {
            let start = line.trim_start();
            assert!(
                !start.starts_with("- stopApp") && !start.starts_with("')"),
                "{format}: {line}"
            );
        }
        assert!(!test.out.contains('\u{2028}'), "{format}");
    }
    let flow = exported(&environment, "evil.retap", "maestro");
    let mut commands = flow.out.lines().filter(|line| !line.starts_with('#'));
    assert!(
        commands.all(|line| !line.contains(" ${")),
        "Maestro runs it: {}",
        flow.out
    );
}

#[test]
fn recorded_pace_becomes_pauses() {
    let environment = TestEnvironment::new();
    let head = HEAD.replace("\"start\":\"clean\"", "\"start\":\"restart\"");
    let head = head.replace("}}", "},\"pace\":\"recorded\"}");
    let step = |at: u32| format!(r#"{{"do":{{"tap":{{"x":1,"y":2}}}},"at":{at}}}"#);
    environment.write(
        "timed.retap",
        &format!("{head}\n{}\n{}\n", step(300), step(1_550)),
    );
    let script = exported(&environment, "timed.retap", "adb");
    assert!(script.out.contains("sleep 1.250\n"), "{}", script.out);
    assert!(!script.out.contains("sleep 1\nphone"), "{}", script.out);
    assert!(script.out.contains("am force-stop com.example.notes"));
    let events = exported(&environment, "timed.retap", "monkey");
    assert!(events.out.contains("UserWait(1250)"), "{}", events.out);
}

#[test]
fn a_target_that_is_no_crash_is_checked_where_the_format_can() {
    let environment = TestEnvironment::new();
    let head = |target: &str| HEAD.replace(r#"{"problem":"3de5b561e3fe1206"}"#, target);
    let step = r#"{"do":{"key":"back"}}"#;
    environment.write(
        "screen.retap",
        &format!("{}\n{step}\n", head(r#"{"screen":{"text":"Total: 3"}}"#)),
    );
    let flow = exported(&environment, "screen.retap", "maestro");
    assert!(
        flow.out.contains(r#"assertVisible: { text: "Total: 3" }"#),
        "{}",
        flow.out
    );
    let script = exported(&environment, "screen.retap", "adb");
    assert!(script.err.contains("checks no widgets"), "{}", script.err);
    environment.write(
        "activity.retap",
        &format!(
            "{}\n{step}\n",
            head(r#"{"activity":"com.example.notes/.Settings"}"#)
        ),
    );
    let script = exported(&environment, "activity.retap", "uiautomator2-python");
    assert!(script.out.contains(r#"== "Settings""#), "{}", script.out);
}

#[test]
fn ten_thousand_steps_are_exported_and_the_file_is_written_whole() {
    let environment = TestEnvironment::new();
    let mut text = format!("{HEAD}\n");
    for step in 0..10_000 {
        let _ = writeln!(
            text,
            r#"{{"do":{{"tap":{{"x":{step},"y":2}}}},"widget":{{"id":"com.example.notes:id/w{step}"}}}}"#
        );
    }
    environment.write("long.retap", &text);
    for format in FORMATS {
        let ended = environment.run(&format!("export long.retap --to {format} --out test"));
        assert_eq!(
            (ended.code, ended.last_line()),
            (0, "test"),
            "{}",
            ended.err
        );
        assert!(
            environment.read("test").lines().count() > 10_000,
            "{format}"
        );
        assert!(ended.err.len() < 1_000, "{}", ended.err);
    }
}

#[test]
fn what_is_no_trace_is_refused_and_an_existing_file_is_kept() {
    let environment = TestEnvironment::new();
    environment.write("kept.yaml", "precious");
    environment.write("half.retap", &HEAD[..40]);
    for trace in ["half.retap", "nowhere.retap", "."] {
        let refused = environment.run(&format!("export {trace} --to maestro --out kept.yaml"));
        assert_eq!(refused.code, 2, "{}", refused.err);
        assert!(refused.err.contains("help:"), "{}", refused.err);
    }
    assert_eq!(environment.read("kept.yaml"), "precious");
    let refused = environment.run("export half.retap --to espresso");
    assert!(
        refused.code == 2 && refused.err.contains("maestro"),
        "{}",
        refused.err
    );
    environment.write("whole.retap", &format!("{HEAD}\n"));
    let refused = environment.run("export whole.retap --to adb --out nowhere/test.sh");
    assert_eq!(refused.code, 2, "{}", refused.err);
}
