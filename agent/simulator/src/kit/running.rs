//! The inside of a running app: how it is drawn, how messages reach it, and how what it asks for is done.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use retap_shared::Text;
use retap_shared::micros::Micros;
use retap_shared::verdict::Problem;

use super::activity::Activity;
use super::around::Around;
use super::built::Built;
use super::cx::Command;
use super::failure::{Failed, Failure};
use super::late::Late;
use super::process::Process;
use super::ui::{Correction, Frame};
use super::{App, Cx, Elsewhere, Manifest, Recreation, Stall, Ui, World};

/// An app with its state, its back stack, and what it has posted. What is behind an `Arc` is shared with its forks.
#[derive(Clone)]
pub(crate) struct Running<A: App> {
    pub(super) manifest: Arc<Manifest>,
    /// As it was when it was installed.
    pub(super) fresh: Arc<A>,
    pub(super) app: Arc<A>,
    pub(super) stack: Vec<Arc<Activity<A::Page>>>,
    pub(super) due: Vec<Due<A>>,
    pub(super) around: Around,
    pub(super) busy: Option<(Micros, &'static Stall)>,
    pub(super) late: Option<Late>,
    /// Another app is to come to the front.
    pub(super) leaves: Option<Elsewhere>,
    pub(super) problem: Option<Arc<Problem>>,
    pub(super) built: Option<Built<A::Msg>>,
    /// How many nodes were drawn last: room for as many is made at once.
    pub(super) drawn: usize,
    pub(super) next_instance: u32,
    pub(super) next_due: u32,
    pub(super) pid: u32,
}

#[derive(Clone)]
pub(super) struct Due<A: App> {
    pub(super) at: Micros,
    /// What is due at the same time happens in the order in which it was posted.
    pub(super) number: u32,
    pub(super) what: What<A>,
}

#[derive(Clone)]
pub(super) enum What<A: App> {
    Message { instance: u32, msg: A::Msg },
    Start(A::Page),
    Late(Late),
}

impl<A: App> Running<A> {
    pub(crate) fn install(manifest: Manifest, app: A) -> Self {
        let app = Arc::new(app);
        Running {
            manifest: Arc::new(manifest),
            fresh: Arc::clone(&app),
            app,
            stack: Vec::new(),
            due: Vec::new(),
            around: Around::default(),
            busy: None,
            late: None,
            leaves: None,
            problem: None,
            built: None,
            drawn: 48,
            next_instance: 0,
            next_due: 0,
            pid: 4_000,
        }
    }

    /// The front activity, drawn. Kept until something changes.
    pub(super) fn built(&mut self) -> Option<Built<A::Msg>> {
        while self.built.is_none() {
            let front = self.stack.last()?;
            let activity = &self.manifest.activities[self.app.activity(&front.page)];
            let mut ui = Ui::new(Frame {
                rotation: self.around.rotation,
                package: &self.manifest.package,
                activity,
                first: self.stack.len() == 1,
                menu_open: front.menu_open,
                focus: front.focus.as_ref(),
                reveal: front.reveal,
                scrolls: front.scrolls(),
                expected: self.drawn,
            });
            self.app.view(&front.page, &mut ui);
            match ui.finish(self.late) {
                Ok(built) => {
                    if front.reveal {
                        self.front_mut().reveal = false;
                    }
                    self.drawn = built.screen.nodes().len();
                    self.built = Some(built);
                }
                Err(Correction::Unfocus) => self.front_mut().focus = None,
                Err(Correction::Scroll(id, offset)) => self.front_mut().scroll(id, offset),
            }
        }
        self.built.clone()
    }

    /// The front activity, about to be changed. Only called while there is one.
    pub(super) fn front_mut(&mut self) -> &mut Activity<A::Page> {
        self.built = None;
        Arc::make_mut(
            self.stack
                .last_mut()
                .expect("an app without activities gets no input"),
        )
    }

    /// Hands a message to the front activity.
    pub(super) fn send(&mut self, msg: A::Msg, world: &mut World) {
        if let Some(front) = self.stack.len().checked_sub(1) {
            if self.stack[front].menu_open {
                self.front_mut().menu_open = false;
            }
            self.run(front, world, |app, page, cx| app.update(page, msg, cx));
        }
    }

    pub(super) fn go_back(&mut self, world: &mut World) {
        if let Some(front) = self.stack.len().checked_sub(1) {
            self.run(front, world, A::back);
        }
    }

    pub(super) fn dismiss_late(&mut self) {
        self.built = None;
        self.late = None;
    }

