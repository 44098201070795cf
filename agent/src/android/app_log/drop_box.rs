//! Entries of `dumpsys dropbox --print TAG`, oldest first.

use super::ownership::is_process_of;

/// Between two entries.
const SEPARATOR: &str = "\n========================================\n";

/// The newest wanted entry with this tag since `launched` (`MM-DD HH:MM:SS.mmm`), without its first line.
pub(super) fn newest(
    output: &str,
    tag: &str,
    launched: Option<&str>,
    is_wanted: impl Fn(&str) -> bool,
) -> Option<String> {
    let entries = output.split(SEPARATOR).skip(1);
    let wanted = entries.filter_map(|entry| {
        let (first, text) = entry.split_once('\n')?;
        // 2026-11-18 20:13:13 data_app_anr (compressed text, 41210 bytes)
        let time = first.get(5..19)?;
        let is_tagged = first.get(20..)?.split(' ').next() == Some(tag);
        let is_new =
            launched.is_none_or(|launched| launched.get(..14).is_some_and(|at| time >= at));
        (is_tagged && is_new && is_wanted(text)).then_some(text)
    });
    wanted.last().map(|text| text.trim_end().to_owned())
}

/// True if the entry's `Process:` is one of the package.
pub(super) fn is_of_process(entry: &str, package: &str) -> bool {
    let mut lines = entry.lines();
    let process = lines.find_map(|line| line.strip_prefix("Process: "));
    process.is_some_and(|process| is_process_of(process.trim(), package))
}
