//! The rules of version 1, by which older traces, runs and stores name findings: the app's frames counted with their line
//! numbers, and a native frame without a function by its library alone.

use super::exception::{OVERFLOW, ThrownException, cycle};
use super::java_frame::JavaFrame;
use super::native::{self, NativeFrame};
use super::normalize::normalized;
use super::{anr, each_once};
use crate::finding::{Finding, FindingKind};

pub(super) fn explain(finding: &Finding) -> Vec<String> {
    let mut lines = vec![finding.kind.to_string()];
    match finding.kind {
        FindingKind::Crash => exception(finding, &mut lines),
        FindingKind::NativeCrash => native_crash(finding, &mut lines),
        FindingKind::Anr => not_responding(finding, &mut lines),
        FindingKind::Rule => lines.push(finding.summary.clone()),
    }
    lines
}

fn exception(finding: &Finding, lines: &mut Vec<String>) {
    let thrown = ThrownException::in_finding(finding);
    let class = thrown.class_or_summary(finding);
    let of_app: Vec<_> = thrown
        .frames
        .iter()
        .filter(|frame| frame.is_of_app(&finding.process))
        .map(JavaFrame::method_and_line)
        .collect();
    let frames = if of_app.is_empty() {
        each_once(thrown.frames.iter().map(JavaFrame::method))
    } else {
        of_app
    };
    let is_overflow = class == OVERFLOW;
    lines.push(class);
    lines.extend(if is_overflow { cycle(frames) } else { frames });
}

fn native_crash(finding: &Finding, lines: &mut Vec<String>) {
    lines.push(native::signal_of(finding).to_owned());
    let frames = native::backtrace(&finding.stack);
    let is_of_app = |frame: &&NativeFrame<'_>| frame.is_of_app(&finding.process);
    let of_app: Vec<_> = frames.iter().filter(is_of_app).collect();
    if of_app.is_empty() {
        lines.extend(frames.iter().map(NativeFrame::plain));
    } else {
        lines.extend(of_app.into_iter().map(NativeFrame::plain));
    }
}

fn not_responding(finding: &Finding, lines: &mut Vec<String>) {
    lines.push(normalized(anr::without_event(anr::reason(finding))));
    let main = anr::main_thread(&finding.stack);
    let of_app = main
        .iter()
        .filter(|frame| frame.is_of_app(&finding.process));
    lines.extend(of_app.map(JavaFrame::method));
}
