//! Private namespaces: a test starts itself again inside one, and all that it started there ends with it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

/// Holds what the outer process says to the inner one; only the inner one has it.
const INSIDE_VARIABLE: &str = "RETAP_INSIDE_NAMESPACE";

/// Mark of the lines that the outer process prints. They also show that the inner process has found the test.
const SUMMARY: &str = "inside: ";

/// Runs a check in namespaces of its own, and prints the summary that it returns. `test` is the name of the calling test,
/// `message` what the check gets from the outer process. Panics where no namespace can be made.
pub(crate) fn check_inside(
    test: &str,
    options: &[&str],
    message: impl FnOnce() -> OsString,
    check: impl FnOnce(&OsStr) -> String,
) {
    if let Some(message) = std::env::var_os(INSIDE_VARIABLE) {
        for line in check(&message).lines() {
            print_line(&format!("\n{SUMMARY}{line}"));
        }
        return;
    }
    let output = inner_process(options, &message())
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .output()
        .expect("`unshare` of util-linux makes namespaces");
    let out = String::from_utf8_lossy(&output.stdout);
    let summary: Vec<&str> = out
        .lines()
        .filter_map(|line| line.strip_prefix(SUMMARY))
        .collect();
    if !output.status.success() || summary.is_empty() {
        panic!("{test}: {out}{}", String::from_utf8_lossy(&output.stderr));
    }
    print_line(&format!("{test}: {}", summary.join("\n")));
}

/// This program once more, inside. The namespace of processes ends all that it starts. A shell is their first process: it
/// reaps those whose parents have ended. Users other than root become root of a user namespace.
fn inner_process(options: &[&str], message: &OsStr) -> Command {
    let mut command = Command::new("unshare");
    if fs::metadata("/proc/self").expect("Linux has /proc").uid() != 0 {
        command.arg("--map-root-user");
    }
    command
        .args(options)
        .args(["sh", "-c", "\"$@\"; exit $?", "inner"])
        .arg(std::env::current_exe().unwrap())
        .env(INSIDE_VARIABLE, message);
    command
}

fn print_line(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("standard output is open");
}
