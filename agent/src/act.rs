//! One step: find the widget, inject, wait until consumed, wait until quiet, capture.

use retap_shared::action::Action;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Act, ActReply, LocatedBy, PhoneEvent, Settle};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::Step;

use crate::handlers::Handlers;
use crate::phone::PhoneError;
use crate::settle::settle;

/// A step that was taken, before its screen is packed for the way.
#[derive(Debug)]
pub(crate) struct PerformedStep {
    pub(crate) located_by: LocatedBy,
    pub(crate) screen: SharedScreen,
    pub(crate) quiet: bool,
}

impl Handlers {
    pub(crate) fn act(&mut self, act: &Act) -> Result<ActReply, PhoneError> {
        let start = self.phone.now();
        let taken = self.perform_step(&act.step, act.settle)?;
        let happened = self.take_events();
        let mut branches = Vec::new();
        self.phone.take_branches(&mut branches);
        branches.sort_unstable();
        branches.dedup();
        let screen = self.recent_screens.update(taken.screen, act.held_screen);
        let took = self.phone.now().since(start);
        Ok(ActReply {
            located_by: taken.located_by,
            screen,
            events: happened,
            branches,
            quiet: taken.quiet,
            took,
        })
    }

    pub(crate) fn perform_step(
        &mut self,
        step: &Step,
        wait: Settle,
    ) -> Result<PerformedStep, PhoneError> {
        let screen;
        let aim = if step.widget.is_some() {
            screen = self.current_screen()?;
            step.locate(&screen)
        } else {
            step.at_recorded_place()
        };
        self.inject(&aim.action)?;
        let quiet = settle(self.phone.as_mut(), wait);
        Ok(PerformedStep {
            located_by: aim.located_by,
            screen: self.fresh_screen()?,
            quiet,
        })
    }

    /// Waits are the agent's own; everything else is the phone's.
    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        match action {
            Action::Wait { millis } => {
                self.phone.sleep(Micros::from_millis(u64::from(*millis)));
                Ok(())
            }
            other => self.phone.inject(other),
        }
    }

    pub(crate) fn take_events(&mut self) -> Vec<PhoneEvent> {
        let mut happened = Vec::new();
        self.phone.take_events(&mut happened);
        happened
    }
}
