//! Ctrl-C and `kill` while a phone is gone, while one is being reached and while one starts: exit code 130, and everything
//! that was found until then.

use std::fs;
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};

use crate::descendants::{descendant, descendants};
use crate::environment::{TestEnvironment, grown_to};
use crate::interrupt::{interrupt, start};
use crate::link_phone::{ServedPhone, planted};

const MANIFEST: &str = "here/run.json";

#[test]
fn a_phone_that_is_gone_is_not_waited_for_and_findings_are_kept() {
    let environment = TestEnvironment::new();
    let mut served = ServedPhone::start(&environment, "sim:notes", "udp", "keys.pairing");
    let line = format!(
        "explore --device {} --explorer random --events 1000000 --seed 7 --out here",
        served.device()
    );
    let mut host = start(&environment, &line, &[]);
    assert!(grown_to(
        &environment.path("here/events.jsonl"),
        5_000,
        &mut host
    ));
    let found = environment.crashes("here");
    served.kill();
    interrupt(&host);
    assert_eq!(host.wait().unwrap().code(), Some(130));
    let manifest = environment.read(MANIFEST);
    assert!(
        manifest.contains("\"state\": \"interrupted\""),
        "{manifest}"
    );
    assert!(environment.read("here/report.html").contains("</html>"));
    let kept = environment.crashes("here");
    assert!(found.iter().all(|crash| kept.contains(crash)));
}

/// Somebody who hears that a host wants to connect, and never answers.
fn silent_agent() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").unwrap()
}

#[test]
fn a_phone_that_is_being_reached_is_not_waited_for() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let served = ServedPhone::start(&environment, "sim:notes", "udp", "keys.pairing");
    for command in [
        format!("replay {trace}"),
        "screen".to_owned(),
        "explore --out here".to_owned(),
        format!("reduce {trace} --out reduced"),
    ] {
        let agent = silent_agent();
        let address = agent.local_addr().unwrap();
        let line = format!("{command} --device udp:{address}?pairing=keys.pairing");
        let mut host = start(&environment, &line, &[]);
        agent.recv_from(&mut [0; 2_000]).unwrap();
        interrupt(&host);
        assert_eq!(host.wait().unwrap().code(), Some(130), "{command}");
    }
    drop(served);
    let manifest = environment.read(MANIFEST);
    assert!(
        manifest.contains("\"state\": \"interrupted\""),
        "{manifest}"
    );
}

/// An environment with a Java that does as `script` says.
fn with_java(environment: &TestEnvironment, script: &str) {
    fs::create_dir_all(environment.path("java/bin")).unwrap();
    fs::create_dir_all(environment.path("built")).unwrap();
    fs::create_dir_all(environment.path("prepared")).unwrap();
    environment.write("built/ready", "");
    environment.write("app.apk", "PK\u{3}\u{4}");
    environment.write("java/bin/java", &format!("#!/bin/sh\n{script}\n"));
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(environment.path("java/bin/java"), executable).unwrap();
}

fn start_with_java(environment: &TestEnvironment, line: &str) -> Child {
    let java = format!("JAVA_HOME={}", environment.path("java").display());
    let built = format!("RETAP_JVM_PHONE={}", environment.path("built").display());
    start(environment, line, &[&java, &built])
}

/// Java hangs while it prepares the app, or as the phone.
#[test]
fn a_jvm_phone_that_is_being_prepared_or_started_is_not_waited_for_and_ends() {
    let prepares = "case \"$*\" in *Prepare*) echo \"$PWD/prepared\";; *) exec sleep 1000;; esac";
    for (script, device) in [
        ("exec sleep 1000", "jvm"),
        (prepares, "jvm"),
        (prepares, "jvm-trusted"),
    ] {
        for signal in ["-INT", "-TERM"] {
            let environment = TestEnvironment::new();
            with_java(&environment, script);
            let line = format!("explore --device {device}:app.apk --out here");
            let mut host = start_with_java(&environment, &line);
            wait_for_descendant(&mut host, "sleep");
            let started = descendants(host.id());
            let id = host.id().to_string();
            let sent = Command::new("kill").args([signal, &id]).status().unwrap();
            assert!(sent.success());
            assert_eq!(host.wait().unwrap().code(), Some(130), "{script} {signal}");
            for process in started {
                process.assert_ends();
            }
            let manifest = environment.read(MANIFEST);
            assert!(
                manifest.contains("\"state\": \"interrupted\""),
                "{manifest}"
            );
        }
    }
}

fn wait_for_descendant(host: &mut Child, name: &str) {
    while descendant(host.id(), name).is_none() {
        let ended = host.try_wait().unwrap();
        assert!(ended.is_none(), "it ended before `{name}` was started");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
