//! A simulated phone that refuses and fails now and then, as Android's dispatcher, package manager and vendors do, drawn from a seed.
//! The phone below it works as ever, so that its findings are the truth to compare with.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_agent::phone::{Phone, PhoneError, ScreenshotTask};
use retap_shared::Text;
use retap_shared::action::{Action, Key};
use retap_shared::finding::Finding;
use retap_shared::geometry::Size;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{
    AppInfo, Capabilities, ReadLog, ReadLogReply, RequestFailure, SnapshotId,
};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::App;
use retap_shared::verdict::Interruption;

/// Probability of each kind of trouble at one call, on a day that has it.
const INJECTION: f64 = 0.02;
/// The end of a gesture is refused, after the app has reacted to its beginning.
const GESTURE_END: f64 = 0.02;
const CAPTURE: f64 = 0.01;
const START: f64 = 0.05;
const CLEAR: f64 = 0.05;
const SNAPSHOT: f64 = 0.2;
const SCREENSHOT: f64 = 0.3;
/// The launcher is in front after a launch.
const LAUNCHER: f64 = 0.06;
/// The app's first window comes late.
const LATE_WINDOW: f64 = 0.2;
/// The display goes off, and most times the phone is locked too.
const SLEEP: f64 = 0.003;
/// Somebody has locked the phone with a secret, and unlocks it after a while.
const SECRET: f64 = 0.2;
/// The phone does nothing for a minute.
const PAUSE: f64 = 0.003;
const AGENT_DEATH: f64 = 0.001;
const FULL_DISK: f64 = 0.05;
/// Share of the days that have a kind of trouble.
const SHARE: f64 = 0.5;
/// Share of the days on which the phone reports a display without a size.
const NO_DISPLAY: f64 = 0.1;

const PAUSE_TIME: Micros = Micros::from_millis(60_000);
const MAX_WINDOW_DELAY: u64 = 10_000;
const SECRET_TIME: Micros = Micros::from_millis(10_000);
/// Time that a phone is waited for that does not wake up.
const WAKE_TIME: Micros = Micros::from_millis(3_000);
const FULL_DISK_TIME: Micros = Micros::from_millis(300_000);

/// Findings that a phone has reported, oldest first.
pub type ReportedFindings = Arc<Mutex<Vec<Finding>>>;

/// A phone whose calls fail now and then.
pub struct TroubledPhone {
    phone: Box<dyn Phone>,
    findings: ReportedFindings,
    rng: Pcg64Mcg,
    day: TroubledDay,
    is_asleep: bool,
    /// The phone is locked with a secret until then.
    locked_until: Micros,
    /// The app's window is drawn then.
    window_at: Micros,
    /// The disk has room again then.
    disk_free_at: Micros,
}

/// The probabilities of one day.
#[derive(Clone, Copy, Debug)]
struct TroubledDay {
    injection: f64,
    gesture_end: f64,
    capture: f64,
    start: f64,
    clear: f64,
    snapshot: f64,
    launcher: f64,
    late_window: f64,
    sleep: f64,
    agent_death: f64,
    full_disk: f64,
    has_display: bool,
}

impl TroubledDay {
    fn draw(rng: &mut Pcg64Mcg) -> TroubledDay {
        let mut kind = |probability: f64| {
            let has_kind = rng.random_bool(SHARE);
            if has_kind { probability } else { 0.0 }
        };
        TroubledDay {
            injection: kind(INJECTION),
            gesture_end: kind(GESTURE_END),
            capture: kind(CAPTURE),
            start: kind(START),
            clear: kind(CLEAR),
            snapshot: kind(SNAPSHOT),
            launcher: kind(LAUNCHER),
            late_window: kind(LATE_WINDOW),
            sleep: kind(SLEEP),
            agent_death: kind(AGENT_DEATH),
            full_disk: kind(FULL_DISK),
            has_display: !rng.random_bool(NO_DISPLAY),
        }
    }
}

impl TroubledPhone {
    /// The day of this seed on `phone`.
    pub fn new(phone: Box<dyn Phone>, seed: u64) -> TroubledPhone {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        TroubledPhone {
            phone,
            findings: ReportedFindings::default(),
            day: TroubledDay::draw(&mut rng),
            rng,
            is_asleep: false,
            locked_until: Micros::ZERO,
            window_at: Micros::ZERO,
            disk_free_at: Micros::ZERO,
        }
    }

    /// The findings that the phone reports, as long as it is used.
    pub fn reported_findings(&self) -> ReportedFindings {
        Arc::clone(&self.findings)
    }

    /// True if the phone refuses events on this day.
    pub fn refuses_events(&self) -> bool {
        self.day.injection + self.day.gesture_end > 0.0
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    /// Fails with this probability, as a service of Android does.
    fn may_fail(&mut self, probability: f64, call: &str) -> Result<(), PhoneError> {
        if self.happens(PAUSE) {
            self.phone.sleep(PAUSE_TIME);
        }
        if self.happens(self.day.agent_death) {
            // With the agent goes what it had not reported yet.
            self.phone.take_events(&mut Vec::new());
            let why = "the system ended it".into();
            return Err(Interruption::AgentDied { why }.into());
        }
        if self.happens(probability) {
            let why = format!("`{call}` threw java.lang.IllegalStateException: not today");
            return Err(RequestFailure::Phone(why).into());
        }
        Ok(())
    }

    /// Refuses with this probability, as vendors' phones do.
    fn may_refuse(&mut self, probability: f64, call: &str) -> Result<(), PhoneError> {
        if self.happens(probability) {
            let why = format!("`{call}` did nothing: it returned false");
            return Err(RequestFailure::Phone(why).into());
        }
        Ok(())
    }

    fn may_sleep(&mut self) {
        if self.happens(self.day.sleep) {
            self.is_asleep = true;
            if self.happens(SECRET) {
                self.locked_until = self.phone.now() + SECRET_TIME;
            }
        }
    }

    /// Fails while the disk is full, which it may become now.
    fn need_disk(&mut self) -> Result<(), PhoneError> {
        if self.happens(self.day.full_disk) {
            self.disk_free_at = self.phone.now() + FULL_DISK_TIME;
        }
        if self.phone.now() < self.disk_free_at {
            return Err(RequestFailure::Phone("No space left on device".into()).into());
        }
        Ok(())
    }
}

impl Phone for TroubledPhone {
    fn info(&self) -> PhoneInfo {
        let info = self.phone.info();
        if self.day.has_display {
            return info;
        }
        let size = Size {
            width: 0,
            height: 0,
        };
        PhoneInfo { size, ..info }
    }

