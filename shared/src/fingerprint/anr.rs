//! The fingerprint of an ANR: the system's reason, and the methods of the app's frames of the main thread.

use super::java_frame::JavaFrame;
use super::normalize::normalized;
use super::{each_once, logcat};
use crate::finding::Finding;

/// The reason that each API level words differently.
const INPUT: &str = "Input dispatching timed out";

pub(super) fn explain(finding: &Finding, lines: &mut Vec<String>) {
    lines.push(plain_reason(reason(finding)));
    // Without lines: the trace shows the thread at a random moment, so they differ from run to run.
    let of_app = main_thread(&finding.stack)
        .into_iter()
        .filter(|frame| frame.is_of_app(&finding.process) && !frame.is_synthetic());
    lines.extend(each_once(of_app.map(|frame| frame.method())));
}

/// The reason without what differs from run to run; of an input that waited only the activity is left.
fn plain_reason(reason: &str) -> String {
    if !reason.starts_with(INPUT) {
        return normalized(without_event(reason));
    }
    let mut words = reason.split(|letter: char| letter.is_whitespace() || "(),{}".contains(letter));
    match words.find(|word| word.contains('/')) {
        Some(activity) => format!("{INPUT} in {activity}"),
        None => INPUT.to_owned(),
    }
}

/// `Reason: …` of the log, `Subject: …` of the trace file, or the summary.
pub(super) fn reason(finding: &Finding) -> &str {
    let named = |text| {
        let mut lines = logcat::lines(text).map(str::trim_start);
        lines.find_map(|line| {
            line.strip_prefix("Reason: ")
                .or_else(|| line.strip_prefix("Subject: "))
        })
    };
    named(&finding.stack)
        .or_else(|| named(&finding.summary))
        .unwrap_or(&finding.summary)
}

/// The frames below the first `"main" …`, which is the app's main thread; all frames if no thread is named.
pub(super) fn main_thread(report: &str) -> Vec<JavaFrame<'_>> {
    let names_thread = |line: &str| line.trim_start().starts_with('"');
    let names_main = |line: &str| line.trim_start().starts_with("\"main\"");
    let all = || logcat::lines(report);
    if !all().any(names_thread) {
        return all().filter_map(JavaFrame::parse).collect();
    }
    let main = all().skip_while(|line| !names_main(line)).skip(1);
    main.take_while(|line| !names_thread(line))
        .filter_map(JavaFrame::parse)
        .collect()
}

/// The reason without `… for MotionEvent(action=DOWN, …)`: any other event would have waited too.
pub(super) fn without_event(reason: &str) -> &str {
    let event = reason.find("Event(").map(|end| &reason[..end]);
    event
        .and_then(|before| before.rfind(" for "))
        .map_or(reason, |start| &reason[..start])
}
