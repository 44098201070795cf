//! A simulated phone: its clock, its app and launcher, and its pending phone events.
//! Input is in `input`, snapshots in `snapshot`, other apps' screens in `external_screen`.

mod external_screen;
mod input;
mod launcher;
mod pixels;
mod snapshot;

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use retap_agent::phone::{Phone, PhoneError, ScreenshotTask};
use retap_shared::Text;
use retap_shared::action::{Action, SystemEventKinds};
use retap_shared::app_log::log_lines;
use retap_shared::finding::Finding;
use retap_shared::geometry::Rotation;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{
    AppInfo, Capabilities, ReadLog, ReadLogReply, RequestFailure, SnapshotId,
};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::App as Named;
use snapshot::SimulatedSnapshot;

use crate::framework::{
    AppProcess, ChanceScript, ExternalScreen, LANGUAGE, World, display_size, number_text,
};
use crate::noise::Noise;

/// A simulated phone with one app on it.
pub struct SimulatedPhone {
    process: Box<dyn AppProcess>,
    front: FrontScreen,
    world: World,
    screen: SharedScreen,
    last_change: Micros,
    watched_package: Text,
    events: Vec<PhoneEvent>,
    snapshots: BTreeMap<SnapshotId, SimulatedSnapshot>,
    next_checkpoint: u32,
}

/// The owner of the visible screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FrontScreen {
    App,
    Launcher,
    External {
        what: ExternalScreen,
        over_app: bool,
    },
}

/// Interval of changes of a screen that never settles: shorter than any settle time.
const ANIMATION_PERIOD: Micros = Micros::from_millis(120);

impl SimulatedPhone {
    pub(crate) fn new(process: Box<dyn AppProcess>, noise: Noise, seed: u64) -> SimulatedPhone {
        let screen = launcher::screen(process.manifest(), process.rotation());
        SimulatedPhone {
            process,
            front: FrontScreen::Launcher,
            world: World::new(noise, seed),
            screen,
            last_change: Micros::ZERO,
            watched_package: Text::default(),
            events: Vec::new(),
            snapshots: BTreeMap::new(),
            next_checkpoint: 0,
        }
    }

    pub fn noise(&self) -> &Noise {
        self.world.noise()
    }

