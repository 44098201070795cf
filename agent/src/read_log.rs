//! Handler of `ReadLog`: the log of the watched app, cut to what a reply may hold.

use retap_shared::protocol::{ReadLog, ReadLogReply};

use crate::handlers::Handlers;
use crate::phone::PhoneError;

/// Maximum number of bytes of a log, and of a report.
const MAX_BYTES: usize = 256 << 10;

impl Handlers {
    pub(crate) fn read_log(&mut self, wanted: ReadLog) -> Result<ReadLogReply, PhoneError> {
        let mut read = self.phone.read_log(wanted)?;
        keep_end(&mut read.log);
        let mut end = read.report.len().min(MAX_BYTES);
        while !read.report.is_char_boundary(end) {
            end -= 1;
        }
        read.report.truncate(end);
        Ok(read)
    }
}

/// Keeps the last whole lines: the failure is at the end of a log.
fn keep_end(log: &mut String) {
    if log.len() <= MAX_BYTES {
        return;
    }
    let surplus = &log.as_bytes()[log.len() - MAX_BYTES - 1..];
    let line = surplus.iter().position(|byte| *byte == b'\n');
    let kept = line.map_or(0, |line| MAX_BYTES - line);
    log.drain(..log.len() - kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_keeps_its_last_whole_lines() {
        let mut log = format!("first\n{}\nlast é", "é\n".repeat(MAX_BYTES));
        keep_end(&mut log);
        assert!(log.len() <= MAX_BYTES && log.ends_with("\nlast é") && log.starts_with("é\n"));
        let mut one_line = "x".repeat(MAX_BYTES + 1);
        keep_end(&mut one_line);
        assert_eq!(one_line, "");
        let mut short = "kept".to_owned();
        keep_end(&mut short);
        assert_eq!(short, "kept");
    }
}
