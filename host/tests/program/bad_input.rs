//! Mistakes of users: one clear error each, with what to do, and the right exit code.

use std::fs;

use crate::environment::{ProgramOutput, TestEnvironment};

/// The error as printed, with the parts that differ from run to run made equal.
fn stderr_of(environment: &TestEnvironment, line: &str, code: i32) -> String {
    let ended = environment.run(line);
    assert_eq!(ended.code, code, "{line}\n{}{}", ended.out, ended.err);
    ended
        .err
        .replace(&*environment.path("").to_string_lossy(), "[environment]/")
}

#[test]
fn an_unknown_app() {
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "explore --device sim:nots", 2), @r"
    error: invalid value 'sim:nots' for '--device <PHONE>': `sim:nots` names no simulated phone: there is no simulated app `nots` (did you mean `notes`?); there are `notes`, `shop`, `mail`, `player`, `settings`, `calculator`, `camera`, `recorder`, and `forge`

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "explore mail --device sim:notes", 2), @r"
    error: there is no app `mail` on `sim:notes`
    help: it has `com.example.notes`
    ");
}

#[test]
fn a_phone_of_the_wrong_kind_is_answered_with_a_guess() {
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "explore --device smi:notes", 2), @r"
    error: invalid value 'smi:notes' for '--device <PHONE>': there is no kind of phone called `smi`; did you mean `sim:notes`?

    For more information, try '--help'.
    ");
    for (line, guess) in [
        ("explore --device app.apk", "did you mean `jvm:app.apk`?"),
        ("reduce x.retap --device shop", "did you mean `sim:shop`?"),
        ("replay x.retap --device sim:shpo", "did you mean `shop`?"),
        ("screen --device simm:notes", "did you mean `sim:notes`?"),
        ("demo --device sample.apk", "did you mean `jvm:sample.apk`?"),
        ("phone notes", "did you mean `sim:notes`?"),
        ("doctor --device mail", "did you mean `sim:mail`?"),
        ("install x.apk --device x.apk", "did you mean `jvm:x.apk`?"),
        ("bench device --device notes", "did you mean `sim:notes`?"),
        ("bench explore --device notes", "did you mean `sim:notes`?"),
        ("reduce-suite x --device ", "a value is required"),
        (
            "explore --device sim:shop,all",
            "`all` names every phone on adb",
        ),
        ("explore --device R58M,R58M", "`R58M` is named twice"),
        ("explore --device sim:shop,", "no phone is named"),
    ] {
        let output = stderr_of(&TestEnvironment::new(), line, 2);
        assert!(output.contains(guess), "{line}: {output}");
    }
}

#[test]
fn commands_that_use_one_phone_refuse_several() {
    let environment = TestEnvironment::new();
    for line in [
        "demo --device sim:notes,sim:shop",
        "screen --device sim:notes,sim:shop",
        "bench device --device sim:notes,sim:shop",
    ] {
        let output = stderr_of(&environment, line, 2);
        assert!(
            output.contains("`sim:notes,sim:shop` names several phones, and this takes one"),
            "{line}: {output}"
        );
    }
    assert!(!environment.path("runs").exists());
}

#[test]
fn phones_that_cannot_be_reached_and_no_phone_at_all() {
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "explore --device emulator-5554", 4), @r"
    error: could not use `emulator-5554` through adb
      cause: could not run `no-adb`
      cause: No such file or directory (os error 2)
    help: install adb (Android's platform-tools), or set ADB to its path
    ");
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "explore --device jvm:app.apk", 2), @r"
    error: `jvm:app.apk` could not be started
      cause: `app.apk` is no file
    help: write `--device jvm:FILE.apk` with the path of an APK, or `jvm:sample` for the app that comes with Retap
    ");
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "explore", 4), @r"
    error: no phone was named
      phones on adb: could not run `no-adb`: No such file or directory (os error 2)
      simulated phones: `sim:notes`, `sim:shop`, `sim:mail`, `sim:player`, `sim:settings` and `sim:calculator`
    help: name one with `--device`, such as `--device sim:notes`; `retap devices` lists them
    ");
}

