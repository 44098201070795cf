//! Differences between operating systems. Linux is tested; macOS should behave as it does, Windows is unverified.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

#[cfg(unix)]
use futures_util::future::join_all;

/// Writes a file that only its owner may read, from its first byte on.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A name that nobody else has: a file of the user's is never replaced by a part of another.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number: u64 = rand::random();
    let part = path.with_file_name(format!(".{name}.{number:016x}.part"));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(&part)?
        .write_all(bytes)
        .and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        // Only the first error is reported.
        let _ = std::fs::remove_file(&part);
    }
    written
}

/// Calls this, from a thread of its own, each time the program is asked to end: by `kill`, and by Ctrl-C and a terminal that is
/// closed unless the program was started with these ignored.
#[cfg(unix)]
pub fn on_termination_signal(asked: impl Fn() + Send + 'static) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let mut signals = {
        let _inside = runtime.enter();
        let others = [SignalKind::interrupt(), SignalKind::hangup()];
        let heard = others
            .into_iter()
            .filter(|kind| !is_ignored(kind.as_raw_value()));
        heard
            .chain([SignalKind::terminate()])
            .map(signal)
            .collect::<io::Result<Vec<_>>>()?
    };
    std::thread::Builder::new()
        .name("retap signals".into())
        .spawn(move || {
            let each = signals.iter_mut().map(|signal| async {
                while signal.recv().await.is_some() {
                    asked();
                }
            });
            runtime.block_on(join_all(each));
        })?;
    Ok(())
}

#[cfg(not(unix))]
pub fn on_end_asked(_: impl Fn() + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// True if this process was started so that it ignores a signal, or if that cannot be known.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Name of this machine, for the error that a second host gets.
pub fn machine_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    let user = std::env::var("USER").unwrap_or_default();
    match (user.is_empty(), name.is_empty()) {
        (false, false) => format!("{user} on {name}"),
        (true, false) => name.to_owned(),
        _ => "a host without a name".to_owned(),
    }
}

/// Memory that a program can still have, in bytes, where that can be known.
pub fn free_memory() -> Option<u64> {
    kib("/proc/meminfo", "MemAvailable:")
}

/// The most memory that this process has had since it was last forgotten, in bytes, where that can be known.
pub fn peak_memory() -> Option<u64> {
    kib("/proc/self/status", "VmHWM:")
}

pub fn reset_peak_memory() {
    // Where this is not possible the peak is that of the whole process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// A line such as `VmHWM:   1234 kB`.
fn kib(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kib| kib * 1024)
}
