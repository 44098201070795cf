//! One worker: leases a phone, runs what the strategy decides there, brings the app back when it was left, and starts clean
//! after every finding. Each step becomes one record, which is committed before the next step.

mod app_start;
mod lease;
mod snapshots;
mod stalls;
mod step;

use app_start::MAX_START_ATTEMPTS;
use lease::AgentDeaths;
use retap_device::run_event::RunEvent;
use retap_device::seed::{Rng, Seed};
use retap_device::{Device, DeviceError};
use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::protocol::ReadLog;
use retap_shared::screen::SharedScreen;
use retap_shared::trace::Step;
use stalls::PhoneStalls;

use crate::canvas_raster::CanvasRaster;
use crate::error::ExploreError;
use crate::exploration::Exploration;
use crate::explorer::{ChosenAction, Decision, WorkerView};
use crate::journal::{RecordedEvent, RecordedStep, StepOrigin};
use crate::system_events::{is_same_kind, permission_button};

/// Maximum number of new decisions in place of a system event that the phone refused before.
const MAX_REDECISIONS: u32 = 20;

/// Number of refused events in a row after which a worker starts clean.
const MAX_CONSECUTIVE_REFUSALS: u32 = 50;

/// Runs one worker until a limit is reached; a lost phone is replaced by another one. Returns true if it was cancelled.
pub(crate) async fn run_worker(
    exploration: &Exploration<'_>,
    number: usize,
) -> Result<bool, ExploreError> {
    // A resumed worker does not repeat the random choices of the interrupted one.
    let events_before = exploration.lock_state().workers[number].events;
    let seed = exploration
        .context
        .seed
        .derive(&format!("walker {number}"), u64::from(events_before));
    let mut worker = Worker::new(exploration, number, seed);
    let mut deaths = AgentDeaths {
        count: 0,
        last_event: events_before,
    };
    loop {
        let mut lease = exploration.pool.lease().await?;
        worker.begin_lease(&mut lease, seed);
        match Box::pin(worker.explore(&mut lease)).await {
            Ok(cancelled) => {
                exploration.report_worker_end(number);
                return Ok(cancelled);
            }
            Err(WorkerError::Exploration(error)) => return Err(error),
            Err(WorkerError::Device(error)) => worker.release_failed(lease, error, &mut deaths)?,
            Err(WorkerError::Rest(why)) => worker.release_to_rest(lease, why)?,
        }
    }
}

/// One worker on its current phone. What must survive the phone is in `WorkerState`.
struct Worker<'a> {
    exploration: &'a Exploration<'a>,
    number: usize,
    rng: Rng,
    /// Number of attempts to return since the app was left.
    return_attempts: u32,
    /// Number of starts in a row that failed.
    failed_starts: u32,
    /// Number of events in a row that were refused, by the phone or by the constraints.
    consecutive_refusals: u32,
    stalls: PhoneStalls,
    canvas_raster: CanvasRaster,
    /// Screen of the phone, without the changes for strategies.
    raw_screen: Option<SharedScreen>,
    /// System events that this phone refused: they are not tried again.
    refused_events: Vec<SystemEvent>,
    /// True as long as the phone's times are those since the clean start that a trace begins with.
    is_timed: bool,
    has_warned_of_forbidden: bool,
    /// What was in front instead of the app after a start, at the last warning about that.
    reported_obstacle: Option<Obstacle>,
}

/// A step that is about to be done.
struct PlannedStep {
    step: Step,
    node: Option<usize>,
    origin: StepOrigin,
}

/// An error that ends a worker's use of its phone, or the exploration.
enum WorkerError {
    Device(DeviceError),
    Exploration(ExploreError),
    /// The phone must rest, for this reason.
    Rest(String),
}

impl From<DeviceError> for WorkerError {
    fn from(error: DeviceError) -> WorkerError {
        WorkerError::Device(error)
    }
}

impl From<ExploreError> for WorkerError {
    fn from(error: ExploreError) -> WorkerError {
        WorkerError::Exploration(error)
    }
}

