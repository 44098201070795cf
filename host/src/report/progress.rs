//! Run events on the console: headings, progress bars, findings and warnings. Other consumers of events do the rest.

mod exploration;
mod reduction;
mod suite;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use exploration::ExplorationProgress;
use reduction::ReductionProgress;
use retap_device::run_event::{CheckSubject, EventSink, RunEvent};
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::micros::Micros;
use suite::SuiteProgress;

use crate::report::console::{Console, LineStyle, ProgressStatus};
use crate::report::headline::FindingHeadline;
use crate::report::{Reporter, event_sink};
use crate::sanitise_terminal::{self, INLINE_WIDTH, LINE_WIDTH, PROGRESS_WIDTH};
use crate::wording::pluralise;

/// Reporter that writes to the console.
#[derive(Debug)]
pub struct ProgressReporter {
    console: Arc<Console>,
    progress: Mutex<RunProgress>,
}

/// The part of the run that the bar shows.
#[derive(Debug, Default)]
enum RunProgress {
    #[default]
    None,
    Exploration(ExplorationProgress),
    Reduction(ReductionProgress),
    Suite(SuiteProgress),
}

impl ProgressReporter {
    pub fn new(console: Arc<Console>) -> ProgressReporter {
        ProgressReporter {
            console,
            progress: Mutex::default(),
        }
    }

    /// Sink of a command without a run: its events are shown and kept nowhere.
    pub fn sink(console: &Arc<Console>) -> EventSink {
        let progress = Arc::new(ProgressReporter::new(Arc::clone(console)));
        event_sink(vec![progress], Instant::now())
    }

    /// Starts the bar of a part that begins, and ends that of a part that ends.
    fn switch_part(&self, progress: &mut RunProgress, event: &RunEvent) {
        let next = match event {
            RunEvent::ExplorationStarted { app, events, .. } => {
                RunProgress::Exploration(ExplorationProgress::new(app, *events))
            }
            RunEvent::ReductionStarted { steps, .. } => {
                RunProgress::Reduction(ReductionProgress::new(*steps))
            }
            RunEvent::SuiteStarted {
                traces,
                transitions,
                ..
            } => RunProgress::Suite(SuiteProgress::new(*traces, *transitions)),
            RunEvent::ExplorationEnded { .. }
            | RunEvent::ReductionEnded { .. }
            | RunEvent::SuiteEnded { .. }
            | RunEvent::Finished { .. } => RunProgress::None,
            _ => return,
        };
        *progress = next;
        match progress.status() {
            Some(status) => self.console.begin_progress(&status),
            None => self.console.end_progress(),
        }
    }
}

impl Reporter for ProgressReporter {
    fn event(&self, event: &RunEvent, _at: Duration) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = progress.update(event);
        self.switch_part(&mut progress, event);
        if let Some((style, line)) = line(event) {
            self.console.print(style, &line);
        }
        if let Some(status) = progress.status().filter(|_| changed) {
            self.console.progress(&status);
        }
    }
}

impl RunProgress {
    /// Counts the event, and returns whether the bar should be drawn again.
    fn update(&mut self, event: &RunEvent) -> bool {
        match self {
            RunProgress::None => false,
            RunProgress::Exploration(exploration) => exploration.update(event),
            RunProgress::Reduction(reduction) => reduction.update(event),
            RunProgress::Suite(suite) => suite.update(event),
        }
    }

    fn status(&self) -> Option<ProgressStatus> {
        match self {
            RunProgress::None => None,
            RunProgress::Exploration(exploration) => Some(exploration.status()),
            RunProgress::Reduction(reduction) => Some(reduction.status()),
            RunProgress::Suite(suite) => Some(suite.status()),
        }
    }
}

