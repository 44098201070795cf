//! Headline of a finding: the exception of its root cause and the app's method that threw it, before the message.
//! Console, summaries and the page name findings by it.

use std::fmt;

use retap_shared::finding::{Finding, FindingKind};

use crate::report::html::sanitise_html;
use crate::report::stack::{self, StackFrame, StackLine};

/// Parts of a headline, each on one line and free of control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindingHeadline {
    /// `IllegalStateException`, `SIGSEGV`, `Not responding`.
    pub(crate) what: String,
    /// `Editor.save`; empty without a stack frame.
    pub(crate) function: String,
    /// `Editor.java:42`; empty without a stack frame.
    pub(crate) source: String,
    /// Message of the exception; may be empty.
    pub(crate) message: String,
}

impl FindingHeadline {
    /// Headline of a finding, from its stack and summary.
    pub(crate) fn of(finding: &Finding) -> FindingHeadline {
        let readable = finding.stack.lines().filter(|line| line.len() < 10_000);
        let lines: Vec<&str> = readable.take(2_000).collect();
        let cause = lines
            .iter()
            .rposition(|line| line.trim_start().starts_with("Caused by: "))
            .unwrap_or(0);
        let thrown = lines
            .get(cause)
            .map_or("", |line| line.trim().trim_start_matches("Caused by: "));
        let (what, message) = match finding.kind {
            FindingKind::Crash => exception(thrown)
                .or_else(|| exception(&finding.summary))
                .unwrap_or((first_line(&finding.summary), "")),
            FindingKind::NativeCrash => {
                let name =
                    signal(&finding.summary).or_else(|| lines.iter().find_map(|line| signal(line)));
                (name.unwrap_or("Native crash"), first_line(&finding.summary))
            }
            FindingKind::Anr => ("Not responding", first_line(&finding.summary)),
            FindingKind::Rule => ("Rule broken", first_line(&finding.summary)),
        };
        let frame = responsible_frame(&lines, cause, &finding.process);
        FindingHeadline {
            what: sanitise_html::sanitise_line(non_empty_or(what, "Unknown failure"), 80),
            function: frame
                .map(|frame| sanitise_html::sanitise_line(frame.short(), 80))
                .unwrap_or_default(),
            source: frame
                .map(|frame| sanitise_html::sanitise_line(frame.source, 60))
                .unwrap_or_default(),
            message: sanitise_html::sanitise_line(message.trim(), 300),
        }
    }
}

impl fmt::Display for FindingHeadline {
    /// `IllegalStateException in Editor.save: no title`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.function.is_empty() {
            write!(f, " in {}", self.function)?;
        }
        if !self.message.is_empty() && self.message != self.what {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

/// First frame of the app in the root cause, else in any exception, else the first frame of the root cause.
fn responsible_frame<'a>(lines: &[&'a str], cause: usize, process: &str) -> Option<StackFrame<'a>> {
    let frames = |first: usize| {
        lines
            .iter()
            .skip(first)
            .filter_map(|line| match stack::parse(line, process) {
                StackLine::Frame(frame) => Some(frame),
                StackLine::Other(_) => None,
            })
    };
    let own = frames(cause)
        .find(|frame| frame.own)
        .or_else(|| frames(0).find(|frame| frame.own));
    own.or_else(|| frames(cause).next())
}

/// `java.lang.IllegalStateException: message` without its package, and the message.
fn exception(line: &str) -> Option<(&str, &str)> {
    let line = first_line(line);
    let (name, message) = line.split_once(':').unwrap_or((line, ""));
    let is_class_name = name.contains('.')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._$".contains(&byte));
    is_class_name.then(|| (name.rsplit(['.', '$']).next().unwrap_or(name), message))
}

/// `SIGSEGV` out of `signal 11 (SIGSEGV), code 1`.
fn signal(line: &str) -> Option<&str> {
    let mut words = line.split(|one: char| !one.is_ascii_alphanumeric());
    words.find(|word| {
        word.len() > 4
            && word.starts_with("SIG")
            && word.bytes().all(|byte| byte.is_ascii_uppercase())
    })
}

fn first_line(text: &str) -> &str {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim()
}

fn non_empty_or<'a>(text: &'a str, instead: &'a str) -> &'a str {
    if text.is_empty() { instead } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(headline: &FindingHeadline) -> String {
        format!("{} in {}", headline.what, headline.function)
    }

    fn headline(kind: FindingKind, summary: &str, stack: &str) -> FindingHeadline {
        FindingHeadline::of(&Finding {
            kind,
            process: "com.example".into(),
            summary: summary.into(),
            stack: stack.into(),
        })
    }

    #[test]
    fn an_exception_is_named_by_its_root_cause_and_the_apps_first_line() {
        let stack = "java.lang.RuntimeException: wrapped\n\tat com.example.Outer.run(Outer.java:1)\n\
            Caused by: com.example.Trouble$Deep: no title: x\n\tat java.util.List.get(List.java:5)\n\
            \tat com.example.Editor.save(Editor.java:42)\n";
        let named = headline(
            FindingKind::Crash,
            "java.lang.RuntimeException: wrapped",
            stack,
        );
        assert_eq!(words(&named), "Deep in Editor.save");
        assert_eq!(
            (named.source.as_str(), named.message.as_str()),
            ("Editor.java:42", "no title: x")
        );
    }

    #[test]
    fn native_crashes_and_hangs_have_names_a_person_knows() {
        let stack = "signal 11 (SIGSEGV), code 1\n#00 pc 0012 /data/app/x/libmail.so (decode+24)";
        assert_eq!(
            words(&headline(FindingKind::NativeCrash, "", stack)),
            "SIGSEGV in decode"
        );
        let stack = "\"main\" prio=5 tid=1 Sleeping\n  at java.lang.Thread.sleep(Native method)\n  at a.b.Pay.wait(Pay.java:9)";
        assert_eq!(
            words(&headline(
                FindingKind::Anr,
                "Input dispatching timed out",
                stack
            )),
            "Not responding in Pay.wait"
        );
    }

    #[test]
    fn a_failure_without_any_stack_still_has_a_heading() {
        assert_eq!(
            words(&headline(FindingKind::Crash, "", "")),
            "Unknown failure in "
        );
        assert_eq!(
            words(&headline(FindingKind::Crash, "it went down\nmore", "")),
            "it went down in "
        );
        assert_eq!(
            words(&headline(FindingKind::NativeCrash, "", "\n\n")),
            "Native crash in "
        );
    }
}
