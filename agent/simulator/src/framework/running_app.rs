//! A running app: draws it, delivers messages to it, and does what it requests.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use retap_shared::Text;
use retap_shared::finding::Finding;
use retap_shared::micros::Micros;

use super::activity::ActivityRecord;
use super::app_context::AppEffect;
use super::app_process::AppProcess;
use super::drawn_screen::DrawnScreen;
use super::environment::PhoneEnvironment;
use super::failure::{AppFailure, FailedProcess};
use super::late_dialog::LateDialog;
use super::ui::{DrawContext, LayoutCorrection};
use super::{AppContext, AppManifest, ExternalScreen, Recreation, SimulatedApp, Stall, Ui, World};

/// An app with its state, its back stack, and its posted messages. Parts behind an `Arc` are shared with its forks.
#[derive(Clone)]
pub(crate) struct RunningApp<A: SimulatedApp> {
    pub(super) manifest: Arc<AppManifest>,
    /// The state of a fresh installation.
    pub(super) as_installed: Arc<A>,
    pub(super) app: Arc<A>,
    pub(super) stack: Vec<Arc<ActivityRecord<A::Page>>>,
    pub(super) due: Vec<DueItem<A>>,
    pub(super) environment: PhoneEnvironment,
    pub(super) busy: Option<(Micros, &'static Stall)>,
    pub(super) late_dialog: Option<LateDialog>,
    /// Screen of another app that will come to the front.
    pub(super) external_screen: Option<ExternalScreen>,
    pub(super) finding: Option<Arc<Finding>>,
    pub(super) drawn_screen: Option<DrawnScreen<A::Msg>>,
    /// Number of nodes that were drawn last: the capacity to reserve.
    pub(super) drawn_nodes: usize,
    pub(super) next_instance: u32,
    pub(super) next_due: u32,
    pub(super) pid: u32,
}

#[derive(Clone)]
pub(super) struct DueItem<A: SimulatedApp> {
    pub(super) at: Micros,
    /// Messages that are due at the same time run in the order in which they were posted.
    pub(super) number: u32,
    pub(super) what: DueWork<A>,
}

#[derive(Clone)]
pub(super) enum DueWork<A: SimulatedApp> {
    Message { instance: u32, msg: A::Msg },
    Start(A::Page),
    LateDialog(LateDialog),
}

impl<A: SimulatedApp> RunningApp<A> {
    pub(crate) fn install(manifest: AppManifest, app: A) -> Self {
        let app = Arc::new(app);
        RunningApp {
            manifest: Arc::new(manifest),
            as_installed: Arc::clone(&app),
            app,
            stack: Vec::new(),
            due: Vec::new(),
            environment: PhoneEnvironment::default(),
            busy: None,
            late_dialog: None,
            external_screen: None,
            finding: None,
            drawn_screen: None,
            drawn_nodes: 48,
            next_instance: 0,
            next_due: 0,
            pid: 4_000,
        }
    }

    /// The front activity, drawn. Kept until something changes.
    pub(super) fn drawn_screen(&mut self) -> Option<DrawnScreen<A::Msg>> {
        while self.drawn_screen.is_none() {
            let front = self.stack.last()?;
            let activity = &self.manifest.activities[self.app.activity_index(&front.page)];
            let mut ui = Ui::new(DrawContext {
                rotation: self.environment.rotation,
                package: &self.manifest.package,
                activity,
                first: self.stack.len() == 1,
                menu_open: front.menu_open,
                focus: front.focus.as_ref(),
                reveal: front.reveal,
                scrolls: front.scrolls(),
                expected: self.drawn_nodes,
            });
            self.app.view(&front.page, &mut ui);
            match ui.finish(self.late_dialog) {
                Ok(built) => {
                    if front.reveal {
                        self.front_mut().reveal = false;
                    }
                    self.drawn_nodes = built.screen.nodes().len();
                    self.drawn_screen = Some(built);
                }
                Err(LayoutCorrection::Unfocus) => self.front_mut().focus = None,
                Err(LayoutCorrection::Scroll(id, offset)) => self.front_mut().scroll(id, offset),
            }
        }
        self.drawn_screen.clone()
    }

