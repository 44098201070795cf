//! Handler of `Play`: plays a trace one step at a time, so that its caller can cancel between two steps.
//! The play ends as soon as its target is reached or the app has failed differently. At recorded pace, steps do not wait
//! for the screen but for their time.

use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{Play, PlayReply, ReadLog, RequestFailure, StepRefusal};
use retap_shared::screen::{Screen, ScreenHash, SharedScreen};
use retap_shared::target::TargetMatcher;
use retap_shared::trace::{ReplayPace, StartMode};
use retap_shared::verdict::Verdict;

use crate::act::InjectedStep;
use crate::handlers::Handlers;
use crate::phone::PhoneError;
use crate::settle::settle;

/// Interval at which a wait checks for events.
const WAIT_SLICE: Micros = Micros::from_millis(250);

/// A play between two of its steps.
#[derive(Debug)]
pub struct PlayInProgress {
    play: Play,
    phase: PlayPhase,
    located_by: Vec<LocatedBy>,
    refusals: Vec<StepRefusal>,
    events: Vec<PhoneEvent>,
    /// Number of `events` that a verdict was sought for.
    checked_events: usize,
    branches: Vec<u32>,
    screens: Vec<SharedScreen>,
    target: Option<TargetMatcher>,
    /// True once the app has logged the target.
    is_logged: bool,
    took: Micros,
    /// The screen before the next step.
    last_screen: Option<ScreenHash>,
    /// Phone time of the last step, or of the start.
    last_step: Micros,
}

#[derive(Clone, Copy, Debug)]
enum PlayPhase {
    Start,
    Step(usize),
    /// Waiting for the time of a step at recorded pace.
    Pause(usize),
    /// Waiting for late events, for this much longer.
    FinalWait(Micros),
}

impl PlayInProgress {
    /// Refuses a target whose regular expression is wrong, and steps without times at recorded pace.
    pub(crate) fn new(play: Play) -> Result<Self, RequestFailure> {
        let lacks_time = play.steps.iter().any(|step| step.at_millis.is_none());
        if play.pace == ReplayPace::Recorded && lacks_time {
            let why = "steps without times cannot be played at recorded pace";
            return Err(RequestFailure::Impossible(why.into()));
        }
        let target = play
            .target
            .clone()
            .map(TargetMatcher::new)
            .transpose()
            .map_err(|error| RequestFailure::Impossible(error.to_string()))?;
        Ok(PlayInProgress {
            play,
            target,
            is_logged: false,
            phase: PlayPhase::Start,
            located_by: Vec::new(),
            refusals: Vec::new(),
            events: Vec::new(),
            checked_events: 0,
            branches: Vec::new(),
            screens: Vec::new(),
            took: Micros::ZERO,
            last_screen: None,
            last_step: Micros::ZERO,
        })
    }

    /// Performs the next step. Returns the reply once the play has ended.
    pub fn advance(&mut self, handlers: &mut Handlers) -> Result<Option<PlayReply>, PhoneError> {
        let begin = handlers.phone.now();
        let is_step = matches!(self.phase, PlayPhase::Step(_));
        let screen = match self.run_phase(handlers) {
            Ok(screen) => screen,
            Err(PhoneError::Failed(RequestFailure::Unsupported(what))) => {
                return Ok(Some(self.finish(Verdict::Unsupported { what })));
            }
            Err(error) => return Err(error),
        };
        self.took += handlers.phone.now().since(begin);
        self.events.extend(handlers.take_events());
        handlers.phone.take_branches(&mut self.branches);
        self.is_logged |= self.finds_target_in_log(handlers)?;
        let verdict = self.early_verdict(&screen);
        let is_same = self.last_screen.replace(screen.hash()) == Some(screen.hash());
        let may_sleep = (is_step && is_same) || self.is_finished();
        if verdict.is_none() && may_sleep && handlers.was_asleep()? {
            // Steps are lost without an error while the display is off: what they led to says nothing about the app.
            return Err(RequestFailure::Obstructed(Obstacle::DisplayOff).into());
        }
        let ended = verdict.is_some() || self.is_finished();
        if self.play.record && (ended || matches!(self.phase, PlayPhase::Step(_))) {
            self.screens.push(screen.clone());
        }
        let verdict = match verdict {
            None if ended => Some(self.final_verdict(&screen)),
            verdict => verdict,
        };
        Ok(verdict.map(|verdict| self.finish(verdict)))
    }

    /// Ends the play between two steps. Its events become notifications.
    pub fn cancel(&mut self, handlers: &mut Handlers) {
        handlers.unsent_events.extend(self.events.drain(..));
    }

