//! JVM phones behind adb: the whole agent under the real framework, with real apps.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::command_checks::assert_says;
use crate::disturbance::{Disturbance, reduced_trace, steps};
use crate::environment::names;
use crate::jvm_agent::{API_DEMOS, SAMPLE, with_jvm_phones};
use crate::lab::AdbLab;
use crate::phone::ANIMATION;

/// A way of eight steps to a planted bug, of which three are needed.
const LONG_WAY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../android-project/sample-app/traces/long-way.retap"
);

#[test]
fn doctor_sees_every_request_answered_on_a_jvm_phone_and_the_data_of_the_app_saved() {
    with_jvm_phones(&SAMPLE, |lab| {
        let line = format!("doctor dev.retap.sample --device {} --deep", lab.one());
        let ended = lab.run(&line, 0, "was saved and put back");
        assert!(!ended.out.contains('✘'), "{line}: {}", ended.out);
        assert_says(&line, &ended, "Java names are there");
        lab.assert_nothing_left();
        assert_settings_restored(lab);
    });
}

#[test]
fn root_saves_the_data_of_an_app_that_run_as_refuses() {
    with_jvm_phones(&SAMPLE, |lab| {
        let phone = &lab.phones[0];
        phone.remove("debuggable");
        phone.write("rooted", "");
        let line = format!("doctor dev.retap.sample --device {}", lab.one());
        lab.run(&line, 0, "was saved and put back");
        let by_root = phone.read("by-root");
        assert!(by_root.contains("tar -xpf"), "root did: {by_root}");
        lab.assert_nothing_left();
    });
}

#[test]
fn a_tool_that_holds_the_phone_is_named_with_its_process() {
    with_jvm_phones(&SAMPLE, |lab| {
        let mut tool = Command::new("sleep")
            .arg0("uiautomator runtest other.jar")
            .arg("600")
            .spawn()
            .unwrap();
        lab.phones[0].write("held-by-another", "");
        let words = format!(
            "Another tool holds the phone's UiAutomation; it is process {} (uiautomator runtest other.jar",
            tool.id()
        );
        let one = lab.one();
        let explore = format!("explore dev.retap.sample --device {one} --events 3 --seed 1");
        lab.run(&format!("{explore} --out held-by-another"), 4, &words);
        tool.kill().unwrap();
        tool.wait().unwrap();
        lab.assert_nothing_left();
    });
}

#[test]
fn a_planted_bug_is_reduced_to_three_steps_whatever_is_taken_away_meanwhile() {
    with_jvm_phones(&SAMPLE, |lab| {
        let long = Path::new(LONG_WAY);
        let short = Disturbance::Undisturbed.reduce(lab, long);
        let left = steps(&short);
        assert_eq!(left.len(), 3, "three steps should be left: {left:#?}");
        Disturbance::AdbdKilled.check(lab, long, &short);
        Disturbance::AgentKilled.check(lab, long, &short);
        Disturbance::AdbdAndAgentKilled.check(lab, long, &short);
        assert_settings_restored(lab);
    });
}

/// As the README tells it.
#[test]
fn a_real_crash_of_api_demos_is_installed_explored_reduced_and_replayed() {
    with_jvm_phones(&API_DEMOS, |lab| {
        let (one, both) = (lab.one(), lab.both());
        let apk = API_DEMOS.path();
        for phone in &lab.phones {
            let words = format!("is on {}", phone.serial());
            lab.run(
                &format!("install {} --device {both}", apk.display()),
                0,
                &words,
            );
        }
        let package = API_DEMOS.package;
        lab.run(
            &format!("explore {package} --device {both} --events 20 --session-events 10 --seed 1 --out first"),
            1,
            "MODE_WORLD_READABLE no longer supported",
        );
        lab.run(
            &format!("reduce first --device {both} --out short"),
            0,
            "4 steps",
        );
        let short = reduced_trace(&lab.environment.path("short"));
        let replay = format!("replay {} --device {one} --times 2", short.display());
        lab.run(&replay, 0, "reached");
        lab.assert_nothing_left();
    });
}

/// The agent has changed settings, and all are as they were before.
fn assert_settings_restored(lab: &AdbLab) {
    let animation = Path::new(ANIMATION).file_name().unwrap();
    for phone in &lab.phones {
        assert_eq!(names(&phone.path("set")), [animation.to_str().unwrap()]);
        assert_eq!(phone.read(ANIMATION), phone.read("before"));
    }
    let log = lab.phones[0].read("set.log");
    let change = "put global window_animation_scale 0";
    assert!(
        log.lines().any(|line| line.ends_with(change)),
        "no setting was changed: {log}"
    );
}
