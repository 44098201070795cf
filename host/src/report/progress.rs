//! Tells on the console what goes on in a run, event by event: what it does, how far it is, and what it finds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use retap_device::run_event::{CheckSubject, RunEvent};
use retap_shared::finding::FindingKind;
use retap_shared::micros::Micros;

use crate::report::Reporter;
use crate::report::console::{Console, LineStyle, ProgressStatus};
use crate::sanitise_terminal::{self, INLINE_WIDTH, PROGRESS_WIDTH};
use crate::wording::pluralise;

/// Between two looks at the bar this many events may pass: a simulated phone makes a hundred thousand a second.
const EVENTS_PER_UPDATE: u32 = 32;
const RUNS_PER_UPDATE: u32 = 8;

#[derive(Debug)]
pub struct ProgressReporter {
    console: Arc<Console>,
    progress: Mutex<RunProgress>,
}

#[derive(Debug, Default)]
enum RunProgress {
    #[default]
    Nothing,
    Exploring(ExplorationProgress),
    Reducing(ReductionProgress),
    Suite(SuiteProgress),
}

/// A suite that is being cut down.
#[derive(Debug)]
struct SuiteProgress {
    traces: (u32, u32),
    transitions: (u64, u64),
    covered: u32,
    phase: String,
    runs: u64,
}

#[derive(Debug, Default)]
struct ExplorationProgress {
    what: String,
    events: u64,
    /// Of sessions that have ended.
    done: u64,
    /// Of each session that is under way.
    under_way: HashMap<u32, u32>,
    screens: u32,
    problems: u32,
}

#[derive(Debug)]
struct ReductionProgress {
    from: u32,
    steps: u32,
    runs: u64,
    /// Of the runs so far, on the phones' clocks.
    took: Micros,
    belief: Option<BeliefProgress>,
}

/// What is held of the steps.
#[derive(Debug)]
struct BeliefProgress {
    needed: u32,
    not_needed: u32,
    under_way: u32,
    runs_left: u32,
}

impl ProgressReporter {
    pub fn new(console: Arc<Console>) -> ProgressReporter {
        ProgressReporter {
            console,
            progress: Mutex::default(),
        }
    }

    fn say(&self, tone: LineStyle, line: &str) {
        self.console.print(tone, &format!("   {line}"));
    }

    fn begin(&self, doing: &mut RunProgress, next: RunProgress) {
        *doing = next;
        if let Some(progress) = doing.progress() {
            self.console.begin_progress(&progress);
        }
    }

    fn end(&self, doing: &mut RunProgress) {
        *doing = RunProgress::Nothing;
        self.console.end_progress();
    }

    fn show(&self, doing: &RunProgress) {
        if let Some(progress) = doing.progress() {
            self.console.progress(&progress);
        }
    }
}

impl Reporter for ProgressReporter {
    fn event(&self, event: &RunEvent, _at: Duration) {
        let mut doing = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let look = doing.note(event);
        match event {
            RunEvent::RunStarted { seed, devices, .. } => {
                self.say(
                    LineStyle::Quiet,
                    &format!("seed {seed}, on {}", device_list(devices)),
                );
            }
            RunEvent::ExplorationStarted { app, events, .. } => {
                let what = sanitise_terminal::sanitise_line(app, INLINE_WIDTH);
                self.begin(
                    &mut doing,
                    RunProgress::Exploring(ExplorationProgress {
                        what,
                        events: *events,
                        ..ExplorationProgress::default()
                    }),
                );
            }
            RunEvent::ProblemFound {
                kind,
                summary,
                steps,
                first: true,
                ..
            } => {
                self.say(LineStyle::Bad, &problem(*kind, summary, *steps));
            }
            RunEvent::ReductionStarted { steps, .. } => {
                self.begin(
                    &mut doing,
                    RunProgress::Reducing(ReductionProgress::new(*steps)),
                );
            }
            RunEvent::Checked {
                what,
                successes,
                runs,
            } => {
                self.say(LineStyle::Quiet, &checked(*what, *successes, *runs));
            }
            RunEvent::ReductionEnded { runs, took, .. } => {
                self.end(&mut doing);
                self.say(LineStyle::Quiet, &cost(*runs, *took));
            }
            RunEvent::SuiteStarted {
                traces,
                transitions,
                ..
            } => {
                let traces = (*traces, *traces);
                let transitions = (*transitions, *transitions);
                let phase = "playing what was read".to_owned();
                self.begin(
                    &mut doing,
                    RunProgress::Suite(SuiteProgress {
                        traces,
                        transitions,
                        covered: 0,
                        phase,
                        runs: 0,
                    }),
                );
            }
            RunEvent::SuiteEnded { runs, took, .. } => {
                self.end(&mut doing);
                self.say(LineStyle::Quiet, &cost(*runs, *took));
            }
            RunEvent::Resumed { runs, steps } => {
                self.say(LineStyle::Quiet, &resumed(*runs, *steps));
            }
            RunEvent::ExplorationEnded { .. } | RunEvent::Finished { .. } => self.end(&mut doing),
            RunEvent::DeviceLost { device, why } => {
                let device = sanitise_terminal::sanitise_line(device, INLINE_WIDTH);
                let why = sanitise_terminal::sanitise_line(why, INLINE_WIDTH);
                self.say(
                    LineStyle::Warning,
                    &format!("lost the phone `{device}`: {why}; its work goes to another one"),
                );
            }
            RunEvent::Warning { text } => {
                self.say(
                    LineStyle::Warning,
                    &format!(
                        "warning: {}",
                        sanitise_terminal::sanitise_line(text, sanitise_terminal::LINE_WIDTH)
                    ),
                );
            }
            _ => {}
        }
        if look {
            self.show(&doing);
        }
    }
}

