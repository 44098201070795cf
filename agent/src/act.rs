//! Handler of `Act`: finds the widget, injects the action, settles and captures the screen.

use retap_shared::action::Action;
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::protocol::{Act, ActReply, RequestFailure};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::Step;

use crate::handlers::Handlers;
use crate::phone::PhoneError;
use crate::settle::settle;

/// A performed step, with its screen before that is made into an update.
#[derive(Debug)]
struct PerformedStep {
    located_by: LocatedBy,
    refusal: Option<String>,
    screen: SharedScreen,
    quiet: bool,
    /// Phone time of the injection.
    injected: Micros,
}

/// An action that was injected, before the wait that follows it.
#[derive(Clone, Debug)]
pub(crate) struct InjectedStep {
    pub(crate) located_by: LocatedBy,
    /// Why the phone did not take the action, or only the beginning of it.
    pub(crate) refusal: Option<String>,
    /// Phone time of the injection.
    pub(crate) injected: Micros,
}

impl Handlers {
    pub(crate) fn act(&mut self, act: &Act) -> Result<ActReply, PhoneError> {
        let start = self.phone.now();
        let performed = self.perform_step(act)?;
        let events = self.take_events();
        let mut branches = Vec::new();
        self.phone.take_branches(&mut branches);
        branches.sort_unstable();
        branches.dedup();
        let screen = self
            .recent_screens
            .update(performed.screen, act.held_screen);
        let took = self.phone.now().since(start);
        Ok(ActReply {
            located_by: performed.located_by,
            refusal: performed.refusal,
            screen,
            events,
            branches,
            quiet: performed.quiet,
            took,
            at: performed.injected.since(self.app_started),
        })
    }

    fn perform_step(&mut self, act: &Act) -> Result<PerformedStep, PhoneError> {
        let InjectedStep {
            located_by,
            mut refusal,
            injected,
        } = self.inject_step(&act.step)?;
        let quiet = settle(self.phone.as_mut(), act.settle);
        let mut screen = self.fresh_screen()?;
        if act.held_screen == Some(screen.hash()) && self.was_asleep()? {
            refusal = Some(Obstacle::DisplayOff.to_string());
            screen = self.fresh_screen()?;
        }
        Ok(PerformedStep {
            located_by,
            refusal,
            screen,
            quiet,
            injected,
        })
    }

    /// Finds the widget and injects the action. An injection that fails on a phone that works is no error: a window that
    /// closes under the finger, or a crash in the middle of a gesture, is reported with all that it led to.
    pub(crate) fn inject_step(&mut self, step: &Step) -> Result<InjectedStep, PhoneError> {
        let screen;
        let located = if step.widget.is_some() {
            screen = self.current_screen()?;
            step.locate(&screen)
        } else {
            step.at_recorded_place()
        };
        let injected = self.phone.now();
        let refusal = match self.inject(&located.action) {
            Ok(()) => None,
            Err(PhoneError::Failed(RequestFailure::Phone(why))) => Some(why),
            Err(error) => return Err(error),
        };
        Ok(InjectedStep {
            located_by: located.located_by,
            refusal,
            injected,
        })
    }

    /// Waits on the phone's clock, or injects the action.
    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        match action {
            Action::Wait { millis } => {
                self.phone.sleep(Micros::from_millis(u64::from(*millis)));
                Ok(())
            }
            other => self.phone.inject(other),
        }
    }
}
