//! Finds other tools that may hold the phone's only UiAutomation connection, by their command lines. The system does not
//! name the holder.

use std::path::Path;

/// Parts of the command lines of tools that use UiAutomation.
const KNOWN: [&str; 6] = [
    "uiautomator",
    "instrument",
    "app_process",
    "appium",
    "com.android.commands.monkey",
    "fastbot",
];
/// Maximum number of characters of a command line in a message.
const MAX_LENGTH: usize = 120;

/// The processes of such tools except this one, as `process 4711 (uiautomator runtest …)`.
pub(crate) fn possible_holders(processes: &Path) -> Vec<String> {
    let own = std::process::id();
    let Ok(entries) = std::fs::read_dir(processes) else {
        return Vec::new();
    };
    let mut holders: Vec<(u32, String)> = entries
        .flatten()
        .filter_map(|entry| {
            let number: u32 = entry.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line)
                .replace('\0', " ")
                .trim()
                .to_owned();
            let is_known = KNOWN.iter().any(|name| line.to_lowercase().contains(name));
            (number != own && is_known).then(|| (number, line.chars().take(MAX_LENGTH).collect()))
        })
        .collect();
    holders.sort_unstable();
    holders
        .into_iter()
        .map(|(number, line)| format!("process {number} ({line})"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_drive_phones_are_named_but_not_this_process_or_other_apps() {
        let processes = tempfile::tempdir().unwrap();
        let own = std::process::id().to_string();
        for (number, words) in [
            ("4711", "uiautomator\0runtest\0x.jar\0"),
            ("31", "app_process\0/\0com.github.uiautomator.Main\0"),
            ("5", "com.android.systemui\0"),
            (own.as_str(), "app_process\0/\0dev.retap.agent.Main\0"),
            ("self", "uiautomator\0"),
        ] {
            std::fs::create_dir(processes.path().join(number)).unwrap();
            std::fs::write(processes.path().join(number).join("cmdline"), words).unwrap();
        }
        let found = possible_holders(processes.path());
        assert_eq!(
            found,
            [
                "process 31 (app_process / com.github.uiautomator.Main)",
                "process 4711 (uiautomator runtest x.jar)"
            ]
        );
        assert!(possible_holders(Path::new("/nowhere")).is_empty());
    }
}
