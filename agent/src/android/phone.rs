//! The `Phone` of the handlers, implemented by the system services.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::finding::FindingKind;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{
    AppInfo, Capabilities, ReadLog, ReadLogReply, RequestFailure, SnapshotId,
};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::App;

use super::app_data::AppDataSnapshots;
use super::clock::micros;
use super::system_callbacks::SYSTEM_CALLBACKS;
use super::table::JavaName;
use super::{AndroidPhone, activities, clock, coverage, lock_screen, screenshot};
use crate::phone::{Phone, PhoneError, ScreenshotTask};

/// Maximum number of looks for the report of an ANR, and the wait after each.
const ANR_REPORT_TRIES: u32 = 8;
const ANR_REPORT_WAIT: Micros = Micros::from_millis(250);
/// Bytes of the report that the finding keeps. The main thread comes first; `ReadLog` has all of it.
const ANR_STACK_BYTES: usize = 64 << 10;

impl Phone for AndroidPhone {
    fn info(&self) -> PhoneInfo {
        let described = self.java.with(|env| self.describe(env));
        described.unwrap_or_else(|error| {
            tracing::warn!(%error, "could not read the phone's properties");
            PhoneInfo {
                kind: "android".into(),
                api_level: self.level,
                ..PhoneInfo::default()
            }
        })
    }

    fn capabilities(&self) -> Capabilities {
        let has = |names: &[JavaName]| {
            let found = self
                .java
                .with(|env| Ok(names.iter().all(|name| self.java.has(env, *name))));
            found.unwrap_or(false)
        };
        Capabilities {
            // False: an app-data snapshot does not restore the screen.
            snapshots: false,
            branches: self.app_coverage.is_some()
                || self
                    .java
                    .with(|env| coverage::is_counted(&self.java, env))
                    .unwrap_or(false),
            rotation: has(&[JavaName::AutomationRotate]),
            screenshots: has(&[
                JavaName::AutomationScreenshot,
                JavaName::BitmapCopy,
                JavaName::BitmapPixels,
            ]),
            system_events: self.system.kinds(),
        }
    }

    fn apps(&mut self) -> Result<Vec<AppInfo>, PhoneError> {
        let mut apps = self.java.with(|env| self.packages().apps(env))?;
        if self.app_coverage.is_some() {
            // How many methods an app has is not known before all its classes are loaded.
            apps.iter_mut().for_each(|app| app.branches = 0);
        }
        Ok(apps)
    }

    fn now(&self) -> Micros {
        self.java
            .with(|env| clock::now(&self.java, env))
            .map(micros)
            .unwrap_or_default()
    }

