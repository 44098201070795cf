//! One phone of a whole exploration: does what the explorer chooses, brings the app back when it was left, starts clean
//! after every problem, and has everything noted before it goes on.

use retap_shared::action::{Action, Key, System};
use retap_shared::micros::Micros;
use retap_shared::protocol::{Command, Happening, Hit, What};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{Start, Step};
use retap_shared::verdict::Problem;

use super::canvas::{Canvas, by_place};
use super::system::{allows, is_alike};
use super::whole::Whole;
use super::{At, Choice, ExploreError, Move, step_of};
use crate::device::{Device, DeviceError, Stepped};
use crate::event::RunEvent;
use crate::journal::{WalkRecord, Walked};
use crate::seed::Rng;

/// An app that fails so often in a row as it starts is not worth more time.
const FAILED_STARTS: u32 = 3;

/// So many events after an agent has died, its death is forgotten.
const PROGRESS: u32 = 100;

/// How often an explorer is asked for something else than what the phone cannot do.
const OTHERS: u32 = 20;

/// Why a walker does not go on.
pub(super) enum Halt {
    Device(DeviceError),
    Whole(ExploreError),
}

impl From<DeviceError> for Halt {
    fn from(error: DeviceError) -> Halt {
        Halt::Device(error)
    }
}

impl From<ExploreError> for Halt {
    fn from(error: ExploreError) -> Halt {
        Halt::Whole(error)
    }
}

/// What is only of this moment.
pub(super) struct Walk<'a> {
    whole: &'a Whole<'a>,
    walker: usize,
    rng: Rng,
    /// What has been tried to get back since the app was left.
    outside: u32,
    canvas: Canvas,
    /// What the system does and this phone cannot: it is not asked for again.
    refused: Vec<System>,
}

impl Whole<'_> {
    /// True if it was stopped before its end.
    pub(super) async fn walk(&self, walker: usize) -> Result<bool, ExploreError> {
        // What was done before an interruption is not done again: chance goes on from another place.
        let before = self.shared().walkers[walker].events;
        let seed = self.seed.derive(&format!("walker {walker}"), u64::from(before));
        let session = u32::try_from(walker).unwrap_or(u32::MAX);
        let mut walk = Walk {
            whole: self,
            walker,
            rng: seed.rng(),
            outside: 0,
            canvas: Canvas::default(),
            refused: Vec::new(),
        };
        let (mut deaths, mut last_death) = (0, before);
        loop {
            let mut lease = self.pool.lease().await?;
            let device = lease.name().to_owned();
            (self.sink)(RunEvent::SessionStarted { session, device: device.clone(), seed: seed.0 });
            let settle = self.shared().explorer.settle().unwrap_or(self.settings.settle);
            lease.set_settle(settle);
            self.shared().walkers[walker].phone = lease.described().phone.clone();
            self.meet(walker, &lease);
            match Box::pin(walk.go(&mut lease)).await {
                Ok(stopped) => {
                    let (events, took) = {
                        let shared = self.shared();
                        (shared.walkers[walker].events, shared.walkers[walker].took)
                    };
                    (self.sink)(RunEvent::SessionEnded { session, events, took, recalled: false });
                    return Ok(stopped);
                }
                Err(Halt::Whole(error)) => return Err(error),
                Err(Halt::Device(error)) => {
                    walk.note(&walk.record(Walked::Forgotten, None, Micros::ZERO))?;
                    // A phone that restarts every night is not one that cannot do this.
                    let events = self.shared().walkers[walker].events;
                    if events.saturating_sub(last_death) > PROGRESS {
                        deaths = 0;
                    }
                    last_death = events;
                    let app = self.settings.app.app.package.to_string();
                    let refused = |fault| ExploreError::Refused { device, app, fault };
                    lease.fail(error, &mut deaths, self.sink).map_err(refused)?;
                }
            }
        }
    }
}

