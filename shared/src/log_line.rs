//! One line of `logcat -v threadtime`, taken apart.

/// A line of a phone's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// The line as it was logged.
    pub whole: &'a str,
    /// `MM-DD HH:MM:SS.mmm`, in the phone's time zone.
    pub time: &'a str,
    /// The process that logged it.
    pub pid: u32,
    /// `V`, `D`, `I`, `W`, `E` or `F`.
    pub level: &'a str,
    /// The part of the program that logged it.
    pub tag: &'a str,
    /// The text.
    pub message: &'a str,
}

impl<'a> LogLine<'a> {
    /// Takes a line apart; `None` if it is not one.
    pub fn parse(line: &'a str) -> Option<LogLine<'a>> {
        let time = line.get(..18).filter(|time| is_time(time))?;
        let (pid, rest) = line[18..].trim_start().split_once(' ')?;
        let (_thread, rest) = rest.trim_start().split_once(' ')?;
        let (level, rest) = rest.trim_start().split_once(' ')?;
        let (tag, message) = rest
            .split_once(": ")
            .or_else(|| Some((rest.strip_suffix(':')?, "")))?;
        Some(LogLine {
            whole: line,
            time,
            pid: pid.parse().ok()?,
            level,
            tag: tag.trim(),
            message,
        })
    }

    /// The line without time and process: `LEVEL/TAG: message`, which patterns are written for.
    pub fn plain(&self) -> String {
        format!("{}/{}: {}", self.level, self.tag, self.message)
    }
}

fn is_time(text: &str) -> bool {
    const FORM: &[u8] = b"00-00 00:00:00.000";
    let fits = |(byte, form): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == *form,
    };
    text.bytes().zip(FORM).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart_and_anything_else_is_no_line() {
        let line = LogLine::parse("11-18 20:13:01.200  4242  4250 D Example : ready: 3 notes");
        let line = line.unwrap();
        assert_eq!((line.time, line.pid), ("11-18 20:13:01.200", 4242));
        assert_eq!(line.plain(), "D/Example: ready: 3 notes");
        let empty = LogLine::parse("11-18 20:13:01.200 1 1 I Example:").unwrap();
        assert_eq!(empty.plain(), "I/Example: ");
        let odd = "--------- beginning of main|11-18|11-18 20:13:01.20é 1 1 I a: b|11-18 20:13:01.200 x 1 I a: b";
        assert!(odd.split('|').all(|line| LogLine::parse(line).is_none()));
    }
}
