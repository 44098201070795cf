//! Figures instead of a test: what a step costs through adb, against adb's own tools and against no adb.

use std::any::type_name_of_val;

use crate::command_checks::run_expecting;
use crate::jvm_agent::API_DEMOS;
use crate::lab::{AdbLab, check_in_lab};

#[test]
#[ignore = "measures: `scripts/test-adb bench` runs it"]
fn a_step_through_adb() {
    let measure = |lab: &AdbLab| measure_steps(lab);
    check_in_lab(type_name_of_val(&measure), measure);
}

/// On a simulated phone next to nothing of a step is the phone's own time. Then on a JVM phone, in turns with one without adb.
fn measure_steps(lab: &AdbLab) -> String {
    let one = lab.one();
    let simulated = format!("bench device --device {one} --events 3000 --quiet 0 --stock --json");
    let simulated = lab.run(&simulated, 0, "").out;

    API_DEMOS.put_on(lab);
    let events = std::env::var("RETAP_BENCH_EVENTS").unwrap_or_else(|_| "300".to_owned());
    let apk = API_DEMOS.path();
    let mut command = lab.command(&format!(
        "bench device --device {one} --against jvm:{} --events {events} --samples 10 --stock --json",
        apk.display()
    ));
    // The phone without adb has the same programs: what they take is the phone's time on both.
    let path = std::env::var("PATH").unwrap();
    let programs = lab.phones[0].path("");
    command.env("PATH", format!("{}:{path}", programs.display()));
    let real = run_expecting(&mut command, &[0]).out;
    format!("{simulated}\n{real}")
}
