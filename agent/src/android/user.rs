//! The Unix user of this process. If adbd runs as root, so does the agent, and services refuse calls that they allow to
//! the shell.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};

/// The groups that adbd gives to a shell. Without `inet` old kernels open no socket.
const SHELL_GROUPS: [u32; 13] = [
    1004, 1007, 1011, 1015, 1028, 1078, 1079, 3001, 3002, 3003, 3006, 3009, 3011,
];

/// Restarts a process of root as the user `id`, with the same arguments and the same standard input: threads and the
/// connection to binder would otherwise stay root's. Returns if the process is not root's.
pub(crate) fn leave_root(id: u32) -> io::Result<()> {
    if !geteuid().is_root() || id == 0 {
        return Ok(());
    }
    let program = std::env::current_exe()?;
    let command_line = std::fs::read("/proc/self/cmdline")?;
    set_thread_groups(&SHELL_GROUPS.map(Gid::from_raw))?;
    set_thread_gid(Gid::from_raw(id))?;
    set_thread_uid(Uid::from_raw(id))?;
    Err(Command::new(program).args(arguments(&command_line)).exec())
}

/// The arguments of a command line in the kernel's form: the program's name first, a NUL after each word.
fn arguments(command_line: &[u8]) -> impl Iterator<Item = &OsStr> {
    let command_line = command_line.strip_suffix(b"\0").unwrap_or(command_line);
    command_line
        .split(|byte| *byte == 0)
        .skip(1)
        .map(OsStr::from_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_is_kept_even_an_empty_one() {
        let words = b"app_process\0/\0dev.retap.agent.Main\0--folder\0\0a b\0";
        let expected = ["/", "dev.retap.agent.Main", "--folder", "", "a b"].map(OsStr::new);
        assert_eq!(arguments(words).collect::<Vec<_>>(), expected);
        assert_eq!(arguments(b"java\0").count(), 0);
        assert_eq!(arguments(b"").count(), 0);
    }
}