    /// The front activity, about to be changed. Only called while there is one.
    pub(super) fn front_mut(&mut self) -> &mut ActivityRecord<A::Page> {
        self.drawn_screen = None;
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

    pub(super) fn dismiss_late_dialog(&mut self) {
        self.drawn_screen = None;
        self.late_dialog = None;
    }

    pub(super) fn run(
        &mut self,
        place: usize,
        world: &mut World,
        call: impl FnOnce(&mut A, &mut A::Page, &mut AppContext<'_, A>),
    ) {
        let mut commands = Vec::new();
        let before = self
            .drawn_screen
            .as_ref()
            .and_then(|_| self.app.view_hash(&self.stack[place].page));
        let activity = Arc::make_mut(&mut self.stack[place]);
        let configuration = self.environment.configuration();
        let offline = self.environment.offline;
        let mut cx = AppContext {
            world,
            commands: &mut commands,
            configuration,
            offline,
        };
        call(Arc::make_mut(&mut self.app), &mut activity.page, &mut cx);
        if before.is_none() || before != self.app.view_hash(&activity.page) || !commands.is_empty()
        {
            self.drawn_screen = None;
        } else if let Some(built) = &mut self.drawn_screen {
            built.update_checked(|tick| self.app.is_checked(tick));
        }
        let instance = activity.instance;
        self.execute(commands, instance, world);
    }

    pub(super) fn run_leaked(&mut self, msg: A::Msg, world: &mut World) {
        let mut commands = Vec::new();
        let configuration = self.environment.configuration();
        let offline = self.environment.offline;
        let mut cx = AppContext {
            world,
            commands: &mut commands,
            configuration,
            offline,
        };
        Arc::make_mut(&mut self.app).leaked_message(msg, &mut cx);
        self.drawn_screen = None;
        self.execute(commands, 0, world);
    }

    fn execute(&mut self, commands: Vec<AppEffect<A>>, instance: u32, world: &mut World) {
        for command in commands {
            match command {
                AppEffect::Start(page) => match world.activity_start() {
                    Micros::ZERO => self.open(page, world),
                    later => self.post(world.now + later, DueWork::Start(page)),
                },
                AppEffect::Finish => self.close(|activity| activity.instance == instance, world),
                AppEffect::BackToFirst => {
                    let first = self.stack.first().map(|activity| activity.instance);
                    self.close(|activity| Some(activity.instance) != first, world);
                }
                AppEffect::Post { after, msg } => {
                    // A posted message waits until the running one has ended.
                    let at = world.now + after.max(Micros::from_millis(1));
                    self.post(at, DueWork::Message { instance, msg });
                }
                AppEffect::CancelPosted => self.due.retain(
                    |due| !matches!(due.what, DueWork::Message { instance: of, .. } if of == instance),
                ),
                AppEffect::Block { span, at } => self.busy = Some((world.now + span, at)),
                AppEffect::OpenExternal(to) => self.external_screen = Some(to),
                AppEffect::Fail(failure) => return self.fail(failure),
            }
            if self.finding.is_some() {
                return;
            }
        }
    }

    pub(super) fn open(&mut self, page: A::Page, world: &mut World) {
        self.next_instance += 1;
        let activity =
            ActivityRecord::new(self.next_instance, page, self.environment.configuration());
        self.stack.push(Arc::new(activity));
        self.run(self.stack.len() - 1, world, A::opened);
    }

    fn close(&mut self, which: impl Fn(&ActivityRecord<A::Page>) -> bool, world: &mut World) {
        let front = self.stack.last().map(|activity| activity.instance);
        self.stack.retain(|activity| !which(activity));
        self.drawn_screen = None;
        let Some(now_front) = self.stack.last() else {
            return;
        };
        if Some(now_front.instance) != front {
            self.recreate_if_needed(world);
            if self.finding.is_none() {
                self.run(self.stack.len() - 1, world, A::resumed);
            }
        }
    }

    /// Creates the front activity again if its process has ended since it was created, or if the phone
    /// was rotated or has another language. Returns true if it was created again.
    pub(super) fn recreate_if_needed(&mut self, world: &mut World) -> bool {
        let wanted = self.environment.configuration();
        let Some(front) = self.stack.last() else {
            return false;
        };
        let by = match (front.process_lost, front.created_for) {
            (true, _) => Recreation::Restoring,
            (false, had) if had.landscape != wanted.landscape => Recreation::Rotation,
            (false, had) if had.foreign != wanted.foreign => Recreation::Language,
            _ => return false,
        };
        self.front_mut().recreate(wanted);
        self.run(self.stack.len() - 1, world, |app, page, cx| {
            app.recreated(page, by, cx);
        });
        true
    }

    /// Ends the process. Its activities stay and are created again when they come to the front.
    pub(super) fn kill_in_background(&mut self) {
        self.due.clear();
        self.end_process();
        for activity in &mut self.stack {
            Arc::make_mut(activity).process_lost = true;
        }
    }

    pub(super) fn end_process(&mut self) {
        (
            self.busy,
            self.drawn_screen,
            self.late_dialog,
            self.external_screen,
        ) = (None, None, None, None);
        Arc::make_mut(&mut self.app).process_died();
        self.pid += 1;
    }

    pub(super) fn post(&mut self, at: Micros, what: DueWork<A>) {
        self.next_due += 1;
        self.due.push(DueItem {
            at,
            number: self.next_due,
            what,
        });
    }

    fn fail(&mut self, failure: AppFailure) {
        let finding = failure.finding(&self.failed());
        self.finding = Some(Arc::new(finding));
    }

    pub(super) fn failed(&self) -> FailedProcess<'_> {
        FailedProcess {
            package: &self.manifest.package,
            activity: self.activity().map_or("", Text::as_str),
            pid: self.pid,
        }
    }

    /// Feeds the whole state, without the clock, to a hasher.
    pub(super) fn hash_state(&self, now: Micros, hasher: &mut impl Hasher) {
        (&self.app, &self.stack, self.late_dialog, &self.environment).hash(hasher);
        self.busy
            .map(|(until, _)| until.since(now))
            .filter(|left| *left > Micros::ZERO)
            .hash(hasher);
        for due in &self.due {
            due.at.since(now).hash(hasher);
            match &due.what {
                DueWork::Message { instance, msg } => {
                    let place = self
                        .stack
                        .iter()
                        .position(|activity| activity.instance == *instance);
                    (place, msg).hash(hasher);
                }
                DueWork::Start(page) => page.hash(hasher),
                DueWork::LateDialog(late) => late.hash(hasher),
            }
        }
    }
}
