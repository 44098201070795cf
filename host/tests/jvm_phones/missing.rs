//! What a JVM phone needs and does not have: each message says what to do.

use std::fs;
use std::process::Command;

use crate::apps::{built_phone, device, real_app, sample_app};
use crate::command_checks::{assert_says, run_expecting};
use crate::environment::TestEnvironment;
use crate::turns::JvmTurn;

/// In a folder where nothing is built yet.
#[test]
fn a_maven_that_does_not_reach_its_repository_is_told_with_what_to_do() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    fs::create_dir_all(environment.path("target/debug")).unwrap();
    let copy = environment.path("target/debug/retap");
    fs::copy(env!("CARGO_BIN_EXE_retap"), &copy).unwrap();
    let repository = environment.path("m2");
    let mut command = Command::new("unshare");
    command
        .arg("--net")
        .arg(&copy)
        .args(["explore", "--events", "5", "--out", "offline", "--device"])
        .arg(device(&real_app("toggle-test")))
        .current_dir(environment.path(""))
        .env("XDG_DATA_HOME", environment.path("data"))
        .env(
            "MAVEN_OPTS",
            format!("-Dmaven.repo.local={}", repository.display()),
        )
        .env_remove("RETAP_STORE")
        .env_remove("RUST_BACKTRACE");
    let ended = run_expecting(&mut command, &[4]);
    for words in [
        "Could not transfer artifact",
        "scripts/build-jvm-phone",
        "help: see to what it misses",
    ] {
        assert_says("without network", &ended, words);
    }
}

#[test]
fn a_jvm_without_the_flags_that_it_needs_names_them() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    let built = built_phone();
    let classes = |parts: &[&str]| {
        let parts = parts.iter().map(|part| built.join(part));
        std::env::join_paths(parts).unwrap()
    };
    let mut prepare = Command::new("java");
    prepare
        .arg("-cp")
        .arg(classes(&["classes", "lib/*"]))
        .arg("dev.retap.jvmphone.prepare.Prepare")
        .arg(sample_app())
        .arg(environment.path("apps"));
    let prepared = run_expecting(&mut prepare, &[0]).last_line().to_owned();

    let mut phone = Command::new("java");
    phone
        .arg("-cp")
        .arg(classes(&["classes", "bootstrap", "lib/*"]))
        .args(["dev.retap.jvmphone.Phone", &prepared])
        .arg(environment.path("data"))
        .arg(built.join("libretap_agent.so"));
    let ended = run_expecting(&mut phone, &[2]);
    let output = format!("{}{}", ended.out, ended.err);
    let expected = "error: the JVM keeps `java.lang` closed; \
                    start it with --add-opens java.base/java.lang=ALL-UNNAMED";
    assert!(output.lines().any(|line| line == expected), "{output}");
}
