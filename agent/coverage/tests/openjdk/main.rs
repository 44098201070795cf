//! The library in OpenJDK, on a program that this test compiles. Needs Java: scripts/test-coverage runs it.

mod program;

use std::io::Read;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};

use program::{LARGE_TOTAL, Program, classes};
use retap_agent::coverage::CoverageReader;

#[test]
fn each_method_is_reported_once_in_the_step_in_which_it_ran_first() {
    let mut program = Program::start("").connected();
    assert_eq!(program.covers("once"), ["Subject$Once.first"]);
    assert!(program.covers("once").is_empty());
    let items = program.coverage.items();
    let last = items.values().find(|item| item.method == "last").unwrap();
    assert_eq!(last.class, "example/Subject$Once");
    assert_eq!(last.source_file, "Subject.java");
    assert!(last.first_line > 0);
    assert_eq!(program.end(), Some(0));
}

#[test]
fn sixteen_threads_give_one_hit_for_each_method() {
    let mut program = Program::start("").connected();
    assert_eq!(
        program.covers("threads"),
        [
            "Subject$Crowd.one",
            "Subject$Crowd.run",
            "Subject$Crowd.shared",
            "Subject$Crowd.three",
            "Subject$Crowd.two",
            "Subject$Worker.<init>",
            "Subject$Worker.run",
        ]
    );
}

#[test]
fn lambdas_are_methods_of_their_class_and_hidden_classes_are_counted_apart() {
    let mut program = Program::start("").connected();
    assert_eq!(
        program.covers("lambda"),
        ["Subject$Lambdas.lambda$run$0", "Subject$Lambdas.run"]
    );
    let before = program.coverage.uncovered().hidden_classes;
    assert!(before > 0);
    assert_eq!(
        program.covers("hidden"),
        ["Subject$Hidden.run", "Subject.bytes"]
    );
    assert!(program.coverage.uncovered().hidden_classes > before);
}

#[test]
fn methods_without_code_are_counted_apart_and_one_that_throws_at_once_has_run() {
    let mut program = Program::start("").connected();
    let covered = program.covers("kinds");
    assert_eq!(
        covered,
        [
            "Subject$Kinds$1.<init>",
            "Subject$Kinds$1.inner",
            "Subject$Kinds.<init>",
            "Subject$Kinds.run",
        ]
    );
    let uncovered = program.coverage.uncovered();
    assert_eq!(
        (uncovered.abstract_methods, uncovered.native_methods),
        (1, 1)
    );
    assert_eq!(program.covers("thrown").len(), 2);
}

#[test]
fn a_class_of_two_loaders_is_one_class() {
    let mut program = Program::start("").connected();
    let covered = program.covers("loaders");
    let runs = covered.iter().filter(|name| name.ends_with("Twice.run"));
    assert_eq!(runs.count(), 1, "{covered:?}");
}

#[test]
fn lines_are_reported_with_their_methods() {
    let mut program = Program::start(",mode=lines").connected();
    let covered = program.covers("thrown");
    let lines = |method: &str| {
        let of_method = |name: &&String| name.contains(&format!("{method}:"));
        covered.iter().filter(of_method).count()
    };
    // The end of the try block is not reached; the line that throws is.
    assert_eq!(
        (lines("Thrown.run"), lines("Thrown.fail")),
        (4, 1),
        "{covered:?}"
    );
    let covered = program.covers("bare");
    assert_eq!(program.coverage.uncovered().without_lines, 4);
    assert!(covered.contains(&"Bare.used".to_owned()), "{covered:?}");
    assert!(!covered.contains(&"Bare.unused".to_owned()));
}

#[test]
fn ten_thousand_methods_are_all_reported_and_packages_can_be_left_out() {
    let mut program = Program::start(",leave=example/").connected();
    assert_eq!(program.covers("large").len(), LARGE_TOTAL - 1);
    assert!(program.covers("once").is_empty());
}

#[test]
fn only_classes_of_the_named_loader_are_covered() {
    let mut program = Program::start(",loader=example/Subject$Loaders$1").connected();
    assert_eq!(program.covers("loaders"), ["Subject$Twice.run"]);
}

#[test]
fn the_next_process_of_an_app_has_the_same_numbers() {
    let mut program = Program::start("").connected();
    let first = program.covers("once");
    program.say("halt");
    assert_eq!(program.end(), Some(3));
    let last = program.coverage.take().unwrap();
    assert!(!last.is_complete);
    let items = program.coverage.items().clone();
    let mut next = Program::start_at(&program.socket, "", &["-Xcheck:jni"]);
    next.coverage = std::mem::replace(&mut program.coverage, CoverageReader::new(""));
    let mut next = next.connected();
    assert_eq!(next.covers("once"), first);
    assert_eq!(next.coverage.items(), &items);
}

#[test]
fn hits_are_sent_without_being_asked_for_and_outlive_the_process() {
    let mut program = Program::start("").connected();
    // Takes the place of the other reader, and asks for nothing.
    let address = SocketAddr::from_abstract_name(&program.socket).unwrap();
    let mut stream = UnixStream::connect_addr(&address).unwrap();
    program.does("once");
    let mut sent = Vec::new();
    while !sent.windows(5).any(|name| name == b"first") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        sent.extend(byte);
    }
    program.say("halt");
    assert_eq!(program.end(), Some(3));
    stream.read_to_end(&mut sent).unwrap();
    let name = b"Subject$Once";
    let class = sent.windows(name.len()).position(|window| window == name);
    // A frame of 17 bytes, of the kind that has hits, after the class.
    let mut later = sent[class.unwrap()..].windows(5);
    assert!(later.any(|start| start == [17, 0, 0, 0, 3]));
}

#[test]
fn a_reader_that_comes_later_is_told_everything() {
    let mut program = Program::start("").connected();
    program.covers("once");
    let mut other = CoverageReader::new(&program.socket);
    let taken = other.take().unwrap();
    assert!(
        program
            .names(&taken.numbers)
            .contains(&"Subject$Once.first".to_owned())
    );
}

#[test]
fn an_app_that_begins_anew_in_its_process_is_covered_anew() {
    let mut program = Program::start("").connected();
    program.covers("loaders");
    assert!(
        program
            .coverage
            .take_and_forget()
            .unwrap()
            .numbers
            .is_empty()
    );
    let covered = program.covers("loaders");
    assert_eq!(
        covered
            .iter()
            .filter(|name| name.ends_with("Twice.run"))
            .count(),
        1
    );
}

#[test]
fn a_redefined_class_harms_nothing() {
    let jar = format!("-javaagent:{}/redefine.jar", classes().display());
    let mut program = Program::start_with("", &[&jar]).connected();
    assert!(
        program
            .covers("redefine")
            .contains(&"Subject$Changing.first".to_owned())
    );
    program.does("redefined");
    assert_eq!(program.covers("once"), ["Subject$Once.first"]);
    assert_eq!(program.end(), Some(0));
}

#[test]
fn a_second_library_and_wrong_options_harm_nothing() {
    let library = program::library();
    let again = format!("-agentpath:{}=socket=other", library.display());
    let mut program = Program::start_with("", &[&again]);
    program.does("once");
    assert_eq!(program.end(), Some(0));
    let mut program = Program::start(",nonsense=1");
    program.does("threads");
    assert_eq!(program.end(), Some(0));
}

#[test]
fn a_debugger_that_has_the_breakpoints_harms_nothing() {
    let debugger =
        "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0,quiet=y";
    let mut program = Program::start_with("", &[debugger]);
    program.does("threads");
    assert_eq!(program.end(), Some(0));
}
