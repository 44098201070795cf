//! A Java exception: the class of its root cause and the app's own frames.

use std::collections::{BTreeMap, HashSet};

use super::java_frame::JavaFrame;
use super::logcat;
use super::normalize::normalized;
use crate::verdict::Finding;

pub(super) fn explain(problem: &Finding, lines: &mut Vec<String>) {
    let thrown = root_cause(&problem.stack).unwrap_or_default();
    lines.push(match thrown.class {
        "" => named_in(&problem.summary),
        class => class.to_owned(),
    });
    let frames = frames(&thrown.frames, &problem.process);
    let overflow = lines
        .last()
        .is_some_and(|class| class == "java.lang.StackOverflowError");
    lines.extend(if overflow { repeated(frames) } else { frames });
}

/// For stacks that are nothing but frames.
fn named_in(summary: &str) -> String {
    root_cause(summary).map_or_else(|| normalized(summary), |thrown| thrown.class.to_owned())
}

/// The app's frames, or the framework's where there is none of the app.
fn frames(stack: &[JavaFrame<'_>], process: &str) -> Vec<String> {
    let of_app: Vec<_> = stack
        .iter()
        .filter(|frame| frame.is_of_app(process))
        .map(JavaFrame::with_line)
        .collect();
    if !of_app.is_empty() {
        return of_app;
    }
    // How deep views are nested, and so how often they call each other, says nothing.
    let mut seen = HashSet::new();
    stack
        .iter()
        .map(JavaFrame::without_line)
        .filter(|frame| seen.insert(frame.clone()))
        .collect()
}

/// Where endless recursion happens to hit the end of the stack differs; the circle it runs in does not.
fn repeated(frames: Vec<String>) -> Vec<String> {
    let mut times: BTreeMap<&String, u32> = BTreeMap::new();
    for frame in &frames {
        *times.entry(frame).or_default() += 1;
    }
    let circle: Vec<_> = times
        .iter()
        .filter(|(_, times)| **times > 2)
        .map(|(frame, _)| (*frame).clone())
        .collect();
    if circle.is_empty() { frames } else { circle }
}

#[derive(Clone, Debug, Default)]
struct ThrownException<'a> {
    class: &'a str,
    frames: Vec<JavaFrame<'a>>,
    /// What it shares with the one it caused has been added.
    has_shared_frames: bool,
}

/// The last `Caused by:` of the exception itself, with the frames that it shares with the one it caused.
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
            take(text, &mut thrown, &enclosing);
        }
    }
    thrown
}

/// An exception on the side, whose part of the report does not count.
struct SuppressedException {
    indent: usize,
    frames: bool,
}

impl SuppressedException {
    /// Its own cause is indented as it is. Where indents were lost, it has one only if it was thrown somewhere.
    fn has_cause(&self, indent: usize) -> bool {
        if self.indent > 0 {
            indent >= self.indent
        } else {
            self.frames
        }
    }
}

fn take<'a>(line: &'a str, thrown: &mut Option<ThrownException<'a>>, enclosing: &[JavaFrame<'a>]) {
    if let Some(frame) = JavaFrame::parse(line) {
        thrown.get_or_insert_default().frames.push(frame);
    } else if let Some(shared) = shared_frames(line) {
        thrown.get_or_insert_default().share(shared, enclosing);
    } else if let Some(class) = class_of(introduced(line)) {
        thrown.get_or_insert_default().call(class);
    }
}

impl<'a> ThrownException<'a> {
    fn share(&mut self, shared: usize, enclosing: &[JavaFrame<'a>]) {
        if !self.has_shared_frames {
            self.frames
                .extend_from_slice(&enclosing[enclosing.len().saturating_sub(shared)..]);
            self.has_shared_frames = true;
        }
    }

    /// The first name counts, since messages go on over several lines. But an exception of no package looks like any
    /// word with a colon, so one of a package counts more.
    fn call(&mut self, class: &'a str) {
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

/// `Exception in thread "main" java.lang…`, without what stands in front.
fn introduced(line: &str) -> &str {
    let thread = line.strip_prefix("Exception in thread \"");
    thread
        .and_then(|thread| thread.split_once("\" "))
        .map_or(line, |(_, exception)| exception)
}

/// `java.lang.Exception: message`. A circle's end is no exception of its own, nor is what the system says of the
/// process.
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
