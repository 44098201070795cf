//! Files that a user names, or that lie in a run that somebody may have made: read whole, with a limit, and only if they are
//! files. A pipe or a device could be waited for without end, or never end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Maximum number of bytes of a file. The largest mappings of apps have a tenth of it.
const LIMIT: u64 = 1 << 30;

/// Opens a file, unless it is a pipe, a socket or a device.
pub fn open(path: &Path) -> io::Result<File> {
    let kind = fs::metadata(path)?;
    if !kind.is_file() && !kind.is_dir() {
        let why = "it is a pipe, a socket or a device, and no file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    File::open(path)
}

/// Reads a whole file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, LIMIT)
}

/// Reads a whole file of UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let bytes = read(path)?;
    String::from_utf8(bytes).map_err(|_| {
        // The words of the standard library, which users may know.
        io::Error::new(
            io::ErrorKind::InvalidData,
            "stream did not contain valid UTF-8",
        )
    })
}

fn read_up_to(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let why = format!("it has more than {} MiB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_and_directories_are_refused_and_files_are_read_up_to_the_limit() {
        for path in ["/dev/zero", "/dev/null", "/dev/tty"] {
            let error = read(Path::new(path)).unwrap_err();
            assert_ne!(error.kind(), io::ErrorKind::OutOfMemory, "{path}: {error}");
        }
        assert_eq!(
            read(Path::new("/dev/zero")).unwrap_err().kind(),
            io::ErrorKind::InvalidInput
        );
        assert_eq!(
            read(Path::new("/")).unwrap_err().kind(),
            io::ErrorKind::IsADirectory
        );
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "four").unwrap();
        assert_eq!(read_to_string(&path).unwrap(), "four");
        assert_eq!(
            read_up_to(&path, 3).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
    }
}
