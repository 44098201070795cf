//! A whole trace, played by the phone alone: one step at a time, so that its caller can cancel in between.
//! It ends as soon as its target is reached or cannot be reached any more.

use regex_lite::Regex;
use retap_shared::log;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Fault, Happening, Hit, Play, Played, Target, What};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::verdict::Verdict;

use crate::handlers::Handlers;
use crate::phone::PhoneError;

/// How often the wait after the last step looks whether something has come.
const LINGER_SLICE: Micros = Micros::from_millis(250);

/// A play under way.
#[derive(Debug)]
pub struct Playing {
    play: Play,
    phase: Phase,
    hits: Vec<Hit>,
    happened: Vec<Happening>,
    /// How many of `happened` have been looked at.
    judged: usize,
    branches: Vec<u32>,
    screens: Vec<SharedScreen>,
    /// What the log must say, if that is the target.
    pattern: Option<Regex>,
    took: Micros,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Start,
    Step(usize),
    /// Waiting for what comes late, for this much longer.
    Linger(Micros),
}

impl Playing {
    pub(crate) fn new(play: Play) -> Self {
        let pattern = match &play.target {
            Some(Target::Log(pattern)) => Regex::new(pattern).ok(),
            _ => None,
        };
        Playing {
            play,
            pattern,
            phase: Phase::Start,
            hits: Vec::new(),
            happened: Vec::new(),
            judged: 0,
            branches: Vec::new(),
            screens: Vec::new(),
            took: Micros::ZERO,
        }
    }

    /// Goes one step further. `Some` once the play is over.
    pub fn advance(&mut self, handlers: &mut Handlers) -> Result<Option<Played>, PhoneError> {
        if let (Some(Target::Log(pattern)), None) = (&self.play.target, &self.pattern) {
            let what = format!("`{pattern}` is no regular expression");
            return Err(Fault::Impossible(what).into());
        }
        let start = handlers.phone.now();
        let screen = match self.go(handlers) {
            Ok(screen) => screen,
            Err(PhoneError::Fault(Fault::Unsupported(what))) => {
                return Ok(Some(self.end(Verdict::Unsupported { what })));
            }
            Err(error) => return Err(error),
        };
        self.took += handlers.phone.now().since(start);
        handlers.phone.take_happenings(&mut self.happened);
        handlers.phone.take_branches(&mut self.branches);
        let verdict = self.judge(&screen);
        let over = verdict.is_some() || self.is_through();
        if self.play.record && (over || matches!(self.phase, Phase::Step(_))) {
            self.screens.push(screen.clone());
        }
        let verdict = match verdict {
            None if over => Some(self.nothing_came(&screen)),
            verdict => verdict,
        };
        Ok(verdict.map(|verdict| self.end(verdict)))
    }

    /// Gives up between two steps. What had happened until then is not lost: it becomes news.
    pub fn abandon(&mut self, handlers: &mut Handlers) {
        handlers.unsent.extend(self.happened.drain(..));
    }

    fn go(&mut self, handlers: &mut Handlers) -> Result<SharedScreen, PhoneError> {
        match self.phase {
            Phase::Start => {
                handlers.start(&self.play.app, self.play.start, self.play.settle)?;
                self.phase = self.after_step(0);
                handlers.current_screen()
            }
            Phase::Step(number) => {
                let taken = handlers.take_step(&self.play.steps[number], self.play.settle)?;
                self.hits.push(taken.hit);
                self.phase = self.after_step(number + 1);
                Ok(taken.screen)
            }
            Phase::Linger(left) => {
                let slice = left.min(LINGER_SLICE);
                handlers.phone.sleep(slice);
                self.phase = Phase::Linger(left.since(slice));
                handlers.current_screen()
            }
        }
    }

    fn after_step(&self, next: usize) -> Phase {
        if next < self.play.steps.len() {
            Phase::Step(next)
        } else {
            Phase::Linger(self.play.linger)
        }
    }

    fn is_through(&self) -> bool {
        matches!(self.phase, Phase::Linger(Micros::ZERO))
    }

    /// What is decided by what has happened since the last look, if anything is.
    fn judge(&mut self, screen: &Screen) -> Option<Verdict> {
        let target = self.play.target.as_ref();
        let new = &self.happened[self.judged..];
        self.judged = self.happened.len();
        if target.is_some_and(|target| new.iter().any(|happening| reaches(target, &happening.what)))
        {
            return Some(Verdict::TargetReached);
        }
        if let Some(pattern) = &self.pattern
            && new
                .iter()
                .any(|happening| log::lines(&happening.what).any(|line| pattern.is_match(&line)))
        {
            return Some(Verdict::TargetReached);
        }
        if target.is_some_and(|target| shows(target, screen, &self.play.app.package)) {
            return Some(Verdict::TargetReached);
        }
        new.iter().find_map(|happening| match &happening.what {
            What::Problem(problem) => Some(Verdict::Problem(problem.clone())),
            What::Activity(_) => None,
        })
    }

    fn nothing_came(&self, screen: &Screen) -> Verdict {
        let front = screen.activity().split('/').next().unwrap_or_default();
        if self.play.target.is_none() && !front.is_empty() && front != self.play.app.package {
            return Verdict::LeftApp { to: front.into() };
        }
        Verdict::TargetNotReached
    }

    fn end(&mut self, verdict: Verdict) -> Played {
        self.branches.sort_unstable();
        self.branches.dedup();
        Played {
            verdict,
            played: u32::try_from(self.hits.len()).unwrap_or(u32::MAX),
            hits: std::mem::take(&mut self.hits),
            happened: std::mem::take(&mut self.happened),
            branches: std::mem::take(&mut self.branches),
            screens: std::mem::take(&mut self.screens),
            took: self.took,
        }
    }
}

fn reaches(target: &Target, what: &What) -> bool {
    match (target, what) {
        (Target::Problem(fingerprint), What::Problem(problem)) => {
            problem.fingerprint() == *fingerprint
        }
        (Target::AnyProblem, What::Problem(_)) => true,
        (Target::Activity(name), What::Activity(activity)) => is_activity(activity, name),
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
