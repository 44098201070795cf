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
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{AppInfo, Capabilities, RequestFailure, SnapshotId};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::App;
use retap_shared::verdict::Interruption;

/// Probability that a call of each kind fails.
const INJECTION: f64 = 0.04;
/// The end of a gesture is refused, after the app has reacted to its beginning.
const GESTURE_END: f64 = 0.03;
const CAPTURE: f64 = 0.01;
const START: f64 = 0.05;
const SNAPSHOT: f64 = 0.2;
const SCREENSHOT: f64 = 0.3;
/// The launcher is in front after a launch.
const LAUNCHER: f64 = 0.06;
/// The phone does nothing for a minute.
const PAUSE: f64 = 0.003;
const AGENT_DEATH: f64 = 0.001;
/// Share of the days on which the phone reports a display without a size.
const NO_DISPLAY: f64 = 0.1;

const PAUSE_TIME: Micros = Micros::from_millis(60_000);

/// Findings that a phone has reported, oldest first.
pub type ReportedFindings = Arc<Mutex<Vec<Finding>>>;

/// A phone whose calls fail now and then.
pub struct TroubledPhone {
    phone: Box<dyn Phone>,
    findings: ReportedFindings,
    rng: Pcg64Mcg,
    has_display: bool,
}

impl TroubledPhone {
    /// The day of this seed on `phone`.
    pub fn new(phone: Box<dyn Phone>, seed: u64) -> TroubledPhone {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let has_display = !rng.random_bool(NO_DISPLAY);
        TroubledPhone {
            phone,
            findings: ReportedFindings::default(),
            rng,
            has_display,
        }
    }

    /// The findings that the phone reports, as long as it is used.
    pub fn reported_findings(&self) -> ReportedFindings {
        Arc::clone(&self.findings)
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    /// Fails with this probability, as a service of Android does.
    fn may_fail(&mut self, probability: f64, call: &str) -> Result<(), PhoneError> {
        if self.happens(PAUSE) {
            self.phone.sleep(PAUSE_TIME);
        }
        if self.happens(AGENT_DEATH) {
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
}

impl Phone for TroubledPhone {
    fn info(&self) -> PhoneInfo {
        let info = self.phone.info();
        if self.has_display {
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

    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        self.may_fail(INJECTION, "injectInputEvent")?;
        self.phone.inject(action)?;
        let is_gesture = matches!(
            action,
            Action::Tap(_) | Action::LongPress(_) | Action::Swipe { .. } | Action::Pinch { .. }
        );
        if is_gesture && self.happens(GESTURE_END) {
            let why = "`injectInputEvent` did nothing: it returned false".into();
            return Err(RequestFailure::Phone(why).into());
        }
        Ok(())
    }

    fn last_change(&mut self) -> Micros {
        self.phone.last_change()
    }

    fn capture(&mut self) -> Result<SharedScreen, PhoneError> {
        self.may_fail(CAPTURE, "AccessibilityNodeInfo.getChild")?;
        self.phone.capture()
    }

    fn screenshot(&mut self) -> Result<ScreenshotTask, PhoneError> {
        self.may_fail(SCREENSHOT, "UiAutomation.takeScreenshot")?;
        self.phone.screenshot()
    }

    fn launch(&mut self, app: &App) -> Result<(), PhoneError> {
        self.may_fail(START, "startActivity")?;
        self.phone.launch(app)?;
        if self.happens(LAUNCHER) {
            self.phone.inject(&Action::Key(Key::Home))?;
        }
        Ok(())
    }

    fn stop(&mut self, app: &App) -> Result<(), PhoneError> {
        self.may_fail(START, "forceStopPackage")?;
        self.phone.stop(app)
    }

    fn clear_data(&mut self, app: &App) -> Result<(), PhoneError> {
        self.may_fail(START, "clearApplicationUserData")?;
        self.phone.clear_data(app)
    }

    fn grant(&mut self, app: &App) -> Result<(), PhoneError> {
        self.may_fail(START, "grantRuntimePermission")?;
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

    fn save_snapshot(&mut self) -> Result<(SnapshotId, u64), PhoneError> {
        self.may_fail(SNAPSHOT, "tar: no space left on device")?;
        self.phone.save_snapshot()
    }

    fn restore_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        self.may_fail(SNAPSHOT, "tar")?;
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
