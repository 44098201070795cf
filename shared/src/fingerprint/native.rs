//! The fingerprint of a native crash: the signal, and the frames as library and function. A frame of the app without a
//! function is named by the library's build and the offset in it.

use super::java_frame::JavaFrame;
use super::{each_once, logcat};
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
    lines.push(signal_of(finding).to_owned());
    let frames = backtrace(&finding.stack);
    let is_of_app = |frame: &&NativeFrame<'_>| frame.is_of_app(&finding.process);
    let of_app: Vec<_> = frames.iter().filter(is_of_app).collect();
    if of_app.is_empty() {
        // Without offsets: each phone has other builds of the system's libraries.
        lines.extend(each_once(frames.iter().map(NativeFrame::function)));
    } else {
        lines.extend(each_once(of_app.into_iter().map(NativeFrame::place)));
    }
}

pub(super) fn signal_of(finding: &Finding) -> &str {
    let signal = signal(&finding.stack).or_else(|| signal(&finding.summary));
    signal.unwrap_or("unknown signal")
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
pub(super) fn backtrace(report: &str) -> Vec<NativeFrame<'_>> {
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

pub(super) struct NativeFrame<'a> {
    /// Relative to the start of the library, as debuggerd prints it.
    offset: &'a str,
    path: &'a str,
    symbol: Option<&'a str>,
    build_id: Option<&'a str>,
}

impl<'a> NativeFrame<'a> {
    /// `#01 pc 0000a2b4  /data/app/…/libgame.so (offset 0x1000) (Engine::draw(int)+36) (BuildId: 4f1c)`
    fn parse(line: &'a str) -> Option<(usize, NativeFrame<'a>)> {
        let (number, rest) = line.strip_prefix('#')?.split_once(char::is_whitespace)?;
        let (offset, rest) = rest
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
        let build_id = remarks_in(remarks).find_map(|remark| remark.strip_prefix("BuildId: "));
        Some((
            number.parse().ok()?,
            NativeFrame {
                offset: offset.trim_start_matches('0'),
                path: path.trim_end(),
                symbol: symbol.map(without_offset),
                build_id,
            },
        ))
    }

    /// The function, or the place in the library if it has no name.
    fn place(&self) -> String {
        let function = self.function();
        if self.symbol.is_some() || self.is_compiled() {
            return function;
        }
        let build_id = self.build_id.unwrap_or_default();
        format!("{function} {build_id}+{}", self.offset)
    }

    /// Library and function without what compilers add to its name, a Java method, or the library alone.
    fn function(&self) -> String {
        match self.symbol.filter(|_| !self.is_compiled()) {
            Some(symbol) => format!("{} {}", self.library(), without_suffix(symbol)),
            None => self.plain(),
        }
    }

    /// True if the library lies where apps are installed, or the method is the app's.
    pub(super) fn is_of_app(&self, process: &str) -> bool {
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

    /// Library and symbol, a Java method, or the library alone.
    pub(super) fn plain(&self) -> String {
        if let Some(method) = self.method().filter(|_| self.is_compiled()) {
            return method.method();
        }
        match self.symbol {
            Some(symbol) => format!("{} {symbol}", self.library()),
            None => self.library().to_owned(),
        }
    }

    fn library(&self) -> &'a str {
        match self.path {
            // Anonymous memory is named by its address.
            path if path.starts_with("<anonymous") => "<anonymous>",
            path => path
                .trim_end_matches(']')
                .rsplit(['/', '!'])
                .next()
                .unwrap_or_default(),
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

/// The symbol without Rust's hash (`::h0123456789abcdef`) and LLVM's counters (`.llvm.123`), which differ between builds.
fn without_suffix(symbol: &str) -> &str {
    let symbol = symbol.split_once(".llvm.").map_or(symbol, |(name, _)| name);
    match symbol.rsplit_once("::h") {
        Some((name, hash))
            if hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()) =>
        {
            name
        }
        _ => symbol,
    }
}
