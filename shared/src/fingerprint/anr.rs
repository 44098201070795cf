//! The fingerprint of an ANR: the system's reason, and the app's frames of the main thread.

use super::java_frame::JavaFrame;
use super::logcat;
use super::normalize::normalized;
use crate::finding::Finding;

pub(super) fn explain(finding: &Finding, lines: &mut Vec<String>) {
    lines.push(normalized(without_event(reason(finding))));
    let main = main_thread(&finding.stack);
    let of_app = main
        .iter()
        .filter(|frame| frame.is_of_app(&finding.process));
    // Without lines: the trace shows the thread at a random moment, so they differ from run to run.
    lines.extend(of_app.map(JavaFrame::without_line));
}

/// `Reason: …` of the log, `Subject: …` of the trace file, or the summary.
fn reason(finding: &Finding) -> &str {
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
fn main_thread(report: &str) -> Vec<JavaFrame<'_>> {
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
fn without_event(reason: &str) -> &str {
    let event = reason.find("Event(").map(|end| &reason[..end]);
    event
        .and_then(|before| before.rfind(" for "))
        .map_or(reason, |start| &reason[..start])
}
