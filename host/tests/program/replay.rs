//! `retap replay`: the verdict of each run.

use crate::environment::TestEnvironment;

fn trace(environment: &TestEnvironment) -> String {
    environment.explored("notes", "found");
    let id = environment.crashes("found").remove(0);
    format!("found/crashes/{id}/trace.retap")
}

#[test]
fn every_run_is_reported_and_all_of_them_reach_the_crash() {
    let environment = TestEnvironment::new();
    let trace = trace(&environment);
    let ended = environment.run(&format!("replay {trace} --times 4"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(ended.out.lines().count(), 4);
    assert!(
        ended
            .out
            .lines()
            .all(|line| line.contains("reached the crash")),
        "{}",
        ended.out
    );
    assert!(ended.out.starts_with("run 1 of 4: "), "{}", ended.out);
}

#[test]
fn a_replay_that_misses_the_target_has_exit_code_3() {
    let environment = TestEnvironment::new();
    let whole = environment.read(&trace(&environment));
    environment.write(
        "header.retap",
        &format!("{}\n", whole.lines().next().unwrap()),
    );
    let ended = environment.run("replay header.retap --times 2");
    assert_eq!(ended.code, 3);
    assert!(
        ended
            .err
            .contains("error: the trace does not reproduce: 0 of 2 runs reached it"),
        "{}",
        ended.err
    );
    let json = environment.run("replay header.retap --times 2 --json");
    let first: serde_json::Value = serde_json::from_str(json.out.lines().next().unwrap()).unwrap();
    assert_eq!(first["reached"], false);
}

#[test]
fn a_trace_of_another_app_is_refused_with_the_name_of_the_app() {
    let environment = TestEnvironment::new();
    let trace = trace(&environment);
    let ended = environment.run(&format!("replay {trace} --device sim:shop"));
    assert_eq!(ended.code, 2);
    assert!(
        ended
            .err
            .contains("there is no app `com.example.notes` on `sim:shop`"),
        "{}",
        ended.err
    );
}

#[test]
fn a_trace_of_another_version_of_the_app_is_played_with_a_warning() {
    let environment = TestEnvironment::new();
    let text = environment.read(&trace(&environment));
    let (header, steps) = text.split_once('\n').unwrap();
    let mut header: serde_json::Value = serde_json::from_str(header).unwrap();
    header["app"]["version_code"] = 1_234_567.into();
    environment.write("old.retap", &format!("{header}\n{steps}"));
    let ended = environment.run("replay old.retap --times 1");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended
            .err
            .contains("warning: the trace was made with version 1234567"),
        "{}",
        ended.err
    );
}
