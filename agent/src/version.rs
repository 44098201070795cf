//! The agent's version, in a form that the host finds in the library's bytes before it pushes the library.

/// The version of this build.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

const BEFORE: &str = "retap-agent version ";
const AFTER: char = ';';
/// Maximum length of a version.
const MAX_LENGTH: usize = 64;

static MARK: &str = concat!("retap-agent version ", env!("CARGO_PKG_VERSION"), ";");

/// This build's version, read from the mark so that the mark stays in the library.
pub fn version() -> &'static str {
    let mark = std::hint::black_box(MARK);
    &mark[BEFORE.len()..mark.len() - AFTER.len_utf8()]
}

/// The version of the agent in these bytes; `None` if they are not its library.
pub fn version_in(library: &[u8]) -> Option<&str> {
    let mut starts = library.windows(BEFORE.len()).enumerate();
    starts.find_map(|(start, window)| {
        let rest = if window == BEFORE.as_bytes() {
            &library[start + BEFORE.len()..]
        } else {
            return None;
        };
        let end = rest
            .iter()
            .take(MAX_LENGTH)
            .position(|byte| *byte == AFTER as u8)?;
        let version = std::str::from_utf8(&rest[..end]).ok()?;
        version
            .starts_with(|first: char| first.is_ascii_digit())
            .then_some(version)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_found_among_other_bytes_with_the_version_in_it() {
        assert_eq!(version(), VERSION);
        let library = [
            b"\x7fELF\0retap-agent version \0\xff",
            MARK.as_bytes(),
            b"rest",
        ]
        .concat();
        assert_eq!(version_in(&library), Some(VERSION));
    }

    #[test]
    fn other_bytes_have_no_version() {
        for bytes in [
            "",
            "retap-agent version ",
            "retap-agent version 1.2",
            "retap-agent version ;",
            "1.2;",
        ] {
            assert_eq!(version_in(bytes.as_bytes()), None, "{bytes}");
        }
        assert_eq!(version_in(b"retap-agent version 1\xff;"), None);
    }
}
