//! Retap's own faults: a panic ends the program with a short apology and what to report, never with silence.

use std::io::Write;
use std::panic::{self, PanicHookInfo};
use std::process;

use crate::exit::CommandExit;
use crate::sanitise_terminal::{self, LINE_WIDTH};

/// From now on a panic on any thread ends the program with its own exit code.
pub fn install() {
    panic::set_hook(Box::new(|panic| {
        // Standard error may be closed too; there is no other place to report it.
        let _ = std::io::stderr().write_all(panic_message(panic).as_bytes());
        process::exit(CommandExit::InternalError as i32);
    }));
}

fn panic_message(panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = panic
        .location()
        .map_or_else(String::new, |place| format!(" at {place}"));
    format!(
        "error: Retap made a mistake of its own, sorry: {}{place}\n\
         help: please report this line with the command and its seed; Retap {}, {} on {}. \
         All observations are kept: resume with `--resume`\n",
        sanitise_terminal::sanitise_line(what.unwrap_or("no message"), LINE_WIDTH),
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// Set for the process that is meant to panic.
    const CHILD: &str = "RETAP_TEST_PANICS";

    #[test]
    fn a_panic_ends_with_code_70_and_says_what_to_report() {
        if std::env::var_os(CHILD).is_some() {
            super::install();
            panic!("two and two is \u{1b}[1mfive");
        }
        let this = std::env::current_exe().unwrap();
        let name = "panic_hook::tests::a_panic_ends_with_code_70_and_says_what_to_report";
        let child = Command::new(this)
            .args(["--exact", name, "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let output = String::from_utf8(child.stderr).unwrap();
        assert_eq!(child.status.code(), Some(70), "{output}");
        assert!(
            output.contains(r"sorry: two and two is \u{1b}[1mfive at host/src/panic_hook.rs:"),
            "{output}"
        );
        assert!(output.contains("help: please report this line"), "{output}");
    }
}
