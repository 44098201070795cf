//! `retap doctor`: one finding a line, with what to do where something is wrong.

use serde_json::Value;

use crate::environment::{ProgramOutput, TestEnvironment};

#[test]
fn without_adb_it_says_how_to_get_it() {
    let ended = TestEnvironment::new().run("doctor");
    assert_eq!(ended.code, 1, "{}", ended.err);
    // Where there is Java, the first line is about JVM phones.
    let mut lines = ended.out.lines();
    assert!(
        lines.any(|line| line.starts_with("✘ adb: could not run `no-adb`")),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("→ install adb"), "{}", ended.out);
}

#[test]
fn the_doctor_separates_what_works_from_what_does_not() {
    let environment = TestEnvironment::new();
    let adb = concat!(env!("CARGO_MANIFEST_DIR"), "/src/adb/tests/fake-adb");
    let mut command = environment.command("doctor --json");
    let ended = ProgramOutput::from(
        command
            .env("ADB", adb)
            .env("RETAP_AGENT_DIR", environment.path("none"))
            .output()
            .unwrap(),
    );
    assert_eq!(ended.code, 1, "{}", ended.err);
    let findings: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let about = |what: &str| {
        findings
            .iter()
            .find(|it| it["what"].as_str().unwrap().contains(what))
            .unwrap()
    };
    assert_eq!(about("phone my phone is ready")["well"], true);
    assert_eq!(about("phone locked is unauthorized")["well"], false);
    assert!(
        about("libretap_agent.so")["remedy"]
            .as_str()
            .unwrap()
            .contains("RETAP_AGENT_DIR")
    );
    assert!(
        findings
            .iter()
            .all(|it| it["well"] == it["remedy"].is_null())
    );
}