#[test]
fn a_file_that_is_no_apk() {
    let environment = TestEnvironment::new();
    environment.write("app.apk", "this is no APK");
    insta::assert_snapshot!(stderr_of(&environment, "explore --device jvm:app.apk", 2), @r"
    error: `jvm:app.apk` could not be started
      cause: `app.apk` is no APK: it does not begin as a zip file does
    help: write `--device jvm:FILE.apk` with the path of an APK, or `jvm:sample` for the app that comes with Retap
    ");
}

/// The error for an APK on a machine whose Java does this.
#[cfg(unix)]
fn told_with_java(does: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let environment = TestEnvironment::new();
    environment.write("app.apk", "PK\u{3}\u{4}");
    fs::create_dir_all(environment.path("java/bin")).unwrap();
    fs::create_dir_all(environment.path("phone")).unwrap();
    fs::create_dir_all(environment.path("prepared")).unwrap();
    environment.write("phone/ready", "");
    environment.write("java/bin/java", &format!("#!/bin/sh\n{does}\n"));
    fs::set_permissions(
        environment.path("java/bin/java"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let mut command = environment.command("explore --device jvm:app.apk");
    command
        .env("JAVA_HOME", environment.path("java"))
        .env("RETAP_JVM_PHONE", environment.path("phone"));
    let ended = ProgramOutput::from(command.output().unwrap());
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    // Then how it is contained, which depends on the machine.
    let notice = "a JVM phone runs the app's code on this machine, contained by ";
    let output = ended
        .err
        .strip_prefix(notice)
        .unwrap_or_else(|| panic!("{}", ended.err));
    let (_, error) = output.split_once('\n').unwrap();
    error.replace(&*environment.path("").to_string_lossy(), "[environment]/")
}

#[cfg(unix)]
#[test]
fn a_java_that_is_too_old_for_the_phone() {
    let java = r#"echo "Picked up JAVA_TOOL_OPTIONS: -Dx=y" >&2
echo "Error: LinkageError occurred while loading main class dev.retap.jvmphone.prepare.Prepare" >&2
printf '\tjava.lang.UnsupportedClassVersionError: class file version 61.0\n' >&2
exit 1"#;
    insta::assert_snapshot!(told_with_java(java), @r"
    error: `jvm:app.apk` could not be started
      cause: `[environment]/java/bin/java` could not run the phone's classes: Error: LinkageError occurred while loading main class dev.retap.jvmphone.prepare.Prepare
    help: install a JDK (17), or set JAVA_HOME to one, and see what JAVA_TOOL_OPTIONS adds; then try again
    ");
}

#[cfg(unix)]
#[test]
fn a_java_that_does_not_know_the_flags_of_the_phone() {
    let java = r#"case "$*" in *prepare.Prepare*) echo "$PWD/prepared"; exit 0 ;; esac
echo "Unrecognized VM option 'BytecodeVerificationRemote'" >&2
echo "Error: Could not create the Java Virtual Machine." >&2
read keys
exit 1"#;
    insta::assert_snapshot!(told_with_java(java), @r"
    error: `jvm:app.apk` could not be started
      cause: the phone did not start: the JVM ended with exit status: 1: Unrecognized VM option 'BytecodeVerificationRemote'
    help: see whether Java is one of version 17 and the machine has a gigabyte of memory to spare, then try again
    ");
}

#[test]
fn a_seed_that_is_no_number() {
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "explore --device sim:notes --seed banana", 2), @r"
    error: invalid value 'banana' for '--seed <S>': a seed is a whole number from 0 to 18446744073709551615, such as 42; without one, Retap chooses

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "demo --seed -1", 2), @r"
    error: invalid value '-1' for '--seed <S>': a seed is a whole number from 0 to 18446744073709551615, such as 42; without one, Retap chooses

    For more information, try '--help'.
    ");
}

#[test]
fn a_malformed_trace() {
    let environment = TestEnvironment::new();
    environment.write("bad.retap", "{\"retap\":\"1.0\"}\nthis is no step\n");
    insta::assert_snapshot!(stderr_of(&environment, "reduce bad.retap", 2), @r"
    error: `bad.retap` is not a trace that can be read
      cause: line 1, field `app`: missing
    help: name a `.retap` file as `retap explore` writes it; if it was cut off, use a complete copy
    ");
    environment.write("bad.retap", "\u{1b}[31mred\u{7}");
    assert!(!stderr_of(&environment, "replay bad.retap", 2).contains('\u{1b}'));
    fs::write(environment.path("bad.retap"), [0xff, 0xfe, 0x00]).unwrap();
    insta::assert_snapshot!(stderr_of(&environment, "replay bad.retap", 2), @r"
    error: could not read `bad.retap`
      cause: stream did not contain valid UTF-8
    help: see whether the file exists, is text, and may be read
    ");
}

#[test]
fn a_trace_that_is_cut_off_in_the_middle_of_a_line() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    let id = environment.crashes("found").remove(0);
    let whole = environment.read(&format!("found/crashes/{id}/trace.retap"));
    let lines = whole.lines().count();
    environment.write("cut.retap", &whole[..whole.len() - 20]);
    let output = stderr_of(&environment, "reduce cut.retap", 2);
    assert!(
        output.starts_with("error: `cut.retap` is not a trace that can be read\n"),
        "{output}"
    );
    assert!(output.contains(&format!("line {lines}")), "{output}");
    assert!(output.contains("help: "), "{output}");
    assert!(
        !environment.path("runs").exists(),
        "nothing is made for a trace that cannot be read"
    );
}

#[test]
fn a_trace_or_run_that_is_not_there() {
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "reduce nowhere", 2), @r"
    error: there is no `nowhere`
    help: name a `.retap` file, or a run of `retap explore` with a finding
    ");
    let environment = TestEnvironment::new();
    fs::create_dir(environment.path("run")).unwrap();
    insta::assert_snapshot!(stderr_of(&environment, "replay run", 2), @r"
    error: `run` is a directory, not a trace
    help: name a file in it, such as `run/crashes/ID/reduced.retap`
    ");
    insta::assert_snapshot!(stderr_of(&TestEnvironment::new(), "replay nowhere.retap", 2), @r"
    error: could not read `nowhere.retap`
      cause: No such file or directory (os error 2)
    help: see whether the file exists, is text, and may be read
    ");
}

#[test]
fn a_run_directory_that_cannot_be_made() {
    let environment = TestEnvironment::new();
    environment.write("file", "not a directory");
    insta::assert_snapshot!(stderr_of(&environment, "explore --device sim:notes --out file/run", 2), @r"
    error: could not create the run directory `file/run`
      cause: File exists (os error 17)
    help: free disk space, or name a directory with `--out` where you may write; then start again
    ");
}

#[test]
fn a_run_directory_that_is_not_empty() {
    let environment = TestEnvironment::new();
    fs::create_dir(environment.path("mine")).unwrap();
    environment.write("mine/thesis.txt", "precious");
    insta::assert_snapshot!(stderr_of(&environment, "explore --device sim:notes --out mine", 2), @r"
    error: the directory `mine` is not empty
    help: name a directory with `--out` that is empty or does not exist
    ");
    assert_eq!(environment.read("mine/thesis.txt"), "precious");
}

#[test]
fn a_resume_of_something_that_is_no_run() {
    let environment = TestEnvironment::new();
    fs::create_dir(environment.path("photos")).unwrap();
    insta::assert_snapshot!(stderr_of(&environment, "explore --resume photos", 2), @r"
    error: `photos` is not a run: it has no `run.json`
    help: name the directory of a run, as printed in the last line of `retap explore`
    ");
    insta::assert_snapshot!(stderr_of(&environment, "explore --resume nowhere", 2), @r"
    error: `nowhere` is not a run: it has no `run.json`
    help: name the directory of a run, as printed in the last line of `retap explore`
    ");
}

#[test]
fn a_resume_by_another_command_leaves_the_run_as_it_was() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    let before = environment.read("found/run.json");
    insta::assert_snapshot!(stderr_of(&environment, "reduce --resume found", 2), @r"
    error: `found` is a run of `retap explore`
    help: resume it with `retap explore --resume found`
    ");
    assert_eq!(environment.read("found/run.json"), before);
}

#[test]
fn a_run_of_a_newer_retap_and_a_damaged_one() {
    let environment = TestEnvironment::new();
    fs::create_dir(environment.path("run")).unwrap();
    environment.write("run/run.json", "{\"format\": 99, \"whatever\": true}");
    insta::assert_snapshot!(stderr_of(&environment, "explore --resume run", 2), @r"
    error: `run/run.json` has format 99; this Retap reads up to 1
    help: use the version of Retap that started this run, or a newer one
    ");
    environment.write("run/run.json", "{\"format\": 1, \"retap\"");
    insta::assert_snapshot!(stderr_of(&environment, "explore --resume run", 2), @r"
    error: `run/run.json` is damaged
      cause: EOF while parsing an object at line 1 column 21
    help: the run cannot be resumed; start a new one
    ");
}

#[test]
fn a_store_that_is_no_store() {
    let environment = TestEnvironment::new();
    environment.write("store.sqlite", &"a letter to my landlord".repeat(100));
    let line = "explore --device sim:notes --store store.sqlite --out here";
    insta::assert_snapshot!(stderr_of(&environment, line, 2), @r"
    error: the store `[environment]/store.sqlite` is damaged, or is no store of Retap
      cause: file is not a database
    help: move the file away, or name another one with `--store`
    ");
    assert!(!environment.path("here").exists());
}

#[test]
fn settings_with_an_unknown_key() {
    let environment = TestEnvironment::new();
    environment.write("retap.toml", "[explore]\nevnts = 5\n");
    insta::assert_snapshot!(stderr_of(&environment, "explore --device sim:notes", 2), @r"
    error: `retap.toml` has a mistake
      retap.toml:2:1: unknown key `evnts` in `[explore]`; did you mean `events`?
    help: correct the file and see with `retap check` what it would do; docs/reference/retap-toml.md lists every key
    ");
}

#[test]
fn contradicting_options() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    insta::assert_snapshot!(stderr_of(&environment, "reduce found --runs 2 --successes 3 --out cut", 2), @r"
    error: 3 successes of 2 runs cannot decide anything; ask for 1 up to the number of runs
    help: set `--successes` to at most `--runs`
    ");
    assert!(!environment.path("cut").exists());
    assert!(
        stderr_of(&environment, "explore --resume found --seed 3", 2)
            .contains("cannot be used with")
    );
}

#[test]
fn output_that_cannot_be_written() {
    let environment = TestEnvironment::new();
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let ended = environment
        .command("devices")
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(2));
    let output = String::from_utf8(ended.stderr).unwrap();
    assert!(
        output.starts_with("error: could not write the result\n"),
        "{output}"
    );
}

#[test]
fn nothing_that_a_trace_says_reaches_the_terminal_as_an_order() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    let id = environment.crashes("found").remove(0);
    let whole = environment.read(&format!("found/crashes/{id}/trace.retap"));
    let (header, steps) = whole.split_once('\n').unwrap();
    let mut header: serde_json::Value = serde_json::from_str(header).unwrap();
    let evil = "\u{1b}]0;owned\u{7}\u{202e}\u{9b}2J\r";
    header["target"] = serde_json::json!({ "activity": evil });
    environment.write("evil.retap", &format!("{header}\n{steps}"));
    header["app"]["package"] = evil.into();
    environment.write("stranger.retap", &format!("{header}\n{steps}"));
    for (line, code) in [
        ("replay evil.retap --times 1", 3),
        ("reduce evil.retap --out cut", 3),
        ("replay stranger.retap --device sim:notes", 2),
        ("reduce stranger.retap --out other --device sim:notes", 2),
        ("replay no\u{1b}where.retap", 2),
    ] {
        let ended = environment.run(line);
        let output = ended.out + &ended.err;
        assert_eq!(ended.code, code, "{output}");
        assert!(
            !output.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}', '\r']),
            "{line}: {output:?}"
        );
    }
}
