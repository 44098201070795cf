//! The launcher: a process that contains itself and becomes the program, or that contains its only child and waits for
//! it. It has one thread, without which no namespace can be made.

mod landlock_rules;
mod limits;
mod loopback;
mod namespaces;
mod own_root;
mod syscall_filter;

use std::fs;
use std::io::{self, Write};
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use retap_shared::error_text::with_causes;
use rustix::io::FdFlags;

use super::{ContainmentKind, LaunchRequest};

/// Exit code of a launcher that could not contain the program. The program did not start.
const NOT_CONTAINED: u8 = 125;
/// Standard input, output and error.
const STANDARD_STREAMS: RawFd = 3;
/// Folders of the system that every program may read.
const SYSTEM_FOLDERS: [&str; 10] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/nix/store",
    "/gnu/store",
];
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// A step of the containment failed.
#[derive(Debug, thiserror::Error)]
#[error("could not {step}")]
struct LauncherError {
    step: String,
    #[source]
    source: io::Error,
}

impl LauncherError {
    /// For `map_err`: names the step that failed.
    fn at<E: Into<io::Error>>(step: impl Into<String>) -> impl FnOnce(E) -> LauncherError {
        let step = step.into();
        move |source| LauncherError {
            step,
            source: source.into(),
        }
    }
}

/// Contains the program and runs it. Its end is the launcher's end.
pub(super) fn launch(request: &LaunchRequest) -> ExitCode {
    let launched = keep_files_to_this_process().and_then(|()| match request.kind {
        ContainmentKind::Namespaces => namespaces::run(request),
        ContainmentKind::Landlock => become_program(request),
    });
    launched.unwrap_or_else(|error| {
        // Whoever started the launcher reads the reason from there.
        let _ = writeln!(io::stderr(), "error: {}", with_causes(&error));
        ExitCode::from(NOT_CONTAINED)
    })
}

/// Returns only if it failed.
fn become_program(request: &LaunchRequest) -> Result<ExitCode, LauncherError> {
    limits::apply(limits::tasks_of_this_user())?;
    landlock_rules::apply(request)?;
    syscall_filter::apply(syscall_filter::SocketAccess::NobodyReached)?;
    let source = program(request).exec();
    Err(LauncherError::at(format!(
        "run `{}`",
        request.program.display()
    ))(source))
}

fn program(request: &LaunchRequest) -> Command {
    let mut command = Command::new(&request.program);
    command.args(&request.arguments);
    command
}

/// Files that this process inherited open are not the program's.
fn keep_files_to_this_process() -> Result<(), LauncherError> {
    let failed = "close the files that it inherited";
    for entry in fs::read_dir("/proc/self/fd").map_err(LauncherError::at(failed))? {
        let entry = entry.map_err(LauncherError::at(failed))?;
        let number: Option<RawFd> = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        if let Some(number) = number.filter(|number| *number >= STANDARD_STREAMS) {
            // SAFETY: the list names files that are open. The list's own is open until the loop ends.
            let file = unsafe { BorrowedFd::borrow_raw(number) };
            rustix::io::fcntl_setfd(file, FdFlags::CLOEXEC).map_err(LauncherError::at(failed))?;
        }
    }
    Ok(())
}
