//! One step of a worker: what the constraints allow of it, what the phone did, and the record of it.

use retap_device::{Device, DeviceError, StepResult};
use retap_shared::action::Action;
use retap_shared::protocol::{ReadLog, RequestFailure};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::Step;

use super::{PlannedStep, Worker, WorkerError, whole_millis};
use crate::canvas_raster::without_raster_widget;
use crate::journal::{RecordedEvent, RecordedStep};

impl Worker<'_> {
    pub(super) async fn run_step(
        &mut self,
        device: &mut Device,
        planned: PlannedStep,
        before: SharedScreen,
    ) -> Result<RecordedStep, WorkerError> {
        self.exploration.count_event();
        let Some(step) = self.allowed_step(&planned, &before) else {
            return Ok(self.refusal(before));
        };
        let stepped = device.step(step.clone()).await;
        let refusal = stepped.as_ref().ok().and_then(|done| done.refusal.clone());
        self.report_step(device.name(), &step, refusal.clone());
        let planned = PlannedStep { step, ..planned };
        let result = match stepped {
            // Nothing has happened, and a trace without it is the same trace.
            Err(error @ DeviceError::Refused(_)) if !error.is_interruption() => {
                if let Action::System(event) = &planned.step.action {
                    self.exclude_system_event(device.name(), event, &error);
                }
                return Ok(self.refusal(before));
            }
            Err(DeviceError::Refused(failure)) if failure.phone_failure().is_some() => {
                let record = RecordedStep::new(self.number, planned.into_event(false));
                return self.collect_findings(device, record, failure).await;
            }
            stepped => stepped?,
        };
        let shown = self.raw_screen.as_deref().unwrap_or(&before);
        if refusal.is_some() && !has_effect(&result, shown) {
            return Ok(RecordedStep {
                took: result.took,
                refusal,
                ..self.refusal(before)
            });
        }
        self.record_result(device, planned, result).await
    }

    /// The record of a step that the phone has done.
    async fn record_result(
        &mut self,
        device: &mut Device,
        mut planned: PlannedStep,
        result: StepResult,
    ) -> Result<RecordedStep, WorkerError> {
        let settings = self.exploration.settings;
        let quiet = result.quiet;
        planned.step.at_millis = self.is_timed.then(|| whole_millis(result.at));
        let mut record = RecordedStep::new(self.number, planned.into_event(quiet));
        record.took = result.took;
        record.refusal = result.refusal;
        record.branches = result.branches;
        record.add_phone_events(result.phone_events);
        record.new_log = self.new_log(device).await?;
        let broken = settings.constraints.broken_rules(
            &record,
            &result.screen,
            quiet,
            &settings.app.app.package,
        );
        record.findings.extend(broken);
        let screen = self.explorer_screen(device, result.screen).await;
        record.set_screen(screen)?;
        Ok(record)
    }

    /// What the app has logged since the last call, if a rule asks for it.
    pub(super) async fn new_log(&self, device: &mut Device) -> Result<String, DeviceError> {
        if !self.exploration.settings.constraints.has_log_rules() {
            return Ok(String::new());
        }
        let wanted = ReadLog {
            only_new: true,
            failure: None,
        };
        Ok(device.read_log(wanted).await?.log)
    }

    /// A step during which the phone failed. What it reported until then decides: a finding is recorded with the step, and
    /// without one the failure is returned.
    async fn collect_findings(
        &self,
        device: &mut Device,
        mut record: RecordedStep,
        failure: RequestFailure,
    ) -> Result<RecordedStep, WorkerError> {
        let package = &self.exploration.settings.app.app.package;
        record.add_phone_events(device.watch(package).await?.events);
        if record.findings.is_empty() {
            return Err(DeviceError::Refused(failure).into());
        }
        record.refusal = failure.phone_failure();
        Ok(record)
    }

    /// The step as the constraints allow it; `None` if they forbid it.
    fn allowed_step(&self, planned: &PlannedStep, before: &SharedScreen) -> Option<Step> {
        let settings = self.exploration.settings;
        let step = planned.step.clone();
        let shown = self.raw_screen.as_deref().unwrap_or(before);
        let field = planned.node.map(|node| &before.nodes()[node]);
        let package = &settings.app.app.package;
        settings
            .constraints
            .allowed_step(step, planned.origin, field, shown, package)
            .map(without_raster_widget)
    }
}

impl PlannedStep {
    fn into_event(self, quiet: bool) -> RecordedEvent {
        RecordedEvent::Stepped {
            step: self.step,
            node: self.node,
            origin: self.origin,
            quiet,
        }
    }
}

/// True if the app reacted to a step that the phone did not take as a whole.
fn has_effect(result: &StepResult, before: &Screen) -> bool {
    let is_same = result.screen.hash() == before.hash();
    !is_same || !result.phone_events.is_empty() || !result.branches.is_empty()
}