impl<'a> Worker<'a> {
    fn new(exploration: &'a Exploration<'a>, number: usize, seed: Seed) -> Worker<'a> {
        Worker {
            exploration,
            number,
            rng: seed.rng(),
            return_attempts: 0,
            failed_starts: 0,
            consecutive_refusals: 0,
            stalls: PhoneStalls::default(),
            canvas_raster: CanvasRaster::default(),
            raw_screen: None,
            refused_events: Vec::new(),
            is_timed: false,
            has_warned_of_forbidden: false,
            reported_obstacle: None,
        }
    }

    /// Explores on one phone. `None` as the screen means that a clean start comes next.
    async fn explore(&mut self, device: &mut Device) -> Result<bool, WorkerError> {
        let mut screen = None;
        self.failed_starts = 0;
        self.stalls = PhoneStalls::default();
        while self.exploration.is_within_limit(self.number) {
            if self.exploration.context.cancellation.is_cancelled() {
                return Ok(true);
            }
            if let Some(why) = device.reason_to_rest().await {
                return Err(WorkerError::Rest(why));
            }
            let next = match screen.take() {
                Some(screen) => self.run_decision(device, screen).await,
                None => self.start_app(device, true).await,
            };
            let record = match next {
                Ok(record) => record,
                Err(WorkerError::Device(error)) => {
                    let why = self.stalls.record_failure(error)?;
                    self.warn(format!(
                        "`{}` failed: {why}; the app is started clean",
                        device.name()
                    ));
                    continue;
                }
                Err(error) => return Err(error),
            };
            screen = self.finish_step(device, record).await?;
            if self.failed_starts == MAX_START_ATTEMPTS {
                self.warn_of_failed_starts();
                break;
            }
        }
        Ok(false)
    }

    /// Runs what comes next on a screen: what the strategy decides, or what brings the app back.
    async fn run_decision(
        &mut self,
        device: &mut Device,
        screen: SharedScreen,
    ) -> Result<RecordedStep, WorkerError> {
        if !self.exploration.settings.is_in_app(screen.activity()) {
            return match self.next_return_action(&screen) {
                Some(action) => {
                    let planned = PlannedStep {
                        step: ChosenAction { action, node: None }.into_step(&screen),
                        node: None,
                        origin: StepOrigin::ReturnToApp,
                    };
                    self.run_step(device, planned, screen).await
                }
                None => self.start_app(device, true).await,
            };
        }
        self.return_attempts = 0;
        let planned = match self.decide(device, &screen) {
            Decision::Act(chosen) => PlannedStep {
                node: chosen.node,
                step: chosen.into_step(&screen),
                origin: StepOrigin::Chosen,
            },
            Decision::RepeatStep(step) => locate_step(step, StepOrigin::Repeated, &screen),
            Decision::PlaySeedStep(step) => locate_step(step, StepOrigin::Chosen, &screen),
            Decision::Restart { clear_data } => return self.start_app(device, clear_data).await,
            Decision::TakeSnapshot => return self.take_snapshot(device, screen).await,
            Decision::RestoreSnapshot(id) => {
                return self.restore_snapshot(device, id, screen).await;
            }
            Decision::DiscardSnapshot(id) => {
                return self.discard_snapshot(device, id, screen).await;
            }
        };
        self.run_step(device, planned, screen).await
    }

    /// The next attempt to return to the app; `None` if only a clean start is left.
    fn next_return_action(&mut self, screen: &SharedScreen) -> Option<Action> {
        self.return_attempts += 1;
        match self.return_attempts {
            1 => Some(permission_button(screen).map_or(Action::Key(Key::Back), Action::Tap)),
            2 => Some(Action::Launch),
            _ => None,
        }
    }

    /// Asks the strategy, again if it decides on a system event that this phone has refused.
    fn decide(&mut self, device: &Device, screen: &SharedScreen) -> Decision {
        let view = WorkerView {
            worker: self.number,
            screen,
            capabilities: device.description().capabilities,
        };
        let mut state = self.exploration.lock_state();
        let mut decision = state.explorer.decide(&view, &mut self.rng);
        for _ in 0..MAX_REDECISIONS {
            match &decision {
                Decision::Act(ChosenAction {
                    action: Action::System(event),
                    ..
                }) if is_refused(&self.refused_events, event) => {
                    decision = state.explorer.decide(&view, &mut self.rng);
                }
                _ => break,
            }
        }
        decision
    }

    /// Commits a step. Returns the screen that the worker is on; `None` if a clean start comes next.
    async fn finish_step(
        &mut self,
        device: &mut Device,
        mut record: RecordedStep,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        self.attach_circumstances(device, &mut record).await;
        self.exploration.commit(&mut record)?;
        let has_failed = !record.findings.is_empty();
        let mut is_stalled = false;
        match record.event {
            RecordedEvent::Refused => {
                self.consecutive_refusals += 1;
                if let Some(why) = &record.refusal {
                    is_stalled = self.stalls.record_refusal(why)?;
                }
            }
            RecordedEvent::Stepped { .. } => {
                self.consecutive_refusals = 0;
                self.stalls.record_progress();
            }
            RecordedEvent::Started { .. } if has_failed => self.failed_starts += 1,
            RecordedEvent::Started { .. } => self.failed_starts = 0,
            _ => {}
        }
        match record.event {
            RecordedEvent::Started { clean } => self.is_timed = clean,
            RecordedEvent::SnapshotRestored { .. }
            | RecordedEvent::SnapshotTaken {
                whole_phone: false, ..
            } => self.is_timed = false,
            _ => {}
        }
        // Refusals take no time: a run with a time limit would not end.
        is_stalled |= self.consecutive_refusals >= MAX_CONSECUTIVE_REFUSALS;
        Ok(record.screen.filter(|_| !has_failed && !is_stalled))
    }

    /// Takes a screenshot and the app's log of a finding that is new in the run. It is no error if the phone refuses them.
    async fn attach_circumstances(&self, device: &mut Device, record: &mut RecordedStep) {
        let is_wanted = self.exploration.settings.screenshots;
        if !is_wanted || !self.exploration.has_new_finding(&record.findings) {
            return;
        }
        if device.description().capabilities.screenshots {
            record.screenshot = device.screenshot().await.ok();
        }
        let wanted = ReadLog {
            only_new: false,
            failure: record.findings.first().map(|finding| finding.kind),
        };
        record.app_log = device.read_log(wanted).await.unwrap_or_default();
    }

    /// The screen as strategies see it: without what is forbidden, and with a raster if the app has no nodes.
    async fn explorer_screen(
        &mut self,
        device: &mut Device,
        screen: SharedScreen,
    ) -> Result<SharedScreen, WorkerError> {
        let settings = self.exploration.settings;
        let in_app = settings.is_in_app(screen.activity());
        let masked = settings.constraints.mask(screen.clone());
        let visible = self
            .canvas_raster
            .explorer_screen(device, &screen, masked, in_app)
            .await?;
        self.raw_screen = Some(screen);
        Ok(visible)
    }

    /// The record of an event that was not done.
    fn refusal(&self, screen: SharedScreen) -> RecordedStep {
        RecordedStep {
            screen: Some(screen),
            ..RecordedStep::new(self.number, RecordedEvent::Refused)
        }
    }

    /// Remembers a system event that this phone refused, and warns once per kind.
    fn exclude_system_event(&mut self, device: &str, event: &SystemEvent, error: &DeviceError) {
        if is_refused(&self.refused_events, event) {
            return;
        }
        self.refused_events.push(event.clone());
        self.warn(format!(
            "`{device}` cannot do this: {event} ({error}); it is left out from now on"
        ));
    }

    fn report_step(&self, device: &str, step: &Step, refusal: Option<String>) {
        if self.exploration.is_repeating() {
            return;
        }
        let events = self.exploration.lock_state().workers[self.number].events;
        self.exploration.emit(RunEvent::Stepped {
            session: self.session(),
            device: device.to_owned(),
            step: events + 1,
            action: step.action.to_string(),
            widget: step.widget.as_ref().map(ToString::to_string),
            activity: step.activity.clone(),
            refusal,
        });
    }

    /// Warns, unless an earlier process did.
    fn warn(&self, text: String) {
        if self.exploration.is_repeating() {
            return;
        }
        self.exploration.emit(RunEvent::Warning { text });
    }

    /// The worker's number in run events.
    fn session(&self) -> u32 {
        u32::try_from(self.number).unwrap_or(u32::MAX)
    }
}

/// A step's time in whole milliseconds.
fn whole_millis(at: Micros) -> u32 {
    u32::try_from(at.as_millis()).unwrap_or(u32::MAX)
}

/// Finds the widget of an earlier step on the current screen.
fn locate_step(step: Step, origin: StepOrigin, screen: &SharedScreen) -> PlannedStep {
    let node = step
        .widget
        .as_ref()
        .and_then(|widget| screen.find(widget, step.action.place()));
    let step = Step {
        activity: screen.activity().clone(),
        screen: Some(screen.hash()),
        ..step
    };
    PlannedStep { step, node, origin }
}

fn is_refused(refused: &[SystemEvent], event: &SystemEvent) -> bool {
    refused.iter().any(|known| is_same_kind(known, event))
}
