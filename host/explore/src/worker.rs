//! One phone of a whole exploration: does what the explorer chooses, brings the app back when it was left, starts clean
//! after every problem, and has everything noted before it goes on.

use retap_device::run_event::RunEvent;
use retap_device::seed::Rng;
use retap_device::{Device, DeviceError, StepResult};
use retap_shared::action::{Action, Key, SystemEvent};
use retap_shared::finding::Finding;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::Step;

use super::canvas_raster::{CanvasRaster, without_raster_widget};
use super::constraints::touches_system_window;
use super::driver::ExplorationDriver;
use super::system_events::{is_same_kind, permission_button};
use super::{ChosenAction, Decision, ExploreError, WorkerView, to_step};
use crate::journal::{RecordedEvent, RecordedStep};

/// So many events after an agent has died, its death is forgotten.
const EVENTS_TO_FORGIVE_DEATH: u32 = 100;

/// How often an explorer is asked for something else than what the phone cannot do.
const MAX_REDECISIONS: u32 = 20;

/// After so many events in a row that were refused a walker starts clean.
const MAX_CONSECUTIVE_REFUSALS: u32 = 50;

/// Why a walker does not go on.
pub(super) enum WorkerError {
    Device(DeviceError),
    Exploration(ExploreError),
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

/// What is only of this moment.
pub(super) struct ExplorationWorker<'a> {
    pub(super) driver: &'a ExplorationDriver<'a>,
    pub(super) number: usize,
    rng: Rng,
    /// What has been tried to get back since the app was left.
    pub(super) return_attempts: u32,
    canvas_raster: CanvasRaster,
    /// What the phone shows, whatever explorers see of it.
    raw_screen: Option<SharedScreen>,
    /// How many events in a row were refused.
    pub(super) consecutive_refusals: u32,
    /// What the system does and this phone cannot: it is not asked for again.
    refused_events: Vec<SystemEvent>,
    pub(super) has_warned_of_forbidden: bool,
}

impl ExplorationDriver<'_> {
    /// True if it was stopped before its end.
    pub(super) async fn run_worker(&self, walker: usize) -> Result<bool, ExploreError> {
        // What was done before an interruption is not done again: chance goes on from another place.
        let before = self.lock_state().workers[walker].events;
        let seed = self
            .seed
            .derive(&format!("walker {walker}"), u64::from(before));
        let session = u32::try_from(walker).unwrap_or(u32::MAX);
        let mut walk = ExplorationWorker {
            driver: self,
            number: walker,
            rng: seed.rng(),
            return_attempts: 0,
            canvas_raster: CanvasRaster::default(),
            raw_screen: None,
            consecutive_refusals: 0,
            refused_events: Vec::new(),
            has_warned_of_forbidden: false,
        };
        let mut deaths = 0;
        let mut last_death = before;
        loop {
            let mut lease = self.pool.lease().await?;
            let device = lease.name().to_owned();
            (self.sink)(RunEvent::SessionStarted {
                session,
                device: device.clone(),
                seed: seed.0,
            });
            let settle = self
                .lock_state()
                .explorer
                .settle()
                .unwrap_or(self.settings.settle);
            lease.set_settle(settle);
            self.lock_state().workers[walker].phone = lease.description().phone.clone();
            self.announce_capabilities(walker, &lease);
            match Box::pin(walk.run(&mut lease)).await {
                Ok(stopped) => {
                    let (events, took) = {
                        let shared = self.lock_state();
                        (shared.workers[walker].events, shared.workers[walker].took)
                    };
                    (self.sink)(RunEvent::SessionEnded {
                        session,
                        events,
                        took,
                        recalled: false,
                    });
                    return Ok(stopped);
                }
                Err(WorkerError::Exploration(error)) => return Err(error),
                Err(WorkerError::Device(error)) => {
                    walk.commit(&walk.new_recorded_step(
                        RecordedEvent::Forgotten,
                        None,
                        Micros::ZERO,
                    ))?;
                    // A phone that restarts every night is not one that cannot do this.
                    let events = self.lock_state().workers[walker].events;
                    if events.saturating_sub(last_death) > EVENTS_TO_FORGIVE_DEATH {
                        deaths = 0;
                    }
                    last_death = events;
                    let app = self.settings.app.app.package.to_string();
                    let refused = |fault| ExploreError::Refused { device, app, fault };
                    lease
                        .release_failed(error, &mut deaths, self.sink)
                        .map_err(refused)?;
                }
            }
        }
    }
}

