//! An app as the phone sees it: without its types.

use std::hash::{DefaultHasher, Hasher};
use std::mem;
use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::SystemEvent;
use retap_shared::finding::Finding;
use retap_shared::geometry::Rotation;
use retap_shared::micros::Micros;
use retap_shared::screen::SharedScreen;

use super::activity::ActivityRecord;
use super::environment::PhoneEnvironment;
use super::failure::not_responding;
use super::late_dialog::LateDialog;
use super::running_app::{DueWork, RunningApp};
use super::{AppInput, AppManifest, ExternalScreen, SimulatedApp, Stall, World};

/// An app on a phone, running or not.
pub(crate) trait AppProcess: Send {
    fn manifest(&self) -> &AppManifest;
    /// Copies the app. Cheap: unchanged parts are shared.
    fn fork(&self) -> Box<dyn AppProcess>;
    /// Drops the drawn screen. It can be drawn again.
    fn forget_drawing(&mut self);
    /// Its screen; none if it has no activity.
    fn screen(&mut self) -> Option<SharedScreen>;
    /// The front activity as `package/.Class`; none if it has none.
    fn activity(&self) -> Option<&Text>;
    fn rotation(&self) -> Rotation;
    fn late_dialog_is_up(&self) -> bool;

    /// Brings its task to the front, with the first activity if it has none.
    fn launch(&mut self, world: &mut World);
    fn input(&mut self, input: AppInput<'_>, world: &mut World);
    fn rotate(&mut self, to: Rotation, in_front: bool, world: &mut World);
    /// Performs a system event. The app loses its process if memory is low and it is not in front.
    fn system(&mut self, event: &SystemEvent, in_front: bool, world: &mut World);
    /// Resets network and language to those of a phone that was just switched on.
    fn reset_environment(&mut self);
    /// The external screen that the app has requested.
    fn take_external_screen(&mut self) -> Option<ExternalScreen>;
    /// The node of its screen that never settles, if there is one.
    fn animated_node(&self) -> Option<usize>;
    fn post_late_dialog(&mut self, late: LateDialog, at: Micros);
    /// Time at which the next message is due.
    fn next_due(&self) -> Option<Micros>;
    fn run_due(&mut self, world: &mut World);
    /// Time until which the main thread is busy.
    fn busy_until(&self) -> Micros;
    /// Reports an ANR: input has waited too long.
    fn not_responding(&mut self, waiting: &str) -> Finding;
    /// The failure with which the process has just ended.
    fn take_finding(&mut self) -> Option<Finding>;

    fn kill(&mut self);
    fn clear(&mut self);
    /// Postpones all due messages.
    fn postpone(&mut self, by: Micros);
    /// Identity of its state, without the clock.
    fn state_hash(&self, now: Micros) -> u64;
    /// Estimated size of the state in bytes.
    fn state_size(&self) -> u64;
}

impl<A: SimulatedApp> AppProcess for RunningApp<A> {
    fn manifest(&self) -> &AppManifest {
        &self.manifest
    }

    fn fork(&self) -> Box<dyn AppProcess> {
        Box::new(self.clone())
    }

    fn forget_drawing(&mut self) {
        self.drawn_screen = None;
    }

    fn screen(&mut self) -> Option<SharedScreen> {
        self.drawn_screen().map(|built| built.screen)
    }

    fn activity(&self) -> Option<&Text> {
        let front = self.stack.last()?;
        Some(&self.manifest.activities[self.app.activity_index(&front.page)])
    }

    fn rotation(&self) -> Rotation {
        self.environment.rotation
    }

    fn late_dialog_is_up(&self) -> bool {
        self.late_dialog.is_some()
    }

    fn launch(&mut self, world: &mut World) {
        if self.stack.is_empty() {
            let page = self.app.first_page();
            self.open(page, world);
        } else if !self.recreate_if_needed(world) {
            self.run(self.stack.len() - 1, world, A::returned);
        }
    }

    fn input(&mut self, input: AppInput<'_>, world: &mut World) {
        self.take_input(input, world);
    }

    fn rotate(&mut self, to: Rotation, in_front: bool, world: &mut World) {
        self.environment.rotation = to;
        self.drawn_screen = None;
        if in_front {
            self.recreate_if_needed(world);
        }
    }

