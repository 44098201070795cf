//! Phones as a user names them with `--device` and `--count`, and how they are reached.

mod adb;
mod error;
mod jvm;
mod retraced;

use std::path::Path;
use std::sync::Arc;

pub use adb::AdbPhone;
pub use adb::restricted::{PERSONAL_PHONE_KIND, RestrictedPhone};
pub use adb::spec::{AdbDeviceSpec, with_options};
pub use error::DevicesError;
use jvm::JvmPhoneFactory;
pub use jvm::{JvmError, JvmPhone, RandomWalkSummary};
use retap_agent::in_process::InProcessConnection;
use retap_agent::phone::Phone;
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::seed::Seed;
use retap_device::{Device, DevicePool};
use retap_shared::connection::Connection;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::AppInfo;
use retap_shared::trace::Trace;
use retap_simulator::SimulatedPhone;

use crate::link::pairing::{LinkAddress, PAIRING_FILE, Pairing};
use crate::link::{Dialer, Link, ReconnectPolicy};
use crate::options::PhoneSelection;
use crate::os;

const SIMULATED: &str = "sim";
const UDP: &str = "udp";
const TCP: &str = "tcp";
const JVM: &str = "jvm";

/// Whether such a phone could be reached, without reaching for it.
pub fn check(spec: &str) -> Result<(), DevicesError> {
    match on_jvm(spec) {
        Some(file) => jvm::find_apk(file)
            .map(|_| ())
            .map_err(|source| DevicesError::jvm(spec, source)),
        None if is_on_adb(spec) => on_adb(spec).map(|_| ()),
        None if is_paired(spec) => paired_dialer(spec).map(|_| ()),
        None => simulated(spec).map(|_| ()),
    }
}

/// Whether it is a phone at the other end of a link, rather than one in this process.
pub fn is_linked(spec: &str) -> bool {
    is_paired(spec) || is_on_adb(spec) || on_jvm(spec).is_some()
}

/// Whether it is a phone that somebody else has started.
fn is_paired(spec: &str) -> bool {
    matches!(spec.split_once(':'), Some((UDP | TCP, _)))
}

/// Whether it is an adb serial, or several. One may have a colon too, but then an address stands before it.
pub fn is_on_adb(spec: &str) -> bool {
    spec.split(',').all(|serial| match serial.split_once(':') {
        Some((kind, _)) => kind.contains(|c: char| c == '.' || c.is_ascii_digit()),
        None => !serial.is_empty(),
    })
}

/// Each of the phones on adb that are named, with commas between them.
pub fn on_adb(spec: &str) -> Result<Vec<AdbDeviceSpec>, DevicesError> {
    let wrong = |source| DevicesError::AdbSpec {
        spec: spec.to_owned(),
        source,
    };
    spec.split(',')
        .map(|one| one.parse().map_err(wrong))
        .collect()
}

/// The file of a phone on the JVM.
fn on_jvm(spec: &str) -> Option<&str> {
    spec.split_once(':')
        .and_then(|(kind, file)| (kind == JVM).then_some(file))
}

/// Phones that answer, ready for work.
#[derive(Debug)]
pub struct ConnectedPhones {
    pub pool: DevicePool,
    /// Names and what they are.
    pub infos: Vec<(String, PhoneInfo)>,
    /// The apps of each.
    apps: Vec<Vec<AppInfo>>,
}

impl ConnectedPhones {
    /// All of them, each with its own name and, where it has noise, with noise of its own.
    pub async fn connect(
        devices: &PhoneSelection,
        seed: Seed,
    ) -> Result<ConnectedPhones, DevicesError> {
        // Mistakes are told in the words of the user, without the seed that is added below.
        check(&devices.device)?;
        let mut connected = Vec::new();
        for (name, connection) in connections(devices, seed).await? {
            let device = Device::connect(name.clone(), connection).await;
            connected.push(device.map_err(|source| DevicesError::Connect { name, source })?);
        }
        Ok(ConnectedPhones::from_devices(connected))
    }

