//! System events on a JVM phone, and what the phone's shell says meanwhile.

use std::path::Path;
use std::process::Command;

use crate::apps::{built_phone, real_app};
use crate::command_checks::run_expecting;
use crate::environment::{TestEnvironment, names};
use crate::recorded::{assert_repeated, event_count, explore, repeated_events};
use crate::running_program::RunningProgram;
use crate::turns::JvmTurn;

/// Programs of the phone with their arguments, what they say, and their exit codes.
const ANSWERS: [(&str, &str, i32); 6] = [
    ("cmd nothing", "cmd: Can't find service: nothing\n", 20),
    ("cmd activity nothing", "Unknown command: nothing\n", 255),
    (
        "cmd activity broadcast -a android.intent.action.BOOT_COMPLETED -p io.appium.android.apis",
        "Security exception: Permission Denial: not allowed to send broadcast \
         android.intent.action.BOOT_COMPLETED from pid=1000, uid=2000\n",
        255,
    ),
    (
        "cmd locale set-app-locales no.such.app --locales de",
        "Unknown package no.such.app for userId 0\n",
        255,
    ),
    (
        "cmd locale get-app-locales com.android.shell --user 0",
        "Locales for com.android.shell for user 0 are []\n",
        0,
    ),
    ("getprop no.such.property", "\n", 0),
];

#[test]
fn system_events_repeat_with_their_seed_and_the_shell_refuses_as_a_phone_does() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    let app = real_app("apidemos");
    let options = format!(
        "--explorer monkey+system --events {} --seed 2",
        event_count()
    );
    let place = environment.path("tmp");
    std::fs::create_dir(&place).unwrap();
    let mut first = explore(&environment, &app, &options, "first");
    // Only then its folder can be looked into. The second run is contained, and the same.
    first.arg("--trust");
    let log = environment.path("first.log");
    let mut running = RunningProgram::start(first.env("TMPDIR", &place), &log);
    let phone = || {
        let name = names(&place)
            .into_iter()
            .find(|name| name.starts_with("retap-jvm-"))?;
        Some(place.join(name))
    };
    running.wait_until("the phone had a shell", || {
        phone().is_some_and(|phone| phone.join("shell").exists())
    });
    check_answers(&phone().unwrap().join("data"));
    running.wait(&[0, 1]);

    run_expecting(&mut explore(&environment, &app, &options, "again"), &[0, 1]);
    assert_repeated(&environment, "first", "again");
    let steps = repeated_events(&environment, "first");
    assert!(
        steps.iter().any(|step| step["action"] == "network off"),
        "no system event came"
    );
}

/// Asks the programs of the phone whose data is there.
fn check_answers(data: &Path) {
    let programs = built_phone().join("bin");
    for (line, expected, code) in ANSWERS {
        let (program, arguments) = line.split_once(' ').unwrap();
        let mut command = Command::new(programs.join(program));
        command
            .args(arguments.split(' '))
            .env("RETAP_JVM_DATA", data);
        let ended = run_expecting(&mut command, &[code]);
        let output = format!("{}{}", ended.out, ended.err);
        assert_eq!(output, expected, "{line}");
    }
}