    fn system(&mut self, event: &SystemEvent, in_front: bool, world: &mut World) {
        self.drawn_screen = None;
        match event {
            SystemEvent::LowMemory if !in_front => return self.kill_in_background(),
            SystemEvent::Offline => self.environment.offline = true,
            SystemEvent::Online => self.environment.offline = false,
            SystemEvent::Locale(tag) => self.environment.language = tag.clone(),
            SystemEvent::Call | SystemEvent::LowMemory => {}
            // No simulated phone does these.
            SystemEvent::Message
            | SystemEvent::Broadcast(_)
            | SystemEvent::TimeZone(_)
            | SystemEvent::Doze
            | SystemEvent::Wake => {
                return;
            }
        }
        let Some(front) = self.stack.len().checked_sub(1).filter(|_| in_front) else {
            return;
        };
        match event {
            SystemEvent::Locale(_) => {
                self.recreate_if_needed(world);
            }
            _ => self.run(front, world, |app, page, cx| {
                app.system_event(page, event, cx);
            }),
        }
    }

    fn reset_environment(&mut self) {
        self.environment = PhoneEnvironment {
            rotation: self.environment.rotation,
            ..PhoneEnvironment::default()
        };
        self.drawn_screen = None;
    }

    fn take_external_screen(&mut self) -> Option<ExternalScreen> {
        self.external_screen.take()
    }

    fn animated_node(&self) -> Option<usize> {
        self.drawn_screen
            .as_ref()
            .and_then(|built| built.behavior.animated_node)
            .map(|node| node as usize)
    }

    fn post_late_dialog(&mut self, late: LateDialog, at: Micros) {
        self.post(at, DueWork::LateDialog(late));
    }

    fn next_due(&self) -> Option<Micros> {
        self.due
            .iter()
            .map(|due| due.at)
            .min()
            .map(|at| at.max(self.busy_until()))
    }

    fn run_due(&mut self, world: &mut World) {
        let next =
            (0..self.due.len()).min_by_key(|index| (self.due[*index].at, self.due[*index].number));
        let Some(next) = next else { return };
        match self.due.remove(next).what {
            DueWork::Start(page) => self.open(page, world),
            DueWork::LateDialog(late) => {
                self.late_dialog = (!self.stack.is_empty()).then_some(late);
                self.drawn_screen = None;
            }
            DueWork::Message { instance, msg } => {
                match self
                    .stack
                    .iter()
                    .position(|activity| activity.instance == instance)
                {
                    Some(place) => {
                        self.run(place, world, |app, page, cx| app.update(page, msg, cx));
                    }
                    None => self.run_leaked(msg, world),
                }
            }
        }
    }

    fn busy_until(&self) -> Micros {
        self.busy.map_or(Micros::ZERO, |(until, _)| until)
    }

    fn not_responding(&mut self, waiting: &str) -> Finding {
        let stall = self.busy.map_or(&Stall { frames: &[] }, |(_, at)| at);
        not_responding(stall, waiting, &self.failed())
    }

    fn take_finding(&mut self) -> Option<Finding> {
        self.finding.take().map(Arc::unwrap_or_clone)
    }

    fn kill(&mut self) {
        self.stack.clear();
        self.due.clear();
        self.end_process();
        self.finding = None;
    }

    fn clear(&mut self) {
        self.kill();
        let before = std::mem::replace(&mut self.app, Arc::clone(&self.as_installed));
        Arc::make_mut(&mut self.app).data_cleared(&before);
    }

    fn postpone(&mut self, by: Micros) {
        self.due.iter_mut().for_each(|due| due.at += by);
        if let Some((until, _)) = &mut self.busy {
            *until += by;
        }
    }

    fn state_hash(&self, now: Micros) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash_state(now, &mut hasher);
        hasher.finish()
    }

    fn state_size(&self) -> u64 {
        let mut counter = ByteCounter(0);
        self.hash_state(Micros::ZERO, &mut counter);
        (mem::size_of::<Self>() + mem::size_of::<A>()) as u64
            + (self.stack.len() * mem::size_of::<ActivityRecord<A::Page>>()) as u64
            + counter.0
    }
}

/// Counts the bytes that a state feeds to it.
struct ByteCounter(u64);

impl Hasher for ByteCounter {
    fn write(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