    /// Identity of the state of apps and screen, without the clock: equal for two moments from which the same events
    /// lead to the same.
    pub fn state_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.process.state_hash(self.world.now), self.front).hash(&mut hasher);
        hasher.finish()
    }

    /// Replaces the random generator by a script.
    pub(crate) fn follow_script(&mut self, script: ChanceScript) {
        self.world.follow_script(script);
    }

    pub(crate) fn take_script(&mut self) -> ChanceScript {
        self.world.take_script()
    }

    /// True if the app has pending work.
    pub fn has_pending(&self) -> bool {
        self.process.next_due().is_some()
    }

    fn advance(&mut self, by: Micros) {
        let until = self.world.now + by;
        while let Some(due) = self.process.next_due().filter(|due| *due <= until) {
            self.world.now = self.world.now.max(due);
            self.process.run_due(&mut self.world);
            self.refresh_screen();
        }
        self.world.now = until;
    }

    /// Updates the screen after a change, and reports a failure of the app.
    fn refresh_screen(&mut self) {
        if let Some(finding) = self.process.take_finding() {
            self.process_failed(finding);
        }
        if let Some(what) = self
            .process
            .take_external_screen()
            .filter(|_| self.front == FrontScreen::App)
        {
            self.front = FrontScreen::External {
                what,
                over_app: true,
            };
        }
        let screen = self.front_screen();
        if Arc::ptr_eq(&screen, &self.screen) || screen.hash() == self.screen.hash() {
            return;
        }
        if screen.activity() != self.screen.activity() {
            self.happened(PhoneEventKind::Activity(screen.activity().clone()));
        }
        self.screen = screen;
        self.last_change = self.world.now;
    }

    /// The screen in front; the launcher's if the app has no activity any more.
    fn front_screen(&mut self) -> SharedScreen {
        let rotation = self.process.rotation();
        match self.front {
            FrontScreen::App => {
                if let Some(screen) = self.process.screen() {
                    return screen;
                }
                self.front = FrontScreen::Launcher;
            }
            FrontScreen::External { what, .. } => return external_screen::screen(what, rotation),
            FrontScreen::Launcher => {}
        }
        launcher::screen(self.process.manifest(), rotation)
    }

    /// The node of the app's screen that never settles, while it is visible.
    fn animated_node(&self) -> Option<usize> {
        if self.front == FrontScreen::App {
            self.process.animated_node()
        } else {
            None
        }
    }

    /// The screen with its animated node as it is now. Frames in between are never seen, so none is drawn.
    fn animated_screen(&self, node: usize) -> SharedScreen {
        let mut content = self.screen.content().clone();
        content.nodes[node].text =
            number_text("", self.world.now.0 / ANIMATION_PERIOD.0 % 100, " %");
        Arc::new(Screen::new(content).expect("another text leaves a screen well formed"))
    }

    /// The app's process ended with a failure.
    fn process_failed(&mut self, finding: Finding) {
        if self.watched_package.is_empty() || self.watched_package == finding.process {
            self.happened(PhoneEventKind::Finding(finding));
        }
        self.process.kill();
        self.front = FrontScreen::Launcher;
    }

    fn happened(&mut self, what: PhoneEventKind) {
        log_lines(&what).for_each(|line| self.world.log(&line));
        self.events.push(PhoneEvent {
            at: self.world.now,
            kind: what,
        });
    }

    fn bring_to_front(&mut self) {
        self.front = FrontScreen::App;
        self.process.launch(&mut self.world);
        self.refresh_screen();
    }

    fn expect_installed(&self, app: &Named) -> Result<(), PhoneError> {
        let manifest = self.process.manifest();
        if app.package != manifest.package {
            let known = &manifest.package;
            let wrong = &app.package;
            return Err(impossible(format!(
                "there is no app `{wrong}` on this phone; it has `{known}`"
            )));
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
            locale: Text::new_static(LANGUAGE),
            font_scale: 100,
            dark_mode: false,
        }
    }

    fn capabilities(&self) -> Capabilities {
        let system = SystemEventKinds::SIMULATED;
        Capabilities {
            snapshots: true,
            branches: true,
            rotation: true,
            screenshots: true,
            system_events: system,
        }
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
        if let Action::System(system) = action
            && !SystemEventKinds::SIMULATED.contains(system.kind())
        {
            return Err(
                RequestFailure::Unsupported(format!("do what the system does: {system}")).into(),
            );
        }
        self.perform(action);
        Ok(())
    }

    fn last_change(&mut self) -> Micros {
        let frame = self
            .animated_node()
            .map(|_| Micros(self.world.now.0 / ANIMATION_PERIOD.0 * ANIMATION_PERIOD.0));
        frame.unwrap_or_default().max(self.last_change)
    }

    fn capture(&mut self) -> Result<SharedScreen, PhoneError> {
        let takes = self.world.draw_latency(|figures| figures.capture);
        self.advance(takes);
        Ok(self.animated_node().map_or_else(
            || Arc::clone(&self.screen),
            |node| self.animated_screen(node),
        ))
    }

    fn screenshot(&mut self) -> Result<ScreenshotTask, PhoneError> {
        let screen = self.screen.clone();
        Ok(Box::new(move || pixels::draw(&screen)))
    }

    fn obstacle(&mut self, _: &Named) -> Result<Option<Obstacle>, PhoneError> {
        Ok(match self.front {
            FrontScreen::App => None,
            FrontScreen::Launcher => Some(Obstacle::Launcher),
            FrontScreen::External { .. } => {
                let package = self.screen.activity().split('/').next();
                Some(Obstacle::OtherApp(package.unwrap_or_default().into()))
            }
        })
    }

    fn launch(&mut self, app: &Named) -> Result<(), PhoneError> {
        self.expect_installed(app)?;
        self.world.log.launched();
        let takes = self.world.draw_latency(|figures| figures.launch);
        self.advance(takes);
        self.bring_to_front();
        Ok(())
    }

    fn stop(&mut self, app: &Named) -> Result<(), PhoneError> {
        self.expect_installed(app)?;
        let takes = self.world.draw_latency(|figures| figures.stop);
        self.process.kill();
        self.process.reset_environment();
        self.front = FrontScreen::Launcher;
        self.refresh_screen();
        self.advance(takes);
        Ok(())
    }

    fn clear_data(&mut self, app: &Named) -> Result<(), PhoneError> {
        self.expect_installed(app)?;
        let takes = self.world.draw_latency(|figures| figures.clear);
        self.process.clear();
        self.refresh_screen();
        self.advance(takes);
        Ok(())
    }

    fn grant(&mut self, app: &Named) -> Result<(), PhoneError> {
        self.expect_installed(app)?;
        let takes = self.world.draw_latency(|figures| figures.grant);
        self.advance(takes);
        Ok(())
    }

    fn watch(&mut self, package: &Text) {
        self.watched_package = package.clone();
    }

    fn take_events(&mut self, into: &mut Vec<PhoneEvent>) {
        into.append(&mut self.events);
    }

    fn take_branches(&mut self, into: &mut Vec<u32>) {
        self.world.branches.take(into);
    }

    fn read_log(&mut self, wanted: ReadLog) -> Result<ReadLogReply, PhoneError> {
        Ok(ReadLogReply {
            log: self.world.log.read(wanted.only_new),
            // The stack of a finding says all there is.
            report: String::new(),
        })
    }

    fn save_snapshot(&mut self) -> Result<(SnapshotId, u64), PhoneError> {
        let [takes, _] = self.world.snapshot_costs();
        self.advance(takes);
        Ok(self.save_state())
    }

    fn restore_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        let bytes = self.restore_state(id)?;
        let [_, takes] = self.world.snapshot_costs();
        // The app stands still while its state is put back.
        self.world.now += takes;
        self.process.postpone(takes);
        Ok(bytes)
    }

    fn discard_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
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
    RequestFailure::Impossible(why).into()
}
