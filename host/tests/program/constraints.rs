//! Constraints and settings of an exploration, through the program: forbidden widgets, rules, sign-in, wrong values.

use crate::environment::TestEnvironment;

#[test]
fn wrong_explorer_settings_are_refused_at_once_each_with_its_own_help() {
    let environment = TestEnvironment::new();
    environment.write("broken.txt", "colour\n");
    for (options, why, help) in [
        ("--ape gamma=3", "`gamma`", "--ape NAME=VALUE"),
        ("--explorer ape --ape alpha=x", "alpha", "--ape NAME=VALUE"),
        (
            "--explorer ape --abstraction broken.txt",
            "line 1",
            "`abstraction.txt` of a run",
        ),
        (
            "--explorer monkey --pct-touch 101",
            "the share of `touch` must be a number from 0 to 100, not 101",
            "--pct-touch 40",
        ),
        (
            "--explorer monkey --pct-touch -5",
            "from 0 to 100, not -5",
            "--pct-touch 40",
        ),
        (
            "--explorer monkey --pct-touch nan",
            "from 0 to 100, not NaN",
            "--pct-touch 40",
        ),
        (
            "--explorer monkey --pct-touch 60 --pct-nav 60",
            "add up to 120",
            "--pct-touch 40",
        ),
        (
            "--explorer timetravel --over auto",
            "`auto` travels by itself",
            "--over",
        ),
    ] {
        let ended = environment.run(&format!(
            "explore --device sim:notes --events 50 {options} --out here"
        ));
        assert_eq!(ended.code, 2, "{options}: {}", ended.err);
        assert!(
            ended.err.contains(why) && ended.err.contains(help),
            "{options}: {}",
            ended.err
        );
        assert!(
            !ended.err.contains("Exploring") && !environment.path("here").exists(),
            "{options}: {}",
            ended.err
        );
        let others = ["--ape NAME", "abstraction.txt` of", "--pct-touch 40"];
        let helps = others
            .iter()
            .filter(|other| ended.err.contains(**other))
            .count();
        assert!(helps <= 1, "{options}: {}", ended.err);
    }
}

#[test]
fn forbidding_the_first_activity_is_reported_once() {
    let environment = TestEnvironment::new();
    environment.write(
        "retap.toml",
        "[explore]\nforbidden_activities = [\"ListActivity\"]\n",
    );
    let ended = environment.run("explore --device sim:notes --events 20 --explorer auto");
    let warnings = ended
        .err
        .matches("ListActivity`, which is forbidden and left at once")
        .count();
    assert_eq!((ended.code, warnings), (0, 1), "{}", ended.err);
}

#[test]
fn retap_toml_forbids_widgets_types_texts_and_checks_rules() {
    let environment = TestEnvironment::new();
    environment.write(
        "retap.toml",
        "device = \"sim:notes\"\nseed = 7\n[explore]\nexplorer = \"auto\"\nevents = 1500\n\
         forbidden_texts = [\"settings\"]\nnever = [\"activity:SearchActivity\"]\n",
    );
    let ended = environment.run("explore --out here");
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(
        ended
            .out
            .contains("Rule broken: must never appear: the activity SearchActivity"),
        "{}",
        ended.out
    );
    assert!(
        !environment
            .read("here/events.jsonl")
            .contains("notes/.SettingsActivity")
    );
    environment.write(
        "retap.toml",
        "[explore]\nforbidden_widgets = [\"logout\"]\nnever = [\"toast:x\"]\n",
    );
    let wrong = environment.run("check");
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("2:22") && wrong.err.contains("3:10"),
        "{}",
        wrong.err
    );
}

#[test]
fn a_forbidden_log_line_and_a_missing_text_are_findings_that_can_be_replayed() {
    let environment = TestEnvironment::new();
    environment.write(
        "retap.toml",
        "device = \"sim:notes\"\nseed = 7\n[explore]\nexplorer = \"auto\"\nevents = 1500\n\
         never = [\"log:Displayed .*SearchActivity\"]\nalways = [\"id:nothing_of_this_name in TagsActivity\"]\n",
    );
    let ended = environment.run("explore --out here");
    assert_eq!(ended.code, 1, "{}", ended.err);
    for what in [
        "must never be logged: Displayed .*SearchActivity",
        "must always be there",
    ] {
        assert!(ended.out.contains(what), "{what} in {}", ended.out);
    }
    let of = |what: &str| {
        let crashes = environment.crashes("here");
        let is = |crash: &&String| {
            environment
                .read(&format!("here/crashes/{crash}/problem.json"))
                .contains(what)
        };
        crashes.iter().find(is).cloned().unwrap()
    };
    for what in ["must never be logged", "must always be there"] {
        let trace = format!("here/crashes/{}/trace.retap", of(what));
        let replayed = environment.run(&format!("replay {trace} --times 1"));
        assert_eq!(
            replayed.code, 0,
            "{what}: {} {}",
            replayed.out, replayed.err
        );
    }
    environment.write(
        "retap.toml",
        "[explore]\nnever = [\"log:(\"]\nalways = [\"toolbar\"]\n",
    );
    let wrong = environment.run("check");
    assert!(
        wrong.code == 2 && wrong.err.contains("2:10") && wrong.err.contains("3:11"),
        "{}",
        wrong.err
    );
}

#[test]
fn a_failed_sign_in_is_explained_with_exit_code_2() {
    let environment = TestEnvironment::new();
    environment.write(
        "login.retap",
        "{\"retap\":\"1.0\",\"app\":{\"package\":\"com.example.notes\"},\"start\":\"clean\"}\n\
         {\"do\":{\"tap\":{\"x\":5,\"y\":5}},\"widget\":{\"text\":\"Sign in to nowhere\",\"class\":\"Button\"}}\n",
    );
    environment.write(
        "retap.toml",
        "device = \"sim:notes\"\n[explore]\nexplorer = \"auto\"\nbefore = \"login.retap\"\n",
    );
    let ended = environment.run("explore --events 50 --out here");
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(
        ended.err.contains("step 1 of 1 does not find"),
        "{}",
        ended.err
    );
}
