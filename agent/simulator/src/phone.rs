//! A phone made of code: its clock, the app and the launcher on it, and what has happened.
//! Input is in `input`, saved states in `saved`.

mod input;
mod launcher;
mod pixels;
mod saved;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use retap_agent::phone::{Phone, PhoneError, TakePixels};
use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::micros::Micros;
use retap_shared::protocol::{AppInfo, Capabilities, CheckpointId, Fault, Happening, PhoneInfo, What};
use retap_shared::screen::{Rotation, SharedScreen};
use retap_shared::trace::App as Named;
use retap_shared::verdict::Problem;

use crate::kit::{Process, World, display_size};
use crate::noise::Noise;
use saved::Saved;

/// A simulated phone with one app on it.
pub struct SimulatedPhone {
    process: Box<dyn Process>,
    /// The app is in front; the launcher is, otherwise.
    in_front: bool,
    world: World,
    screen: SharedScreen,
    last_change: Micros,
    watched: Text,
    happenings: Vec<Happening>,
    saved: BTreeMap<CheckpointId, Saved>,
    next_checkpoint: u32,
}

impl SimulatedPhone {
    pub(crate) fn new(process: Box<dyn Process>, noise: Noise, seed: u64) -> SimulatedPhone {
        let screen = launcher::screen(process.manifest(), process.rotation());
        SimulatedPhone {
            process,
            in_front: false,
            world: World::new(noise, seed),
            screen,
            last_change: Micros::ZERO,
            watched: Text::default(),
            happenings: Vec::new(),
            saved: BTreeMap::new(),
            next_checkpoint: 0,
        }
    }

    pub fn noise(&self) -> &Noise {
        self.world.noise()
    }

    /// Identity of the state of apps and screen, without the clock: equal for two moments from which the same events
    /// lead to the same.
    pub fn state(&self) -> u64 {
        self.process.identity(self.world.now) ^ u64::from(self.in_front)
    }

    /// Whether the app is still going to do something by itself.
    pub fn has_pending(&self) -> bool {
        self.process.next_due().is_some()
    }

    fn advance(&mut self, by: Micros) {
        let until = self.world.now + by;
        while let Some(due) = self.process.next_due().filter(|due| *due <= until) {
            self.world.now = self.world.now.max(due);
            self.process.run_due(&mut self.world);
            self.look();
        }
        self.world.now = until;
    }

    /// Notices what became of the app, and what is to be seen now.
    fn look(&mut self) {
        if let Some(problem) = self.process.take_problem() {
            self.ended(problem);
        }
        let mut screen = None;
        if self.in_front {
            screen = self.process.screen();
            self.in_front = screen.is_some();
        }
        let screen =
            screen.unwrap_or_else(|| launcher::screen(self.process.manifest(), self.process.rotation()));
        if Arc::ptr_eq(&screen, &self.screen) || screen.hash() == self.screen.hash() {
            return;
        }
        if screen.activity() != self.screen.activity() {
            self.happened(What::Activity(screen.activity().clone()));
        }
        self.screen = screen;
        self.last_change = self.world.now;
    }

    /// The app's process ended with a failure.
    fn ended(&mut self, problem: Problem) {
        if self.watched.is_empty() || self.watched == problem.process {
            self.happened(What::Problem(problem));
        }
        self.process.kill();
        self.in_front = false;
    }

    fn happened(&mut self, what: What) {
        self.happenings.push(Happening { at: self.world.now, what });
    }

    fn bring_to_front(&mut self) {
        self.in_front = true;
        self.process.launch(&mut self.world);
        self.look();
    }

    fn expect_installed(&self, app: &Named) -> Result<(), PhoneError> {
        let manifest = self.process.manifest();
        if app.package != manifest.package {
            let known = &manifest.package;
            let wrong = &app.package;
            return Err(impossible(format!("there is no app `{wrong}` on this phone; it has `{known}`")));
        }
        let first = &manifest.activities[0];
        let class = |name: &str| name.rsplit(['.', '/']).next().map(str::to_owned);
        if !app.activity.is_empty() && class(&app.activity) != class(first) {
            let wrong = &app.activity;
            return Err(impossible(format!(
                "activity `{wrong}` cannot be launched from outside; `{first}` can, or leave it empty"
            )));
        }
        Ok(())
    }
}