    fn sleep(&mut self, span: Micros) {
        let millis = i64::try_from(span.0.div_ceil(1_000)).unwrap_or(i64::MAX);
        if let Err(error) = self.java.with(|env| clock::sleep(&self.java, env, millis)) {
            tracing::warn!(%error, "could not sleep on the phone's clock");
        }
    }

    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        if let Action::System(system) = action {
            return Ok(self.system.inject(system, &self.watched_package)?);
        }
        if self.java.with(|env| self.inject_action(env, action))? {
            return Ok(());
        }
        Err(RequestFailure::Phone(format!("could not inject `{action}`")).into())
    }

    fn last_change(&mut self) -> Micros {
        SYSTEM_CALLBACKS.last_screen_change()
    }

    fn capture(&mut self) -> Result<SharedScreen, PhoneError> {
        let java = self.java.clone();
        let content = java.with(|env| self.read_screen(env))?;
        let screen =
            Screen::new(content).map_err(|error| RequestFailure::Phone(error.to_string()))?;
        Ok(Arc::new(screen))
    }

    fn screenshot(&mut self) -> Result<ScreenshotTask, PhoneError> {
        let java = self.java.clone();
        let accessibility = self.accessibility.clone();
        Ok(Box::new(move || {
            screenshot::take_png(&java, &accessibility)
        }))
    }

    fn wake(&mut self) -> Result<bool, PhoneError> {
        let woken = self.java.with(|env| lock_screen::wake(self.input(), env))?;
        Ok(woken.map_err(RequestFailure::Obstructed)?)
    }

    fn obstacle(&mut self, app: &App) -> Result<Option<Obstacle>, PhoneError> {
        let java = self.java.clone();
        Ok(java.with(|env| self.find_obstacle(env, &app.package))?)
    }

    fn launch(&mut self, app: &App) -> Result<(), PhoneError> {
        self.app_log.mark_launch();
        if let Some(coverage) = &mut self.app_coverage {
            coverage.begin();
        }
        Ok(self
            .java
            .with(|env| self.start(env, &app.package, &app.activity))?)
    }

    fn stop(&mut self, app: &App) -> Result<(), PhoneError> {
        self.java
            .with(|env| activities::force_stop(&self.java, env, &app.package, self.user))?;
        Ok(self.system.undo_all()?)
    }

    fn clear_data(&mut self, app: &App) -> Result<(), PhoneError> {
        let observer = &self.objects.cleared;
        Ok(self.java.with(|env| {
            activities::clear_data(&self.java, env, &app.package, observer, self.user)
        })?)
    }

    fn grant(&mut self, app: &App) -> Result<(), PhoneError> {
        Ok(self.java.with(|env| self.grant_all(env, &app.package))?)
    }

    fn watch(&mut self, package: &Text) {
        self.watched_package = package.clone();
    }

    fn take_events(&mut self, into: &mut Vec<PhoneEvent>) {
        // A step has ended.
        self.blocked_windows = None;
        let first = self.events.len();
        SYSTEM_CALLBACKS.take_events(&self.watched_package, &mut self.events);
        self.add_anr_stacks(first);
        self.events.sort_by_key(|event| event.at);
        into.append(&mut self.events);
    }

    fn take_branches(&mut self, into: &mut Vec<u32>) {
        if let Some(coverage) = &mut self.app_coverage {
            return coverage.take(into);
        }
        if let Err(error) = self.java.with(|env| coverage::take(&self.java, env, into)) {
            tracing::warn!(%error, "could not read the branches that ran");
        }
    }

    fn read_log(&mut self, wanted: ReadLog) -> Result<ReadLogReply, PhoneError> {
        Ok(self.app_log.read(&self.watched_package, wanted))
    }

    /// Saves the data of the watched app. The app is launched afterwards, as after a restore, so that both lead to the same
    /// state.
    fn save_snapshot(&mut self) -> Result<(SnapshotId, u64), PhoneError> {
        self.with_stopped_app(|data, package| data.save(package))
    }

    fn restore_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        self.with_stopped_app(|data, package| data.restore(package, id))
    }

    fn discard_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        Ok(self.app_data.discard(id)?)
    }
}

impl AndroidPhone {
    /// Completes ANRs from `first` on: their callback has statistics of the processor, and the drop box has the stacks.
    fn add_anr_stacks(&mut self, first: usize) {
        for number in first..self.events.len() {
            let PhoneEventKind::Finding(anr) = &self.events[number].kind else {
                continue;
            };
            let has_stack = anr.stack.lines().any(|line| line.starts_with('"'));
            if anr.kind != FindingKind::Anr || has_stack {
                continue;
            }
            let process = anr.process.clone();
            let report = self.wait_for_anr_report(&process);
            if let (Some(report), PhoneEventKind::Finding(anr)) =
                (report, &mut self.events[number].kind)
            {
                anr.stack = report;
            }
        }
    }

    /// The system writes the report on a thread of its own, at about the time of the callback.
    fn wait_for_anr_report(&mut self, process: &Text) -> Option<String> {
        for _ in 0..ANR_REPORT_TRIES {
            if let Some(report) = self.app_log.anr_report(process) {
                return Some(drop_box_extract(report));
            }
            self.sleep(ANR_REPORT_WAIT);
        }
        tracing::warn!(%process, "the drop box has no report about the ANR: it keeps no stack");
        None
    }

    fn with_stopped_app<T>(
        &mut self,
        work: impl FnOnce(&mut AppDataSnapshots, &Text) -> Result<T, RequestFailure>,
    ) -> Result<T, PhoneError> {
        let package = self.watched_package.clone();
        if package.is_empty() {
            let why = "no app is watched: send `WatchApp` before a snapshot";
            return Err(RequestFailure::Impossible(why.to_owned()).into());
        }
        let java = self.java.clone();
        java.with(|env| activities::force_stop(&java, env, &package, self.user))?;
        self.system.undo_all()?;
        let done = work(&mut self.app_data, &package);
        java.with(|env| self.start(env, &package, ""))?;
        Ok(done?)
    }
}

/// The beginning of a report, in whole lines.
fn drop_box_extract(mut report: String) -> String {
    if report.len() > ANR_STACK_BYTES {
        let kept = report.as_bytes()[..ANR_STACK_BYTES]
            .iter()
            .rposition(|byte| *byte == b'\n');
        report.truncate(kept.unwrap_or_default());
    }
    report
}
