//! `retap screen`: the screen of a phone, and the screen after each step of a trace.

use crate::environment::TestEnvironment;

#[test]
fn the_first_screen_is_printed_as_a_tree() {
    let environment = TestEnvironment::new();
    let ended = environment.run("screen --device sim:notes");
    assert_eq!(ended.code, 0, "{}", ended.err);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert_eq!(lines[0], "the first screen:");
    assert_eq!(
        lines[1],
        "  activity com.example.notes/.ListActivity, natural"
    );
    assert!(
        lines[2].contains("Application window") && lines[2].ends_with("has the focus"),
        "{}",
        lines[2]
    );
    assert!(lines.iter().any(|line| {
        line.ends_with("TextView \"Starred\" #tab_starred at 540,210 to 1080,342 clickable")
    }));
}

#[test]
fn each_step_of_a_trace_is_followed_by_its_screen_and_a_widget_is_found_by_its_text_alone() {
    let environment = TestEnvironment::new();
    let header =
        r#"{"retap":"1.0","app":{"package":"com.example.notes","version_code":1},"start":"clean"}"#;
    let steps = [
        r#"{"do":{"tap":{"x":0,"y":0}},"widget":{"text":"Starred"}}"#,
        r#"{"do":{"tap":{"x":0,"y":0}},"widget":{"text":"No such thing"}}"#,
    ];
    environment.write(
        "by-hand.retap",
        &format!("{header}\n{}\n", steps.join("\n")),
    );
    let ended = environment.run("screen by-hand.retap --device sim:notes --pictures shots");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended
            .out
            .contains("after step 1, tap (0, 0) on widget \"Starred\":"),
        "{}",
        ended.out
    );
    assert!(
        ended
            .out
            .contains("#tab_starred at 540,210 to 1080,342 clickable selected"),
        "{}",
        ended.out
    );
    assert!(
        ended
            .out
            .contains("after step 2, tap (0, 0), because widget \"No such thing\" was not there:")
    );
    for number in 0..3 {
        assert!(environment.path(&format!("shots/{number}.png")).is_file());
    }
}

#[test]
fn a_screen_that_cannot_be_shown_is_explained() {
    let environment = TestEnvironment::new();
    assert_eq!(environment.run("screen").code, 4);
    assert_eq!(
        environment
            .run("screen --device sim:notes --app nobody")
            .code,
        2
    );
    assert_eq!(
        environment
            .run("screen nothing.retap --device sim:notes")
            .code,
        2
    );
}
