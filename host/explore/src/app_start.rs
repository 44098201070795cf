//! How a walker starts the app: with what must come before, such as signing in, and again where that or the app itself fails.

use retap_device::Device;
use retap_device::run_event::RunEvent;
use retap_shared::locate::LocatedBy;
use retap_shared::protocol::AppCommand;
use retap_shared::screen::SharedScreen;
use retap_shared::trace::StartMode;

use super::ExploreError;
use super::worker::{ExplorationWorker, WorkerError, sort_phone_events};
use crate::journal::{RecordedEvent, RecordedStep};

/// An app that fails so often in a row as it starts is not worth more time.
const MAX_START_ATTEMPTS: u32 = 3;

impl ExplorationWorker<'_> {
    /// The first screen after a start; `None` if the app does not come up.
    pub(super) async fn start_app(
        &mut self,
        device: &mut Device,
        clean: bool,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        let mut clean = clean;
        let mut failed = None;
        for number in 1..=MAX_START_ATTEMPTS {
            (self.return_attempts, self.consecutive_refusals) = (0, 0);
            let (screen, mut record) = self.launch_app(device, clean).await?;
            let screen = match self.run_setup_steps(device, screen, &mut record).await? {
                Ok(screen) => screen,
                Err(why) => {
                    if number < MAX_START_ATTEMPTS {
                        self.warn(format!(
                            "what must come before the exploration fails on `{}`: {why}; it is tried again",
                            device.name()
                        ));
                    }
                    failed = Some(why);
                    continue;
                }
            };
            failed = None;
            self.warn_of_forbidden(screen.activity());
            self.check_rules(&screen, &mut record);
            record.screen = Some(self.explorer_screen(device, screen).await?);
            if let Some(screen) = self.finish_step(device, record).await? {
                return Ok(Some(screen));
            }
            // What keeps it from starting may be in its data.
            clean = true;
        }
        let app = self.driver.settings.app.app.package.to_string();
        if let Some(why) = failed {
            return Err(ExploreError::SetupFailed {
                device: device.name().to_owned(),
                app,
                why,
            }
            .into());
        }
        self.warn(format!(
            "`{app}` fails as it starts; walker {} ends early",
            self.number
        ));
        Ok(None)
    }

    async fn launch_app(
        &self,
        device: &mut Device,
        clean: bool,
    ) -> Result<(SharedScreen, RecordedStep), WorkerError> {
        let app = &self.driver.settings.app.app;
        // What is still under way from before belongs to no trace of this start.
        device.watch(&app.package).await?;
        let start = if clean {
            StartMode::Clean
        } else {
            StartMode::Restart
        };
        let controlled = device.control(app, AppCommand::Start(start)).await?;
        let screen = device.capture().await?;
        let mut record =
            self.new_recorded_step(RecordedEvent::Started { clean }, None, controlled.took);
        sort_phone_events(controlled.events, &mut record);
        Ok((screen, record))
    }

    /// What must come first after a clean start, such as signing in: the screen that it leads to, or why it does not. An app
    /// that fails on the way has failed: that is a problem like any other.
    async fn run_setup_steps(
        &self,
        device: &mut Device,
        first: SharedScreen,
        record: &mut RecordedStep,
    ) -> Result<Result<SharedScreen, String>, WorkerError> {
        let steps = &self.driver.settings.constraints.setup_steps;
        let is_wanted =
            record.did == (RecordedEvent::Started { clean: true }) && record.problems.is_empty();
        if !is_wanted || steps.is_empty() {
            return Ok(Ok(first));
        }
        let mut last = first;
        for (number, step) in (1..).zip(steps) {
            let stepped = device.step(step.clone()).await?;
            record.took += stepped.took;
            record.branches.extend(stepped.branches);
            sort_phone_events(stepped.phone_events, record);
            last = stepped.screen;
            if !record.problems.is_empty() {
                break;
            }
            if let (Some(widget), LocatedBy::Place) = (&step.widget, stepped.hit) {
                return Ok(Err(format!(
                    "step {number} of {} does not find {widget}",
                    steps.len()
                )));
            }
        }
        record.branches.sort_unstable();
        record.branches.dedup();
        let arrived =
            !record.problems.is_empty() || self.driver.settings.is_in_app(last.activity());
        Ok(if arrived {
            Ok(last)
        } else {
            Err("it does not end in the app".to_owned())
        })
    }

    /// What must never appear counts on the first screen too. What must be there may still be on its way.
    fn check_rules(&self, screen: &SharedScreen, record: &mut RecordedStep) {
        let settings = self.driver.settings;
        let package = &settings.app.app.package;
        let logged = settings
            .constraints
            .broken_in_log(&record.passed, &record.problems, package);
        record.problems.extend(logged);
        record.problems.extend(
            settings
                .constraints
                .broken_on_screen(screen, false, package),
        );
    }

    /// Whoever forbids what an app begins with wonders why nothing is explored.
    fn warn_of_forbidden(&mut self, first: &str) {
        let settings = self.driver.settings;
        if settings.constraints.forbids_activity(first)
            && !std::mem::replace(&mut self.has_warned_of_forbidden, true)
        {
            let app = &settings.app.app.package;
            self.warn(format!(
                "`{app}` begins with `{first}`, which is forbidden and left at once; see `forbidden_activities`"
            ));
        }
    }

    fn warn(&self, text: String) {
        (self.driver.sink)(RunEvent::Warning { text });
    }
}
