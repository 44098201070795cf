//! Checks of the path from this machine to a phone: one line per check, each with a remedy.

mod agent;
mod operations;
mod phone;

use retap_shared::error_text::with_causes;

use crate::adb::{Adb, AdbError, AdbState, ListedPhone};
use crate::command_error::UserError;
use crate::containment::{self, ContainmentKind};
use crate::device_spec::{AdbDeviceSpec, AdbOptions};
use crate::devices;

/// The phone to check, and the extent of the checks.
#[derive(Clone, Debug, Default)]
pub struct DoctorOptions {
    /// Default: the only phone that is ready.
    pub phone: Option<AdbDeviceSpec>,
    /// Android user whose apps are tested; default: the one of the spec.
    pub user: Option<u32>,
    /// The app to try things with.
    pub app: Option<String>,
    /// Makes every request once.
    pub deep: bool,
}

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoctorCheck {
    pub what: String,
    /// `None` if the check passed; otherwise what to do, as a sentence without a full stop.
    pub remedy: Option<String>,
    /// True if it names people, apps or other phones: a report leaves it out.
    pub is_private: bool,
}

impl DoctorCheck {
    fn passed(what: impl Into<String>) -> DoctorCheck {
        DoctorCheck {
            what: what.into(),
            remedy: None,
            is_private: false,
        }
    }

    fn failed(what: impl Into<String>, remedy: impl Into<String>) -> DoctorCheck {
        DoctorCheck {
            what: what.into(),
            remedy: Some(remedy.into()),
            is_private: false,
        }
    }

    fn private(self) -> DoctorCheck {
        DoctorCheck {
            is_private: true,
            ..self
        }
    }

    fn from_error(what: &str, error: &AdbError) -> DoctorCheck {
        DoctorCheck::failed(format!("{what}: {}", with_causes(error)), error.help())
    }
}

/// What keeps the code of an app on a JVM phone from the rest of this machine.
fn check_containment() -> DoctorCheck {
    match containment::choose() {
        Ok(ContainmentKind::Namespaces) => DoctorCheck::passed(format!(
            "JVM phones are {}",
            ContainmentKind::Namespaces.description()
        )),
        Ok(ContainmentKind::Landlock) => DoctorCheck::passed(format!(
            "JVM phones are {}; {}",
            ContainmentKind::Landlock.description(),
            containment::remedy_for_namespaces()
        )),
        Err(error) => DoctorCheck::failed(
            format!("JVM phones: {error}"),
            format!(
                "{}; or use `--trust` for apps that you trust",
                containment::remedy_for_namespaces()
            ),
        ),
    }
}

/// Checks JVM phones, adb, every phone that it lists, and more closely the named phone or the only one that is ready.
/// Returns the serial of that phone.
pub async fn examine(
    wanted: &DoctorOptions,
    mut report: impl FnMut(DoctorCheck),
) -> Option<String> {
    if devices::has_java() {
        report(check_containment());
    }
    let adb = match Adb::open().await {
        Ok(adb) => adb,
        Err(error) => {
            report(DoctorCheck::from_error("adb", &error));
            return None;
        }
    };
    let one_version = format!("adb and its server at {} are of one version", adb.server());
    report(DoctorCheck::passed(one_version).private());
    let phones = match adb.list().await {
        Ok(phones) => phones,
        Err(error) => {
            report(DoctorCheck::from_error("the list of phones", &error));
            return None;
        }
    };
    for phone in &phones {
        let what = format!("phone {} is {}", phone.serial, phone.state);
        let check = match phone.state {
            AdbState::Ready => DoctorCheck::passed(what),
            _ => DoctorCheck::failed(what, phone.state.remedy()),
        };
        report(check.private());
    }
    let spec = match choose_phone(wanted.phone.as_ref(), &phones) {
        Ok(spec) => spec,
        Err(failed) => {
            report(failed);
            return None;
        }
    };
    let spec = spec.with_options(AdbOptions {
        user: wanted.user,
        ..AdbOptions::default()
    });
    let serial = &spec.serial;
    match adb.phone(serial).await {
        Ok(found) => {
            phone::examine(&found, spec.user, &mut report).await;
            let manufacturer = operations::examine(&found, &mut report).await;
            agent::examine(&spec, wanted, &manufacturer, &mut report).await;
        }
        Err(error) => report(DoctorCheck::from_error(&format!("phone {serial}"), &error)),
    }
    Some(spec.serial)
}

/// The phone that was named, or else the only one that is ready.
fn choose_phone(
    named: Option<&AdbDeviceSpec>,
    phones: &[ListedPhone],
) -> Result<AdbDeviceSpec, DoctorCheck> {
    if let Some(spec) = named {
        return Ok(spec.clone());
    }
    let mut ready = phones.iter().filter(|phone| phone.state == AdbState::Ready);
    match (ready.next(), ready.next()) {
        (Some(only), None) => Ok(AdbDeviceSpec::of(&only.serial)),
        (None, _) => Err(DoctorCheck::failed(
            "no phone is ready",
            "plug one in and switch USB debugging on",
        )),
        (Some(_), Some(_)) => Err(DoctorCheck::failed(
            "several phones are ready",
            "name one with --device",
        )),
    }
}
