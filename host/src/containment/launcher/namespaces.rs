//! Namespaces: the launcher makes them, gives them a root of files and a loopback device, and starts the program as their
//! first process. With the launcher the program ends, and with the program all that it started.

use std::fs;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ExitCode, ExitStatus};

use retap_shared::error_text::with_causes;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::mount::MountFlags;
use rustix::process::{Gid, Pid, PidfdFlags, Signal, Uid};
use rustix::thread::UnshareFlags;

use super::syscall_filter::SocketAccess;
use super::{LauncherError, limits, loopback, own_root, program, syscall_filter};
use crate::containment::{LaunchRequest, OWN_FOLDER};

/// Users that no account of a system has: systemd gives them to services for as long as they run.
const SPARE_USERS: std::ops::Range<u32> = 61_184..65_520;
/// Name in its user namespace of a root that cannot become another user.
const PLAIN_USER: u32 = 1000;

/// The user that the program runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramUser {
    /// The user who started it, without any rights beyond the user's own.
    Same,
    /// Another one: it was started by root.
    Spare(u32),
}

pub(super) fn run(request: &LaunchRequest) -> Result<ExitCode, LauncherError> {
    let user = enter()?;
    own_root::enter(request, user)?;
    loopback::switch_on()?;
    let mut command = program(request);
    let readable = request.readable.clone();
    let launcher = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())
        .map_err(LauncherError::at("watch the launcher"))?;
    let inside = move || match contain_child(user, &readable, &launcher) {
        Ok(()) => Ok(()),
        Err(error) => {
            // Only the number of an error would arrive at the launcher.
            let _ = writeln!(io::stderr(), "error: {}", with_causes(&error));
            Err(error.source)
        }
    };
    // SAFETY: the launcher has one thread, so no lock is held by a thread that the child does not have.
    unsafe { command.pre_exec(inside) };
    let child = command.spawn();
    let failed = format!("run `{}`", request.program.display());
    let status = wait(child.map_err(LauncherError::at(failed))?)
        .map_err(LauncherError::at("wait for the program"))?;
    Ok(end_like(status))
}

/// Root needs no user namespace, and changes to a spare user later.
fn enter() -> Result<ProgramUser, LauncherError> {
    let flags = UnshareFlags::NEWNS
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS;
    let user = rustix::process::geteuid();
    let group = rustix::process::getegid();
    if user.is_root() {
        match unshare(flags) {
            Ok(()) => return Ok(ProgramUser::Spare(spare_user())),
            // Root of a container.
            Err(Errno::PERM) => {}
            Err(error) => return Err(LauncherError::at("make namespaces")(error)),
        }
    }
    unshare(flags | UnshareFlags::NEWUSER).map_err(LauncherError::at("make a user namespace"))?;
    let inside = |id: u32| if id == 0 { PLAIN_USER } else { id };
    let user = user.as_raw();
    let group = group.as_raw();
    for (file, content) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{} {user} 1", inside(user))),
        ("gid_map", format!("{} {group} 1", inside(group))),
    ] {
        fs::write(format!("/proc/self/{file}"), content)
            .map_err(LauncherError::at("map the user into its namespace"))?;
    }
    Ok(ProgramUser::Same)
}

fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: the table of open files is not among the flags.
    unsafe { rustix::thread::unshare_unsafe(flags) }
}

/// One of its own for each launcher that runs.
fn spare_user() -> u32 {
    SPARE_USERS.start + std::process::id() % (SPARE_USERS.end - SPARE_USERS.start)
}

/// In the child, before it becomes the program.
fn contain_child(
    user: ProgramUser,
    readable: &[PathBuf],
    launcher: &OwnedFd,
) -> Result<(), LauncherError> {
    // A list of processes shows those of the namespace in which it is mounted.
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("proc", "/proc", "proc", flags, None)
        .map_err(LauncherError::at("mount /proc"))?;
    own_root::leave_old_root()?;
    limits::apply(0)?;
    if let ProgramUser::Spare(id) = user {
        become_user(id).map_err(LauncherError::at(format!("become user {id}")))?;
    }
    for folder in readable {
        // Root may have kept it to itself.
        let step = format!(
            "read `{}`, which all users must be able to do",
            folder.display()
        );
        fs::read_dir(folder).map_err(LauncherError::at(step))?;
    }
    end_with(launcher).map_err(LauncherError::at("end with the launcher"))?;
    for folder in ["data", "tmp"] {
        fs::create_dir(format!("{OWN_FOLDER}/{folder}"))
            .map_err(LauncherError::at("make its folders"))?;
    }
    rustix::thread::set_no_new_privs(true).map_err(LauncherError::at("renounce new rights"))?;
    syscall_filter::apply(SocketAccess::OwnNetwork)
}

/// A change of the user takes this back, so it comes after.
fn end_with(launcher: &OwnedFd) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // The signal does not come from a launcher that has ended already.
    let mut ended = [PollFd::new(launcher, PollFlags::IN)];
    match rustix::event::poll(&mut ended, Some(&Timespec::default()))? {
        0 => Ok(()),
        _ => Err(io::ErrorKind::BrokenPipe.into()),
    }
}

fn become_user(id: u32) -> Result<(), Errno> {
    let user = Uid::from_raw(id);
    let group = Gid::from_raw(id);
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(group, group, group)?;
    rustix::thread::set_thread_res_uid(user, user, user)
}

/// Waits for the program, and ends it when whoever holds the other end of standard input is gone.
fn wait(mut child: Child) -> io::Result<ExitStatus> {
    let process = rustix::process::pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    let stdin = io::stdin();
    loop {
        // Hanging up is always reported; what can be read is the program's to read.
        let mut watched = [
            PollFd::new(&process, PollFlags::IN),
            PollFd::new(&stdin, PollFlags::empty()),
        ];
        match rustix::event::poll(&mut watched, None) {
            Err(Errno::INTR) => continue,
            polled => polled?,
        };
        if watched[1].revents().contains(PollFlags::HUP) {
            // It may have ended by itself.
            let _ = child.kill();
        }
        return child.wait();
    }
}

/// Ends this process as the program ended, so that whoever waits sees the same.
fn end_like(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    }
    ExitCode::from(
        status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1),
    )
}