impl RunProgress {
    /// Keeps count, and tells whether there is something worth a look.
    fn note(&mut self, event: &RunEvent) -> bool {
        match (self, event) {
            (RunProgress::Exploring(exploring), event) => exploring.note(event),
            (RunProgress::Reducing(reducing), RunEvent::Observed { took, .. }) => {
                reducing.runs += 1;
                reducing.took += *took;
                true
            }
            (
                RunProgress::Reducing(reducing),
                RunEvent::Believed {
                    needed,
                    not_needed,
                    under_way,
                    runs_left,
                    ..
                },
            ) => {
                let needed = *needed;
                let not_needed = *not_needed;
                let under_way = *under_way;
                let runs_left = *runs_left;
                reducing.belief = Some(BeliefProgress {
                    needed,
                    not_needed,
                    under_way,
                    runs_left,
                });
                true
            }
            (RunProgress::Suite(suite), RunEvent::SuiteReplayed { .. }) => {
                suite.runs += 1;
                suite.runs.is_multiple_of(u64::from(RUNS_PER_UPDATE))
            }
            (
                RunProgress::Suite(suite),
                RunEvent::SuiteShrunk {
                    phase,
                    traces,
                    transitions,
                    covered,
                    ..
                },
            ) => {
                (suite.traces.1, suite.transitions.1, suite.covered) =
                    (*traces, *transitions, *covered);
                suite.phase.clone_from(phase);
                true
            }
            (RunProgress::Reducing(reducing), RunEvent::Shrunk { steps, .. }) => {
                reducing.steps = *steps;
                true
            }
            _ => false,
        }
    }

    fn progress(&self) -> Option<ProgressStatus> {
        match self {
            RunProgress::Nothing => None,
            RunProgress::Exploring(exploring) => Some(exploring.progress()),
            RunProgress::Reducing(reducing) => Some(reducing.progress()),
            RunProgress::Suite(suite) => Some(suite.progress()),
        }
    }
}

impl SuiteProgress {
    fn progress(&self) -> ProgressStatus {
        let traces = self.traces;
        let transitions = self.transitions;
        ProgressStatus {
            what: format!("{} traces → {}", traces.0, traces.1),
            done: self.runs,
            total: None,
            unit: "runs",
            note: format!(
                "{}: {} → {} transitions, {} things covered",
                self.phase, transitions.0, transitions.1, self.covered
            ),
        }
    }
}

impl ReductionProgress {
    fn new(steps: u32) -> ReductionProgress {
        ReductionProgress {
            from: steps,
            steps,
            runs: 0,
            took: Micros::ZERO,
            belief: None,
        }
    }

    fn progress(&self) -> ProgressStatus {
        ProgressStatus {
            what: format!(
                "{} → {}",
                pluralise(u64::from(self.from), "step"),
                self.steps
            ),
            done: self.runs,
            total: None,
            unit: "runs",
            note: self
                .belief
                .as_ref()
                .map_or_else(|| "leaving steps out".to_owned(), |it| self.belief_note(it)),
        }
    }

    /// `3 needed, 480 not, 17 open; 15 runs under way, about 40 more, 3 min 20 s left`
    fn belief_note(&self, believed: &BeliefProgress) -> String {
        let BeliefProgress {
            needed,
            not_needed,
            under_way,
            runs_left,
        } = *believed;
        let open = self.from.saturating_sub(needed + not_needed);
        let each = self.took.0 / self.runs.max(1);
        let left = Micros(each * u64::from(runs_left) / u64::from(under_way.max(1)));
        format!(
            "{needed} needed, {not_needed} not, {open} open; {under_way} under way, about {runs_left} more, {left} left"
        )
    }
}

