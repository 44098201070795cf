//! `retap reduce`: the fewest steps, the targets, and traces that do not reproduce.

use retap_shared::fingerprint::Fingerprint;
use retap_shared::trace::Trace;
use serde_json::Value;

use crate::environment::TestEnvironment;

#[test]
fn every_crash_of_a_run_is_reduced_to_its_fewest_steps() {
    let environment = TestEnvironment::new();
    environment.explored("shop", "found");
    let ended = environment.run("reduce found --out cut");
    assert_eq!(
        (ended.code, ended.last_line()),
        (0, "cut"),
        "{}{}",
        ended.out,
        ended.err
    );
    let truth = retap_simulator::ground_truth("shop").unwrap();
    let crashes = environment.crashes("cut");
    assert_eq!(crashes, environment.crashes("found"));
    for crash in crashes {
        let id: Fingerprint = crash.parse().unwrap();
        let shortest = truth
            .crashes
            .iter()
            .find(|planted| planted.fingerprint == id)
            .unwrap()
            .shortest
            .len();
        let reduced =
            Trace::parse(&environment.read(&format!("cut/crashes/{crash}/reduced.retap"))).unwrap();
        assert_eq!(
            reduced.steps.len(),
            shortest,
            "{crash}: {:#?}",
            reduced.steps
        );
        assert!(
            ended.out.contains(&format!("→ {shortest} step")),
            "{}",
            ended.out
        );
    }
    assert!(environment.read("cut/report.html").contains("</html>"));
}

#[test]
fn one_crash_is_chosen_by_the_first_digits_of_its_id() {
    let environment = TestEnvironment::new();
    environment.explored("shop", "found");
    let id = environment.crashes("found").remove(0);
    let ended = environment.run(&format!(
        "reduce found --crash {} --out cut --json",
        &id[..8]
    ));
    let result: Value =
        serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{}", ended.err));
    assert_eq!(result["target"]["problem"], id.as_str());
    assert_eq!(environment.crashes("cut"), [id]);
    assert_eq!(
        environment.run("reduce found --crash zz --out other").code,
        2
    );
}

#[test]
fn the_result_does_not_depend_on_the_number_of_phones() {
    let environment = TestEnvironment::new();
    environment.explored("mail", "found");
    let id = environment.crashes("found").remove(0);
    for (count, run) in [(1, "one"), (5, "five")] {
        let ended = environment.run(&format!(
            "reduce found/crashes/{id}/trace.retap --count {count} --out {run}"
        ));
        assert_eq!(ended.code, 0, "{}", ended.err);
    }
    let reduced =
        |run: &str| environment.read_unclaimed(&format!("{run}/crashes/{id}/reduced.retap"));
    assert_eq!(reduced("one"), reduced("five"));
}

#[test]
fn a_trace_can_be_reduced_to_an_activity_or_a_text_on_screen() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    let trace = environment
        .crashes("found")
        .into_iter()
        .map(|id| format!("found/crashes/{id}/trace.retap"))
        .find(|trace| environment.read(trace).contains("SettingsActivity"))
        .unwrap();
    let ended = environment.run(&format!(
        "reduce {trace} --target activity:SettingsActivity --out activity"
    ));
    assert_eq!(ended.code, 0, "{}", ended.err);
    let reduced = Trace::parse(&environment.read("activity/traces/reduced.retap")).unwrap();
    assert_eq!(reduced.steps.len(), 2, "{:#?}", reduced.steps);
    let ended = environment.run(&format!(
        "reduce {trace} --target screen:Settings --out screen"
    ));
    assert_eq!(ended.code, 0, "{}", ended.err);
    let replay = environment.run("replay activity/traces/reduced.retap --times 2");
    assert_eq!(replay.code, 0, "{}", replay.out);
}

#[test]
fn a_trace_that_does_not_reproduce_has_exit_code_3_and_the_share_of_runs() {
    let environment = TestEnvironment::new();
    environment.explored("shop", "found");
    let id = environment.crashes("found").remove(0);
    let text = environment.read(&format!("found/crashes/{id}/trace.retap"));
    let header = text.lines().next().unwrap();
    environment.write("empty.retap", &format!("{header}\n"));
    let ended = environment.run("reduce empty.retap --runs 4 --successes 2 --out cut");
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(
        ended.err.contains("error: the trace does not reproduce"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("0 of "), "{}", ended.err);
    assert!(
        ended
            .err
            .contains("help: see whether app and phone are those"),
        "{}",
        ended.err
    );
    assert_eq!(environment.crashes("cut"), [""; 0]);
    assert!(
        environment
            .read("cut/run.json")
            .contains("\"state\": \"done\"")
    );
}
