//! The fingerprint of a Java exception: the class of its root cause, and the methods of the app's frames.

use std::collections::BTreeMap;

use super::java_frame::JavaFrame;
use super::normalize::normalized;
use super::{each_once, logcat};
use crate::finding::Finding;

/// The exception whose frames depend on where the stack ended.
pub(super) const OVERFLOW: &str = "java.lang.StackOverflowError";

pub(super) fn explain(finding: &Finding, lines: &mut Vec<String>) {
    let thrown = ThrownException::in_finding(finding);
    let class = thrown.class_or_summary(finding);
    let frames = methods(&thrown.frames, &finding.process);
    let is_overflow = class == OVERFLOW;
    lines.push(class);
    lines.extend(if is_overflow {
        cycle(frames)
    } else {
        each_once(frames.into_iter())
    });
}

/// The methods of the app's frames; of its frames that compilers made, if it has no others; or else the framework's.
fn methods(stack: &[JavaFrame<'_>], process: &str) -> Vec<String> {
    let of_app: Vec<_> = stack
        .iter()
        .filter(|frame| frame.is_of_app(process))
        .collect();
    let written: Vec<_> = of_app
        .iter()
        .filter(|frame| !frame.is_synthetic())
        .collect();
    if !written.is_empty() {
        return written.iter().map(|frame| frame.method()).collect();
    }
    if !of_app.is_empty() {
        return of_app.iter().map(|frame| frame.method()).collect();
    }
    framework_methods(stack)
}

/// The framework's methods without those of its main loop, in no order: API levels differ in both.
fn framework_methods(stack: &[JavaFrame<'_>]) -> Vec<String> {
    let mut methods: Vec<String> = stack
        .iter()
        .filter(|frame| !frame.is_of_main_loop())
        .map(JavaFrame::method)
        .collect();
    methods.sort_unstable();
    methods
}

/// The frames of an endless recursion: where it overflows the stack differs from run to run, its cycle does not.
pub(super) fn cycle(frames: Vec<String>) -> Vec<String> {
    let mut times: BTreeMap<&String, u32> = BTreeMap::new();
    for frame in &frames {
        *times.entry(frame).or_default() += 1;
    }
    let cycle: Vec<_> = times
        .iter()
        .filter(|(_, times)| **times > 2)
        .map(|(frame, _)| (*frame).clone())
        .collect();
    if cycle.is_empty() { frames } else { cycle }
}

/// An exception of the report, with its frames.
#[derive(Clone, Debug, Default)]
pub(super) struct ThrownException<'a> {
    pub(super) class: &'a str,
    pub(super) frames: Vec<JavaFrame<'a>>,
    /// True once the frames that it shares with the exception it caused have been added.
    has_shared_frames: bool,
}

/// The last `Caused by:` of the exception, with the frames that it shares with the exception it caused.
fn root_cause(report: &str) -> Option<ThrownException<'_>> {
    let mut thrown: Option<ThrownException<'_>> = None;
    let mut enclosing: Vec<JavaFrame<'_>> = Vec::new();
    let mut suppressed: Option<SuppressedException> = None;
    for line in logcat::lines(report) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some(cause) = text.strip_prefix("Caused by: ") {
            if suppressed
                .as_ref()
                .is_some_and(|suppressed| suppressed.has_cause(indent))
            {
                continue;
            }
            suppressed = None;
            if let Some(class) = class_of(cause) {
                enclosing = thrown
                    .replace(ThrownException {
                        class,
                        ..ThrownException::default()
                    })
                    .unwrap_or_default()
                    .frames;
            }
        } else if text.starts_with("Suppressed: ") {
            suppressed.get_or_insert(SuppressedException {
                indent,
                frames: false,
            });
        } else if let Some(suppressed) = &mut suppressed {
            suppressed.frames |= JavaFrame::parse(text).is_some();
        } else {
            read_line(text, &mut thrown, &enclosing);
        }
    }
    thrown
}

/// A suppressed exception, whose part of the report is skipped.
struct SuppressedException {
    indent: usize,
    frames: bool,
}

impl SuppressedException {
    /// True if a `Caused by:` of this indent belongs to the suppressed exception: it is indented at least as far. Without
    /// indents it belongs to it if the suppressed exception has frames.
    fn has_cause(&self, indent: usize) -> bool {
        if self.indent > 0 {
            indent >= self.indent
        } else {
            self.frames
        }
    }
}

fn read_line<'a>(
    line: &'a str,
    thrown: &mut Option<ThrownException<'a>>,
    enclosing: &[JavaFrame<'a>],
) {
    if let Some(frame) = JavaFrame::parse(line) {
        thrown.get_or_insert_default().frames.push(frame);
    } else if let Some(shared) = shared_frames(line) {
        thrown
            .get_or_insert_default()
            .add_shared_frames(shared, enclosing);
    } else if let Some(class) = class_of(without_thread(line)) {
        thrown.get_or_insert_default().set_class(class);
    }
}

impl<'a> ThrownException<'a> {
    /// The root cause in a finding's stack. Its class is empty if the stack holds frames only.
    pub(super) fn in_finding(finding: &'a Finding) -> ThrownException<'a> {
        root_cause(&finding.stack).unwrap_or_default()
    }

    /// The exception's class, or the one in the summary, for stacks that hold frames only.
    pub(super) fn class_or_summary(&self, finding: &Finding) -> String {
        if !self.class.is_empty() {
            return self.class.to_owned();
        }
        let summary = &finding.summary;
        root_cause(summary).map_or_else(|| normalized(summary), |thrown| thrown.class.to_owned())
    }

    fn add_shared_frames(&mut self, shared: usize, enclosing: &[JavaFrame<'a>]) {
        if !self.has_shared_frames {
            self.frames
                .extend_from_slice(&enclosing[enclosing.len().saturating_sub(shared)..]);
            self.has_shared_frames = true;
        }
    }

    /// Sets the class. The first one counts, because messages span several lines. But a class without a package looks like
    /// any word before a colon, so a later class with a package replaces it.
    fn set_class(&mut self, class: &'a str) {
        let better = self.class.is_empty() || class.contains('.') && !self.class.contains('.');
        if self.frames.is_empty() && better {
            self.class = class;
        }
    }
}

/// `... 12 more`, `... 12 common frames omitted`.
fn shared_frames(line: &str) -> Option<usize> {
    let (number, what) = line.strip_prefix("... ")?.split_once(' ')?;
    if what == "more" || what.starts_with("common frames") {
        number.parse().ok()
    } else {
        None
    }
}

/// The part of `Exception in thread "main" java.lang…` after the thread's name.
fn without_thread(line: &str) -> &str {
    let thread = line.strip_prefix("Exception in thread \"");
    thread
        .and_then(|thread| thread.split_once("\" "))
        .map_or(line, |(_, exception)| exception)
}

/// The class in `java.lang.Exception: message`. `CIRCULAR REFERENCE` is not an exception, nor are the system's lines about
/// the process.
fn class_of(line: &str) -> Option<&str> {
    let class = line.split([':', ' ']).next().unwrap_or_default();
    let rest = &line[class.len()..];
    let is_name = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || "_$-".contains(c))
    };
    let named = class.split('.').all(is_name) && !["Process", "PID"].contains(&class);
    (named && (rest.is_empty() || rest.starts_with(':'))).then_some(class)
}