impl ExplorationWorker<'_> {
    async fn run(&mut self, device: &mut Device) -> Result<bool, WorkerError> {
        let mut screen = None;
        while self.driver.is_within_limit(self.number) {
            if self.driver.cancellation.is_cancelled() {
                return Ok(true);
            }
            let now = match screen.take() {
                Some(screen) => screen,
                None => match self.start_app(device, true).await? {
                    Some(screen) => screen,
                    None => return Ok(false),
                },
            };
            screen = self.run_decision(device, now).await?;
        }
        Ok(false)
    }

    /// The screen that the next move leads to; `None` if only a clean start helps.
    async fn run_decision(
        &mut self,
        device: &mut Device,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        if !self.driver.settings.is_in_app(now.activity()) {
            self.return_attempts += 1;
            let action = match self.return_attempts {
                1 => permission_button(&now).map_or(Action::Key(Key::Back), Action::Tap),
                2 => Action::Launch,
                _ => return Ok(None),
            };
            return self
                .run_step(
                    device,
                    to_step(ChosenAction { action, node: None }, &now),
                    None,
                    StepOrigin::ReturnToApp,
                    now,
                )
                .await;
        }
        self.return_attempts = 0;
        let can = device.description().capabilities;
        let at = WorkerView {
            worker: self.number,
            screen: &now,
            capabilities: can,
        };
        match self.decide(&at) {
            Decision::Act(choice) => {
                let node = choice.node;
                self.run_step(device, to_step(choice, &now), node, StepOrigin::Chosen, now)
                    .await
            }
            Decision::RepeatStep(step) => {
                self.repeat_step(device, step, StepOrigin::Repeated, now)
                    .await
            }
            Decision::PlaySeedStep(step) => {
                self.repeat_step(device, step, StepOrigin::Chosen, now)
                    .await
            }
            Decision::Restart { clear_data: clear } => self.start_app(device, clear).await,
            Decision::TakeSnapshot => self.take_snapshot(device, now).await,
            Decision::RestoreSnapshot(id) => self.restore_snapshot(device, id, now).await,
            Decision::DiscardSnapshot(id) => self.discard_snapshot(device, id, now).await,
        }
    }

    /// A step of an earlier time, found by its widget.
    async fn repeat_step(
        &mut self,
        device: &mut Device,
        step: Step,
        kind: StepOrigin,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        let node = step
            .widget
            .as_ref()
            .and_then(|widget| now.find(widget, step.action.place()));
        let step = Step {
            activity: now.activity().clone(),
            screen: Some(now.hash()),
            ..step
        };
        self.run_step(device, step, node, kind, now).await
    }

    /// What the explorer wants; something else where that is known to be refused.
    fn decide(&mut self, at: &WorkerView<'_>) -> Decision {
        let mut chosen = self.driver.lock_state().explorer.decide(at, &mut self.rng);
        for _ in 0..MAX_REDECISIONS {
            let Decision::Act(ChosenAction {
                action: Action::System(system),
                ..
            }) = &chosen
            else {
                break;
            };
            if !self
                .refused_events
                .iter()
                .any(|known| is_same_kind(known, system))
            {
                break;
            }
            chosen = self.driver.lock_state().explorer.decide(at, &mut self.rng);
        }
        chosen
    }

    /// Once for each kind.
    fn exclude_system_event(&mut self, device: &str, system: &SystemEvent, error: &DeviceError) {
        if self
            .refused_events
            .iter()
            .any(|known| is_same_kind(known, system))
        {
            return;
        }
        self.refused_events.push(system.clone());
        let text =
            format!("`{device}` cannot do this: {system} ({error}); it is left out from now on");
        (self.driver.sink)(RunEvent::Warning { text });
    }

    /// This phone cannot do that: nothing has happened.
    pub(super) fn refuse_snapshot(
        &mut self,
        error: DeviceError,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        if error.is_interruption() {
            return Err(error.into());
        }
        self.driver.count_event();
        self.record_refusal(now)
    }

    /// Nothing was done. Where nothing else comes for long, only another start leads on, and takes time: a run that is measured by
    /// time would not end.
    fn record_refusal(&mut self, now: SharedScreen) -> Result<Option<SharedScreen>, WorkerError> {
        self.commit(&self.new_recorded_step(
            RecordedEvent::Refused,
            Some(now.clone()),
            Micros::ZERO,
        ))?;
        self.consecutive_refusals += 1;
        Ok((self.consecutive_refusals < MAX_CONSECUTIVE_REFUSALS).then_some(now))
    }

    /// The screen that the step led to; `None` if it led to a problem.
    async fn run_step(
        &mut self,
        device: &mut Device,
        step: Step,
        node: Option<usize>,
        kind: StepOrigin,
        before: SharedScreen,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        self.driver.count_event();
        let guard = &self.driver.settings.constraints;
        let package = &self.driver.settings.app.app.package;
        let shown = self.raw_screen.as_deref().unwrap_or(&before);
        let presses_system =
            || kind != StepOrigin::ReturnToApp && touches_system_window(&step, shown, package);
        if guard.forbids(&step, shown) || presses_system() {
            return self.record_refusal(before);
        }
        let step = without_raster_widget(
            guard.with_field_text(step, node.map(|node| &before.nodes()[node])),
        );
        let stepped = device.step(step.clone()).await;
        self.report_step(device.name(), &step);
        let StepResult {
            screen,
            phone_events: happened,
            branches,
            quiet,
            took,
            ..
        } = match stepped {
            // Nothing has happened, and a trace without it is the same trace.
            Err(error @ DeviceError::Refused(_)) if !error.is_interruption() => {
                if let Action::System(system) = &step.action {
                    self.exclude_system_event(device.name(), system, &error);
                }
                return self.record_refusal(before);
            }
            stepped => stepped?,
        };
        self.consecutive_refusals = 0;
        let shown = screen.clone();
        let screen = self.explorer_screen(device, screen).await?;
        let chosen = kind != StepOrigin::ReturnToApp;
        let again = kind == StepOrigin::Repeated;
        let did = RecordedEvent::Stepped {
            step,
            node,
            chosen,
            again,
            quiet,
        };
        let mut record = self.new_recorded_step(did, Some(screen), took);
        record.branches = branches;
        sort_phone_events(happened, &mut record);
        record
            .problems
            .extend(guard.broken_in_log(&record.passed, &record.problems, package));
        record
            .problems
            .extend(guard.broken_on_screen(&shown, quiet, package));
        self.finish_step(device, record).await
    }

    /// Has it noted; `None` if it led to a problem.
    pub(super) async fn finish_step(
        &self,
        device: &mut Device,
        mut record: RecordedStep,
    ) -> Result<Option<SharedScreen>, WorkerError> {
        self.attach_screenshot(device, &mut record).await;
        self.commit(&record)?;
        Ok(record.screen.filter(|_| record.problems.is_empty()))
    }

    /// A screen as explorers are to see it.
    pub(super) async fn explorer_screen(
        &mut self,
        device: &mut Device,
        screen: SharedScreen,
    ) -> Result<SharedScreen, WorkerError> {
        let settings = self.driver.settings;
        let inside = settings.is_in_app(screen.activity());
        let masked = settings.constraints.mask(screen.clone());
        let seen = self
            .canvas_raster
            .explorer_screen(device, &screen, masked, inside)
            .await?;
        self.raw_screen = Some(screen);
        Ok(seen)
    }

    /// A problem that is new, as long as something of it may be on the display. Without the pixels it is a problem too.
    async fn attach_screenshot(&self, device: &mut Device, record: &mut RecordedStep) {
        let is_wanted =
            self.driver.settings.screenshots && device.description().capabilities.screenshots;
        if is_wanted && self.driver.has_new_finding(&record.problems) {
            record.picture = device.screenshot().await.ok();
        }
    }

    fn report_step(&self, device: &str, step: &Step) {
        (self.driver.sink)(RunEvent::Stepped {
            session: u32::try_from(self.number).unwrap_or(u32::MAX),
            device: device.to_owned(),
            step: self.driver.lock_state().workers[self.number].events + 1,
            action: step.action.to_string(),
            widget: step.widget.as_ref().map(ToString::to_string),
            activity: step.activity.clone(),
        });
    }

    pub(super) fn new_recorded_step(
        &self,
        did: RecordedEvent,
        screen: Option<SharedScreen>,
        took: Micros,
    ) -> RecordedStep {
        self.driver
            .lock_state()
            .new_recorded_step(self.number, did, screen, took)
    }

    pub(super) fn commit(&self, record: &RecordedStep) -> Result<(), ExploreError> {
        self.driver.commit(record)
    }
}

/// Who wanted a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepOrigin {
    Chosen,
    Repeated,
    /// To bring the app back.
    ReturnToApp,
}

pub(super) fn sort_phone_events(happened: Vec<PhoneEvent>, into: &mut RecordedStep) {
    for happening in happened {
        match happening.kind {
            PhoneEventKind::Finding(problem) => push_once(&mut into.problems, problem),
            PhoneEventKind::Activity(activity) => into.passed.push(activity),
        }
    }
}

fn push_once(problems: &mut Vec<Finding>, problem: Finding) {
    if !problems.contains(&problem) {
        problems.push(problem);
    }
}