    pub(super) fn run(
        &mut self,
        place: usize,
        world: &mut World,
        call: impl FnOnce(&mut A, &mut A::Page, &mut Cx<'_, A>),
    ) {
        let mut commands = Vec::new();
        let before = self
            .built
            .as_ref()
            .and_then(|_| self.app.look(&self.stack[place].page));
        let activity = Arc::make_mut(&mut self.stack[place]);
        let configuration = self.around.configuration();
        let offline = self.around.offline;
        let mut cx = Cx {
            world,
            commands: &mut commands,
            configuration,
            offline,
        };
        call(Arc::make_mut(&mut self.app), &mut activity.page, &mut cx);
        if before.is_none() || before != self.app.look(&activity.page) || !commands.is_empty() {
            self.built = None;
        } else if let Some(built) = &mut self.built {
            built.tick(|tick| self.app.ticked(tick));
        }
        let instance = activity.instance;
        self.obey(commands, instance, world);
    }

    pub(super) fn run_orphan(&mut self, msg: A::Msg, world: &mut World) {
        let mut commands = Vec::new();
        let configuration = self.around.configuration();
        let offline = self.around.offline;
        let mut cx = Cx {
            world,
            commands: &mut commands,
            configuration,
            offline,
        };
        Arc::make_mut(&mut self.app).orphaned(msg, &mut cx);
        self.built = None;
        self.obey(commands, 0, world);
    }

    fn obey(&mut self, commands: Vec<Command<A>>, instance: u32, world: &mut World) {
        for command in commands {
            match command {
                Command::Start(page) => match world.activity_start() {
                    Micros::ZERO => self.open(page, world),
                    later => self.post(world.now + later, What::Start(page)),
                },
                Command::Finish => self.close(|activity| activity.instance == instance, world),
                Command::BackToFirst => {
                    let first = self.stack.first().map(|activity| activity.instance);
                    self.close(|activity| Some(activity.instance) != first, world);
                }
                Command::Post { after, msg } => {
                    // Nothing that is posted runs before what is running has ended.
                    let at = world.now + after.max(Micros::from_millis(1));
                    self.post(at, What::Message { instance, msg });
                }
                Command::Unpost => self.due.retain(
                    |due| !matches!(due.what, What::Message { instance: of, .. } if of == instance),
                ),
                Command::Block { span, at } => self.busy = Some((world.now + span, at)),
                Command::Leave(to) => self.leaves = Some(to),
                Command::Fail(failure) => return self.fail(failure),
            }
            if self.problem.is_some() {
                return;
            }
        }
    }

    pub(super) fn open(&mut self, page: A::Page, world: &mut World) {
        self.next_instance += 1;
        let activity = Activity::new(self.next_instance, page, self.around.configuration());
        self.stack.push(Arc::new(activity));
        self.run(self.stack.len() - 1, world, A::opened);
    }

    fn close(&mut self, which: impl Fn(&Activity<A::Page>) -> bool, world: &mut World) {
        let front = self.stack.last().map(|activity| activity.instance);
        self.stack.retain(|activity| !which(activity));
        self.built = None;
        let Some(now_front) = self.stack.last() else {
            return;
        };
        if Some(now_front.instance) != front {
            self.recreate_if_need_be(world);
            if self.problem.is_none() {
                self.run(self.stack.len() - 1, world, A::resumed);
            }
        }
    }

    /// An activity is created anew when it is in front and its process has ended since it was created, or the phone
    /// is held another way or speaks another language. True if it was.
    pub(super) fn recreate_if_need_be(&mut self, world: &mut World) -> bool {
        let wanted = self.around.configuration();
        let Some(front) = self.stack.last() else {
            return false;
        };
        let by = match (front.lost, front.created_for) {
            (true, _) => Recreation::Restoring,
            (false, had) if had.landscape != wanted.landscape => Recreation::Rotation,
            (false, had) if had.foreign != wanted.foreign => Recreation::Language,
            _ => return false,
        };
        self.front_mut().recreate(wanted);
        self.run(self.stack.len() - 1, world, |app, page, cx| {
            app.recreated(page, by, cx)
        });
        true
    }

    /// Its process ends, its activities stay: they are created anew when they come to the front.
    pub(super) fn lose_process(&mut self) {
        self.due.clear();
        self.end_process();
        for activity in &mut self.stack {
            Arc::make_mut(activity).lost = true;
        }
    }

    pub(super) fn end_process(&mut self) {
        (self.busy, self.built, self.late, self.leaves) = (None, None, None, None);
        Arc::make_mut(&mut self.app).died();
        self.pid += 1;
    }

    pub(super) fn post(&mut self, at: Micros, what: What<A>) {
        self.next_due += 1;
        self.due.push(Due {
            at,
            number: self.next_due,
            what,
        });
    }

    fn fail(&mut self, failure: Failure) {
        let problem = failure.problem(&self.failed());
        self.problem = Some(Arc::new(problem));
    }

    pub(super) fn failed(&self) -> Failed<'_> {
        Failed {
            package: &self.manifest.package,
            activity: self.activity().map_or("", Text::as_str),
            pid: self.pid,
        }
    }

    /// Feeds the whole state, without the clock, to a hasher.
    pub(super) fn feed(&self, now: Micros, hasher: &mut impl Hasher) {
        (&self.app, &self.stack, self.late, &self.around).hash(hasher);
        self.busy
            .map(|(until, _)| until.since(now))
            .filter(|left| *left > Micros::ZERO)
            .hash(hasher);
        for due in &self.due {
            due.at.since(now).hash(hasher);
            match &due.what {
                What::Message { instance, msg } => {
                    let place = self
                        .stack
                        .iter()
                        .position(|activity| activity.instance == *instance);
                    (place, msg).hash(hasher);
                }
                What::Start(page) => page.hash(hasher),
                What::Late(late) => late.hash(hasher),
            }
        }
    }
}