    fn run_phase(&mut self, handlers: &mut Handlers) -> Result<SharedScreen, PhoneError> {
        match self.phase {
            PlayPhase::Start => {
                if self.play.start == StartMode::Continue {
                    // What was logged before is not of this play.
                    self.finds_target_in_log(handlers)?;
                }
                handlers.start(&self.play.app, self.play.start)?;
                self.last_step = match self.play.start {
                    StartMode::Continue => handlers.phone.now(),
                    StartMode::Restart | StartMode::Clean => handlers.app_started,
                };
                self.wait_for_step(handlers, 0, self.play.start != StartMode::Continue);
                handlers.current_screen()
            }
            PlayPhase::Step(number) => {
                let InjectedStep {
                    located_by,
                    refusal,
                    injected,
                } = handlers.inject_step(&self.play.steps[number])?;
                self.last_step = injected;
                self.located_by.push(located_by);
                self.refusals.extend(refusal.map(|why| StepRefusal {
                    step: u32::try_from(number).unwrap_or(u32::MAX),
                    why,
                }));
                self.wait_for_step(handlers, number + 1, true);
                handlers.fresh_screen()
            }
            PlayPhase::Pause(next) => {
                self.pause(handlers, next);
                handlers.current_screen()
            }
            PlayPhase::FinalWait(left) => {
                let slice = left.min(WAIT_SLICE);
                handlers.phone.sleep(slice);
                self.phase = PlayPhase::FinalWait(left.since(slice));
                handlers.current_screen()
            }
        }
    }

    /// Waits for the time of the next step at recorded pace, and for the screen to settle otherwise.
    fn wait_for_step(&mut self, handlers: &mut Handlers, next: usize, settles: bool) {
        let is_last = next == self.play.steps.len();
        if self.play.pace == ReplayPace::Recorded && !is_last {
            self.pause(handlers, next);
            return;
        }
        if settles {
            settle(handlers.phone.as_mut(), self.play.settle);
        }
        self.phase = if is_last {
            PlayPhase::FinalWait(self.play.final_wait)
        } else {
            PlayPhase::Step(next)
        };
    }

    /// Waits one slice of the time until the step is due.
    fn pause(&mut self, handlers: &mut Handlers, next: usize) {
        let due = self.last_step + self.pause_before(next);
        let now = handlers.phone.now();
        handlers.phone.sleep(due.since(now).min(WAIT_SLICE));
        self.phase = if due.since(now) > WAIT_SLICE {
            PlayPhase::Pause(next)
        } else {
            PlayPhase::Step(next)
        };
    }

    /// The recorded time between a step and the one before it, or the start.
    fn pause_before(&self, number: usize) -> Micros {
        let at = |number: usize| self.play.steps[number].at_millis.unwrap_or_default();
        let before = number.checked_sub(1).map_or(0, at);
        Micros::from_millis(u64::from(at(number).saturating_sub(before)))
    }

    /// True if a line that the app has logged since the last call is the target. Other targets do not read the log.
    fn finds_target_in_log(&self, handlers: &mut Handlers) -> Result<bool, PhoneError> {
        let Some(target) = self.target.as_ref().filter(|target| target.needs_log()) else {
            return Ok(false);
        };
        let wanted = ReadLog {
            only_new: true,
            failure: None,
        };
        Ok(target.is_reached_in(&handlers.read_log(wanted)?.log))
    }

    fn is_finished(&self) -> bool {
        matches!(self.phase, PlayPhase::FinalWait(Micros::ZERO))
    }

    /// The verdict that the screen or the events since the last call decide, if they decide one.
    fn early_verdict(&mut self, screen: &Screen) -> Option<Verdict> {
        let new = &self.events[self.checked_events..];
        self.checked_events = self.events.len();
        if let Some(target) = &self.target
            && (self.is_logged
                || new.iter().any(|event| target.is_reached_by(&event.kind))
                || target.is_reached_on(screen, &self.play.app.package))
        {
            return Some(Verdict::TargetReached);
        }
        new.iter().find_map(|event| match &event.kind {
            PhoneEventKind::Finding(finding) => Some(Verdict::Problem(finding.clone())),
            PhoneEventKind::Activity(_) => None,
        })
    }

    fn final_verdict(&self, screen: &Screen) -> Verdict {
        let package = screen.activity().split('/').next().unwrap_or_default();
        if self.target.is_none() && !package.is_empty() && package != self.play.app.package {
            return Verdict::LeftApp { to: package.into() };
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
            refusals: std::mem::take(&mut self.refusals),
            events: std::mem::take(&mut self.events),
            branches: std::mem::take(&mut self.branches),
            screens: std::mem::take(&mut self.screens),
            took: self.took,
        }
    }
}