impl Phone for SimulatedPhone {
    fn info(&self) -> PhoneInfo {
        PhoneInfo {
            kind: Text::new_static("simulated"),
            model: Text::new_static("Simulated phone"),
            api_level: 34,
            display: 0,
            size: display_size(Rotation::Natural),
            density: 420,
            rotation: self.process.rotation(),
            posture: Text::default(),
            locale: Text::new_static("en-US"),
            font_scale: 100,
            dark_mode: false,
        }
    }

    fn can(&self) -> Capabilities {
        Capabilities { checkpoints: true, branches: true, rotation: true, screenshots: true }
    }

    fn apps(&mut self) -> Result<Vec<AppInfo>, PhoneError> {
        Ok(vec![self.process.manifest().info()])
    }

    fn now(&self) -> Micros {
        self.world.now
    }

    fn sleep(&mut self, span: Micros) {
        self.advance(span);
    }

    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        self.perform(action);
        Ok(())
    }

    fn last_change(&mut self) -> Micros {
        self.last_change
    }

    fn capture(&mut self) -> Result<SharedScreen, PhoneError> {
        let takes = self.world.takes(|figures| figures.capture);
        self.advance(takes);
        Ok(Arc::clone(&self.screen))
    }

    fn screenshot(&mut self) -> Result<TakePixels, PhoneError> {
        let screen = self.screen.clone();
        Ok(Box::new(move || pixels::draw(&screen)))
    }

    fn launch(&mut self, app: &Named) -> Result<(), PhoneError> {
        self.expect_installed(app)?;
        let takes = self.world.takes(|figures| figures.launch);
        self.advance(takes);
        self.bring_to_front();
        Ok(())
    }

    fn stop(&mut self, app: &Named) -> Result<(), PhoneError> {
        self.expect_installed(app)?;
        let takes = self.world.takes(|figures| figures.stop);
        self.process.kill();
        self.look();
        self.advance(takes);
        Ok(())
    }

    fn clear_data(&mut self, app: &Named) -> Result<(), PhoneError> {
        self.expect_installed(app)?;
        let takes = self.world.takes(|figures| figures.clear);
        self.process.clear();
        self.look();
        self.advance(takes);
        Ok(())
    }

    fn grant(&mut self, app: &Named) -> Result<(), PhoneError> {
        self.expect_installed(app)?;
        let takes = self.world.takes(|figures| figures.grant);
        self.advance(takes);
        Ok(())
    }

    fn watch(&mut self, package: &Text) {
        self.watched = package.clone();
    }

    fn take_happenings(&mut self, into: &mut Vec<Happening>) {
        into.append(&mut self.happenings);
    }

    fn take_branches(&mut self, into: &mut Vec<u32>) {
        self.world.branches.take(into);
    }

    fn save(&mut self) -> Result<(CheckpointId, u64), PhoneError> {
        let takes = self.world.takes(|figures| figures.save);
        self.advance(takes);
        Ok(self.save_state())
    }

    fn restore(&mut self, id: CheckpointId) -> Result<u64, PhoneError> {
        let bytes = self.restore_state(id)?;
        let takes = self.world.takes(|figures| figures.restore);
        // The app stands still while its state is put back.
        self.world.now += takes;
        self.process.postpone(takes);
        Ok(bytes)
    }

    fn drop_checkpoint(&mut self, id: CheckpointId) -> Result<u64, PhoneError> {
        self.drop_state(id)
    }
}

impl fmt::Debug for SimulatedPhone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedPhone")
            .field("app", &self.process.manifest().package)
            .field("activity", self.screen.activity())
            .field("now", &self.world.now)
            .finish_non_exhaustive()
    }
}

fn impossible(why: String) -> PhoneError {
    Fault::Impossible(why).into()
}
