//! Handler of `ControlApp`: launch, stop, clear data, grant permissions, and start in a known state.

use retap_shared::action::Action;
use retap_shared::geometry::Rotation;
use retap_shared::obstacle::Obstacle;
use retap_shared::protocol::{AppCommand, ControlApp, ControlAppReply, Settle};
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
        let mut in_front = None;
        match control.command {
            AppCommand::Launch => in_front = self.launch_to_front(app)?,
            AppCommand::Stop => self.phone.stop(app)?,
            AppCommand::ClearData => self.phone.clear_data(app)?,
            AppCommand::Grant => self.phone.grant(app)?,
            AppCommand::Start(start) => {
                in_front = self.start(app, start)?;
                if start != StartMode::Continue {
                    settle(self.phone.as_mut(), Settle::default());
                }
            }
        }
        let events = self.take_events();
        Ok(ControlAppReply {
            in_front,
            events,
            took: self.phone.now().since(begin),
        })
    }

    /// Brings the app into the state that a trace starts from, and reports its events from now on. The screen has not
    /// settled yet. Returns what is in front instead of the app.
    pub(crate) fn start(
        &mut self,
        app: &App,
        start: StartMode,
    ) -> Result<Option<Obstacle>, PhoneError> {
        self.phone.watch(&app.package);
        match start {
            StartMode::Continue => return Ok(None),
            StartMode::Restart => self.stop(app)?,
            StartMode::Clean => {
                self.stop(app)?;
                self.phone.clear_data(app)?;
                self.phone.grant(app)?;
            }
        }
        self.app_started = self.phone.now();
        self.launch_to_front(app)
    }

    /// Stops the app, so that nothing of an earlier run affects the new one: the display is turned back, and the events so
    /// far become notifications.
    fn stop(&mut self, app: &App) -> Result<(), PhoneError> {
        self.phone.stop(app)?;
        let earlier_events = self.take_events();
        self.unsent_events.extend(earlier_events);
        // Even if it is not turned: the duration of a start must not depend on the run before.
        if self.phone.capabilities().rotation {
            self.phone.inject(&Action::Rotate(Rotation::Natural))?;
        }
        Ok(())
    }
}