impl Walk<'_> {
    async fn go(&mut self, device: &mut Device) -> Result<bool, Halt> {
        let mut screen = None;
        while self.whole.may_go_on(self.walker) {
            if self.whole.stop.asked() {
                return Ok(true);
            }
            let now = match screen.take() {
                Some(screen) => screen,
                None => match self.start(device, true).await? {
                    Some(screen) => screen,
                    None => return Ok(false),
                },
            };
            screen = self.next(device, now).await?;
        }
        Ok(false)
    }

    /// The screen that the next move leads to; `None` if only a clean start helps.
    async fn next(&mut self, device: &mut Device, now: SharedScreen) -> Result<Option<SharedScreen>, Halt> {
        if !self.whole.settings.is_inside(now.activity()) {
            self.outside += 1;
            let action = match self.outside {
                1 if allows(&now).is_some() => Action::Tap(allows(&now).unwrap_or_default()),
                1 => Action::Key(Key::Back),
                2 => Action::Launch,
                _ => return Ok(None),
            };
            return self
                .step(device, step_of(Choice { action, node: None }, &now), None, Kind::Back, now)
                .await;
        }
        self.outside = 0;
        let can = device.described().can;
        let at = At { walker: self.walker, screen: &now, can };
        match self.choose(&at) {
            Move::Act(choice) => {
                let node = choice.node;
                self.step(device, step_of(choice, &now), node, Kind::Chosen, now).await
            }
            Move::Again(step) => {
                let node = step.widget.as_ref().and_then(|widget| now.find(widget, step.action.place()));
                let step = Step { activity: now.activity().clone(), screen: Some(now.hash()), ..step };
                self.step(device, step, node, Kind::Again, now).await
            }
            Move::Restart { clear } => self.start(device, clear).await,
            Move::Save => self.save(device, now).await,
            Move::Restore(id) => self.restore(device, id, now).await,
            Move::Drop(id) => self.give_up(device, id, now).await,
        }
    }

    /// What the explorer wants; something else where that is known to be refused.
    fn choose(&mut self, at: &At<'_>) -> Move {
        let mut chosen = self.whole.shared().explorer.choose(at, &mut self.rng);
        for _ in 0..OTHERS {
            let Move::Act(Choice { action: Action::System(system), .. }) = &chosen else { break };
            if !self.refused.iter().any(|known| is_alike(known, system)) {
                break;
            }
            chosen = self.whole.shared().explorer.choose(at, &mut self.rng);
        }
        chosen
    }

    /// Once for each kind.
    fn leave_out(&mut self, device: &str, system: &System, error: &DeviceError) {
        if self.refused.iter().any(|known| is_alike(known, system)) {
            return;
        }
        self.refused.push(system.clone());
        let text = format!("`{device}` cannot do this: {system} ({error}); it is left out from now on");
        (self.whole.sink)(RunEvent::Warning { text });
    }

    /// This phone cannot do that: nothing has happened.
    pub(super) fn refused(
        &mut self,
        error: DeviceError,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, Halt> {
        if error.is_loss() {
            return Err(error.into());
        }
        self.whole.begin_event();
        self.note(&self.record(Walked::Refused, Some(now.clone()), Micros::ZERO))?;
        Ok(Some(now))
    }

    /// The first screen after a start; `None` if the app does not come up.
    async fn start(&mut self, device: &mut Device, clean: bool) -> Result<Option<SharedScreen>, Halt> {
        let app = &self.whole.settings.app.app;
        let mut clean = clean;
        let mut before = None;
        for _ in 0..FAILED_STARTS {
            self.outside = 0;
            // What is still under way from before belongs to no trace of this start.
            device.watch(&app.package).await?;
            let start = if clean { Start::Clean } else { Start::Restart };
            let controlled = device.control(app, Command::Start(start)).await?;
            let mut screen = device.capture().await?;
            let mut record = self.record(Walked::Started { clean }, None, controlled.took);
            sort(controlled.happened, &mut record);
            if clean && record.problems.is_empty() && !self.whole.settings.guard.before.is_empty() {
                match self.before(device, &mut record).await? {
                    Ok(after) => screen = after,
                    Err(why) => {
                        self.tell_failed(device.name(), &why);
                        before = Some(why);
                        continue;
                    }
                }
            }
            let screen = self.seen(device, screen).await?;
            record.screen = Some(screen);
            if let Some(screen) = self.conclude(device, record).await? {
                return Ok(Some(screen));
            }
            // What keeps it from starting may be in its data.
            clean = true;
        }
        if let Some(why) = before {
            let (device, app) = (device.name().to_owned(), app.package.to_string());
            return Err(ExploreError::Before { device, app, why }.into());
        }
        let text = format!("`{}` fails as it starts; walker {} ends early", app.package, self.walker);
        (self.whole.sink)(RunEvent::Warning { text });
        Ok(None)
    }

    /// What must come first, such as signing in: the screen that it leads to, or why it does not.
    async fn before(
        &self,
        device: &mut Device,
        record: &mut WalkRecord,
    ) -> Result<Result<SharedScreen, String>, Halt> {
        let steps = &self.whole.settings.guard.before;
        let mut last = None;
        for (number, step) in (1..).zip(steps) {
            let stepped = device.step(step.clone()).await?;
            record.took += stepped.took;
            record.branches.extend(stepped.branches);
            sort(stepped.happened, record);
            if !record.problems.is_empty() {
                return Ok(Err(format!("the app fails at step {number} of {}", steps.len())));
            }
            if let (Some(widget), Hit::Place) = (&step.widget, stepped.hit) {
                return Ok(Err(format!("step {number} of {} does not find {widget}", steps.len())));
            }
            last = Some(stepped.screen);
        }
        record.branches.sort_unstable();
        record.branches.dedup();
        match last.filter(|screen| self.whole.settings.is_inside(screen.activity())) {
            Some(screen) => Ok(Ok(screen)),
            None => Ok(Err("it does not end in the app".to_owned())),
        }
    }

    fn tell_failed(&self, device: &str, why: &str) {
        let text =
            format!("what must come before the exploration fails on `{device}`: {why}; it is tried again");
        (self.whole.sink)(RunEvent::Warning { text });
    }

    /// The screen that the step led to; `None` if it led to a problem.
    async fn step(
        &mut self,
        device: &mut Device,
        step: Step,
        node: Option<usize>,
        kind: Kind,
        before: SharedScreen,
    ) -> Result<Option<SharedScreen>, Halt> {
        self.whole.begin_event();
        let guard = &self.whole.settings.guard;
        if guard.forbids(&step, &before) {
            self.note(&self.record(Walked::Refused, Some(before.clone()), Micros::ZERO))?;
            return Ok(Some(before));
        }
        let step = by_place(guard.told(step, node.map(|node| &before.nodes()[node])));
        let stepped = device.step(step.clone()).await;
        self.tell(device.name(), &step);
        let Stepped { screen, happened, branches, quiet, took, .. } = match stepped {
            // Nothing has happened, and a trace without it is the same trace.
            Err(error @ DeviceError::Refused(_)) if !error.is_loss() => {
                if let Action::System(system) = &step.action {
                    self.leave_out(device.name(), system, &error);
                }
                self.note(&self.record(Walked::Refused, Some(before.clone()), Micros::ZERO))?;
                return Ok(Some(before));
            }
            stepped => stepped?,
        };
        let shown = screen.clone();
        let screen = self.seen(device, screen).await?;
        let (chosen, again) = (kind != Kind::Back, kind == Kind::Again);
        let did = Walked::Stepped { step, node, chosen, again, quiet };
        let mut record = self.record(did, Some(screen), took);
        record.branches = branches;
        sort(happened, &mut record);
        let package = &self.whole.settings.app.app.package;
        record.problems.extend(guard.logged(&record.passed, &record.problems, package));
        record.problems.extend(guard.appeared(&shown, quiet, package));
        self.conclude(device, record).await
    }

    /// Has it noted; `None` if it led to a problem.
    pub(super) async fn conclude(
        &self,
        device: &mut Device,
        mut record: WalkRecord,
    ) -> Result<Option<SharedScreen>, Halt> {
        self.photograph(device, &mut record).await;
        self.note(&record)?;
        Ok(record.screen.filter(|_| record.problems.is_empty()))
    }

    /// A screen as explorers are to see it.
    pub(super) async fn seen(
        &mut self,
        device: &mut Device,
        screen: SharedScreen,
    ) -> Result<SharedScreen, Halt> {
        let settings = self.whole.settings;
        let inside = settings.is_inside(screen.activity());
        Ok(self.canvas.seen(device, settings.guard.masked(screen), inside).await?)
    }

    /// A problem that is new, as long as something of it may be on the display. Without the pixels it is a problem too.
    async fn photograph(&self, device: &mut Device, record: &mut WalkRecord) {
        let is_wanted = self.whole.settings.pictures && device.described().can.screenshots;
        if is_wanted && self.whole.is_new(&record.problems) {
            record.picture = device.screenshot().await.ok();
        }
    }

    fn tell(&self, device: &str, step: &Step) {
        (self.whole.sink)(RunEvent::Stepped {
            session: u32::try_from(self.walker).unwrap_or(u32::MAX),
            device: device.to_owned(),
            step: self.whole.shared().walkers[self.walker].events + 1,
            action: step.action.to_string(),
            widget: step.widget.as_ref().map(ToString::to_string),
            activity: step.activity.clone(),
        });
    }

    pub(super) fn record(&self, did: Walked, screen: Option<SharedScreen>, took: Micros) -> WalkRecord {
        self.whole.shared().record(self.walker, did, screen, took)
    }

    pub(super) fn note(&self, record: &WalkRecord) -> Result<(), ExploreError> {
        self.whole.note(record)
    }
}

/// Who wanted a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Chosen,
    Again,
    /// To bring the app back.
    Back,
}

pub(super) fn sort(happened: Vec<Happening>, into: &mut WalkRecord) {
    for happening in happened {
        match happening.what {
            What::Problem(problem) => push_once(&mut into.problems, problem),
            What::Activity(activity) => into.passed.push(activity),
        }
    }
}

fn push_once(problems: &mut Vec<Problem>, problem: Problem) {
    if !problems.contains(&problem) {
        problems.push(problem);
    }
}
