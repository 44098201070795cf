//! A hostile app on a JVM phone: it tries to read the home directory and the environment, to connect to an address of the
//! network, to signal another process, to fork without end and to fill the disk. Contained, it is refused and the run
//! ends with a verdict; trusted, the harmless attempts succeed. Needs root for other users and networks, a built JVM phone
//! and `target/hostile-app.apk`; `scripts/test-jvm-phone` sees to them.

mod attempt;
mod machine;

use attempt::{Attempt, Outcome};
use machine::{Machine, TestUser};

/// What becomes of the attempts, on the machine that a test describes.
fn check(machine: &Machine, trust: bool, expected: &[(Attempt, Outcome)]) {
    let traces: Vec<_> = expected
        .iter()
        .map(|(attempt, outcome)| machine.write_trace(*attempt, *outcome))
        .collect();
    let output = machine.replay(&traces, trust);
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(0), "{text}");
    let reached = text.matches("run 1 of 1: reached").count();
    assert_eq!(reached, expected.len(), "{text}");
    let says_contained =
        text.contains("a JVM phone runs the app's code on this machine, contained by");
    assert_eq!(says_contained, !trust, "{text}");
}

fn all_refused() -> Vec<(Attempt, Outcome)> {
    Attempt::ALL
        .map(|attempt| (attempt, Outcome::Refused))
        .to_vec()
}

#[test]
fn a_hostile_app_of_a_user_is_contained_by_namespaces() {
    machine::inside("a_hostile_app_of_a_user_is_contained_by_namespaces", || {
        let machine = Machine::new(TestUser::Plain);
        assert!(machine.doctor().contains("contained by namespaces"));
        check(&machine, false, &all_refused());
    });
}

#[test]
fn a_hostile_app_of_root_is_contained_by_namespaces() {
    machine::inside("a_hostile_app_of_root_is_contained_by_namespaces", || {
        let machine = Machine::new(TestUser::Root);
        assert!(machine.doctor().contains("contained by namespaces"));
        check(&machine, false, &all_refused());
    });
}

#[test]
fn a_hostile_app_is_contained_by_landlock_where_there_are_no_namespaces() {
    machine::inside(
        "a_hostile_app_is_contained_by_landlock_where_there_are_no_namespaces",
        || {
            let machine = Machine::new(TestUser::WithoutNamespaces);
            let doctor = machine.doctor();
            assert!(
                doctor.contains("contained by Landlock and seccomp"),
                "{doctor}"
            );
            assert!(
                doctor.contains("sysctl -w user.max_user_namespaces="),
                "{doctor}"
            );
            let mut expected = all_refused();
            // There it ends the phone.
            expected.retain(|(attempt, _)| *attempt != Attempt::Disk);
            check(&machine, false, &expected);
        },
    );
}

#[test]
fn a_disk_is_not_filled_where_there_are_no_namespaces() {
    machine::inside("a_disk_is_not_filled_where_there_are_no_namespaces", || {
        let machine = Machine::new(TestUser::WithoutNamespaces);
        let trace = machine.write_trace(Attempt::Disk, Outcome::Succeeded);
        let output = machine.replay(&[trace], false);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{text}");
        assert!(
            text.contains("filled the phone's folder beyond 2 GiB"),
            "{text}"
        );
    });
}

#[test]
fn a_trusted_app_has_the_rights_of_the_user() {
    machine::inside("a_trusted_app_has_the_rights_of_the_user", || {
        let machine = Machine::new(TestUser::Plain);
        let harmless = Attempt::HARMLESS.map(|attempt| (attempt, Outcome::Succeeded));
        check(&machine, true, &harmless);
    });
}