impl ExplorationProgress {
    fn note(&mut self, event: &RunEvent) -> bool {
        match event {
            RunEvent::Stepped { session, step, .. } => {
                self.under_way.insert(*session, *step);
                return step.is_multiple_of(EVENTS_PER_UPDATE);
            }
            RunEvent::SessionStarted { session, .. } => {
                // Also when it starts over because its phone was lost.
                self.under_way.remove(session);
            }
            RunEvent::SessionEnded {
                session, events, ..
            } => {
                self.under_way.remove(session);
                self.done += u64::from(*events);
            }
            RunEvent::Covered { screens, .. } => self.screens = *screens,
            RunEvent::ProblemFound { first: true, .. } => self.problems += 1,
            _ => return false,
        }
        true
    }

    fn progress(&self) -> ProgressStatus {
        let under_way: u64 = self
            .under_way
            .values()
            .map(|&events| u64::from(events))
            .sum();
        let screens = u64::from(self.screens);
        let problems = u64::from(self.problems);
        ProgressStatus {
            what: self.what.clone(),
            done: self.done + under_way,
            total: (self.events > 0).then_some(self.events),
            unit: "events",
            note: format!(
                "{}, {}",
                pluralise(screens, "screen"),
                pluralise(problems, "problem")
            ),
        }
    }
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

fn problem(kind: FindingKind, summary: &str, steps: u32) -> String {
    let summary = sanitise_terminal::sanitise_line(summary, PROGRESS_WIDTH);
    let steps = pluralise(u64::from(steps), "step");
    format!("✗ {kind} after {steps}: {summary}")
}

fn checked(what: CheckSubject, successes: u32, runs: u32) -> String {
    let times = pluralise(u64::from(runs), "run");
    match what {
        CheckSubject::Original if successes == 0 => {
            format!("the whole trace does not do it: 0 of {times}")
        }
        CheckSubject::Original => format!("the whole trace does it again: {successes} of {times}"),
        CheckSubject::Result => format!("what is left does it too: {successes} of {times}"),
    }
}

fn resumed(runs: u64, steps: u64) -> String {
    let runs = pluralise(runs, "run");
    let steps = pluralise(steps, "step");
    format!(
        "{runs} went on from a snapshot, which saved {steps}; the result was proven from clean starts"
    )
}

fn cost(runs: u64, took: Micros) -> String {
    format!(
        "this took {} on the phone, {took} of its time",
        pluralise(runs, "run")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stepped(session: u32, step: u32) -> RunEvent {
        let device = String::new();
        let action = String::new();
        let activity = "".into();
        RunEvent::Stepped {
            session,
            device,
            step,
            action,
            widget: None,
            activity,
        }
    }

    #[test]
    fn events_of_a_session_that_starts_over_are_not_counted_twice() {
        let mut exploring = ExplorationProgress {
            events: 100,
            ..ExplorationProgress::default()
        };
        let start = |session| RunEvent::SessionStarted {
            session,
            device: String::new(),
            seed: 0,
        };
        for event in [
            start(0),
            stepped(0, 30),
            start(1),
            stepped(1, 7),
            start(0),
            stepped(0, 2),
        ] {
            exploring.note(&event);
        }
        assert_eq!(exploring.progress().done, 9);
        exploring.note(&RunEvent::SessionEnded {
            session: 0,
            events: 50,
            took: Micros::ZERO,
            recalled: false,
        });
        assert_eq!(exploring.progress().done, 57);
    }

    #[test]
    fn a_reduction_by_beliefs_tells_what_is_open_and_how_long_it_takes_still() {
        let mut doing = RunProgress::Reducing(ReductionProgress::new(500));
        let reached = true;
        let recalled = false;
        let took = Micros::from_millis(30_000);
        doing.note(&RunEvent::Observed {
            steps: 500,
            attempt: 0,
            reached,
            played: 500,
            took,
            recalled,
        });
        assert_eq!(doing.progress().unwrap().note, "leaving steps out");
        let strip = String::new();
        doing.note(&RunEvent::Believed {
            needed: 3,
            not_needed: 480,
            under_way: 15,
            runs_left: 40,
            strip,
        });
        let told = "3 needed, 480 not, 17 open; 15 under way, about 40 more, 1 min 20 s left";
        assert_eq!(doing.progress().unwrap().note, told);
    }

    #[test]
    fn what_an_app_writes_into_its_crash_cannot_reach_the_terminal() {
        let line = problem(FindingKind::Crash, "\u{1b}]0;owned\u{7}", 3);
        assert_eq!(line, r"✗ crash after 3 steps: \u{1b}]0;owned\u{7}");
    }
}
