//! The app's own log: beside each finding, and as a target.

use crate::environment::TestEnvironment;

#[test]
fn a_finding_has_the_log_of_its_app_from_the_launch_to_the_crash() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    for id in environment.crashes("found") {
        let log = environment.read(&format!("found/crashes/{id}/app-log.txt"));
        let first = log.lines().next().unwrap();
        assert!(
            first.contains("I ActivityTaskManager: Displayed com.example.notes/"),
            "{first}"
        );
        let stack = environment.read(&format!("found/crashes/{id}/stack.txt"));
        let last = stack.lines().last().unwrap();
        assert!(log.contains(last), "{log}");
    }
    let page = environment.read("found/report.html");
    assert!(page.contains("The app's log since its launch"), "no log");
}

#[test]
fn a_line_that_only_the_app_logs_is_a_target_and_a_rule() {
    let environment = TestEnvironment::new();
    environment.write(
        "retap.toml",
        "[explore]\nnever = [\"log:W/Payment: refused\"]\n",
    );
    let ended = environment.run("explore --device sim:shop --events 6000 --seed 5 --out found");
    assert_eq!(ended.code, 1, "{}", ended.err);
    let is_rule = |id: &&String| {
        let problem = environment.read(&format!("found/crashes/{id}/problem.json"));
        problem.contains("must never be logged: W/Payment: refused")
    };
    let crashes = environment.crashes("found");
    let id = crashes
        .iter()
        .find(is_rule)
        .expect("the shop refuses cards");
    let replayed = environment.run(&format!("replay found/crashes/{id}/trace.retap"));
    assert_eq!(replayed.code, 0, "{}{}", replayed.out, replayed.err);
    let other = environment.run(&format!(
        "reduce found/crashes/{id}/trace.retap --target log:W/Payment:.never --out cut"
    ));
    assert_eq!(other.code, 3, "{}{}", other.out, other.err);
}
