//! `retap replay`: says of each run what happened.

use crate::retap::Desk;

fn trace(desk: &Desk) -> String {
    desk.explored("notes", "found");
    let id = desk.crashes("found").remove(0);
    format!("found/crashes/{id}/trace.retap")
}

#[test]
fn every_run_is_told_and_all_of_them_reach_the_crash() {
    let desk = Desk::new();
    let trace = trace(&desk);
    let ended = desk.run(&format!("replay {trace} --times 4"));
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
fn a_run_that_does_not_reach_it_ends_with_3() {
    let desk = Desk::new();
    let whole = desk.read(&trace(&desk));
    desk.write(
        "header.retap",
        &format!("{}\n", whole.lines().next().unwrap()),
    );
    let ended = desk.run("replay header.retap --times 2");
    assert_eq!(ended.code, 3);
    assert!(
        ended
            .err
            .contains("error: the trace does not reproduce: 0 of 2 runs reached it"),
        "{}",
        ended.err
    );
    let json = desk.run("replay header.retap --times 2 --json");
    let first: serde_json::Value = serde_json::from_str(json.out.lines().next().unwrap()).unwrap();
    assert_eq!(first["reached"], false);
}

#[test]
fn a_trace_of_another_app_is_refused_with_the_name_of_the_app() {
    let desk = Desk::new();
    let trace = trace(&desk);
    let ended = desk.run(&format!("replay {trace} --device sim:shop"));
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
    let desk = Desk::new();
    let text = desk.read(&trace(&desk));
    let (header, steps) = text.split_once('\n').unwrap();
    let mut header: serde_json::Value = serde_json::from_str(header).unwrap();
    header["app"]["version_code"] = 1_234_567.into();
    desk.write("old.retap", &format!("{header}\n{steps}"));
    let ended = desk.run("replay old.retap --times 1");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended
            .err
            .contains("warning: the trace was made with version 1234567"),
        "{}",
        ended.err
    );
}
