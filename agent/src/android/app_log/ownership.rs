//! Whose a line of the log is: the app's processes, as the system names them.

use retap_shared::log_line::LogLine;

/// The process of the app that the system says to have started here.
pub(super) fn started(line: &LogLine<'_>, package: &str, user: i32) -> Option<u32> {
    if line.tag == "am_proc_start" {
        // [user,pid,uid,name,…]
        let mut words = line.message.strip_prefix('[')?.split(',');
        let of_user = words.next()?.parse::<i32>().ok()? == user;
        let pid = words.next()?.parse().ok()?;
        let is_own = is_process_of(words.nth(1)?, package);
        return (of_user && is_own).then_some(pid);
    }
    if line.tag != "ActivityManager" {
        return None;
    }
    // Start proc PID:NAME/uUSERaNUMBER for …
    let (pid, rest) = line.message.strip_prefix("Start proc ")?.split_once(':')?;
    let (name, owner) = rest.split_once('/')?;
    let of_user = owner.starts_with(&format!("u{user}a"));
    let pid = pid.parse().ok()?;
    (of_user && is_process_of(name, package)).then_some(pid)
}

/// True for the system's lines about the app's processes and activities.
pub(super) fn is_about(line: &LogLine<'_>, package: &str) -> bool {
    matches!(line.tag, "ActivityManager" | "ActivityTaskManager")
        && words(line.message).any(|word| is_process_of(without_number(word), package))
}

/// True for a line of a tombstone, which the process that dumps it logs.
pub(super) fn is_crash_dump(line: &LogLine<'_>) -> bool {
    line.tag == "DEBUG"
}

/// True if the process has the package's name, with `:name` for further processes.
pub(super) fn is_process_of(process: &str, package: &str) -> bool {
    let rest = process.strip_prefix(package);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// True for a tombstone's `pid: 1, tid: 1, name: main  >>> com.example <<<` of the app.
pub(super) fn names_crashed(line: &str, package: &str) -> bool {
    let name = line
        .split_once(">>> ")
        .and_then(|(_, rest)| rest.split_once(" <<<"));
    name.is_some_and(|(name, _)| is_process_of(name, package))
}

/// What may be a process's name or an activity's package.
fn words(message: &str) -> impl Iterator<Item = &str> {
    message.split(|letter: char| !(letter.is_alphanumeric() || "._:".contains(letter)))
}

/// `com.example` of `4243:com.example`.
fn without_number(word: &str) -> &str {
    word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ':')
}
