//! Commands that a user can paste: absolute paths, and quotes where a shell needs them.

use std::path::Path;

use crate::device_spec::DeviceList;

/// The command that plays a trace on these phones, from any directory. The mapping is that of the trace's target.
pub fn replay(trace: &Path, devices: Option<&DeviceList>, mapping: Option<&Path>) -> String {
    let mut command = format!("retap replay {}", quoted(&absolute(trace)));
    if let Some(devices) = devices {
        let devices = devices.clone().with_absolute_paths().to_string();
        command += &format!(" --device {}", quoted(&devices));
    }
    if let Some(mapping) = mapping {
        command += &format!(" --mapping {}", quoted(&absolute(mapping)));
    }
    command
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
        let trace = Path::new("/run/trace.retap");
        let command = replay(trace, Some(&devices), None);
        assert_eq!(command, "retap replay /run/trace.retap --device sim:notes");
        let command = replay(trace, None, Some(Path::new("/my app/mapping.txt")));
        assert_eq!(
            command,
            "retap replay /run/trace.retap --mapping '/my app/mapping.txt'"
        );
        let paired = "udp:127.0.0.1:4400?pairing=keys".parse().unwrap();
        let command = replay(trace, Some(&paired), None);
        let keys = std::path::absolute("keys").unwrap();
        assert!(
            command.contains(&format!("pairing={}", keys.display())),
            "{command}"
        );
    }
}
