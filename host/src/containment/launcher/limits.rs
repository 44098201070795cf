//! Limits on what a program may use up. Each holds for a process, only the number of tasks for all of them together.

use std::fs;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::LauncherError;

const GIB: u64 = 1 << 30;
/// Memory that a process can write to. A JVM phone has a heap of one GiB, and as much again beside it.
const MEMORY: u64 = 4 * GIB;
/// A JVM reserves far more addresses than it uses.
const ADDRESSES: u64 = 16 * GIB;
pub(super) const FILE_SIZE: u64 = GIB;
const OPEN_FILES: u64 = 4096;
/// Threads count, and a JVM phone has about fifty.
const TASKS: u64 = 1024;
const PROCESSOR_SECONDS: u64 = 24 * 60 * 60;
/// A system without memory ends a contained program first.
const OUT_OF_MEMORY_SCORE: &str = "500";

/// Limits this process and those that it will start. Tasks that run already are not the program's.
pub(super) fn apply(running_tasks: u64) -> Result<(), LauncherError> {
    let limits = [
        (Resource::Data, MEMORY),
        (Resource::As, ADDRESSES),
        (Resource::Fsize, FILE_SIZE),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Nproc, running_tasks + TASKS),
        (Resource::Cpu, PROCESSOR_SECONDS),
        (Resource::Core, 0),
        (Resource::Msgqueue, 0),
    ];
    for (resource, most) in limits {
        let most = getrlimit(resource)
            .maximum
            .map_or(most, |maximum| maximum.min(most));
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit).map_err(LauncherError::at(format!("limit {resource:?}")))?;
    }
    // Not every system lets it be chosen.
    let _ = fs::write("/proc/self/oom_score_adj", OUT_OF_MEMORY_SCORE);
    Ok(())
}

/// Threads of this user. Without namespaces the kernel counts them together with those of the program.
pub(super) fn tasks_of_this_user() -> u64 {
    let user = rustix::process::getuid().as_raw().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let statuses =
        processes.filter_map(|process| fs::read_to_string(process.path().join("status")).ok());
    statuses
        .filter(|status| first_value(status, "Uid:") == Some(&user))
        .filter_map(|status| first_value(&status, "Threads:")?.parse::<u64>().ok())
        .sum()
}

fn first_value<'s>(status: &'s str, name: &str) -> Option<&'s str> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()
}
