//! A whole trace, played by the phone alone: one step at a time, so that its caller can cancel in between.
//! It ends as soon as its target is reached or cannot be reached any more.

use regex_lite::Regex;
use retap_shared::app_log;
use retap_shared::micros::Micros;
use retap_shared::protocol::{
    LocatedBy, PhoneEvent, PhoneEventKind, Play, PlayReply, RequestFailure, Target,
};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::verdict::Verdict;

use crate::handlers::Handlers;
use crate::phone::PhoneError;

/// How often the wait after the last step looks whether something has come.
const FINAL_WAIT_SLICE: Micros = Micros::from_millis(250);

/// A play under way.
#[derive(Debug)]
pub struct PlayInProgress {
    play: Play,
    phase: PlayPhase,
    located_by: Vec<LocatedBy>,
    events: Vec<PhoneEvent>,
    /// How many of `happened` have been looked at.
    judged: usize,
    branches: Vec<u32>,
    screens: Vec<SharedScreen>,
    /// What the log must say, if that is the target.
    pattern: Option<Regex>,
    took: Micros,
}

#[derive(Clone, Copy, Debug)]
enum PlayPhase {
    Start,
    Step(usize),
    /// Waiting for what comes late, for this much longer.
    FinalWait(Micros),
}

impl PlayInProgress {
    pub(crate) fn new(play: Play) -> Self {
        let pattern = match &play.target {
            Some(Target::Log(pattern)) => Regex::new(pattern).ok(),
            _ => None,
        };
        PlayInProgress {
            play,
            pattern,
            phase: PlayPhase::Start,
            located_by: Vec::new(),
            events: Vec::new(),
            judged: 0,
            branches: Vec::new(),
            screens: Vec::new(),
            took: Micros::ZERO,
        }
    }

    /// Goes one step further. `Some` once the play is over.
    pub fn advance(&mut self, handlers: &mut Handlers) -> Result<Option<PlayReply>, PhoneError> {
        if let (Some(Target::Log(pattern)), None) = (&self.play.target, &self.pattern) {
            let what = format!("`{pattern}` is no regular expression");
            return Err(RequestFailure::Impossible(what).into());
        }
        let start = handlers.phone.now();
        let screen = match self.run_phase(handlers) {
            Ok(screen) => screen,
            Err(PhoneError::Failed(RequestFailure::Unsupported(what))) => {
                return Ok(Some(self.finish(Verdict::Unsupported { what })));
            }
            Err(error) => return Err(error),
        };
        self.took += handlers.phone.now().since(start);
        handlers.phone.take_events(&mut self.events);
        handlers.phone.take_branches(&mut self.branches);
        let verdict = self.judge(&screen);
        let over = verdict.is_some() || self.is_finished();
        if self.play.record && (over || matches!(self.phase, PlayPhase::Step(_))) {
            self.screens.push(screen.clone());
        }
        let verdict = match verdict {
            None if over => Some(self.final_verdict(&screen)),
            verdict => verdict,
        };
        Ok(verdict.map(|verdict| self.finish(verdict)))
    }

    /// Gives up between two steps. What had happened until then is not lost: it becomes news.
    pub fn cancel(&mut self, handlers: &mut Handlers) {
        handlers.unsent_events.extend(self.events.drain(..));
    }

    fn run_phase(&mut self, handlers: &mut Handlers) -> Result<SharedScreen, PhoneError> {
        match self.phase {
            PlayPhase::Start => {
                handlers.start(&self.play.app, self.play.start, self.play.settle)?;
                self.phase = self.after_step(0);
                handlers.current_screen()
            }
            PlayPhase::Step(number) => {
                let taken = handlers.perform_step(&self.play.steps[number], self.play.settle)?;
                self.located_by.push(taken.located_by);
                self.phase = self.after_step(number + 1);
                Ok(taken.screen)
            }
            PlayPhase::FinalWait(left) => {
                let slice = left.min(FINAL_WAIT_SLICE);
                handlers.phone.sleep(slice);
                self.phase = PlayPhase::FinalWait(left.since(slice));
                handlers.current_screen()
            }
        }
    }

    fn after_step(&self, next: usize) -> PlayPhase {
        if next < self.play.steps.len() {
            PlayPhase::Step(next)
        } else {
            PlayPhase::FinalWait(self.play.final_wait)
        }
    }

    fn is_finished(&self) -> bool {
        matches!(self.phase, PlayPhase::FinalWait(Micros::ZERO))
    }

    /// What is decided by what has happened since the last look, if anything is.
    fn judge(&mut self, screen: &Screen) -> Option<Verdict> {
        let target = self.play.target.as_ref();
        let new = &self.events[self.judged..];
        self.judged = self.events.len();
        if target.is_some_and(|target| new.iter().any(|happening| reaches(target, &happening.kind)))
        {
            return Some(Verdict::TargetReached);
        }
        if let Some(pattern) = &self.pattern
            && new.iter().any(|happening| {
                app_log::log_lines(&happening.kind).any(|line| pattern.is_match(&line))
            })
        {
            return Some(Verdict::TargetReached);
        }
        if target.is_some_and(|target| shows(target, screen, &self.play.app.package)) {
            return Some(Verdict::TargetReached);
        }
        new.iter().find_map(|happening| match &happening.kind {
            PhoneEventKind::Finding(problem) => Some(Verdict::Problem(problem.clone())),
            PhoneEventKind::Activity(_) => None,
        })
    }

    fn final_verdict(&self, screen: &Screen) -> Verdict {
        let front = screen.activity().split('/').next().unwrap_or_default();
        if self.play.target.is_none() && !front.is_empty() && front != self.play.app.package {
            return Verdict::LeftApp { to: front.into() };
        }
        Verdict::TargetNotReached
    }

    fn finish(&mut self, verdict: Verdict) -> PlayReply {
        self.branches.sort_unstable();
        self.branches.dedup();
        PlayReply {
            verdict,
            played: u32::try_from(self.located_by.len()).unwrap_or(u32::MAX),
            located_by: std::mem::take(&mut self.located_by),
            events: std::mem::take(&mut self.events),
            branches: std::mem::take(&mut self.branches),
            screens: std::mem::take(&mut self.screens),
            took: self.took,
        }
    }
}

fn reaches(target: &Target, what: &PhoneEventKind) -> bool {
    match (target, what) {
        (Target::Problem(fingerprint), PhoneEventKind::Finding(problem)) => {
            problem.fingerprint() == *fingerprint
        }
        (Target::AnyProblem, PhoneEventKind::Finding(_)) => true,
        (Target::Activity(name), PhoneEventKind::Activity(activity)) => is_activity(activity, name),
        _ => false,
    }
}

fn shows(target: &Target, screen: &Screen, package: &str) -> bool {
    match target {
        Target::Activity(name) => is_activity(screen.activity(), name),
        Target::Screen(widget) => screen.shows(widget),
        Target::Lacks { activity, widget } => {
            let is_own = screen.activity().split('/').next() == Some(package);
            let is_asked = activity.is_empty() || is_activity(screen.activity(), activity);
            is_own && is_asked && screen.lacks(widget)
        }
        Target::Problem(_) | Target::AnyProblem | Target::Log(_) => false,
    }
}

/// `name` is the whole `package/class`, the class, or its end after a dot.
fn is_activity(activity: &str, name: &str) -> bool {
    activity
        .strip_suffix(name)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '/']))
}
