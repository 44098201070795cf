//! Commands that a user can paste: absolute paths, and quotes where a shell needs them.

use std::path::Path;

use crate::device_spec::DeviceList;

/// The command that plays a trace on these phones, from any directory.
pub fn replay(trace: &Path, devices: Option<&DeviceList>) -> String {
    let trace = quoted(&absolute(trace));
    match devices {
        Some(devices) => {
            let devices = devices.clone().with_absolute_paths().to_string();
            format!("retap replay {trace} --device {}", quoted(&devices))
        }
        None => format!("retap replay {trace}"),
    }
}

/// A path that does not depend on the working directory.
pub fn absolute(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.to_string_lossy().into_owned()
}

/// A word as a POSIX shell reads it back.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,=@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_a_shell_would_change_them() {
        assert_eq!(quoted("/runs/a-b_c.retap"), "/runs/a-b_c.retap");
        assert_eq!(
            quoted("sim:mail?noise=0.2&seed=5"),
            "'sim:mail?noise=0.2&seed=5'"
        );
        assert_eq!(quoted("it's here"), "'it'\\''s here'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_replay_names_the_phone_and_whole_paths() {
        let devices = "sim:notes".parse().unwrap();
        let command = replay(Path::new("/run/trace.retap"), Some(&devices));
        assert_eq!(command, "retap replay /run/trace.retap --device sim:notes");
        let paired = "udp:127.0.0.1:4400?pairing=keys".parse().unwrap();
        let command = replay(Path::new("/run/trace.retap"), Some(&paired));
        let keys = std::path::absolute("keys").unwrap();
        assert!(
            command.contains(&format!("pairing={}", keys.display())),
            "{command}"
        );
    }
}
