//! The fingerprint of a native crash: the signal, and the frames as library and symbol.

use super::java_frame::JavaFrame;
use super::logcat;
use crate::finding::Finding;

/// The signals that end a process.
const SIGNALS: &[&str] = &[
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGILL",
    "SIGKILL",
    "SIGPIPE",
    "SIGQUIT",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
];

pub(super) fn explain(finding: &Finding, lines: &mut Vec<String>) {
    let signal = signal(&finding.stack).or_else(|| signal(&finding.summary));
    lines.push(signal.unwrap_or("unknown signal").to_owned());
    let frames = backtrace(&finding.stack);
    let of_app: Vec<_> = frames
        .iter()
        .filter(|frame| frame.is_of_app(&finding.process))
        .collect();
    if of_app.is_empty() {
        lines.extend(frames.iter().map(NativeFrame::plain));
    } else {
        lines.extend(of_app.into_iter().map(NativeFrame::plain));
    }
}

/// `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0`, or whichever signal is mentioned first.
fn signal(report: &str) -> Option<&str> {
    let announced = report
        .lines()
        .find_map(|line| named(&line[line.find("signal ")?..]));
    announced.or_else(|| named(report))
}

fn named(text: &str) -> Option<&str> {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.find(|word| SIGNALS.contains(word))
}

/// The frames of the first thread, which is the one that crashed.
fn backtrace(report: &str) -> Vec<NativeFrame<'_>> {
    let mut frames = Vec::new();
    for line in logcat::lines(report).map(str::trim_start) {
        match NativeFrame::parse(line) {
            Some((0, _)) if !frames.is_empty() => break,
            Some((_, frame)) => frames.push(frame),
            None => {}
        }
    }
    frames
}

struct NativeFrame<'a> {
    path: &'a str,
    symbol: Option<&'a str>,
}

impl<'a> NativeFrame<'a> {
    /// `#01 pc 0000a2b4  /data/app/…/libgame.so (offset 0x1000) (Engine::draw(int)+36) (BuildId: 4f1c)`
    fn parse(line: &'a str) -> Option<(usize, NativeFrame<'a>)> {
        let (number, rest) = line.strip_prefix('#')?.split_once(char::is_whitespace)?;
        let (_pc, rest) = rest
            .trim_start()
            .strip_prefix("pc ")?
            .trim_start()
            .split_once(char::is_whitespace)?;
        let rest = rest.trim_start();
        let (path, remarks) = rest.split_at(rest.find(" (").unwrap_or(rest.len()));
        let symbol = remarks_in(remarks).find(|remark| {
            !["offset ", "BuildId: ", "deleted"]
                .iter()
                .any(|other| remark.starts_with(other))
        });
        Some((
            number.parse().ok()?,
            NativeFrame {
                path: path.trim_end(),
                symbol: symbol.map(without_offset),
            },
        ))
    }

    /// True if the library lies where apps are installed, or the method is the app's.
    fn is_of_app(&self, process: &str) -> bool {
        if self.is_compiled() {
            return self
                .method()
                .is_some_and(|method| method.is_of_app(process));
        }
        let installed = [
            "/data/app",
            "/data/data/",
            "/data/user/",
            "/mnt/asec/",
            "/mnt/expand/",
        ];
        installed.iter().any(|place| self.path.contains(place))
    }

    /// True for Java code, interpreted or compiled: the same method may lie in another place in the next run.
    fn is_compiled(&self) -> bool {
        let places = ["jit-cache", "dalvik", ".dex", ".odex", ".oat", ".vdex"];
        places.iter().any(|place| self.path.contains(place))
    }

    /// `com.example.Main.draw`, also written as `void com.example.Main.draw(int)`.
    fn method(&self) -> Option<JavaFrame<'a>> {
        let name = self.symbol?.split('(').next().unwrap_or_default();
        JavaFrame::named(name.rsplit(' ').next().unwrap_or_default())
    }

    fn plain(&self) -> String {
        if let Some(method) = self.method().filter(|_| self.is_compiled()) {
            return method.without_line();
        }
        let library = match self.path {
            // Anonymous memory is named by its address.
            path if path.starts_with("<anonymous") => "<anonymous>",
            path => path
                .trim_end_matches(']')
                .rsplit(['/', '!'])
                .next()
                .unwrap_or_default(),
        };
        match self.symbol {
            Some(symbol) => format!("{library} {symbol}"),
            None => library.to_owned(),
        }
    }
}

/// The contents of each pair of parentheses, inner parentheses included.
fn remarks_in(remarks: &str) -> impl Iterator<Item = &str> {
    let mut rest = remarks;
    std::iter::from_fn(move || {
        let inner = &rest[rest.find('(')? + 1..];
        let mut depth = 1;
        let end = inner.char_indices().find(|(_, letter)| {
            depth += match letter {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        let end = end.map_or(inner.len(), |(end, _)| end);
        rest = &inner[end..];
        Some(&inner[..end])
    })
}

fn without_offset(symbol: &str) -> &str {
    match symbol.rsplit_once('+') {
        Some((name, offset))
            if offset
                .bytes()
                .all(|digit| digit.is_ascii_hexdigit() || digit == b'x') =>
        {
            name
        }
        _ => symbol,
    }
}