    /// Those that are connected already.
    pub fn from_devices(connected: Vec<Device>) -> ConnectedPhones {
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
            pool: DevicePool::new(connected),
        }
    }

    pub fn names(&self) -> Vec<String> {
        self.infos.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The app that was asked for by package or name, or else the only one there is. Every phone must have it.
    pub fn app(&self, wanted: Option<&str>) -> Result<AppInfo, DevicesError> {
        let mut phones = self
            .infos
            .iter()
            .map(|(name, _)| name.clone())
            .zip(&self.apps);
        let Some((device, apps)) = phones.next() else {
            return Err(DevicesError::NoneNamed);
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
        // What another tool has recorded says nothing of versions.
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

/// A name and a way to each phone.
async fn connections(
    devices: &PhoneSelection,
    seed: Seed,
) -> Result<Vec<(String, Arc<dyn Connection>)>, DevicesError> {
    if is_on_adb(&devices.device) {
        return all_on_adb(devices).await;
    }
    let mut connections = Vec::new();
    let jvm = on_jvm(&devices.device)
        .map(|file| factory(&devices.device, file))
        .transpose()?;
    for number in 1..=devices.count {
        let seeded = with_seed(&devices.device, seed.derive("phone", u64::from(number)));
        let connection = match &jvm {
            Some(factory) => start_jvm(&devices.device, factory).await?,
            None => connection(devices, &seeded).await?,
        };
        connections.push((name(devices, number), connection));
    }
    Ok(connections)
}

/// All at once: each takes seconds to start its agent.
async fn all_on_adb(
    devices: &PhoneSelection,
) -> Result<Vec<(String, Arc<dyn Connection>)>, DevicesError> {
    let spec = &devices.device;
    if devices.count > 1 {
        return Err(DevicesError::OnlyOne {
            spec: spec.clone(),
            count: devices.count,
        });
    }
    let opening: Vec<_> = on_adb(spec)?
        .into_iter()
        .map(|phone| tokio::spawn(async move { (AdbPhone::open(&phone).await, phone) }))
        .collect();
    let mut opened = Vec::new();
    for phone in opening {
        let (phone, spec) = phone
            .await
            .expect("nobody ends these tasks but they themselves");
        opened.push((spec, phone));
    }
    let wrong = |spec: &String, source| DevicesError::Adb {
        spec: spec.clone(),
        source: Box::new(source),
    };
    opened
        .into_iter()
        .map(|(spec, phone)| match phone {
            Ok(phone) => {
                let careful = RestrictedPhone::new(Arc::new(phone), spec.allow_system);
                Ok((spec.serial, Arc::new(careful) as Arc<dyn Connection>))
            }
            Err(error) => Err(wrong(&spec.serial, error)),
        })
        .collect()
}

async fn connection(
    devices: &PhoneSelection,
    seeded: &str,
) -> Result<Arc<dyn Connection>, DevicesError> {
    let spec = &devices.device;
    if !is_linked(spec) {
        return Ok(Arc::new(InProcessConnection::new(Box::new(simulated(
            seeded,
        )?))));
    }
    if devices.count > 1 {
        return Err(DevicesError::OnlyOne {
            spec: spec.clone(),
            count: devices.count,
        });
    }
    let dial = paired_dialer(spec)?;
    let link = Link::connect(dial, os::machine_name(), ReconnectPolicy::default()).await;
    Ok(Arc::new(link.map_err(|source| DevicesError::Link {
        spec: spec.clone(),
        source,
    })?))
}

fn factory(spec: &str, file: &str) -> Result<Arc<JvmPhoneFactory>, DevicesError> {
    let made = jvm::find_apk(file).and_then(|apk| JvmPhoneFactory::make(&apk));
    Ok(Arc::new(
        made.map_err(|source| DevicesError::jvm(spec, source))?,
    ))
}

/// A phone on the JVM that a bench can ask for its own loop in Java. None if the phone is of another kind.
pub async fn jvm_for_bench(spec: &str) -> Result<Option<Arc<JvmPhone>>, DevicesError> {
    let Some(file) = on_jvm(spec) else {
        return Ok(None);
    };
    let wrong = |source| DevicesError::jvm(spec, source);
    let apk = jvm::find_apk(file).map_err(wrong)?;
    let factory = Arc::new(JvmPhoneFactory::make(&apk).map_err(wrong)?.with_java_loop());
    Ok(Some(Arc::new(factory.start().await.map_err(wrong)?)))
}

async fn start_jvm(
    spec: &str,
    factory: &Arc<JvmPhoneFactory>,
) -> Result<Arc<dyn Connection>, DevicesError> {
    let phone = factory
        .start()
        .await
        .map_err(|source| DevicesError::jvm(spec, source))?;
    Ok(Arc::new(phone))
}

/// `udp:ADDRESS?pairing=FILE`; the file is the one that `retap phone` writes unless told otherwise.
fn paired_dialer(spec: &str) -> Result<Arc<dyn Dialer>, DevicesError> {
    let (address, parameters) = spec.split_once('?').unwrap_or((spec, ""));
    let file = parameters.strip_prefix("pairing=").unwrap_or(PAIRING_FILE);
    let read = || {
        let address: LinkAddress = address.parse()?;
        Ok(address.dialer(Pairing::read(Path::new(file))?.keys))
    };
    read().map_err(|source| DevicesError::Pairing {
        spec: spec.to_owned(),
        source,
    })
}

fn name(devices: &PhoneSelection, number: u32) -> String {
    if devices.count == 1 {
        devices.device.clone()
    } else {
        format!("{}#{number}", devices.device)
    }
}

/// By its package, the end of its package, or its label.
fn matches_name(info: &AppInfo, name: &str) -> bool {
    let package = &info.app.package;
    package == name
        || package.rsplit('.').next() == Some(name)
        || info.label.eq_ignore_ascii_case(name)
}

/// The simulated phone that has this app.
pub fn simulated_with(package: &str) -> Option<String> {
    retap_simulator::app_names()
        .iter()
        .map(|app| format!("{SIMULATED}:{app}"))
        .find(|spec| {
            let apps = simulated(spec)
                .ok()
                .and_then(|mut phone| phone.apps().ok())
                .unwrap_or_default();
            apps.iter().any(|info| info.app.package == package)
        })
}

pub fn simulated(spec: &str) -> Result<SimulatedPhone, DevicesError> {
    let kind = spec.split_once(':').map(|(kind, _)| kind);
    match kind {
        Some(SIMULATED) => retap_simulator::open(spec).map_err(|source| DevicesError::Simulated {
            spec: spec.to_owned(),
            source,
        }),
        Some(JVM) => Err(DevicesError::NotServed {
            spec: spec.to_owned(),
        }),
        _ if spec.is_empty() => Err(DevicesError::NoneNamed),
        _ if is_on_adb(spec) => Err(DevicesError::NotServed {
            spec: spec.to_owned(),
        }),
        kind => Err(DevicesError::UnknownKind {
            kind: kind.unwrap_or_default().to_owned(),
        }),
    }
}

/// One seed makes the whole run: noise that has no seed of its own gets one from it.
fn with_seed(spec: &str, seed: Seed) -> String {
    match spec.split_once('?') {
        None => format!("{spec}?seed={}", seed.0),
        Some((_, parameters))
            if parameters
                .split('&')
                .any(|parameter| parameter.starts_with("seed=")) =>
        {
            spec.to_owned()
        }
        Some(_) => format!("{spec}&seed={}", seed.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_error::UserError;
    use crate::exit::CommandExit;

    #[test]
    fn a_seed_is_added_where_there_is_none() {
        assert_eq!(with_seed("sim:mail", Seed(7)), "sim:mail?seed=7");
        assert_eq!(
            with_seed("sim:mail?noise=0.2", Seed(7)),
            "sim:mail?noise=0.2&seed=7"
        );
        assert_eq!(
            with_seed("sim:mail?seed=5&noise=0.2", Seed(7)),
            "sim:mail?seed=5&noise=0.2"
        );
    }

    #[test]
    fn each_kind_of_name_gets_its_own_answer() {
        assert!(check("sim:notes").is_ok());
        assert!(matches!(
            check("sim:nots"),
            Err(DevicesError::Simulated { .. })
        ));
        for none in ["jvm:no-such.apk", "jvm:Cargo.toml"] {
            let error = check(none).unwrap_err();
            assert!(
                matches!(error, DevicesError::Jvm { .. }) && error.exit() == CommandExit::Usage,
                "{error}"
            );
        }
        assert!(
            matches!(check("simm:notes"), Err(DevicesError::UnknownKind { kind }) if kind == "simm")
        );
        for serial in ["emulator-5554", "192.168.1.7:5555", "R58M123ABC"] {
            assert!(check(serial).is_ok() && is_linked(serial), "{serial}");
            assert!(
                matches!(simulated(serial), Err(DevicesError::NotServed { .. })),
                "{serial}"
            );
        }
        assert!(matches!(check(""), Err(DevicesError::NoneNamed)));
        assert_eq!(on_adb("R58M,192.168.1.7:5555?user=10").unwrap().len(), 2);
        assert!(
            !is_on_adb("sim:notes,sim:shop") && !is_on_adb("R58M,") && !is_on_adb("jvm:a,b.apk")
        );
        assert!(matches!(
            check("R58M?noise=0.2"),
            Err(DevicesError::AdbSpec { .. })
        ));
    }

    #[test]
    fn every_simulated_app_is_found_by_its_package() {
        for app in retap_simulator::app_names() {
            let spec = format!("sim:{app}");
            let package = simulated(&spec).unwrap().apps().unwrap()[0]
                .app
                .package
                .clone();
            assert_eq!(simulated_with(&package), Some(spec));
        }
        assert_eq!(simulated_with("org.example.other"), None);
    }
}
