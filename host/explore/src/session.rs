//! One session: starts clean, goes on until its events are used, and starts clean again after every problem.
//! The trace since the last clean start is the way to whatever comes next.

use retap_device::event::RunEvent;
use retap_device::seed::{Rng, Seed};
use retap_device::{Device, DeviceError, Stepped};
use retap_model::{Coverage, Gain, abstract_screen};
use retap_shared::action::{Action, Key};
use retap_shared::micros::Micros;
use retap_shared::protocol::{Capabilities, Command, Happening, PhoneInfo, Target, What};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::{Start, Step, Trace, TraceHeader};
use retap_shared::verdict::Problem;

use super::canvas::{Canvas, by_place};
use super::diary::{Diary, Entry};
use super::found::{self, Found, Scene};
use super::system::allows;
use super::work::Work;
use super::{At, Choice, Explorer, Move, step_of};
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
    diary: Diary,
    /// What has been tried to get back since the app was left.
    outside: u32,
    canvas: Canvas,
    covered: Coverage,
    gains: Vec<Gain>,
    found: Vec<Found>,
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
            diary: Diary::default(),
            outside: 0,
            canvas: Canvas::default(),
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
            if self.work.stop.asked() {
                return Ok(true);
            }
            let now = match screen.take() {
                Some(screen) => screen,
                None => match self.start(device).await? {
                    Some(screen) => screen,
                    None => break,
                },
            };
            let can = device.described().can;
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
            self.diary.note(self.took, Entry::Started { clean: true });
            let controlled = device.control(app, Command::Start(Start::Clean)).await?;
            self.took += controlled.took;
            self.starting += controlled.took;
            self.starts += 1;
            if !self.note_problems(device, &controlled.happened, None).await {
                let screen = device.capture().await?;
                let screen = self.seen(device, screen).await?;
                self.cover(&screen, &controlled.happened, &[]);
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
        let choice = if self.work.settings.is_inside(screen.activity()) {
            self.outside = 0;
            match self.explorer.choose(
                &At {
                    walker: 0,
                    screen,
                    can,
                },
                &mut self.rng,
            ) {
                Move::Act(choice) => choice,
                Move::Again(step) | Move::Recorded(step) => return Some(step),
                _ => return None,
            }
        } else {
            self.outside += 1;
            match self.outside {
                1 => Choice {
                    action: allows(screen).map_or(Action::Key(Key::Back), Action::Tap),
                    node: None,
                },
                2 => Choice {
                    action: Action::Launch,
                    node: None,
                },
                _ => return None,
            }
        };
        Some(by_place(step_of(choice, screen)))
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
        let Stepped {
            screen,
            happened,
            branches,
            took,
            ..
        } = match stepped {
            // This phone cannot do that: nothing has happened, and a trace without it is the same trace.
            Err(error @ DeviceError::Refused(_)) if !error.is_loss() => return Ok(Some(before)),
            stepped => stepped?,
        };
        self.diary.note(self.took, Entry::Did(step.clone()));
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
        let inside = self.work.settings.is_inside(screen.activity());
        self.canvas
            .seen(device, &screen.clone(), screen, inside)
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
        happened: &[Happening],
        before: Option<&SharedScreen>,
    ) -> bool {
        let mut target = None;
        for happening in happened {
            self.diary
                .note(self.took, Entry::Told(happening.what.clone()));
            if let What::Problem(problem) = &happening.what {
                let found = self.found(device, problem, before).await;
                self.work.progress.found(self.number, &found);
                target.get_or_insert(Target::Problem(found.fingerprint));
                found::add(&mut self.found, found);
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
        problem: &Problem,
        before: Option<&SharedScreen>,
    ) -> Found {
        let fingerprint = problem.fingerprint();
        let trace = self.trace(Some(Target::Problem(fingerprint)));
        let is_new = self
            .found
            .iter()
            .all(|known| known.fingerprint != fingerprint);
        let is_wanted = is_new && self.work.settings.pictures && device.described().can.screenshots;
        let scene = Scene {
            screen: before.cloned(),
            picture: if is_wanted {
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
        Found {
            problem: problem.clone(),
            fingerprint,
            trace,
            times: 1,
            scene,
        }
    }

    /// What was done since the last clean start.
    fn trace(&self, target: Option<Target>) -> Trace {
        let header = TraceHeader {
            app: self.work.settings.app.app.clone(),
            start: Start::Clean,
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
    fn cover(&mut self, screen: &Screen, happened: &[Happening], branches: &[u32]) {
        let mut gain = Gain {
            events: self.events,
            took: self.took,
            ..Gain::default()
        };
        let passed = happened
            .iter()
            .filter_map(|happening| match &happening.what {
                What::Activity(activity) => Some(activity),
                What::Problem(_) => None,
            });
        for activity in passed.chain([screen.activity()]) {
            if !activity.is_empty()
                && self.work.settings.is_inside(activity)
                && self.covered.activity(activity)
            {
                gain.activities.push(activity.clone());
            }
        }
        if self.work.settings.is_inside(screen.activity()) {
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
