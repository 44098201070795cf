//! Starting the app, with the setup steps that must come after a clean start, such as signing in.

use retap_device::Device;
use retap_device::run_event::RunEvent;
use retap_shared::locate::LocatedBy;
use retap_shared::obstacle::Obstacle;
use retap_shared::protocol::AppCommand;
use retap_shared::screen::SharedScreen;
use retap_shared::trace::StartMode;

use super::{Worker, WorkerError, whole_millis};
use crate::error::ExploreError;
use crate::journal::{RecordedEvent, RecordedStep};

/// Number of failed starts in a row after which a worker ends: by findings, or by setup steps.
pub(super) const MAX_START_ATTEMPTS: u32 = 3;

impl Worker<'_> {
    /// Starts the app, again if the setup steps fail.
    pub(super) async fn start_app(
        &mut self,
        device: &mut Device,
        clean: bool,
    ) -> Result<RecordedStep, WorkerError> {
        loop {
            self.return_attempts = 0;
            self.consecutive_refusals = 0;
            let mut record = self.launch_app(device, clean).await?;
            let Some(screen) = record.screen.take() else {
                return Ok(record);
            };
            match self.run_setup_steps(device, screen, &mut record).await? {
                Ok(screen) => return self.finish_start(device, screen, record).await,
                Err(why) => self.count_failed_setup(device.name(), why)?,
            }
        }
    }

    /// Launches the app. The record has no screen if the app failed and the screen could not be read.
    async fn launch_app(
        &mut self,
        device: &mut Device,
        clean: bool,
    ) -> Result<RecordedStep, WorkerError> {
        let app = &self.exploration.settings.app.app;
        // Events that the phone has not reported yet belong to no trace of this start.
        device.watch(&app.package).await?;
        let start = if clean {
            StartMode::Clean
        } else {
            StartMode::Restart
        };
        let started = device.control(app, AppCommand::Start(start)).await?;
        let mut record = RecordedStep::new(self.number, RecordedEvent::Started { clean });
        record.took = started.took;
        record.add_phone_events(started.events);
        self.report_obstacle(device.name(), started.in_front);
        record.set_screen(device.capture().await)?;
        Ok(record)
    }

    /// Warns once of each thing that is in front instead of the app after a start.
    fn report_obstacle(&mut self, device: &str, in_front: Option<Obstacle>) {
        if let Some(obstacle) = &in_front
            && in_front != self.reported_obstacle
        {
            let text = format!("on `{device}`: {obstacle}");
            self.exploration.emit(RunEvent::Warning { text });
            self.reported_obstacle = in_front;
        }
    }

    /// Does the setup steps of a clean start. Returns the screen that they lead to, or why they failed. A finding on the way
    /// is a finding like any other.
    async fn run_setup_steps(
        &self,
        device: &mut Device,
        first: SharedScreen,
        record: &mut RecordedStep,
    ) -> Result<Result<SharedScreen, String>, WorkerError> {
        let settings = self.exploration.settings;
        let steps = &settings.constraints.setup_steps;
        let is_clean = record.event == RecordedEvent::Started { clean: true };
        if !is_clean || !record.findings.is_empty() || steps.is_empty() {
            return Ok(Ok(first));
        }
        let mut last = first;
        for (number, step) in (1..).zip(steps) {
            let stepped = device.step(step.clone()).await?;
            record.took += stepped.took;
            record.setup_times.push(whole_millis(stepped.at));
            record.branches.extend(stepped.branches);
            record.add_phone_events(stepped.phone_events);
            last = stepped.screen;
            if !record.findings.is_empty() {
                break;
            }
            if let Some(why) = stepped.refusal {
                return Ok(Err(format!("the phone did not take step {number}: {why}")));
            }
            if let (Some(widget), LocatedBy::Place) = (&step.widget, stepped.hit) {
                let count = steps.len();
                return Ok(Err(format!(
                    "step {number} of {count} does not find {widget}"
                )));
            }
        }
        record.branches.sort_unstable();
        record.branches.dedup();
        let has_arrived = !record.findings.is_empty() || settings.is_in_app(last.activity());
        Ok(has_arrived
            .then_some(last)
            .ok_or_else(|| "they do not end in the app".to_owned()))
    }

    /// Counts setup steps that failed; an error if that was the last attempt.
    fn count_failed_setup(&mut self, device: &str, why: String) -> Result<(), ExploreError> {
        self.failed_starts += 1;
        if self.failed_starts >= MAX_START_ATTEMPTS {
            return Err(ExploreError::SetupFailed {
                device: device.to_owned(),
                app: self.exploration.settings.app.app.package.to_string(),
                why,
            });
        }
        self.warn(format!(
            "the setup steps failed on `{device}`: {why}; they are tried again"
        ));
        Ok(())
    }

    /// Completes the record. `never` rules hold for the first screen too; what `always` rules want may still appear.
    async fn finish_start(
        &mut self,
        device: &mut Device,
        screen: SharedScreen,
        mut record: RecordedStep,
    ) -> Result<RecordedStep, WorkerError> {
        self.warn_of_forbidden(screen.activity());
        let settings = self.exploration.settings;
        let package = &settings.app.app.package;
        record.new_log = self.new_log(device).await?;
        let broken = settings
            .constraints
            .broken_rules(&record, &screen, false, package);
        record.findings.extend(broken);
        let screen = self.explorer_screen(device, screen).await;
        record.set_screen(screen)?;
        Ok(record)
    }

    /// Warns once if the first activity is forbidden: nothing would be explored.
    fn warn_of_forbidden(&mut self, first: &str) {
        let settings = self.exploration.settings;
        if settings.constraints.forbids_activity(first)
            && !std::mem::replace(&mut self.has_warned_of_forbidden, true)
        {
            let app = &settings.app.app.package;
            self.warn(format!(
                "`{app}` begins with `{first}`, which is forbidden and left at once; see `forbidden_activities`"
            ));
        }
    }

    pub(super) fn warn_of_failed_starts(&self) {
        let app = &self.exploration.settings.app.app.package;
        self.warn(format!(
            "`{app}` fails as it starts; worker {} ends early",
            self.number
        ));
    }
}
