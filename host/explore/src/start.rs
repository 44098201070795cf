//! How a walker starts the app: with what must come before, such as signing in, and again where that or the app itself fails.

use retap_device::Device;
use retap_device::event::RunEvent;
use retap_shared::protocol::{Command, Hit};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::Start;

use super::ExploreError;
use super::walker::{Halt, Walk, sort};
use crate::journal::{WalkRecord, Walked};

/// An app that fails so often in a row as it starts is not worth more time.
const STARTS: u32 = 3;

impl Walk<'_> {
    /// The first screen after a start; `None` if the app does not come up.
    pub(super) async fn start(
        &mut self,
        device: &mut Device,
        clean: bool,
    ) -> Result<Option<SharedScreen>, Halt> {
        let mut clean = clean;
        let mut failed = None;
        for number in 1..=STARTS {
            (self.outside, self.refusals) = (0, 0);
            let (screen, mut record) = self.launch(device, clean).await?;
            let screen = match self.before(device, screen, &mut record).await? {
                Ok(screen) => screen,
                Err(why) => {
                    if number < STARTS {
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
            self.look_out(&screen, &mut record);
            record.screen = Some(self.seen(device, screen).await?);
            if let Some(screen) = self.conclude(device, record).await? {
                return Ok(Some(screen));
            }
            // What keeps it from starting may be in its data.
            clean = true;
        }
        let app = self.whole.settings.app.app.package.to_string();
        if let Some(why) = failed {
            return Err(ExploreError::Before {
                device: device.name().to_owned(),
                app,
                why,
            }
            .into());
        }
        self.warn(format!(
            "`{app}` fails as it starts; walker {} ends early",
            self.walker
        ));
        Ok(None)
    }

    async fn launch(
        &self,
        device: &mut Device,
        clean: bool,
    ) -> Result<(SharedScreen, WalkRecord), Halt> {
        let app = &self.whole.settings.app.app;
        // What is still under way from before belongs to no trace of this start.
        device.watch(&app.package).await?;
        let start = if clean { Start::Clean } else { Start::Restart };
        let controlled = device.control(app, Command::Start(start)).await?;
        let screen = device.capture().await?;
        let mut record = self.record(Walked::Started { clean }, None, controlled.took);
        sort(controlled.happened, &mut record);
        Ok((screen, record))
    }

    /// What must come first after a clean start, such as signing in: the screen that it leads to, or why it does not. An app
    /// that fails on the way has failed: that is a problem like any other.
    async fn before(
        &self,
        device: &mut Device,
        first: SharedScreen,
        record: &mut WalkRecord,
    ) -> Result<Result<SharedScreen, String>, Halt> {
        let steps = &self.whole.settings.guard.before;
        let is_wanted =
            record.did == (Walked::Started { clean: true }) && record.problems.is_empty();
        if !is_wanted || steps.is_empty() {
            return Ok(Ok(first));
        }
        let mut last = first;
        for (number, step) in (1..).zip(steps) {
            let stepped = device.step(step.clone()).await?;
            record.took += stepped.took;
            record.branches.extend(stepped.branches);
            sort(stepped.happened, record);
            last = stepped.screen;
            if !record.problems.is_empty() {
                break;
            }
            if let (Some(widget), Hit::Place) = (&step.widget, stepped.hit) {
                return Ok(Err(format!(
                    "step {number} of {} does not find {widget}",
                    steps.len()
                )));
            }
        }
        record.branches.sort_unstable();
        record.branches.dedup();
        let arrived = !record.problems.is_empty() || self.whole.settings.is_inside(last.activity());
        Ok(if arrived {
            Ok(last)
        } else {
            Err("it does not end in the app".to_owned())
        })
    }

    /// What must never appear counts on the first screen too. What must be there may still be on its way.
    fn look_out(&self, screen: &SharedScreen, record: &mut WalkRecord) {
        let settings = self.whole.settings;
        let package = &settings.app.app.package;
        let logged = settings
            .guard
            .logged(&record.passed, &record.problems, package);
        record.problems.extend(logged);
        record
            .problems
            .extend(settings.guard.appeared(screen, false, package));
    }

    /// Whoever forbids what an app begins with wonders why nothing is explored.
    fn warn_of_forbidden(&mut self, first: &str) {
        let settings = self.whole.settings;
        if settings.guard.forbids_activity(first)
            && !std::mem::replace(&mut self.is_told_of_forbidden, true)
        {
            let app = &settings.app.app.package;
            self.warn(format!(
                "`{app}` begins with `{first}`, which is forbidden and left at once; see `forbidden_activities`"
            ));
        }
    }

    fn warn(&self, text: String) {
        (self.whole.sink)(RunEvent::Warning { text });
    }
}
