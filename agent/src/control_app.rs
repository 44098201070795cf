//! Launch, stop, clear data, grant, and the whole way into a known state.

use retap_shared::action::Action;
use retap_shared::protocol::{AppCommand, ControlApp, ControlAppReply, Settle};
use retap_shared::screen::Rotation;
use retap_shared::trace::{App, StartMode};

use crate::handlers::Handlers;
use crate::phone::PhoneError;
use crate::settle::settle;

impl Handlers {
    pub(crate) fn control_app(
        &mut self,
        control: &ControlApp,
    ) -> Result<ControlAppReply, PhoneError> {
        let begin = self.phone.now();
        let app = &control.app;
        match control.command {
            AppCommand::Launch => self.phone.launch(app)?,
            AppCommand::Stop => self.phone.stop(app)?,
            AppCommand::ClearData => self.phone.clear_data(app)?,
            AppCommand::Grant => self.phone.grant(app)?,
            AppCommand::Start(start) => self.start(app, start, Settle::default())?,
        }
        let happened = self.take_events();
        Ok(ControlAppReply {
            events: happened,
            took: self.phone.now().since(begin),
        })
    }

    /// Brings the app into the state in which a trace's first step expects it, and watches it from then on.
    pub(crate) fn start(
        &mut self,
        app: &App,
        start: StartMode,
        wait: Settle,
    ) -> Result<(), PhoneError> {
        self.phone.watch(&app.package);
        match start {
            StartMode::Continue => return Ok(()),
            StartMode::Restart => self.stop(app)?,
            StartMode::Clean => {
                self.stop(app)?;
                self.phone.clear_data(app)?;
                self.phone.grant(app)?;
            }
        }
        self.phone.launch(app)?;
        settle(self.phone.as_mut(), wait);
        Ok(())
    }

    /// Ends what was before, so that nothing of it is in what comes: the display is turned back, and what had
    /// happened until now is news, not part of the new run.
    fn stop(&mut self, app: &App) -> Result<(), PhoneError> {
        self.phone.stop(app)?;
        let before = self.take_events();
        self.unsent_events.extend(before);
        // Whether or not it is turned: a start that takes longer after some runs would make their order matter.
        if self.phone.capabilities().rotation {
            self.phone.inject(&Action::Rotate(Rotation::Natural))?;
        }
        Ok(())
    }
}
