//! Parser for stack traces, line by line: frames, whether they belong to the app, and their short names.

use retap_shared::fingerprint;

/// Directories of libraries that belong to the phone.
const SYSTEM: [&str; 6] = ["/system", "/apex/", "/vendor/", "/odm/", "/product/", "["];

/// Remarks in brackets behind a library that are no function names.
const NO_NAMES: [&str; 3] = ["offset ", "BuildId: ", "deleted"];

/// One line of a stack trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackLine<'a> {
    Frame(StackFrame<'a>),
    /// An exception's own line, a thread's name, a register dump.
    Other(&'a str),
}

/// One call on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackFrame<'a> {
    /// `com.example.Editor.save`, or a native function.
    pub(crate) function: &'a str,
    /// `Editor.java:42`, or a library.
    pub(crate) source: &'a str,
    /// True for code of the app, false for the framework and the system.
    pub(crate) own: bool,
}

/// Parses a line. Code in the package of `process` belongs to the app in any case.
pub(crate) fn parse<'a>(line: &'a str, process: &str) -> StackLine<'a> {
    let trimmed = line.trim();
    let package = process.split(':').next().unwrap_or_default();
    java(trimmed, package)
        .or_else(|| native(trimmed, package))
        .map_or(StackLine::Other(line), StackLine::Frame)
}

impl StackFrame<'_> {
    /// `Editor.save`: class and function without the package.
    pub(crate) fn short(&self) -> &str {
        let mut dots = self.function.rmatch_indices('.').map(|(at, _)| at);
        match (dots.next(), dots.next()) {
            (Some(_), Some(second)) => &self.function[second + 1..],
            _ => self.function,
        }
    }
}

/// `at com.example.Editor.save(Editor.java:42)`
fn java<'a>(line: &'a str, package: &str) -> Option<StackFrame<'a>> {
    let call = line.strip_prefix("at ")?;
    let (function, source) = call.split_once('(').unwrap_or((call, ""));
    let own = fingerprint::is_of_app(function, package);
    Some(StackFrame {
        function: function.trim(),
        source: source.strip_suffix(')').unwrap_or(source),
        own,
    })
}

/// `#00 pc 0004f3c8  /data/app/…/libnotes.so (parse_note+24) (BuildId: …)`
fn native<'a>(line: &'a str, package: &str) -> Option<StackFrame<'a>> {
    let (number, rest) = line.strip_prefix('#')?.split_once(char::is_whitespace)?;
    let (address, rest) = rest
        .trim_start()
        .strip_prefix("pc ")?
        .trim_start()
        .split_once(char::is_whitespace)?;
    if !number.bytes().all(|digit| digit.is_ascii_digit())
        || !address.bytes().all(|digit| digit.is_ascii_hexdigit())
    {
        return None;
    }
    let (path, call) = rest
        .trim_start()
        .split_once(" (")
        .unwrap_or((rest.trim_start(), ""));
    // A path without a slash is the Java method that called into the library.
    let own = if path.contains('/') || path.starts_with('[') {
        !SYSTEM.iter().any(|place| path.starts_with(place))
    } else {
        fingerprint::is_of_app(path, package)
    };
    let library = path.rsplit('/').next().unwrap_or(path);
    let remarks = call.strip_suffix(')').unwrap_or(call).split(") (");
    let function = remarks
        .map(without_offset)
        .find(|name| !NO_NAMES.iter().any(|other| name.starts_with(other)));
    Some(StackFrame {
        function: function.filter(|name| !name.is_empty()).unwrap_or(library),
        source: library,
        own,
    })
}

/// `decode+24` → `decode`
fn without_offset(symbol: &str) -> &str {
    match symbol.rsplit_once('+') {
        Some((name, offset)) if offset.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_the_app_are_distinguished_from_the_framework() {
        let own = "\tat com.example.notes.Editor.save(Editor.java:42)";
        let frame = StackFrame {
            function: "com.example.notes.Editor.save",
            source: "Editor.java:42",
            own: true,
        };
        assert_eq!(parse(own, "com.example.notes"), StackLine::Frame(frame));
        assert_eq!(frame.short(), "Editor.save");
        let StackLine::Frame(framework) = parse(
            "    at android.os.Handler.dispatchMessage(Handler.java:106)",
            "",
        ) else {
            panic!("it is a frame");
        };
        assert!(!framework.own);
        let line = "at com.google.android.apps.maps.Route.plan(Route.java:3)";
        assert!(
            matches!(parse(line, "com.google.android.apps.maps:nav"), StackLine::Frame(frame) if frame.own)
        );
        assert!(matches!(parse(line, "com.example"), StackLine::Frame(frame) if !frame.own));
    }

    #[test]
    fn native_frames_name_function_and_library() {
        let line = "  #01 pc 000000000004f3c8  /data/app/x/lib/arm64/libmail.so (decode_header+24) (BuildId: 1f2e)";
        let frame = StackFrame {
            function: "decode_header",
            source: "libmail.so",
            own: true,
        };
        assert_eq!(parse(line, ""), StackLine::Frame(frame));
        let line = "#02 pc 4f3c8 /data/app/x/libgame.so (offset 0x1000) (Engine::draw(int)+36) (BuildId: 1f2e)";
        let frame = StackFrame {
            function: "Engine::draw(int)",
            source: "libgame.so",
            own: true,
        };
        assert_eq!(parse(line, ""), StackLine::Frame(frame));
        let nameless = StackFrame {
            function: "libgame.so",
            source: "libgame.so",
            own: true,
        };
        assert_eq!(
            parse("#02 pc 4f3c8 /data/app/x/libgame.so (BuildId: 1f2e)", ""),
            StackLine::Frame(nameless)
        );
        let StackLine::Frame(libc) = parse(
            "#00 pc 00012 /apex/com.android.runtime/lib64/bionic/libc.so (abort+164)",
            "",
        ) else {
            panic!("it is a frame");
        };
        assert!(!libc.own);
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for line in [
            "java.lang.IllegalStateException: at rest",
            "#include",
            "# pc",
            "",
            "at",
            "#1 pc zz x",
        ] {
            assert_eq!(parse(line, ""), StackLine::Other(line));
        }
    }
}