/// The line of an event, if it has one. The start, headings and notes begin at the margin, other lines are indented.
fn line(event: &RunEvent) -> Option<(LineStyle, String)> {
    let (style, line) = match event {
        RunEvent::Heading { text } => return Some((LineStyle::Heading, text.clone())),
        RunEvent::Note { text } => return Some((LineStyle::Plain, text.clone())),
        RunEvent::RunStarted { seed, devices, .. } => {
            let start = format!("seed {seed}, on {}", device_list(devices));
            return Some((LineStyle::Quiet, start));
        }
        RunEvent::ProblemFound {
            kind,
            summary,
            steps,
            first: true,
            ..
        } => (LineStyle::Bad, finding(*kind, summary, *steps)),
        RunEvent::Checked {
            what,
            successes,
            runs,
        } => (LineStyle::Quiet, check(*what, *successes, *runs)),
        RunEvent::Resumed { runs, steps } => (LineStyle::Quiet, resumed(*runs, *steps)),
        RunEvent::ReductionEnded { runs, took, .. } | RunEvent::SuiteEnded { runs, took, .. } => {
            (LineStyle::Quiet, cost(*runs, *took))
        }
        RunEvent::DeviceLost { device, why } => (LineStyle::Warning, device_lost(device, why)),
        RunEvent::Warning { text } => {
            let text = sanitise_terminal::sanitise_line(text, LINE_WIDTH);
            (LineStyle::Warning, format!("warning: {text}"))
        }
        _ => return None,
    };
    Some((style, format!("   {line}")))
}

fn device_list(devices: &[String]) -> String {
    match devices {
        [] => "no phone".to_owned(),
        [one] => sanitise_terminal::sanitise_line(one, INLINE_WIDTH),
        [first, rest @ ..] => format!(
            "{} and {} more",
            sanitise_terminal::sanitise_line(first, INLINE_WIDTH),
            rest.len()
        ),
    }
}

/// The exception comes first. The event has no stack, so the method is left to the summary at the end.
fn finding(kind: FindingKind, summary: &str, steps: u32) -> String {
    let headline = FindingHeadline::of(&Finding {
        kind,
        process: "".into(),
        summary: summary.to_owned(),
        stack: String::new(),
    });
    let what = sanitise_terminal::sanitise_line(&headline.what, PROGRESS_WIDTH);
    let steps = pluralise(u64::from(steps), "step");
    if headline.message.is_empty() {
        return format!("✗ {what} after {steps}");
    }
    let message = sanitise_terminal::sanitise_line(&headline.message, PROGRESS_WIDTH);
    format!("✗ {what} after {steps}: {message}")
}

fn check(subject: CheckSubject, successes: u32, runs: u32) -> String {
    let runs = pluralise(u64::from(runs), "run");
    let subject = match subject {
        CheckSubject::Original => "original",
        CheckSubject::Result => "result",
    };
    match successes {
        0 => format!("{subject} did not reproduce: 0 of {runs}"),
        _ => format!("{subject} reproduced in {successes} of {runs}"),
    }
}

fn resumed(runs: u64, steps: u64) -> String {
    let runs = pluralise(runs, "run");
    let steps = pluralise(steps, "step");
    format!(
        "{runs} resumed from a snapshot, {steps} saved; the result was checked from clean starts"
    )
}

fn cost(runs: u64, took: Micros) -> String {
    format!("{}, {took} of phone time", pluralise(runs, "run"))
}

fn device_lost(device: &str, why: &str) -> String {
    let device = sanitise_terminal::sanitise_line(device, INLINE_WIDTH);
    let why = sanitise_terminal::sanitise_line(why, INLINE_WIDTH);
    format!("lost the phone `{device}`: {why}; another phone takes over its work")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_finding_cannot_control_the_terminal() {
        let line = finding(FindingKind::Crash, "\u{1b}]0;owned\u{7}", 3);
        assert_eq!(line, "✗ ␛]0;owned␇ after 3 steps");
    }

    #[test]
    fn the_exception_comes_before_its_message() {
        let line = finding(
            FindingKind::Crash,
            "java.lang.ArithmeticException: divide by zero",
            1,
        );
        assert_eq!(line, "✗ ArithmeticException after 1 step: divide by zero");
    }
}
