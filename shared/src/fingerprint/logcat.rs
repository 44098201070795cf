//! Removes the prefixes that logcat puts before each line.

/// The lines of a report without logcat's prefixes and without trailing blanks. Indents are kept.
pub(super) fn lines(report: &str) -> impl Iterator<Item = &str> {
    report.lines().map(|line| message(line.trim_end()))
}

/// `01-31 12:00:00.123  1234  1250 E AndroidRuntime: …`, `E/AndroidRuntime( 1234): …`, or the line as it is.
fn message(line: &str) -> &str {
    let (after_time, had_time) = match without_time(line) {
        Some(rest) => (rest, true),
        None => (line, false),
    };
    let after_numbers = if had_time {
        without_numbers(after_time)
    } else {
        after_time
    };
    let mut letters = after_numbers.chars();
    let priority = letters
        .next()
        .is_some_and(|letter| "VDIWEFA".contains(letter));
    let tagged = match letters.next() {
        Some('/') => priority,
        Some(' ') => priority && had_time,
        _ => false,
    };
    if !tagged {
        return line;
    }
    match letters.as_str().split_once(':') {
        // One blank belongs to the prefix, further ones to the message.
        Some((_, message)) => message.strip_prefix(' ').unwrap_or(message),
        None => line,
    }
}

/// The rest of a line after a date, with or without a year, and a time.
fn without_time(line: &str) -> Option<&str> {
    let (date, rest) = line.split_once(' ')?;
    let (time, rest) = rest.split_once(' ')?;
    let consists_of = |text: &str, sign: char| {
        text.contains(sign)
            && text
                .chars()
                .all(|c| c.is_ascii_digit() || c == sign || c == '.')
    };
    (consists_of(date, '-') && consists_of(time, ':')).then(|| rest.trim_start())
}

/// The rest of a line after the numbers of user, process and thread.
fn without_numbers(mut line: &str) -> &str {
    while let Some((word, rest)) = line.split_once(' ') {
        if word.is_empty() || !word.bytes().all(|digit| digit.is_ascii_digit()) {
            break;
        }
        line = rest.trim_start();
    }
    line
}
