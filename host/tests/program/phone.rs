//! `retap phone`: what it prints, and how it ends.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::environment::TestEnvironment;
use crate::link_phone::planted;

/// A phone that serves, with its address. Ctrl-C reaches it also if the tests themselves ignore it.
fn serve(environment: &TestEnvironment, line: &str) -> (Child, String) {
    let plain = environment.command(line);
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT")
        .arg(plain.get_program())
        .args(plain.get_args());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command
        .current_dir(environment.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    let output = child.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut address).unwrap();
    (child, address.trim().to_owned())
}

/// Ends the phone with Ctrl-C, and returns its exit code and its log.
fn stop(child: Child) -> (Option<i32>, String) {
    stop_by("INT", child)
}

fn stop_by(signal: &str, mut child: Child) -> (Option<i32>, String) {
    let mut log = String::new();
    let mut errors = child.stderr.take().unwrap();
    let killed = Command::new("kill")
        .args([format!("-{signal}"), child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    errors.read_to_string(&mut log).unwrap();
    (child.wait().unwrap().code(), log)
}

#[test]
fn a_phone_logs_its_hosts_and_nothing_of_the_transport_and_ends_with_130() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let (phone, address) = serve(&environment, "phone sim:notes");
    let ended = environment.run(&format!("replay {trace} --times 1 --device {address}"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    let (code, log) = stop(phone);
    assert_eq!(code, Some(130), "{log}");
    assert!(log.contains("serving host="), "{log}");
    assert!(!log.contains("quinn") && !log.contains("DEBUG"), "{log}");
}

#[test]
fn a_phone_that_is_killed_politely_ends_with_130() {
    let environment = TestEnvironment::new();
    let (phone, _) = serve(&environment, "phone sim:notes");
    let (code, log) = stop_by("TERM", phone);
    assert_eq!(code, Some(130), "{log}");
}

#[test]
fn a_verbose_phone_logs_more() {
    let environment = TestEnvironment::new();
    let (phone, address) = serve(&environment, "-v phone sim:notes");
    assert!(address.starts_with("udp:"), "{address}");
    let (code, log) = stop(phone);
    assert_eq!(code, Some(130), "{log}");
    assert!(!log.contains("panicked"), "{log}");
}

#[test]
fn two_served_phones_are_one_list_each_with_its_pairing_file() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let (one, first) = serve(&environment, "phone sim:notes --pairing one.pairing");
    let (two, second) = serve(
        &environment,
        "phone sim:notes --listen tcp:127.0.0.1:0 --pairing two.pairing",
    );
    let ended = environment.run(&format!(
        "replay {trace} --times 2 --device {first}?pairing=one.pairing,{second}?pairing=two.pairing"
    ));
    assert_eq!(ended.code, 0, "{}", ended.err);
    for phone in [one, two] {
        let (_, log) = stop(phone);
        assert!(log.contains("serving host="), "{log}");
        assert!(!log.contains("quinn"), "{log}");
    }
}

#[test]
fn several_phones_of_one_process_answer_at_once_each_with_its_pairing_file() {
    let environment = TestEnvironment::new();
    let (phones, first) = serve(
        &environment,
        "phone sim:notes?latency=realistic,sim:notes --pairing p.pairing",
    );
    let second: Value = serde_json::from_str(&environment.read("p-2.pairing")).unwrap();
    let second = second["address"].as_str().unwrap();
    let ended = environment.run(&format!(
        "explore --events 400 --seed 3 --out run --device {first}?pairing=p-1.pairing,{second}?pairing=p-2.pairing"
    ));
    assert!(matches!(ended.code, 0 | 1), "{}", ended.err);
    let events = environment.read("run/events.jsonl");
    let steps_on = |address: &str| {
        let device = format!("\"device\":\"{address}?");
        let is_step = |line: &&str| line.contains("\"stepped\"") && line.contains(&device);
        events.lines().filter(is_step).count()
    };
    assert!(steps_on(&first) > 50 && steps_on(second) > 50);
    let phone_time: u64 = events
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|event| event["event"] == "exploration_ended")
        .filter_map(|event| event["took"].as_u64())
        .sum();
    let (_, log) = stop(phones);
    assert!(
        phone_time > 60_000_000,
        "{phone_time} µs of phone time: {log}"
    );
}
