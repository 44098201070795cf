//! One phone of a whole exploration: does what the explorer chooses, brings the app back when it was left, starts clean
//! after every problem, and has everything noted before it goes on.

use retap_device::event::RunEvent;
use retap_device::seed::Rng;
use retap_device::{Device, DeviceError, Stepped};
use retap_shared::action::{Action, Key, System};
use retap_shared::micros::Micros;
use retap_shared::protocol::{Happening, What};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::Step;
use retap_shared::verdict::Problem;

use super::canvas::{Canvas, by_place};
use super::guard::presses_system;
use super::system::{allows, is_alike};
use super::whole::Whole;
use super::{At, Choice, ExploreError, Move, step_of};
use crate::journal::{WalkRecord, Walked};

/// So many events after an agent has died, its death is forgotten.
const PROGRESS: u32 = 100;

/// How often an explorer is asked for something else than what the phone cannot do.
const OTHERS: u32 = 20;

/// After so many events in a row that were refused a walker starts clean.
const REFUSALS: u32 = 50;

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
    pub(super) whole: &'a Whole<'a>,
    pub(super) walker: usize,
    rng: Rng,
    /// What has been tried to get back since the app was left.
    pub(super) outside: u32,
    canvas: Canvas,
    /// What the phone shows, whatever explorers see of it.
    shown: Option<SharedScreen>,
    /// How many events in a row were refused.
    pub(super) refusals: u32,
    /// What the system does and this phone cannot: it is not asked for again.
    refused: Vec<System>,
    pub(super) is_told_of_forbidden: bool,
}

impl Whole<'_> {
    /// True if it was stopped before its end.
    pub(super) async fn walk(&self, walker: usize) -> Result<bool, ExploreError> {
        // What was done before an interruption is not done again: chance goes on from another place.
        let before = self.shared().walkers[walker].events;
        let seed = self
            .seed
            .derive(&format!("walker {walker}"), u64::from(before));
        let session = u32::try_from(walker).unwrap_or(u32::MAX);
        let mut walk = Walk {
            whole: self,
            walker,
            rng: seed.rng(),
            outside: 0,
            canvas: Canvas::default(),
            shown: None,
            refusals: 0,
            refused: Vec::new(),
            is_told_of_forbidden: false,
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
                .shared()
                .explorer
                .settle()
                .unwrap_or(self.settings.settle);
            lease.set_settle(settle);
            self.shared().walkers[walker].phone = lease.described().phone.clone();
            self.meet(walker, &lease);
            match Box::pin(walk.go(&mut lease)).await {
                Ok(stopped) => {
                    let (events, took) = {
                        let shared = self.shared();
                        (shared.walkers[walker].events, shared.walkers[walker].took)
                    };
                    (self.sink)(RunEvent::SessionEnded {
                        session,
                        events,
                        took,
                        recalled: false,
                    });
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
    async fn next(
        &mut self,
        device: &mut Device,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, Halt> {
        if !self.whole.settings.is_inside(now.activity()) {
            self.outside += 1;
            let action = match self.outside {
                1 => allows(&now).map_or(Action::Key(Key::Back), Action::Tap),
                2 => Action::Launch,
                _ => return Ok(None),
            };
            return self
                .step(
                    device,
                    step_of(Choice { action, node: None }, &now),
                    None,
                    Kind::Back,
                    now,
                )
                .await;
        }
        self.outside = 0;
        let can = device.described().can;
        let at = At {
            walker: self.walker,
            screen: &now,
            can,
        };
        match self.choose(&at) {
            Move::Act(choice) => {
                let node = choice.node;
                self.step(device, step_of(choice, &now), node, Kind::Chosen, now)
                    .await
            }
            Move::Again(step) => self.repeat(device, step, Kind::Again, now).await,
            Move::Recorded(step) => self.repeat(device, step, Kind::Chosen, now).await,
            Move::Restart { clear } => self.start(device, clear).await,
            Move::Save => self.save(device, now).await,
            Move::Restore(id) => self.restore(device, id, now).await,
            Move::Drop(id) => self.give_up(device, id, now).await,
        }
    }

    /// A step of an earlier time, found by its widget.
    async fn repeat(
        &mut self,
        device: &mut Device,
        step: Step,
        kind: Kind,
        now: SharedScreen,
    ) -> Result<Option<SharedScreen>, Halt> {
        let node = step
            .widget
            .as_ref()
            .and_then(|widget| now.find(widget, step.action.place()));
        let step = Step {
            activity: now.activity().clone(),
            screen: Some(now.hash()),
            ..step
        };
        self.step(device, step, node, kind, now).await
    }

    /// What the explorer wants; something else where that is known to be refused.
    fn choose(&mut self, at: &At<'_>) -> Move {
        let mut chosen = self.whole.shared().explorer.choose(at, &mut self.rng);
        for _ in 0..OTHERS {
            let Move::Act(Choice {
                action: Action::System(system),
                ..
            }) = &chosen
            else {
                break;
            };
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
        let text =
            format!("`{device}` cannot do this: {system} ({error}); it is left out from now on");
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
        self.leave_be(now)
    }

    /// Nothing was done. Where nothing else comes for long, only another start leads on, and takes time: a run that is measured by
    /// time would not end.
    fn leave_be(&mut self, now: SharedScreen) -> Result<Option<SharedScreen>, Halt> {
        self.note(&self.record(Walked::Refused, Some(now.clone()), Micros::ZERO))?;
        self.refusals += 1;
        Ok((self.refusals < REFUSALS).then_some(now))
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
        let package = &self.whole.settings.app.app.package;
        let shown = self.shown.as_deref().unwrap_or(&before);
        let presses_system = || kind != Kind::Back && presses_system(&step, shown, package);
        if guard.forbids(&step, shown) || presses_system() {
            return self.leave_be(before);
        }
        let step = by_place(guard.told(step, node.map(|node| &before.nodes()[node])));
        let stepped = device.step(step.clone()).await;
        self.tell(device.name(), &step);
        let Stepped {
            screen,
            happened,
            branches,
            quiet,
            took,
            ..
        } = match stepped {
            // Nothing has happened, and a trace without it is the same trace.
            Err(error @ DeviceError::Refused(_)) if !error.is_loss() => {
                if let Action::System(system) = &step.action {
                    self.leave_out(device.name(), system, &error);
                }
                return self.leave_be(before);
            }
            stepped => stepped?,
        };
        self.refusals = 0;
        let shown = screen.clone();
        let screen = self.seen(device, screen).await?;
        let chosen = kind != Kind::Back;
        let again = kind == Kind::Again;
        let did = Walked::Stepped {
            step,
            node,
            chosen,
            again,
            quiet,
        };
        let mut record = self.record(did, Some(screen), took);
        record.branches = branches;
        sort(happened, &mut record);
        record
            .problems
            .extend(guard.logged(&record.passed, &record.problems, package));
        record
            .problems
            .extend(guard.appeared(&shown, quiet, package));
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
        let masked = settings.guard.masked(screen.clone());
        let seen = self.canvas.seen(device, &screen, masked, inside).await?;
        self.shown = Some(screen);
        Ok(seen)
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

    pub(super) fn record(
        &self,
        did: Walked,
        screen: Option<SharedScreen>,
        took: Micros,
    ) -> WalkRecord {
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
