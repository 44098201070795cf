//! Phones and servers that are not there or cannot be used: each message says what to do, and nothing is left.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::command_checks::run_saying;
use crate::environment::names;
use crate::lab::{AdbLab, LIBRARY, with_phones};
use crate::phone::{PhoneBehindAdb, PhoneStorage};
use crate::running_program::RunningProgram;
use crate::tools::simulated_agent;

#[test]
fn a_phone_that_is_not_on_adb_is_told_with_those_that_are() {
    with_phones(|lab| {
        let words = format!("it has `{}` and `{}`", lab.one(), lab.other());
        lab.run("explore --device 127.0.0.1:1 --out none", 4, &words);
        lab.assert_nothing_left();
    });
}

#[test]
fn an_adb_that_is_not_there_is_to_be_installed() {
    with_phones(|lab| {
        let mut command = lab.command(&format!("explore --device {} --out nowhere", lab.one()));
        run_saying(command.env("ADB", "/nowhere/adb"), 4, "install adb");
        lab.assert_nothing_left();
    });
}

#[test]
fn an_app_that_is_not_on_the_phone_is_named() {
    with_phones(|lab| {
        lab.run(
            &format!(
                "explore org.example.none --device {} --out no-app",
                lab.one()
            ),
            2,
            "there is no app `org.example.none`",
        );
        lab.assert_nothing_left();
    });
}

/// A third phone, with a small or read-only storage.
fn phone_with_storage(lab: &AdbLab, option: &'static str) -> PhoneBehindAdb {
    let place = lab.environment.path("");
    let storage = PhoneStorage::Memory(option);
    let phone = PhoneBehindAdb::with_storage(&place, 6557, &simulated_agent(), storage);
    lab.start_daemon(&phone);
    lab.connect("", &phone);
    phone
}

#[test]
fn a_full_phone_is_told_and_keeps_no_half_of_an_agent() {
    with_phones(|lab| {
        let phone = phone_with_storage(lab, "size=64k");
        let library = fs::OpenOptions::new()
            .append(true)
            .open(lab.environment.path(LIBRARY));
        library.unwrap().write_all(&[0; 100_000]).unwrap();
        lab.run(
            &format!("explore --device {} --out no-space", phone.serial()),
            4,
            "free 64 MB on the phone",
        );
        let folder = phone.data_of_daemon("local/tmp");
        assert!(folder.is_dir(), "adbd has no /data/local/tmp");
        assert_eq!(names(&folder), [""; 0], "half of the agent was left");
        lab.assert_nothing_left();
    });
}

#[test]
fn a_read_only_phone_is_told() {
    with_phones(|lab| {
        let phone = phone_with_storage(lab, "ro");
        let line = format!("explore --device {} --out read-only", phone.serial());
        lab.run(&line, 4, "read-only");
        lab.assert_nothing_left();
    });
}

/// A server of another machine that goes away in the middle, for longer than Retap waits.
#[test]
fn an_adb_server_that_goes_away_ends_the_run_and_the_next_host_ends_its_agent() {
    with_phones(|lab| {
        let one = lab.one();
        let mut server = start_second_server(lab);
        lab.connect("-H 127.0.0.1 -P 5040", &lab.phones[0]);
        let remote = "explore --adb 127.0.0.1:5040";
        let line = format!("{remote} --device {one}?wait=3 --events 10000000 --out remote");
        let mut running = lab.start_run(&mut lab.command(&line), "remote", 5);
        server.kill();
        running.wait(&[4]);
        let log = running.log();
        assert!(log.contains("help: "), "{line}: {log}");
        lab.run(
            &format!("{remote} --device {one} --out no-server"),
            4,
            "no adb server answers",
        );
        lab.run(
            &format!("explore --device {one} --events 3 --seed 1 --out after"),
            0,
            "",
        );
        lab.assert_nothing_left();
    });
}

/// A server that also other machines could reach, were there any.
fn start_second_server(lab: &AdbLab) -> RunningProgram {
    let mut command: Command = lab.adb("-a -P 5040 nodaemon server start");
    command.stdout(Stdio::null());
    RunningProgram::start(&mut command, &lab.environment.path("server.log"))
}
