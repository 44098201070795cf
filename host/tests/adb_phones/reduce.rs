//! Reductions on two simulated phones behind adb: the same trace as without adb, whatever is taken away meanwhile.

use std::path::PathBuf;

use crate::disturbance::{Disturbance, reduced_trace};
use crate::lab::{AdbLab, with_phones};

/// A long trace to a crash, and what it is reduced to without adb.
fn traces_without_adb(lab: &AdbLab) -> (PathBuf, PathBuf) {
    let explore = "explore --device sim:notes --explorer random --events 1500 --seed 7";
    lab.run(&format!("{explore} --out expected"), 1, "");
    let crash = &lab.environment.crashes("expected")[0];
    let long = format!("expected/crashes/{crash}/trace.retap");
    lab.run(
        &format!("reduce {long} --device sim:notes --store expected.sqlite --out short"),
        0,
        "",
    );
    let short = reduced_trace(&lab.environment.path("short"));
    (lab.environment.path(&long), short)
}

fn check_disturbed(lab: &AdbLab, disturbance: Disturbance) {
    let (long, short) = traces_without_adb(lab);
    disturbance.check(lab, &long, &short);
}

#[test]
fn a_reduction_on_two_phones_gives_the_same_trace_as_without_adb() {
    with_phones(|lab| check_disturbed(lab, Disturbance::Undisturbed));
}

#[test]
fn a_reduction_survives_an_adbd_that_is_killed() {
    with_phones(|lab| check_disturbed(lab, Disturbance::AdbdKilled));
}

#[test]
fn a_reduction_survives_an_agent_that_is_killed() {
    with_phones(|lab| check_disturbed(lab, Disturbance::AgentKilled));
}

#[test]
fn a_reduction_survives_two_phones_that_lose_adbd_and_agent() {
    with_phones(|lab| check_disturbed(lab, Disturbance::AdbdAndAgentKilled));
}

#[test]
fn a_reduction_waits_until_two_rebooted_phones_have_started() {
    with_phones(|lab| check_disturbed(lab, Disturbance::Rebooted));
}

#[test]
fn a_reduced_trace_replays_through_adb() {
    with_phones(|lab| {
        let (_, short) = traces_without_adb(lab);
        let short = short.display();
        lab.run(
            &format!("replay {short} --device {}", lab.other()),
            0,
            "reached",
        );
        lab.assert_nothing_left();
    });
}
