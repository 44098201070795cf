//! Errors of finding and connecting phones, each with what to do about it.

use retap_device::DeviceError;
use retap_simulator::SimulatorSpecError;

use super::adb::AdbPhoneError;
use super::jvm::JvmError;
use super::phone_lock::PhoneLockError;
use crate::adb::AdbError;
use crate::command_error::UserError;
use crate::device_spec::{DeviceCountError, DeviceSpec};
use crate::exit::CommandExit;
use crate::lab_file::LabFileError;
use crate::link::LinkError;
use crate::link::pairing::PairingError;
use crate::wording::{closest_name, quoted_list};

#[derive(Debug, thiserror::Error)]
pub enum DevicesError {
    #[error("no phone was named")]
    NoneNamed {
        /// Phones that adb lists, or why they are unknown.
        on_adb: String,
    },
    #[error("cancelled while phones were being connected")]
    Cancelled,
    #[error("no phone is connected")]
    NoneConnected,
    #[error("could not ask adb which phones there are")]
    Unlisted(#[source] AdbError),
    #[error("adb lists {listed} phones, and none of them can be used now")]
    NoneReady { listed: usize },
    #[error("`{spec}` names no simulated phone")]
    Simulated {
        spec: String,
        source: SimulatorSpecError,
    },
    #[error("`{spec}` could not be started")]
    Jvm { spec: String, source: JvmError },
    #[error("could not use `{serial}` through adb")]
    Adb {
        serial: String,
        source: Box<AdbPhoneError>,
    },
    #[error("`{serial}` is in use")]
    Locked {
        serial: String,
        source: PhoneLockError,
    },
    #[error(transparent)]
    LabFile(#[from] LabFileError),
    #[error("none of the phones with the tag `{tag}` can be used now")]
    NoneTagged { tag: String },
    #[error("`{option}` is for phones on adb, and `{spec}` is none")]
    NotOnAdb { option: &'static str, spec: String },
    #[error("`{option}` is for JVM phones, and `{spec}` is none")]
    NotOnJvm { option: &'static str, spec: String },
    #[error("`{spec}` is served already")]
    NotServed { spec: String },
    #[error("could not connect to `{name}`")]
    Connect { name: String, source: DeviceError },
    #[error("`{spec}` cannot be reached")]
    Pairing { spec: String, source: PairingError },
    #[error("could not reach the phone at `{spec}`")]
    Link { spec: String, source: LinkError },
    #[error(transparent)]
    Count(#[from] DeviceCountError),
    #[error("there is no app `{wanted}` on `{device}`")]
    UnknownApp {
        wanted: String,
        device: String,
        known: Vec<String>,
    },
    #[error("`{device}` has {} apps, and none was named", .known.len())]
    WhichApp { device: String, known: Vec<String> },
}

impl DevicesError {
    pub(super) fn jvm(spec: &DeviceSpec, source: JvmError) -> DevicesError {
        DevicesError::Jvm {
            spec: spec.to_string(),
            source,
        }
    }

    pub(super) fn pairing(spec: &DeviceSpec, source: PairingError) -> DevicesError {
        DevicesError::Pairing {
            spec: spec.to_string(),
            source,
        }
    }
}

impl UserError for DevicesError {
    fn exit(&self) -> CommandExit {
        match self {
            DevicesError::Cancelled => CommandExit::Interrupted,
            DevicesError::Jvm { source, .. } if source.is_usage() => CommandExit::Usage,
            DevicesError::Adb { source, .. } if source.is_usage() => CommandExit::Usage,
            DevicesError::LabFile(error) => error.exit(),
            DevicesError::NoneNamed { .. }
            | DevicesError::NoneConnected
            | DevicesError::Unlisted(_)
            | DevicesError::NoneReady { .. }
            | DevicesError::NoneTagged { .. }
            | DevicesError::Locked { .. }
            | DevicesError::Jvm { .. }
            | DevicesError::Adb { .. }
            | DevicesError::Link { .. }
            | DevicesError::Connect { .. } => CommandExit::NoPhone,
            DevicesError::Simulated { .. }
            | DevicesError::NotServed { .. }
            | DevicesError::NotOnAdb { .. }
            | DevicesError::NotOnJvm { .. }
            | DevicesError::Pairing { .. }
            | DevicesError::Count(_)
            | DevicesError::UnknownApp { .. }
            | DevicesError::WhichApp { .. } => CommandExit::Usage,
        }
    }

    fn details(&self) -> Vec<String> {
        match self {
            DevicesError::NoneNamed { on_adb } => {
                let apps = retap_simulator::app_names();
                let simulated: Vec<String> = apps.iter().map(|app| format!("sim:{app}")).collect();
                let simulated = quoted_list(simulated.iter().map(String::as_str));
                vec![
                    format!("phones on adb: {on_adb}"),
                    format!("simulated phones: {simulated}"),
                ]
            }
            _ => Vec::new(),
        }
    }

    fn help(&self) -> String {
        match self {
            DevicesError::UnknownApp { wanted, known, .. } => {
                let known = known.iter().map(String::as_str);
                match closest_name(wanted, known.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it has {}", quoted_list(known)),
                }
            }
            DevicesError::WhichApp { known, .. } => {
                format!("name one of {}", quoted_list(known.iter().map(String::as_str)))
            }
            DevicesError::Pairing { .. } => {
                "write `--device udp:ADDRESS?pairing=FILE` with the address and the file of `retap phone`"
                    .into()
            }
            DevicesError::Link { .. } => {
                "see whether `retap phone` still runs there, and whether this is its pairing file".into()
            }
            DevicesError::Unlisted(source) => source.help(),
            DevicesError::LabFile(error) => error.help(),
            DevicesError::Locked { .. } => {
                "wait for it, or name another phone; `retap devices` lists who uses which".into()
            }
            DevicesError::NoneReady { .. } | DevicesError::NoneTagged { .. } => {
                "see with `retap devices` what to do about each, or name another phone with `--device`".into()
            }
            DevicesError::Jvm { source, .. } => source.help(),
            DevicesError::Adb { source, .. } => source.help(),
            DevicesError::NotOnAdb { option, .. } => {
                format!("omit `{option}`, or name a phone that `retap devices` lists as on adb")
            }
            DevicesError::NotOnJvm { option, .. } => {
                format!("omit `{option}`, or name a JVM phone: `--device jvm:FILE.apk`")
            }
            DevicesError::Count(error) => error.help(),
            DevicesError::Connect { .. } => "see whether the phone is there and awake, then try again".into(),
            DevicesError::NoneNamed { .. } => {
                "name one with `--device`, such as `--device sim:notes`; `retap devices` lists them".into()
            }
            DevicesError::NotServed { .. } => "give its address and its pairing file to the host that needs it".into(),
            DevicesError::Cancelled => "run the same command again".into(),
            DevicesError::NoneConnected
            | DevicesError::Simulated { .. } => {
                "name a simulated phone such as `sim:notes`; `retap devices` lists them".into()
            }
        }
    }
}
