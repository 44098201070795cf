//! Phones on adb, without a real adb: programs that are no adb, serials with blanks, options for other phones.
//! `scripts/test-adb` tests the rest with a real adb.

use std::os::unix::fs::symlink;

use crate::environment::{ProgramOutput, TestEnvironment};

const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/adb/tests/fake-adb");

/// Explores a phone through an adb that does what its name says.
fn explored_through(adb: &str) -> ProgramOutput {
    let environment = TestEnvironment::new();
    symlink(FAKE, environment.path(adb)).unwrap();
    let mut command = environment.command("explore --out here --device");
    command
        .arg("my phone")
        .env("ADB", environment.path(adb))
        .output()
        .unwrap()
        .into()
}

#[test]
fn an_adb_that_hangs_or_talks_nonsense_is_named_and_no_phone_is_the_end() {
    for (adb, words) in [
        ("hangs", "did not answer in 10 s"),
        ("garbage", "gave an answer that is not adb's"),
        ("endless", "gave an answer that is not adb's"),
        ("broken", "adb: cannot be"),
    ] {
        let ended = explored_through(adb);
        assert_eq!(ended.code, 4, "{adb}: {}", ended.err);
        assert!(
            ended.err.contains(words) && ended.err.contains("help: "),
            "{adb}: {}",
            ended.err
        );
    }
}

#[test]
fn all_means_every_phone_on_adb_that_is_ready() {
    let environment = TestEnvironment::new();
    for option in ["--devices", "--device"] {
        let mut command = environment.command(&format!("explore --out here {option} all"));
        let ended = ProgramOutput::from(command.env("ADB", FAKE).output().unwrap());
        // The other one, which is locked, is not among them; all that is missing are the agent's files.
        assert_eq!(ended.code, 2, "{}", ended.err);
        assert!(
            ended.err.contains("could not use `my phone` through adb"),
            "{}",
            ended.err
        );
        std::fs::remove_dir_all(environment.path("here")).unwrap();
    }
    let nowhere = environment.run("explore --devices all");
    assert_eq!(nowhere.code, 4, "{}", nowhere.err);
    assert!(nowhere.err.contains("could not ask adb"), "{}", nowhere.err);
}

#[test]
fn a_serial_with_blanks_is_one_phone() {
    // All that is missing are the agent's files, which are asked for after the phone.
    let ended = explored_through("adb");
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(
        ended.err.contains("could not use `my phone` through adb"),
        "{}",
        ended.err
    );
    assert!(
        ended.err.contains("x86_64/libretap_agent.so"),
        "{}",
        ended.err
    );
}

#[test]
fn apps_are_installed_for_one_user_and_refusals_come_with_what_to_do() {
    let environment = TestEnvironment::new();
    let install = |file: &str, content: &str| {
        environment.write(file, content);
        let mut command = environment.command(&format!("install {file} --user 10"));
        ProgramOutput::from(command.env("ADB", FAKE).output().unwrap())
    };
    let done = install("app.apk", "PK\x03\x04 an app");
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "app.apk is on my phone\n"),
        "{}",
        done.err
    );
    let refused = install("broken.apk", "PK\x03\x04 an app");
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused.err.contains("uninstall that one first"),
        "{}",
        refused.err
    );
    let other = install("readme.txt", "hello");
    assert_eq!(other.code, 2);
    assert!(other.err.contains("is no APK"), "{}", other.err);
    assert_eq!(environment.run("install missing.apk").code, 2);
    assert_eq!(install("app.apk", "PK\x03\x04").code, 0);
    let nowhere = environment.run("install app.apk");
    assert_eq!(nowhere.code, 4, "{}", nowhere.err);
}

#[test]
fn options_for_phones_on_adb_are_refused_for_others() {
    let environment = TestEnvironment::new();
    for (line, words) in [
        (
            "explore --device sim:notes --user 10",
            "`--user` is for phones on adb",
        ),
        (
            "explore --device sim:notes --keep-agent",
            "`--keep-agent` is for phones on adb",
        ),
        (
            "explore --device R58M --count 2",
            "`R58M` is one phone, and 2 were asked for",
        ),
        (
            "explore --device R58M?usr=1",
            "`usr=1` says nothing about a phone on adb",
        ),
        (
            "bench device --device sim:notes --stock",
            "`--stock` is for phones on adb",
        ),
    ] {
        let ended = environment.run(line);
        assert_eq!(ended.code, 2, "{line}: {}", ended.err);
        assert!(ended.err.contains(words), "{line}: {}", ended.err);
    }
}
