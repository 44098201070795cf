//! Phones that answer: how each kind of device spec is reached, and which apps the phones have.

mod adb;
mod connection_context;
mod connections;
mod discovery;
mod error;
mod jvm;
mod phone_lock;
mod reconnect;
mod retraced;
mod simulated;
mod without_branches;

pub use adb::AdbPhone;
use adb::restricted::PERSONAL_PHONE_KIND;
pub use connection_context::ConnectionContext;
pub use connections::{
    ServedSpeed, check, check_coverage, connect_to_serve, jvm_for_bench, simulated_with,
};
pub use discovery::{all_ready_on_adb, only_ready_on_adb, with_tag};
pub use error::DevicesError;
pub use jvm::{JvmError, JvmPhone, RandomWalkSummary, has_java};
pub use phone_lock::PhoneLock;
pub use retraced::{FindingRetracer, RetracedPhone};

use std::sync::Arc;

use reconnect::LostPhones;
use retap_device::run_event::{EventSink, RunEvent, null_sink};
use retap_device::seed::Seed;
use retap_device::{Device, DevicePool, PhoneSource};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::AppInfo;
use retap_shared::trace::Trace;

use crate::device_spec::PhoneSelection;

/// Phones that are connected, ready for work.
#[derive(Debug)]
pub struct ConnectedPhones {
    pub pool: DevicePool,
    /// Name and description of each phone.
    pub infos: Vec<(String, PhoneInfo)>,
    /// Apps of each phone.
    apps: Vec<Vec<AppInfo>>,
}

impl ConnectedPhones {
    /// Connects all phones, each with its own name and, if it is simulated, with its own seed.
    pub async fn connect(
        selection: &PhoneSelection,
        seed: Seed,
    ) -> Result<ConnectedPhones, DevicesError> {
        ConnectedPhones::connect_with(selection, seed, &ConnectionContext::default()).await
    }

    /// Connects all phones for a command, until it is cancelled.
    pub async fn connect_with(
        selection: &PhoneSelection,
        seed: Seed,
        context: &ConnectionContext,
    ) -> Result<ConnectedPhones, DevicesError> {
        check(&selection.device)?;
        // A virtual clock passes minutes of phone time at once: only on a real clock is a phone silent.
        let notices = if selection.device.is_linked() {
            Arc::clone(&context.sink)
        } else {
            null_sink()
        };
        let connecting = async {
            let mut connected = Vec::new();
            for (name, connection) in connections::connect_all(selection, seed, context).await? {
                let notices = Arc::clone(&notices);
                connected.push(context.device(name, connection, notices).await?);
            }
            let source = LostPhones::of(selection, context)?;
            let sink = Arc::clone(&context.sink);
            Ok(ConnectedPhones::with_source(connected, source, sink))
        };
        // A phone in this process group gets the same Ctrl-C, and may end first.
        match context.cancellation.run_until_cancelled(connecting).await {
            Some(Err(_)) if context.cancellation.is_cancelled() => Err(DevicesError::Cancelled),
            Some(connected) => connected,
            None => Err(DevicesError::Cancelled),
        }
    }

    /// Phones that are connected already.
    pub fn from_devices(connected: Vec<Device>) -> ConnectedPhones {
        ConnectedPhones::with_source(connected, None, null_sink())
    }

    fn with_source(
        connected: Vec<Device>,
        source: Option<Arc<dyn PhoneSource>>,
        sink: EventSink,
    ) -> ConnectedPhones {
        let infos = connected
            .iter()
            .map(|device| (device.name().to_owned(), device.description().phone.clone()));
        let apps = connected
            .iter()
            .map(|device| device.description().apps.clone())
            .collect();
        ConnectedPhones {
            infos: infos.collect(),
            apps,
            pool: DevicePool::with_source(connected, source, sink),
        }
    }

    pub fn names(&self) -> Vec<String> {
        self.infos.iter().map(|(name, _)| name.clone()).collect()
    }

    /// True if a phone may be somebody's own.
    pub fn has_personal_phone(&self) -> bool {
        self.infos
            .iter()
            .any(|(_, info)| info.kind == PERSONAL_PHONE_KIND)
    }

    /// The app with this package or name, or else the only one there is. Every phone must have it.
    pub fn app(&self, wanted: Option<&str>) -> Result<AppInfo, DevicesError> {
        let mut phones = self.names().into_iter().zip(&self.apps);
        let Some((device, apps)) = phones.next() else {
            return Err(DevicesError::NoneConnected);
        };
        let app = match (wanted, apps.as_slice()) {
            (None, [only]) => only.clone(),
            (None, apps) => {
                return Err(DevicesError::WhichApp {
                    device,
                    known: packages(apps),
                });
            }
            (Some(wanted), apps) => app_of_phone(apps, device, wanted)?,
        };
        for (device, apps) in phones {
            app_of_phone(apps, device, &app.app.package)?;
        }
        Ok(app)
    }

    /// The app of a trace, with a warning if the phone has another version of it.
    pub fn app_of(&self, trace: &Trace, sink: &EventSink) -> Result<AppInfo, DevicesError> {
        let recorded = &trace.header.app;
        let info = self.app(Some(&recorded.package))?;
        // Traces of other tools have no version.
        if recorded.version_code != 0 && info.app.version_code != recorded.version_code {
            let text = format!(
                "the trace was made with version {} of `{}`, the phone has version {}",
                recorded.version_code, recorded.package, info.app.version_code
            );
            sink(RunEvent::Warning { text });
        }
        Ok(info)
    }
}

fn app_of_phone(apps: &[AppInfo], device: String, wanted: &str) -> Result<AppInfo, DevicesError> {
    let unknown = || DevicesError::UnknownApp {
        wanted: wanted.to_owned(),
        device,
        known: packages(apps),
    };
    apps.iter()
        .find(|info| matches_name(info, wanted))
        .cloned()
        .ok_or_else(unknown)
}

fn packages(apps: &[AppInfo]) -> Vec<String> {
    apps.iter()
        .map(|info| info.app.package.to_string())
        .collect()
}

/// True if the name is the app's package, the end of its package, or its label.
fn matches_name(info: &AppInfo, name: &str) -> bool {
    let package = &info.app.package;
    package == name
        || package.rsplit('.').next() == Some(name)
        || info.label.eq_ignore_ascii_case(name)
}
