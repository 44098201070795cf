//! What the handlers ask of the phone, each answered by the system service that knows.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::micros::Micros;
use retap_shared::protocol::{AppInfo, Capabilities, CheckpointId, Fault, Happening, PhoneInfo};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::App;

use super::app_data::AppData;
use super::news::NEWS;
use super::table::Name;
use super::{AndroidPhone, activities, clock, coverage, micros, pixels};
use crate::phone::{Phone, PhoneError, TakePixels};

impl Phone for AndroidPhone {
    fn info(&self) -> PhoneInfo {
        let described = self.java.with(|env| self.describe(env));
        described.unwrap_or_else(|error| {
            tracing::warn!(%error, "the phone does not describe itself");
            PhoneInfo {
                kind: "android".into(),
                api_level: self.level,
                ..PhoneInfo::default()
            }
        })
    }

    fn can(&self) -> Capabilities {
        let has = |names: &[Name]| {
            let found = self
                .java
                .with(|env| Ok(names.iter().all(|name| self.java.has(env, *name))));
            found.unwrap_or(false)
        };
        Capabilities {
            // An app's data is not its whole state: what was on the screen does not come back.
            checkpoints: false,
            branches: self
                .java
                .with(|env| coverage::is_counted(&self.java, env))
                .unwrap_or(false),
            rotation: has(&[Name::AutomationRotate]),
            screenshots: has(&[
                Name::AutomationScreenshot,
                Name::BitmapCopy,
                Name::BitmapPixels,
            ]),
            system: self.system.kinds(),
        }
    }

    fn apps(&mut self) -> Result<Vec<AppInfo>, PhoneError> {
        Ok(self.java.with(|env| self.packages().apps(env))?)
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
            tracing::warn!(%error, "the phone's clock does not sleep");
        }
    }

    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        if let Action::System(system) = action {
            return Ok(self.system.perform(system, &self.watched)?);
        }
        if self.java.with(|env| self.act(env, action))? {
            return Ok(());
        }
        Err(Fault::Phone(format!("it did not {action}")).into())
    }

    fn last_change(&mut self) -> Micros {
        NEWS.last_event()
    }

    fn capture(&mut self) -> Result<SharedScreen, PhoneError> {
        let java = self.java.clone();
        let content = java.with(|env| self.read_screen(env))?;
        let screen = Screen::new(content).map_err(|error| Fault::Phone(error.to_string()))?;
        Ok(Arc::new(screen))
    }

    fn screenshot(&mut self) -> Result<TakePixels, PhoneError> {
        let java = self.java.clone();
        let accessibility = self.accessibility.clone();
        Ok(Box::new(move || pixels::take(&java, &accessibility)))
    }

    fn launch(&mut self, app: &App) -> Result<(), PhoneError> {
        Ok(self
            .java
            .with(|env| self.start(env, &app.package, &app.activity))?)
    }

    fn stop(&mut self, app: &App) -> Result<(), PhoneError> {
        self.java
            .with(|env| activities::force_stop(&self.java, env, &app.package, self.user))?;
        Ok(self.system.end()?)
    }

    fn clear_data(&mut self, app: &App) -> Result<(), PhoneError> {
        let observer = &self.parts.cleared;
        Ok(self.java.with(|env| {
            activities::clear_data(&self.java, env, &app.package, observer, self.user)
        })?)
    }

    fn grant(&mut self, app: &App) -> Result<(), PhoneError> {
        Ok(self.java.with(|env| self.grant_all(env, &app.package))?)
    }

    fn watch(&mut self, package: &Text) {
        self.watched = package.clone();
    }

    fn take_happenings(&mut self, into: &mut Vec<Happening>) {
        NEWS.take(&self.watched, &mut self.happened);
        self.happened.sort_by_key(|happening| happening.at);
        into.append(&mut self.happened);
    }

    fn take_branches(&mut self, into: &mut Vec<u32>) {
        if let Err(error) = self.java.with(|env| coverage::take(&self.java, env, into)) {
            tracing::warn!(%error, "the branches that ran are not known");
        }
    }

    /// Of the watched app's data. The app starts anew after it, as it does after going back: both end in one state.
    fn save(&mut self) -> Result<(CheckpointId, u64), PhoneError> {
        self.with_stopped_app(|data, package| data.save(package))
    }

    fn restore(&mut self, id: CheckpointId) -> Result<u64, PhoneError> {
        self.with_stopped_app(|data, package| data.restore(package, id))
    }

    fn drop_checkpoint(&mut self, id: CheckpointId) -> Result<u64, PhoneError> {
        Ok(self.data.forget(id)?)
    }
}

impl AndroidPhone {
    fn with_stopped_app<T>(
        &mut self,
        work: impl FnOnce(&mut AppData, &Text) -> Result<T, Fault>,
    ) -> Result<T, PhoneError> {
        let package = self.watched.clone();
        if package.is_empty() {
            let why = "no app is watched whose data could be saved: say which with `Watch`";
            return Err(Fault::Impossible(why.to_owned()).into());
        }
        let java = self.java.clone();
        java.with(|env| activities::force_stop(&java, env, &package, self.user))?;
        self.system.end()?;
        let done = work(&mut self.data, &package);
        java.with(|env| self.start(env, &package, ""))?;
        Ok(done?)
    }
}
