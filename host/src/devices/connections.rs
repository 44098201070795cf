//! Connections to phones, by the kind of their device specs.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::join_all;
use retap_agent::in_process::InProcessConnection;
use retap_agent::phone::Phone;
use retap_device::CancellationToken;
use retap_device::seed::Seed;
use retap_shared::connection::Connection;
use retap_simulator::SimulatedPhone;

use super::adb::AdbPhone;
use super::adb::restricted::RestrictedPhone;
use super::jvm::{self, JvmPhone, JvmPhoneFactory};
use super::phone_lock::{LockedPhone, PhoneLock};
use super::simulated::SimulatedDevice;
use super::{ConnectionContext, DevicesError};
use crate::device_spec::{
    AdbDeviceSpec, DeviceList, DeviceSpec, JvmDeviceSpec, PairedDeviceSpec, PhoneSelection,
    SimulatedDeviceSpec,
};
use crate::link::pairing::{Pairing, PairingError};
use crate::link::{Dialer, Link, ReconnectPolicy};
use crate::options::CodeCoverage;
use crate::os;

/// Checks whether phones can be reached, as far as their files tell. Nothing is connected.
pub fn check(devices: &DeviceList) -> Result<(), DevicesError> {
    for spec in devices.specs() {
        match spec {
            DeviceSpec::Jvm(jvm) => {
                jvm::check(&jvm.file).map_err(|source| DevicesError::jvm(spec, source))?;
            }
            DeviceSpec::Paired(paired) => {
                dialer(paired).map_err(|source| DevicesError::pairing(spec, source))?;
            }
            DeviceSpec::Adb(_) | DeviceSpec::Simulated(_) => {}
        }
    }
    Ok(())
}

/// Checks whether all phones can note this of an app's code.
pub fn check_coverage(devices: &DeviceList, coverage: CodeCoverage) -> Result<(), DevicesError> {
    let needs_library = coverage.library_mode().is_some();
    let is_jvm = |spec: &&DeviceSpec| matches!(spec, DeviceSpec::Jvm(_));
    match devices.specs().iter().find(|spec| !is_jvm(spec)) {
        Some(other) if needs_library => Err(DevicesError::NotOnJvm {
            option: coverage.option(),
            spec: other.to_string(),
        }),
        _ => Ok(()),
    }
}

/// Names and connections of all phones of a selection.
pub(super) async fn connect_all(
    selection: &PhoneSelection,
    seed: Seed,
    context: &ConnectionContext,
) -> Result<Vec<(String, Arc<dyn Connection>)>, DevicesError> {
    let mut factories = HashMap::new();
    let mut connected = Vec::new();
    let mut on_adb = Vec::new();
    for phone in selection.phones()? {
        let spec = &phone.spec;
        let connection: Arc<dyn Connection> = match spec {
            DeviceSpec::Adb(adb) => {
                on_adb.push((phone.number, phone.name, adb.clone()));
                continue;
            }
            DeviceSpec::Simulated(simulated) => {
                let seed = seed.derive("phone", phone.number);
                Arc::new(SimulatedDevice::start(simulated, seed)?)
            }
            DeviceSpec::Jvm(jvm) => {
                let factory = shared_factory(&mut factories, spec, jvm, context)?;
                let started = factory.start().await;
                Arc::new(started.map_err(|source| DevicesError::jvm(spec, source))?)
            }
            DeviceSpec::Paired(paired) => Arc::new(connect_paired(spec, paired).await?),
        };
        connected.push((phone.number, phone.name, connection));
    }
    // Last, because an agent that was started on a phone should not be left when something else fails.
    connected.extend(connect_all_on_adb(on_adb).await?);
    connected.sort_by_key(|(number, ..)| *number);
    Ok(connected
        .into_iter()
        .map(|(_, name, connection)| (name, connection))
        .collect())
}

/// Speed of simulated phones that are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServedSpeed {
    /// They answer as soon as they can.
    AtOnce,
    /// They take as long as their latencies say.
    RealTime,
}

