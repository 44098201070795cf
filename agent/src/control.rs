//! Launch, stop, clear data, grant, and the whole way into a known state.

use retap_shared::action::Action;
use retap_shared::protocol::{Command, Control, Controlled, Settle};
use retap_shared::screen::Rotation;
use retap_shared::trace::{App, Start};

use crate::handlers::Handlers;
use crate::phone::PhoneError;
use crate::settle::settle;

impl Handlers {
    pub(crate) fn control(&mut self, control: &Control) -> Result<Controlled, PhoneError> {
        let begin = self.phone.now();
        let app = &control.app;
        match control.command {
            Command::Launch => self.phone.launch(app)?,
            Command::Stop => self.phone.stop(app)?,
            Command::ClearData => self.phone.clear_data(app)?,
            Command::Grant => self.phone.grant(app)?,
            Command::Start(start) => self.start(app, start, Settle::default())?,
        }
        let happened = self.take_happenings();
        Ok(Controlled {
            happened,
            took: self.phone.now().since(begin),
        })
    }

    /// Brings the app into the state in which a trace's first step expects it, and watches it from then on.
    pub(crate) fn start(
        &mut self,
        app: &App,
        start: Start,
        wait: Settle,
    ) -> Result<(), PhoneError> {
        self.phone.watch(&app.package);
        match start {
            Start::Continue => return Ok(()),
            Start::Restart => self.stop(app)?,
            Start::Clean => {
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
        let before = self.take_happenings();
        self.unsent.extend(before);
        // Whether or not it is turned: a start that takes longer after some runs would make their order matter.
        if self.phone.can().rotation {
            self.phone.inject(&Action::Rotate(Rotation::Natural))?;
        }
        Ok(())
    }
}
