//! `retap screen`: the screen of a phone, and the screen after each step of a trace.

use serde_json::Value;

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

#[test]
fn a_screen_is_printed_as_the_xml_of_uiautomator_dump() {
    let environment = TestEnvironment::new();
    let ended = environment.run("screen --device sim:notes --xml");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended.out.starts_with("<?xml version='1.0'"),
        "{}",
        ended.out
    );
    let tab = ended
        .out
        .lines()
        .find(|line| line.contains("tab_starred"))
        .unwrap();
    for attribute in [
        r#"text="Starred""#,
        r#"resource-id="com.example.notes:id/tab_starred""#,
        r#"class="android.widget.TextView""#,
        r#"package="com.example.notes""#,
        r#"clickable="true""#,
        r#"bounds="[540,210][1080,342]""#,
    ] {
        assert!(tab.contains(attribute), "{attribute}: {tab}");
    }
    let count = |what: &str| ended.out.matches(what).count();
    assert_eq!(count("<node "), count("</node>"));
    assert!(count("<node ") > 5);
    assert!(!ended.out.contains("the first screen"));
}

#[test]
fn the_screens_of_a_trace_are_json_lines_and_the_last_of_them_is_xml() {
    let environment = TestEnvironment::new();
    let header =
        r#"{"retap":"1.0","app":{"package":"com.example.notes","version_code":1},"start":"clean"}"#;
    let step = r#"{"do":{"tap":{"x":0,"y":0}},"widget":{"text":"Starred"}}"#;
    environment.write("starred.retap", &format!("{header}\n{step}\n"));
    let ended = environment.run("screen starred.retap --device sim:notes --json");
    assert_eq!(ended.code, 0, "{}", ended.err);
    let screens: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(screens.len(), 2);
    assert_eq!(screens[1]["step"], 1);
    assert_eq!(screens[1]["activity"], "com.example.notes/.ListActivity");
    let starred = |screen: &Value| {
        let nodes = screen["windows"][0]["nodes"].as_array().unwrap().clone();
        let is_tab = |node: &&Value| node["text"] == "Starred";
        nodes.iter().find(is_tab).unwrap().clone()
    };
    let selected = |screen: &Value| {
        let flags = starred(screen)["flags"].clone();
        flags.as_array().unwrap().contains(&"selected".into())
    };
    assert!(!selected(&screens[0]) && selected(&screens[1]));
    assert_eq!(
        starred(&screens[0])["bounds"],
        serde_json::json!([540, 210, 1080, 342])
    );
    let xml = environment.run("screen starred.retap --device sim:notes --xml");
    assert_eq!(xml.out.matches("<hierarchy").count(), 1, "{}", xml.out);
    let line = xml.out.lines().find(|line| line.contains("tab_starred"));
    assert!(line.unwrap().contains(r#"selected="true""#));
    let both = environment.run("screen --device sim:notes --json --xml");
    assert_eq!(both.code, 2, "{}", both.err);
}