/// Names and connections of all phones of a selection, to be served to other hosts.
pub async fn connect_to_serve(
    selection: &PhoneSelection,
    seed: Seed,
    speed: ServedSpeed,
    context: &ConnectionContext,
) -> Result<Vec<(String, Arc<dyn Connection>)>, DevicesError> {
    let mut served = Vec::new();
    for phone in selection.phones()? {
        let connection: Arc<dyn Connection> = match &phone.spec {
            DeviceSpec::Simulated(simulated) => {
                let seed = seed.derive("phone", phone.number);
                let simulated = open(&simulated.with_default_seed(seed.0))?;
                let connection = InProcessConnection::new(Box::new(simulated)).with_screen_diffs();
                match speed {
                    ServedSpeed::AtOnce => Arc::new(connection.without_sleeping()),
                    ServedSpeed::RealTime => Arc::new(connection),
                }
            }
            DeviceSpec::Paired(_) => {
                return Err(DevicesError::NotServed {
                    spec: phone.spec.to_string(),
                });
            }
            other => {
                let alone = PhoneSelection::one_each(other.clone());
                let mut connected = connect_all(&alone, seed, context).await?;
                connected.remove(0).1
            }
        };
        served.push((phone.name, connection));
    }
    Ok(served)
}

/// Connects all phones on adb at the same time: each takes seconds to start its agent.
async fn connect_all_on_adb(
    phones: Vec<(u64, String, AdbDeviceSpec)>,
) -> Result<Vec<(u64, String, Arc<dyn Connection>)>, DevicesError> {
    // Within this task, so that a cancelled command drops them all.
    let opening = phones.into_iter().map(|(number, name, spec)| async move {
        let phone = Box::pin(connect_on_adb(&name, &spec)).await;
        phone.map(|phone| (number, name, phone))
    });
    join_all(opening).await.into_iter().collect()
}

/// Connects one phone on adb, which no other command of this user has.
pub(super) async fn connect_on_adb(
    name: &str,
    spec: &AdbDeviceSpec,
) -> Result<Arc<dyn Connection>, DevicesError> {
    let serial = name.to_owned();
    let lock = PhoneLock::take(&spec.serial).map_err(|source| DevicesError::Locked {
        serial: serial.clone(),
        source,
    })?;
    let phone = AdbPhone::open(spec)
        .await
        .map_err(|source| DevicesError::Adb {
            serial,
            source: Box::new(source),
        })?;
    let restricted = RestrictedPhone::new(Arc::new(phone), spec.allow_system);
    Ok(Arc::new(LockedPhone {
        phone: Arc::new(restricted),
        _lock: lock,
    }))
}

pub(super) async fn connect_paired(
    spec: &DeviceSpec,
    paired: &PairedDeviceSpec,
) -> Result<Link, DevicesError> {
    let dialer = dialer(paired).map_err(|source| DevicesError::pairing(spec, source))?;
    let policy = ReconnectPolicy {
        reconnect_timeout: paired.reconnect_timeout,
        ..ReconnectPolicy::default()
    };
    Link::connect(dialer, os::machine_name(), policy)
        .await
        .map_err(|source| DevicesError::Link {
            spec: spec.to_string(),
            source,
        })
}

fn dialer(paired: &PairedDeviceSpec) -> Result<Arc<dyn Dialer>, PairingError> {
    let pairing = Pairing::read(paired.pairing_file())?;
    Ok(paired.address.dialer(pairing.keys))
}

/// One factory for all JVM phones with the same file: it prepares the app once.
fn shared_factory(
    factories: &mut HashMap<JvmDeviceSpec, Arc<JvmPhoneFactory>>,
    spec: &DeviceSpec,
    jvm: &JvmDeviceSpec,
    context: &ConnectionContext,
) -> Result<Arc<JvmPhoneFactory>, DevicesError> {
    if let Some(factory) = factories.get(jvm) {
        return Ok(Arc::clone(factory));
    }
    let made = JvmPhoneFactory::make(jvm, context.coverage, &context.cancellation);
    let factory = Arc::new(made.map_err(|source| DevicesError::jvm(spec, source))?);
    factories.insert(jvm.clone(), Arc::clone(&factory));
    Ok(factory)
}

