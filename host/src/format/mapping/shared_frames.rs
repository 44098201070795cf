//! Counts of `... 12 more` in a stack that is retraced: inlined methods make one frame several, outlines make it none.

use std::fmt::Write;

/// The stack with each `... N more` counting the retraced frames. `retrace` retraces lines of frames.
pub(super) fn recount(stack: &str, retrace: impl Fn(&str) -> String) -> String {
    if !stack.contains("... ") {
        return stack.to_owned();
    }
    let mut counted = String::with_capacity(stack.len());
    let mut enclosing: Vec<&str> = Vec::new();
    let mut frames: Vec<&str> = Vec::new();
    for line in stack.lines() {
        if line.trim_start().starts_with("at ") {
            frames.push(line);
        } else if line.starts_with("Caused by: ") {
            enclosing = std::mem::take(&mut frames);
        } else if let Some((indent, number)) = shared_count(line) {
            let shared = &enclosing[enclosing.len().saturating_sub(number)..];
            let retraced = retrace(&shared.join("\n"));
            let missing = number - shared.len();
            let number = retraced.lines().count() + missing;
            let _ = writeln!(counted, "{indent}... {number} more");
            frames.extend_from_slice(shared);
            continue;
        }
        counted.push_str(line);
        counted.push('\n');
    }
    counted
}

/// The indent and the number of `\t... 12 more`.
fn shared_count(line: &str) -> Option<(&str, usize)> {
    let text = line.trim_start();
    let number = text.strip_prefix("... ")?.strip_suffix(" more")?;
    Some((&line[..line.len() - text.len()], number.parse().ok()?))
}
