//! One session: starts clean, goes on until its events are used, and starts clean again after every problem.
//! The trace since the last clean start is the way to whatever comes next.

use retap_device::run_event::RunEvent;
use retap_device::seed::{Rng, Seed};
use retap_device::{Device, DeviceError, StepResult};
use retap_model::{Coverage, CoverageGain, abstract_screen};
use retap_shared::action::{Action, Key};
use retap_shared::finding::Finding;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{AppCommand, Capabilities};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::target::Target;
use retap_shared::trace::{StartMode, Step, Trace, TraceHeader};

use super::canvas_raster::{CanvasRaster, without_raster_widget};
use super::finding_record::{self, FindingContext, FindingRecord};
use super::recent_log::{LogEntry, RecentLog};
use super::system_events::permission_button;
use super::work::Work;
use super::{ChosenAction, Decision, Explorer, WorkerView, to_step};
use crate::journal::SessionRecord;

/// An app that fails so often in a row as it starts is not worth more of the session's time.
const FAILED_STARTS: u32 = 3;

pub(super) struct Session<'a> {
    work: &'a Work<'a>,
    number: u32,
    seed: Seed,
    phone: PhoneInfo,
    rng: Rng,
    explorer: Box<dyn Explorer>,
    budget: u32,
    events: u32,
    took: Micros,
    starts: u32,
    starting: Micros,
    /// Since the last clean start.
    steps: Vec<Step>,
    diary: RecentLog,
    /// What has been tried to get back since the app was left.
    outside: u32,
    canvas: CanvasRaster,
    covered: Coverage,
    gains: Vec<CoverageGain>,
    found: Vec<FindingRecord>,
    traces: Vec<Trace>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        work: &'a Work<'a>,
        number: u32,
        seed: Seed,
        phone: PhoneInfo,
    ) -> Session<'a> {
        Session {
            work,
            number,
            seed,
            phone,
            rng: seed.rng(),
            explorer: (work.make)(),
            budget: work.settings.events_of(number),
            events: 0,
            took: Micros::ZERO,
            starts: 0,
            starting: Micros::ZERO,
            steps: Vec::new(),
            diary: RecentLog::default(),
            outside: 0,
            canvas: CanvasRaster::default(),
            covered: Coverage::default(),
            gains: Vec::new(),
            found: Vec::new(),
            traces: Vec::new(),
        }
    }

    pub(super) fn events(&self) -> u32 {
        self.events
    }

    pub(super) fn into_record(mut self) -> SessionRecord {
        self.keep_trace(None);
        let Session {
            number,
            events,
            took,
            starts,
            starting,
            gains,
            found,
            traces,
            ..
        } = self;
        SessionRecord {
            session: number,
            events,
            took,
            starts,
            starting,
            gains,
            found,
            traces,
        }
    }

    /// True if it was stopped before its end.
    pub(super) async fn play(&mut self, device: &mut Device) -> Result<bool, DeviceError> {
        let mut screen = None;
        while self.events < self.budget {
            if self.work.stop.is_cancelled() {
                return Ok(true);
            }
            let now = match screen.take() {
                Some(screen) => screen,
                None => match self.start(device).await? {
                    Some(screen) => screen,
                    None => break,
                },
            };
            let can = device.description().capabilities;
            screen = match self.next_step(&now, can) {
                Some(step) => self.step(device, step, now).await?,
                None => None,
            };
        }
        Ok(false)
    }

    /// The first screen after a clean start; `None` if the app does not come up.
    async fn start(&mut self, device: &mut Device) -> Result<Option<SharedScreen>, DeviceError> {
        let app = &self.work.settings.app.app;
        for _ in 0..FAILED_STARTS {
            self.keep_trace(None);
            self.steps.clear();
            self.outside = 0;
            // What is still under way from before belongs to no trace of this start.
            device.watch(&app.package).await?;
            self.diary
                .push(self.took, LogEntry::Started { clean: true });
            let controlled = device
                .control(app, AppCommand::Start(StartMode::Clean))
                .await?;
            self.took += controlled.took;
            self.starting += controlled.took;
            self.starts += 1;
            if !self.note_problems(device, &controlled.events, None).await {
                let screen = device.capture().await?;
                let screen = self.seen(device, screen).await?;
                self.cover(&screen, &controlled.events, &[]);
                return Ok(Some(screen));
            }
        }
        let text = format!(
            "`{}` fails as it starts; session {} ends early",
            app.package, self.number
        );
        (self.work.sink)(RunEvent::Warning { text });
        Ok(None)
    }

    /// What to do next; `None` if only a clean start helps.
    fn next_step(&mut self, screen: &SharedScreen, can: Capabilities) -> Option<Step> {
        let choice = if self.work.settings.is_in_app(screen.activity()) {
            self.outside = 0;
            match self.explorer.decide(
                &WorkerView {
                    worker: 0,
                    screen,
                    capabilities: can,
                },
                &mut self.rng,
            ) {
                Decision::Act(choice) => choice,
                Decision::RepeatStep(step) | Decision::PlaySeedStep(step) => return Some(step),
                _ => return None,
            }
        } else {
            self.outside += 1;
            match self.outside {
                1 => ChosenAction {
                    action: permission_button(screen).map_or(Action::Key(Key::Back), Action::Tap),
                    node: None,
                },
                2 => ChosenAction {
                    action: Action::Launch,
                    node: None,
                },
                _ => return None,
            }
        };
        Some(without_raster_widget(to_step(choice, screen)))
    }

    /// The screen that the step led to; `None` if it led to a problem.
    async fn step(
        &mut self,
        device: &mut Device,
        step: Step,
        before: SharedScreen,
    ) -> Result<Option<SharedScreen>, DeviceError> {
        let stepped = device.step(step.clone()).await;
        self.events += 1;
        self.work.progress.event();
        self.tell(device.name(), &step);
        let StepResult {
            screen,
            phone_events: happened,
            branches,
            took,
            ..
        } = match stepped {
            // This phone cannot do that: nothing has happened, and a trace without it is the same trace.
            Err(error @ DeviceError::Refused(_)) if !error.is_interruption() => {
                return Ok(Some(before));
            }
            stepped => stepped?,
        };
        self.diary.push(self.took, LogEntry::Step(step.clone()));
        self.took += took;
        self.steps.push(step);
        let failed = self.note_problems(device, &happened, Some(&before)).await;
        let screen = self.seen(device, screen).await?;
        self.cover(&screen, &happened, &branches);
        Ok((!failed).then_some(screen))
    }

    /// A screen as explorers are to see it.
    async fn seen(
        &mut self,
        device: &mut Device,
        screen: SharedScreen,
    ) -> Result<SharedScreen, DeviceError> {
        let inside = self.work.settings.is_in_app(screen.activity());
        self.canvas
            .explorer_screen(device, &screen.clone(), screen, inside)
            .await
    }

    fn tell(&self, device: &str, step: &Step) {
        (self.work.sink)(RunEvent::Stepped {
            session: self.number,
            device: device.to_owned(),
            step: self.events,
            action: step.action.to_string(),
            widget: step.widget.as_ref().map(ToString::to_string),
            activity: step.activity.clone(),
        });
    }

    /// True if there was one.
    async fn note_problems(
        &mut self,
        device: &mut Device,
        happened: &[PhoneEvent],
        before: Option<&SharedScreen>,
    ) -> bool {
        let mut target = None;
        for happening in happened {
            self.diary
                .push(self.took, LogEntry::Reported(happening.kind.clone()));
            if let PhoneEventKind::Finding(problem) = &happening.kind {
                let found = self.found(device, problem, before).await;
                self.work.progress.found(self.number, &found);
                target.get_or_insert(Target::Problem(found.fingerprint));
                finding_record::merge_finding(&mut self.found, found);
            }
        }
        let any = target.is_some();
        if any {
            self.keep_trace(target);
        }
        any
    }

    async fn found(
        &self,
        device: &mut Device,
        problem: &Finding,
        before: Option<&SharedScreen>,
    ) -> FindingRecord {
        let fingerprint = problem.fingerprint();
        let trace = self.trace(Some(Target::Problem(fingerprint)));
        let is_new = self
            .found
            .iter()
            .all(|known| known.fingerprint != fingerprint);
        let is_wanted = is_new
            && self.work.settings.screenshots
            && device.description().capabilities.screenshots;
        let scene = FindingContext {
            screen: before.cloned(),
            screenshot: if is_wanted {
                device.screenshot().await.ok()
            } else {
                None
            },
            log: if is_new {
                self.diary.lines()
            } else {
                Vec::new()
            },
        };
        FindingRecord {
            finding: problem.clone(),
            fingerprint,
            trace,
            occurrences: 1,
            context: scene,
        }
    }

    /// What was done since the last clean start.
    fn trace(&self, target: Option<Target>) -> Trace {
        let header = TraceHeader {
            app: self.work.settings.app.app.clone(),
            start: StartMode::Clean,
            seed: Some(self.seed.0),
            target,
            phone: self.phone.clone(),
        };
        Trace {
            header,
            steps: self.steps.clone(),
        }
    }

    /// A trace ends with the problem that it ran into, or where the next clean start begins.
    fn keep_trace(&mut self, target: Option<Target>) {
        if self.work.settings.keep_traces && !self.steps.is_empty() {
            let trace = self.trace(target);
            self.traces.push(trace);
            self.steps.clear();
        }
    }

    /// Screens and activities of other apps are not this app's coverage.
    fn cover(&mut self, screen: &Screen, happened: &[PhoneEvent], branches: &[u32]) {
        let mut gain = CoverageGain {
            events: self.events,
            took: self.took,
            ..CoverageGain::default()
        };
        let passed = happened
            .iter()
            .filter_map(|happening| match &happening.kind {
                PhoneEventKind::Activity(activity) => Some(activity),
                PhoneEventKind::Finding(_) => None,
            });
        for activity in passed.chain([screen.activity()]) {
            if !activity.is_empty()
                && self.work.settings.is_in_app(activity)
                && self.covered.activity(activity)
            {
                gain.activities.push(activity.clone());
            }
        }
        if self.work.settings.is_in_app(screen.activity()) {
            let state = abstract_screen(screen);
            if self.covered.screen(state) {
                gain.screens.push(state);
            }
        }
        gain.branches.extend(
            branches
                .iter()
                .filter(|branch| self.covered.branch(**branch)),
        );
        if !gain.is_empty() {
            self.work.progress.gain(&gain);
            self.gains.push(gain);
        }
    }
}
