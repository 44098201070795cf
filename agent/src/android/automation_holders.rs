//! Other tools that drive the phone: the system allows one connection of UiAutomation and does not say who has it, so
//! the processes are looked through for those that such tools are known by.

use std::path::Path;

/// What stands in the command line of tools that use UiAutomation, and of whoever starts them.
const KNOWN: [&str; 6] = [
    "uiautomator",
    "instrument",
    "app_process",
    "appium",
    "com.android.commands.monkey",
    "fastbot",
];
/// More of a command line than anybody reads.
const LONGEST: usize = 120;

/// Each as `process 4711 (uiautomator runtest …)`, apart from this one.
pub(crate) fn possible_holders(processes: &Path) -> Vec<String> {
    let own = std::process::id();
    let Ok(entries) = std::fs::read_dir(processes) else {
        return Vec::new();
    };
    let mut found: Vec<(u32, String)> = entries
        .flatten()
        .filter_map(|entry| {
            let number: u32 = entry.file_name().to_str()?.parse().ok()?;
            let words = std::fs::read(entry.path().join("cmdline")).ok()?;
            let words = String::from_utf8_lossy(&words)
                .replace('\0', " ")
                .trim()
                .to_owned();
            let is_known = KNOWN.iter().any(|name| words.to_lowercase().contains(name));
            (number != own && is_known).then(|| (number, words.chars().take(LONGEST).collect()))
        })
        .collect();
    found.sort_unstable();
    found
        .into_iter()
        .map(|(number, words)| format!("process {number} ({words})"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_drive_phones_are_named_and_this_process_and_others_are_not() {
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