/// A JVM phone that a benchmark can ask for its own loop in Java; none if the phone is of another kind.
pub async fn jvm_for_bench(
    spec: &DeviceSpec,
    cancellation: &CancellationToken,
) -> Result<Option<Arc<JvmPhone>>, DevicesError> {
    let DeviceSpec::Jvm(jvm) = spec else {
        return Ok(None);
    };
    let failed = |source| DevicesError::jvm(spec, source);
    let factory =
        JvmPhoneFactory::make(jvm, CodeCoverage::default(), cancellation).map_err(failed)?;
    let factory = Arc::new(factory.with_java_loop());
    Ok(Some(Arc::new(factory.start().await.map_err(failed)?)))
}

pub(super) fn open(spec: &SimulatedDeviceSpec) -> Result<SimulatedPhone, DevicesError> {
    retap_simulator::open(&spec.to_string()).map_err(|source| DevicesError::Simulated {
        spec: spec.to_string(),
        source,
    })
}

/// The simulated phone that has the app with this package.
pub fn simulated_with(package: &str) -> Option<DeviceList> {
    let specs = retap_simulator::app_names()
        .iter()
        .chain(retap_simulator::uncounted_app_names())
        .filter_map(|app| DeviceSpec::simulated(app).ok());
    let has_app = |spec: &DeviceSpec| {
        let apps = retap_simulator::open(&spec.to_string())
            .ok()
            .and_then(|mut phone| phone.apps().ok())
            .unwrap_or_default();
        apps.iter().any(|info| info.app.package == package)
    };
    specs.into_iter().find(has_app).map(DeviceList::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_error::UserError;
    use crate::exit::CommandExit;

    #[test]
    fn files_that_specs_name_are_checked() {
        let check = |text: &str| check(&text.parse().unwrap());
        check("sim:notes,R58M").unwrap();
        for none in ["jvm:no-such.apk", "sim:notes,jvm:Cargo.toml"] {
            let error = check(none).unwrap_err();
            assert!(matches!(error, DevicesError::Jvm { .. }), "{error}");
            assert_eq!(error.exit(), CommandExit::Usage);
        }
        let error = check("udp:127.0.0.1:9?pairing=none.pairing").unwrap_err();
        assert!(matches!(error, DevicesError::Pairing { .. }), "{error}");
    }

    #[tokio::test]
    async fn a_phone_that_is_served_already_is_not_served_again() {
        let selection = PhoneSelection::one_each("udp:127.0.0.1:9".parse::<DeviceSpec>().unwrap());
        let context = ConnectionContext::default();
        let served = connect_to_serve(&selection, Seed(1), ServedSpeed::AtOnce, &context).await;
        let error = served.err().unwrap();
        assert!(matches!(error, DevicesError::NotServed { .. }), "{error}");
        assert_eq!(error.exit(), CommandExit::Usage);
    }

    #[test]
    fn every_simulated_app_is_found_by_its_package() {
        let apps = retap_simulator::app_names().iter();
        for app in apps.chain(retap_simulator::uncounted_app_names()) {
            let spec = DeviceSpec::simulated(app).unwrap();
            let package = retap_simulator::open(&spec.to_string())
                .unwrap()
                .apps()
                .unwrap()[0]
                .app
                .package
                .clone();
            assert_eq!(simulated_with(&package), Some(spec.into()));
        }
        assert_eq!(simulated_with("org.example.other"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_of_simulated_phones_is_the_same_as_a_count() {
        let connect = async |device: &str, count| {
            let device = device.parse().unwrap();
            let selection = PhoneSelection { device, count };
            let connected = connect_all(&selection, Seed(7), &ConnectionContext::default())
                .await
                .unwrap();
            connected
                .into_iter()
                .map(|(name, _)| name)
                .collect::<Vec<_>>()
        };
        let counted = connect("sim:shop?noise=0.1", 3).await;
        let shop = "sim:shop?noise=0.1";
        let listed = connect(&[shop; 3].join(","), 1).await;
        assert_eq!(counted, listed);
        assert_eq!(listed.len(), 3);
    }
}
