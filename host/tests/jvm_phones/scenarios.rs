//! Scenarios in real apps: every trace of an app's folder reaches its target.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apps::{device, project, real_app};
use crate::command_checks::run_expecting;
use crate::environment::{TestEnvironment, names};
use crate::turns::JvmTurn;

/// Replays all traces of a folder on one phone; `change` adds to the command.
pub(crate) fn replay_folder(folder: &Path, apk: &Path, change: impl FnOnce(&mut Command)) {
    let _turn = JvmTurn::wait_for(1);
    let traces: Vec<PathBuf> = names(folder)
        .iter()
        .filter(|name| name.ends_with(".retap"))
        .map(|name| folder.join(name))
        .collect();
    assert!(!traces.is_empty(), "no traces in {}", folder.display());
    let environment = TestEnvironment::new();
    let mut command = environment.command("replay --times 1 --plain");
    command
        .args(["--device", &device(apk)])
        .args(traces)
        .env_remove("RUST_BACKTRACE");
    change(&mut command);
    run_expecting(&mut command, &[0]);
}

fn replay_scenarios(app: &str) {
    let folder = project("android-project/jvm-phone/scenarios").join(app);
    replay_folder(&folder, &real_app(app), |_| {});
}

#[test]
fn every_scenario_in_api_demos_reaches_its_target() {
    replay_scenarios("apidemos");
}

#[test]
fn every_scenario_in_the_old_api_demos_reaches_its_target() {
    replay_scenarios("apidemos-old");
}

#[test]
fn every_scenario_in_contact_manager_reaches_its_target() {
    replay_scenarios("contact-manager");
}

#[test]
fn every_scenario_in_the_test_app_of_selendroid_reaches_its_target() {
    replay_scenarios("selendroid-test-app");
}

#[test]
fn every_scenario_in_toggle_test_reaches_its_target() {
    replay_scenarios("toggle-test");
}

#[test]
fn every_scenario_in_gps_demo_reaches_its_target() {
    replay_scenarios("gps-demo");
}
