//! An app as the phone sees it: without its types.

use std::hash::{DefaultHasher, Hasher};
use std::mem;
use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::System;
use retap_shared::micros::Micros;
use retap_shared::screen::{Rotation, SharedScreen};
use retap_shared::verdict::Problem;

use super::activity::Activity;
use super::around::Around;
use super::failure::not_responding;
use super::late::Late;
use super::running::{Running, What};
use super::{App, Elsewhere, Input, Manifest, Stall, World};

/// An app on a phone, running or not.
pub(crate) trait Process: Send {
    fn manifest(&self) -> &Manifest;
    /// Cheap: what has not changed since is shared.
    fn fork(&self) -> Box<dyn Process>;
    /// Drops what can be drawn again.
    fn forget_drawing(&mut self);
    /// Its screen; none if it has no activity.
    fn screen(&mut self) -> Option<SharedScreen>;
    /// The front activity as `package/.Class`; none if it has none.
    fn activity(&self) -> Option<&Text>;
    fn rotation(&self) -> Rotation;
    fn late_dialog_is_up(&self) -> bool;

    /// Brings its task to the front, with the first activity if it has none.
    fn launch(&mut self, world: &mut World);
    fn input(&mut self, input: Input<'_>, world: &mut World);
    fn rotate(&mut self, to: Rotation, in_front: bool, world: &mut World);
    /// The system does something to it. It loses its process if memory is short and it is not in front.
    fn system(&mut self, event: &System, in_front: bool, world: &mut World);
    /// Network and language are as they were when the phone was switched on.
    fn put_surroundings_back(&mut self);
    /// What it has asked to be put in front of it.
    fn take_leaving(&mut self) -> Option<Elsewhere>;
    /// The node of its screen that never rests, if there is one.
    fn restless(&self) -> Option<usize>;
    fn post_late(&mut self, late: Late, at: Micros);
    /// When its next message is due, if it has one.
    fn next_due(&self) -> Option<Micros>;
    fn run_due(&mut self, world: &mut World);
    /// Until when its main thread is busy.
    fn busy_until(&self) -> Micros;
    /// Input has waited too long for it.
    fn not_responding(&mut self, waiting: &str) -> Problem;
    /// Why it has just ended, if it has.
    fn take_problem(&mut self) -> Option<Problem>;

    fn kill(&mut self);
    fn clear(&mut self);
    /// Everything that was due is due that much later.
    fn postpone(&mut self, by: Micros);
    /// Identity of its state, without the clock.
    fn identity(&self, now: Micros) -> u64;
    /// An estimate of what its state holds.
    fn bytes(&self) -> u64;
}

impl<A: App> Process for Running<A> {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn fork(&self) -> Box<dyn Process> {
        Box::new(self.clone())
    }

    fn forget_drawing(&mut self) {
        self.built = None;
    }

    fn screen(&mut self) -> Option<SharedScreen> {
        self.built().map(|built| built.screen)
    }

    fn activity(&self) -> Option<&Text> {
        let front = self.stack.last()?;
        Some(&self.manifest.activities[self.app.activity(&front.page)])
    }

    fn rotation(&self) -> Rotation {
        self.around.rotation
    }

    fn late_dialog_is_up(&self) -> bool {
        self.late.is_some()
    }

    fn launch(&mut self, world: &mut World) {
        if self.stack.is_empty() {
            let page = self.app.first_page();
            self.open(page, world);
        } else if !self.recreate_if_need_be(world) {
            self.run(self.stack.len() - 1, world, A::returned);
        }
    }

    fn input(&mut self, input: Input<'_>, world: &mut World) {
        self.take_input(input, world);
    }

    fn rotate(&mut self, to: Rotation, in_front: bool, world: &mut World) {
        self.around.rotation = to;
        self.built = None;
        if in_front {
            self.recreate_if_need_be(world);
        }
    }

    fn system(&mut self, event: &System, in_front: bool, world: &mut World) {
        self.built = None;
        match event {
            System::LowMemory if !in_front => return self.lose_process(),
            System::Offline => self.around.offline = true,
            System::Online => self.around.offline = false,
            System::Locale(tag) => self.around.language = tag.clone(),
            System::Call | System::LowMemory => {}
            // No simulated phone does these.
            System::Message
            | System::Broadcast(_)
            | System::TimeZone(_)
            | System::Doze
            | System::Wake => {
                return;
            }
        }
        let Some(front) = self.stack.len().checked_sub(1).filter(|_| in_front) else {
            return;
        };
        match event {
            System::Locale(_) => {
                self.recreate_if_need_be(world);
            }
            _ => self.run(front, world, |app, page, cx| app.told(page, event, cx)),
        }
    }

    fn put_surroundings_back(&mut self) {
        self.around = Around {
            rotation: self.around.rotation,
            ..Around::default()
        };
        self.built = None;
    }

    fn take_leaving(&mut self) -> Option<Elsewhere> {
        self.leaves.take()
    }

    fn restless(&self) -> Option<usize> {
        self.built
            .as_ref()
            .and_then(|built| built.behind.restless)
            .map(|node| node as usize)
    }

    fn post_late(&mut self, late: Late, at: Micros) {
        self.post(at, What::Late(late));
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
            What::Start(page) => self.open(page, world),
            What::Late(late) => {
                self.late = (!self.stack.is_empty()).then_some(late);
                self.built = None;
            }
            What::Message { instance, msg } => {
                match self
                    .stack
                    .iter()
                    .position(|activity| activity.instance == instance)
                {
                    Some(place) => {
                        self.run(place, world, |app, page, cx| app.update(page, msg, cx))
                    }
                    None => self.run_orphan(msg, world),
                }
            }
        }
    }

    fn busy_until(&self) -> Micros {
        self.busy.map_or(Micros::ZERO, |(until, _)| until)
    }

    fn not_responding(&mut self, waiting: &str) -> Problem {
        let stall = self.busy.map_or(&Stall { frames: &[] }, |(_, at)| at);
        not_responding(stall, waiting, &self.failed())
    }

    fn take_problem(&mut self) -> Option<Problem> {
        self.problem.take().map(Arc::unwrap_or_clone)
    }

    fn kill(&mut self) {
        self.stack.clear();
        self.due.clear();
        self.end_process();
        self.problem = None;
    }

    fn clear(&mut self) {
        self.kill();
        self.app = Arc::clone(&self.fresh);
    }

    fn postpone(&mut self, by: Micros) {
        self.due.iter_mut().for_each(|due| due.at += by);
        if let Some((until, _)) = &mut self.busy {
            *until += by;
        }
    }

    fn identity(&self, now: Micros) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.feed(now, &mut hasher);
        hasher.finish()
    }

    fn bytes(&self) -> u64 {
        let mut counter = Counter(0);
        self.feed(Micros::ZERO, &mut counter);
        (mem::size_of::<Self>() + mem::size_of::<A>()) as u64
            + (self.stack.len() * mem::size_of::<Activity<A::Page>>()) as u64
            + counter.0
    }
}

/// Counts what a state feeds to it.
struct Counter(u64);

impl Hasher for Counter {
    fn write(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
