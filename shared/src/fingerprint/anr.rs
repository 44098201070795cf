//! An app that does not respond: the system's reason, and where the app's main thread is.

use super::java_frame::JavaFrame;
use super::logcat;
use super::normalize::normalized;
use crate::verdict::Finding;

pub(super) fn explain(problem: &Finding, lines: &mut Vec<String>) {
    lines.push(normalized(without_event(reason(problem))));
    let main = main_thread(&problem.stack);
    let of_app = main
        .iter()
        .filter(|frame| frame.is_of_app(&problem.process));
    // The trace shows where the thread was at one moment of many: its lines differ from run to run.
    lines.extend(of_app.map(JavaFrame::without_line));
}

/// `Reason: …` of the log, `Subject: …` of the trace file, or what there is.
fn reason(problem: &Finding) -> &str {
    let named = |text| {
        let mut lines = logcat::lines(text).map(str::trim_start);
        lines.find_map(|line| {
            line.strip_prefix("Reason: ")
                .or_else(|| line.strip_prefix("Subject: "))
        })
    };
    named(&problem.stack)
        .or_else(|| named(&problem.summary))
        .unwrap_or(&problem.summary)
}

/// The frames below the first `"main" …`, which is the app's; all frames where no thread is named.
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

/// `… for MotionEvent(action=DOWN, …)`: the thread would have kept any event waiting.
fn without_event(reason: &str) -> &str {
    let event = reason.find("Event(").map(|end| &reason[..end]);
    event
        .and_then(|before| before.rfind(" for "))
        .map_or(reason, |start| &reason[..start])
}
