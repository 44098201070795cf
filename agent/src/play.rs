//! Handler of `Play`: plays a trace one step at a time, so that its caller can cancel between two steps.
//! The play ends as soon as its target is reached or the app has failed differently.

use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{Play, PlayReply, RequestFailure};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::target::TargetMatcher;
use retap_shared::verdict::Verdict;

use crate::handlers::Handlers;
use crate::phone::PhoneError;

/// Interval at which the final wait checks for events.
const FINAL_WAIT_SLICE: Micros = Micros::from_millis(250);

/// A play between two of its steps.
#[derive(Debug)]
pub struct PlayInProgress {
    play: Play,
    phase: PlayPhase,
    located_by: Vec<LocatedBy>,
    events: Vec<PhoneEvent>,
    /// Number of `events` that a verdict was sought for.
    checked_events: usize,
    branches: Vec<u32>,
    screens: Vec<SharedScreen>,
    target: Option<TargetMatcher>,
    took: Micros,
}

#[derive(Clone, Copy, Debug)]
enum PlayPhase {
    Start,
    Step(usize),
    /// Waiting for late events, for this much longer.
    FinalWait(Micros),
}

impl PlayInProgress {
    /// Refuses a target whose regular expression is wrong.
    pub(crate) fn new(play: Play) -> Result<Self, RequestFailure> {
        let target = play
            .target
            .clone()
            .map(TargetMatcher::new)
            .transpose()
            .map_err(|error| RequestFailure::Impossible(error.to_string()))?;
        Ok(PlayInProgress {
            play,
            target,
            phase: PlayPhase::Start,
            located_by: Vec::new(),
            events: Vec::new(),
            checked_events: 0,
            branches: Vec::new(),
            screens: Vec::new(),
            took: Micros::ZERO,
        })
    }

    /// Performs the next step. Returns the reply once the play has ended.
    pub fn advance(&mut self, handlers: &mut Handlers) -> Result<Option<PlayReply>, PhoneError> {
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
        let verdict = self.early_verdict(&screen);
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
                handlers.start(&self.play.app, self.play.start, self.play.settle)?;
                self.phase = self.after_step(0);
                handlers.current_screen()
            }
            PlayPhase::Step(number) => {
                let step = &self.play.steps[number];
                let performed = handlers.perform_step(step, self.play.settle)?;
                self.located_by.push(performed.located_by);
                self.phase = self.after_step(number + 1);
                Ok(performed.screen)
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

    /// The verdict that the screen or the events since the last call decide, if they decide one.
    fn early_verdict(&mut self, screen: &Screen) -> Option<Verdict> {
        let new = &self.events[self.checked_events..];
        self.checked_events = self.events.len();
        if let Some(target) = &self.target
            && (new.iter().any(|event| target.is_reached_by(&event.kind))
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
            events: std::mem::take(&mut self.events),
            branches: std::mem::take(&mut self.branches),
            screens: std::mem::take(&mut self.screens),
            took: self.took,
        }
    }
}
