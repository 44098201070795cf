//! Private namespaces: a test starts itself again inside one, and all that it started there ends with it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use crate::baseline::Baseline;
use crate::scenario::LinkScenario;

/// Says to the inner process where the baseline is.
const BASELINE_VARIABLE: &str = "RETAP_LINK_BASELINE";

/// Mark of the lines that the outer process prints.
const SUMMARY: &str = "link: ";

/// Checks a scenario in a network namespace. `test` is the name of the calling test. Panics where no namespace can be made.
pub(crate) fn check_inside(test: &str, scenario: &LinkScenario) {
    if let Some(baseline) = std::env::var_os(BASELINE_VARIABLE) {
        let summary = scenario.check(Path::new(&baseline));
        print_line(&format!("\n{SUMMARY}{summary}"));
        return;
    }
    let output = Command::new("unshare")
        .args(namespace_options())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(BASELINE_VARIABLE, Baseline::shared())
        .output()
        .expect("`unshare` of util-linux makes network namespaces");
    let out = String::from_utf8_lossy(&output.stdout);
    let summary = out.lines().find_map(|line| line.strip_prefix(SUMMARY));
    let (true, Some(summary)) = (output.status.success(), summary) else {
        panic!("{test}: {out}{}", String::from_utf8_lossy(&output.stderr));
    };
    print_line(&format!("{test}: {summary}"));
}

fn print_line(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("standard output is open");
}

/// Options of `unshare`. The namespace of processes ends what the test has started. Users other than root become root of
/// a user namespace.
fn namespace_options() -> &'static [&'static str] {
    let user = fs::metadata("/proc/self").expect("Linux has /proc").uid();
    if user == 0 {
        &["--net", "--pid", "--kill-child"]
    } else {
        &["--map-root-user", "--net", "--pid", "--kill-child"]
    }
}
