//! Who this process is to the system. Where adbd is root, so is what it starts, and services then refuse what they
//! would grant to the shell.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};

/// The groups that adbd gives to a shell. Without inet, for one, old kernels open no socket.
const SHELL_GROUPS: [u32; 13] = [
    1004, 1007, 1011, 1015, 1028, 1078, 1079, 3001, 3002, 3003, 3006, 3009, 3011,
];

/// Makes a process of root's one of the user `id`. It starts anew for that, with the same arguments and the same
/// standard input: threads and the connection to binder would otherwise stay root's. Returns if there is nothing to do.
pub(crate) fn leave_root(id: u32) -> io::Result<()> {
    if !geteuid().is_root() || id == 0 {
        return Ok(());
    }
    let program = std::env::current_exe()?;
    let words = std::fs::read("/proc/self/cmdline")?;
    set_thread_groups(&SHELL_GROUPS.map(Gid::from_raw))?;
    set_thread_gid(Gid::from_raw(id))?;
    set_thread_uid(Uid::from_raw(id))?;
    Err(Command::new(program).args(arguments(&words)).exec())
}

/// The arguments of a command line as the kernel keeps it: the program's own name first, a NUL after each word.
fn arguments(words: &[u8]) -> impl Iterator<Item = &OsStr> {
    let words = words.strip_suffix(b"\0").unwrap_or(words);
    words
        .split(|byte| *byte == 0)
        .skip(1)
        .map(OsStr::from_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_come_back_word_by_word_the_empty_ones_too() {
        let words = b"app_process\0/\0dev.retap.agent.Main\0--folder\0\0a b\0";
        let expected = ["/", "dev.retap.agent.Main", "--folder", "", "a b"].map(OsStr::new);
        assert_eq!(arguments(words).collect::<Vec<_>>(), expected);
        assert_eq!(arguments(b"java\0").count(), 0);
        assert_eq!(arguments(b"").count(), 0);
    }
}