    fn capabilities(&self) -> Capabilities {
        self.phone.capabilities()
    }

    fn apps(&mut self) -> Result<Vec<AppInfo>, PhoneError> {
        self.phone.apps()
    }

    fn now(&self) -> Micros {
        self.phone.now()
    }

    fn sleep(&mut self, span: Micros) {
        self.phone.sleep(span);
    }

    /// Events are lost without an error while the display is off.
    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        self.may_fail(self.day.injection, "injectInputEvent")?;
        self.may_sleep();
        if self.is_asleep && !matches!(action, Action::Wait { .. } | Action::Launch) {
            return Ok(());
        }
        self.phone.inject(action)?;
        let is_gesture = matches!(
            action,
            Action::Tap(_) | Action::LongPress(_) | Action::Swipe { .. } | Action::Pinch { .. }
        );
        let probability = if is_gesture {
            self.day.gesture_end
        } else {
            0.0
        };
        self.may_refuse(probability, "injectInputEvent")
    }

    fn last_change(&mut self) -> Micros {
        self.phone.last_change()
    }

    fn capture(&mut self) -> Result<SharedScreen, PhoneError> {
        self.may_fail(self.day.capture, "AccessibilityNodeInfo.getChild")?;
        self.phone.capture()
    }

    fn screenshot(&mut self) -> Result<ScreenshotTask, PhoneError> {
        self.may_fail(SCREENSHOT, "UiAutomation.takeScreenshot")?;
        self.phone.screenshot()
    }

    fn wake(&mut self) -> Result<bool, PhoneError> {
        if self.phone.now() < self.locked_until {
            self.phone.sleep(WAKE_TIME);
            return Err(RequestFailure::Obstructed(Obstacle::LockScreen).into());
        }
        Ok(std::mem::take(&mut self.is_asleep))
    }

    fn obstacle(&mut self, app: &App) -> Result<Option<Obstacle>, PhoneError> {
        if self.is_asleep {
            return Ok(Some(Obstacle::DisplayOff));
        }
        if self.phone.now() < self.window_at {
            return Ok(Some(Obstacle::NoWindow));
        }
        self.phone.obstacle(app)
    }

    fn launch(&mut self, app: &App) -> Result<(), PhoneError> {
        self.may_fail(self.day.start, "startActivity")?;
        self.may_sleep();
        self.phone.launch(app)?;
        if self.happens(self.day.launcher) {
            self.phone.inject(&Action::Key(Key::Home))?;
        }
        if self.happens(self.day.late_window) {
            let delay = self.rng.random_range(100..MAX_WINDOW_DELAY);
            self.window_at = self.phone.now() + Micros::from_millis(delay);
        }
        Ok(())
    }

    fn stop(&mut self, app: &App) -> Result<(), PhoneError> {
        self.may_fail(self.day.start, "forceStopPackage")?;
        self.phone.stop(app)
    }

    fn clear_data(&mut self, app: &App) -> Result<(), PhoneError> {
        self.may_fail(0.0, "clearApplicationUserData")?;
        self.may_refuse(self.day.clear, "clearApplicationUserData")?;
        self.phone.clear_data(app)
    }

    fn grant(&mut self, app: &App) -> Result<(), PhoneError> {
        self.may_fail(self.day.clear, "grantRuntimePermission")?;
        self.phone.grant(app)
    }

    fn watch(&mut self, package: &Text) {
        self.phone.watch(package);
    }

    fn take_events(&mut self, into: &mut Vec<PhoneEvent>) {
        let first = into.len();
        self.phone.take_events(into);
        let findings = into[first..].iter().filter_map(|event| match &event.kind {
            PhoneEventKind::Finding(finding) => Some(finding.clone()),
            PhoneEventKind::Activity(_) => None,
        });
        let mut reported = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        reported.extend(findings);
    }

    fn take_branches(&mut self, into: &mut Vec<u32>) {
        self.phone.take_branches(into);
    }

    fn read_log(&mut self, wanted: ReadLog) -> Result<ReadLogReply, PhoneError> {
        self.phone.read_log(wanted)
    }

    fn save_snapshot(&mut self) -> Result<(SnapshotId, u64), PhoneError> {
        self.may_fail(self.day.snapshot, "tar")?;
        self.need_disk()?;
        self.phone.save_snapshot()
    }

    fn restore_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        self.may_fail(self.day.snapshot, "tar")?;
        self.phone.restore_snapshot(id)
    }

    fn discard_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        self.phone.discard_snapshot(id)
    }
}

impl fmt::Debug for TroubledPhone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TroubledPhone")
            .field("phone", &self.phone.info())
            .finish_non_exhaustive()
    }
}
