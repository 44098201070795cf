//! What differs between operating systems. Linux is tested; macOS should behave as it does, Windows is unverified.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file that only its owner may read, from its first byte on.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    let _ = std::fs::remove_file(&part);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&part)?.write_all(bytes)?;
    std::fs::rename(part, path)
}
