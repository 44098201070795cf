//! Explorations through adb: the same as without it, and nothing stays on the phone that was not to be kept.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use crate::environment::names;
use crate::lab::{AdbLab, with_phones};
use crate::phone::write_script;

const SEEDED: &str = "--explorer random --events 1500 --seed 7";
const SHORT: &str = "--events 3 --seed 1";

/// The crashes of the same exploration without adb.
fn crashes_without_adb(lab: &AdbLab) -> Vec<String> {
    lab.run(
        &format!("explore --device sim:notes {SEEDED} --out expected"),
        1,
        "",
    );
    let crashes = lab.environment.crashes("expected");
    assert!(!crashes.is_empty(), "nothing was found without adb");
    crashes
}

#[test]
fn an_exploration_finds_the_same_crashes_as_without_adb_and_leaves_nothing() {
    with_phones(|lab| {
        let expected = crashes_without_adb(lab);
        let one = lab.one();
        lab.run(
            &format!("explore notes --device {one} {SEEDED} --out through"),
            1,
            "",
        );
        assert_eq!(lab.environment.crashes("through"), expected);
        lab.assert_nothing_left();
        let started = lab.phones[0].read("started");
        assert!(
            started.contains("--user 0 --uid 2000"),
            "the agent would have stayed root's: {started}"
        );
    });
}

#[test]
fn an_agent_that_is_kept_is_not_pushed_again_and_is_removed_in_the_end() {
    with_phones(|lab| {
        let phone = &lab.phones[0];
        let explore = format!("explore --device {} {SHORT}", lab.one());
        lab.run(
            &format!("{explore} --user 10 --keep-agent --out kept"),
            0,
            "",
        );
        let started = phone.read("started");
        let last = started.lines().last().unwrap();
        assert!(last.contains("--user 10"), "the user is not named: {last}");

        let kept = names(&phone.retap_folder());
        assert!(
            kept.len() == 1 && kept[0].starts_with("agent-"),
            "another than the agent was kept: {kept:?}"
        );
        let library = phone
            .retap_folder()
            .join(&kept[0])
            .join("libretap_agent.so");
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_836_800);
        let file = File::options().append(true).open(&library).unwrap();
        file.set_modified(long_ago).unwrap();
        lab.run(&format!("{explore} --keep-agent --out again"), 0, "");
        let modified = fs::metadata(&library).unwrap().modified().unwrap();
        assert_eq!(modified, long_ago, "what was there was pushed again");

        lab.run(&format!("{explore} --out last"), 0, "");
        lab.assert_nothing_left();
    });
}

/// A phone before Android 7 has no exit codes, and errors are among the output.
#[test]
fn a_shell_without_exit_codes_serves_as_well() {
    with_phones(|lab| {
        let expected = crashes_without_adb(lab);
        let old_adb = lab.environment.path("old-adb");
        let script = format!(
            "for word; do shift; set -- \"$@\" \"$word\"; [ \"$word\" != shell ] || set -- \"$@\" -x; done\n\
             exec '{}' \"$@\"",
            lab.adb_path().display()
        );
        write_script(&old_adb, &script);
        let line = format!("explore --device {} {SEEDED} --out on-old", lab.one());
        let mut command = lab.command(&line);
        crate::command_checks::run_expecting(command.env("ADB", &old_adb), &[1]);
        assert_eq!(lab.environment.crashes("on-old"), expected);
        lab.assert_nothing_left();
    });
}
