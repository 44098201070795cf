//! A run directory that is moved or removed while a run works in it, and one in which a run was never started.

use std::fs;

use crate::environment::{TestEnvironment, grown_to, names};

const EXPLORE: &str =
    "explore --device sim:notes --explorer random --events 200000 --seed 5 --out here";

/// Starts a long exploration, and does something to its directory once it has written events.
fn disturbed(disturb: impl FnOnce(&TestEnvironment)) -> (TestEnvironment, i32, String) {
    let environment = TestEnvironment::new();
    let mut command = environment.command(EXPLORE);
    let errors = fs::File::create(environment.path("errors")).unwrap();
    let mut child = command
        .stdout(std::process::Stdio::null())
        .stderr(errors)
        .spawn()
        .unwrap();
    let events = environment.path("here/events.jsonl");
    assert!(grown_to(&events, 20_000, &mut child));
    disturb(&environment);
    let code = child.wait().unwrap().code().unwrap();
    let errors = environment.read("errors");
    (environment, code, errors)
}

#[test]
fn a_run_directory_that_is_moved_ends_the_run_and_can_be_resumed_there() {
    let (environment, code, errors) = disturbed(|environment| {
        fs::rename(environment.path("here"), environment.path("there")).unwrap();
    });
    assert_eq!(code, 2, "{errors}");
    assert!(
        errors.contains("`here` was moved or removed during the run"),
        "{errors}"
    );
    assert!(!environment.path("here").exists(), "it is not made again");
    let text = environment.read("there/run.json");
    let shorter = text.replace("\"events\": 200000", "\"events\": 2000");
    assert_ne!(text, shorter);
    environment.write("there/run.json", &shorter);
    let resumed = environment.run("explore --resume there");
    assert_eq!(resumed.code, 1, "{}", resumed.err);
}

#[test]
fn a_run_directory_that_is_removed_ends_the_run() {
    let (environment, code, errors) = disturbed(|environment| {
        // The run may be writing into it.
        while fs::remove_dir_all(environment.path("here")).is_err() {}
    });
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("was moved or removed"), "{errors}");
    assert!(!environment.path("here").exists(), "it is not made again");
}

#[test]
fn a_directory_in_which_a_run_was_never_started_is_taken_and_files_of_others_are_not() {
    let environment = TestEnvironment::new();
    let line = "explore --device sim:notes --explorer random --events 50 --seed 5 --out here";
    let temporary = "here/.retap-4711-0123456789abcdef.tmp";
    fs::create_dir(environment.path("here")).unwrap();
    environment.write("here/lock", "4711\nstarting\n");
    environment.write(temporary, "half");
    environment.write("here/mine.tmp", "precious");
    let refused = environment.run(line);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("is not empty"), "{}", refused.err);
    assert_eq!(names(&environment.path("here")).len(), 3, "nothing is lost");
    fs::remove_file(environment.path("here/mine.tmp")).unwrap();
    let taken = environment.run(line);
    assert!(taken.code < 2, "{}", taken.err);
    assert!(!environment.path(temporary).exists());
}
