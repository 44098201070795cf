//! `retap runs prune` that is stopped: made again, it has removed the runs, and nothing else.

use super::{StopKind, chosen, run_stopped};
use crate::environment::{TestEnvironment, names};

const PRUNE: &str = "runs prune --older-than 0h --keep-size 0B";

/// Two runs, with a file of somebody else in one of them.
fn environment() -> TestEnvironment {
    let environment = TestEnvironment::new();
    for run in ["one", "two"] {
        let line = format!(
            "explore --device sim:notes --explorer random --events 60 --seed 5 --out {run}"
        );
        let ended = environment.run(&line);
        assert!(ended.code < 2, "{}", ended.err);
    }
    environment.write("two/mine.txt", "precious");
    environment
}

#[test]
#[expect(clippy::print_stderr, reason = "the number of stops is a figure")]
fn a_stopped_prune_is_made_again_and_leaves_files_of_others() {
    let (ended, operations) = run_stopped(&environment(), PRUNE, StopKind::Kill, 0);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(operations > 20, "only {operations} operations were seen");
    let mut stops = 0;
    for kind in [StopKind::Kill, StopKind::FullDisk, StopKind::PowerFailure] {
        for at in chosen(operations, 4, kind) {
            let environment = environment();
            let place = format!("{kind:?} at operation {at} of {operations}");
            run_stopped(&environment, PRUNE, kind, at);
            assert_eq!(environment.read("two/mine.txt"), "precious", "{place}");
            let ended = environment.run(PRUNE);
            assert_eq!(ended.code, 0, "{place}: {}", ended.err);
            assert!(!environment.path("one").exists(), "{place}");
            assert_eq!(names(&environment.path("two")), ["mine.txt"], "{place}");
            let listed = environment.run("runs --json");
            assert_eq!(listed.out, "", "{place}");
            stops += 1;
        }
    }
    eprintln!("`{PRUNE}`: {stops} stops, {operations} operations");
}
