//! Why a phone could not be had, and what to do about it.

use retap_device::DeviceError;
use retap_simulator::SimulatorSpecError as SimulatedError;

use super::adb::AdbPhoneError;
use super::adb::spec::AdbDeviceSpecError;
use super::is_on_adb;
use super::jvm::JvmError;
use crate::adb::AdbError;
use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::link::LinkError;
use crate::link::pairing::PairingError;
use crate::wording::{closest_name, quoted_list};

#[derive(Debug, thiserror::Error)]
pub enum DevicesError {
    #[error("no phone was named")]
    NoneNamed,
    #[error("could not ask adb which phones there are")]
    Unlisted(#[source] AdbError),
    #[error("adb lists {listed} phones, and none of them can be used now")]
    NoneReady { listed: usize },
    #[error("`{spec}` names no simulated phone")]
    Simulated {
        spec: String,
        source: SimulatedError,
    },
    #[error("there is no kind of phone called `{kind}`")]
    UnknownKind { kind: String },
    #[error("`{spec}` could not be started")]
    Jvm { spec: String, source: JvmError },
    #[error("could not use `{spec}` through adb")]
    Adb {
        spec: String,
        source: Box<AdbPhoneError>,
    },
    #[error("`{spec}` names no phone on adb")]
    AdbSpec {
        spec: String,
        source: AdbDeviceSpecError,
    },
    #[error("`{option}` is for phones on adb, and `{spec}` is none")]
    NotOnAdb { option: &'static str, spec: String },
    #[error("`{spec}` is no simulated phone, and only those are served to others")]
    NotServed { spec: String },
    #[error("could not connect to `{name}`")]
    Connect { name: String, source: DeviceError },
    #[error("`{spec}` cannot be reached")]
    Pairing { spec: String, source: PairingError },
    #[error("could not reach the phone at `{spec}`")]
    Link { spec: String, source: LinkError },
    #[error("`{spec}` is one phone, and {count} were asked for")]
    OnlyOne { spec: String, count: u32 },
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
    pub(super) fn jvm(spec: &str, source: JvmError) -> DevicesError {
        DevicesError::Jvm {
            spec: spec.to_owned(),
            source,
        }
    }
}

impl UserError for DevicesError {
    fn exit(&self) -> CommandExit {
        match self {
            DevicesError::Jvm { source, .. } if source.is_usage() => CommandExit::Usage,
            DevicesError::Adb { source, .. } if source.is_usage() => CommandExit::Usage,
            DevicesError::NoneNamed
            | DevicesError::Unlisted(_)
            | DevicesError::NoneReady { .. }
            | DevicesError::Jvm { .. }
            | DevicesError::Adb { .. }
            | DevicesError::Link { .. }
            | DevicesError::Connect { .. } => CommandExit::NoPhone,
            DevicesError::Simulated { .. }
            | DevicesError::UnknownKind { .. }
            | DevicesError::NotServed { .. }
            | DevicesError::AdbSpec { .. }
            | DevicesError::NotOnAdb { .. }
            | DevicesError::Pairing { .. }
            | DevicesError::OnlyOne { .. }
            | DevicesError::UnknownApp { .. }
            | DevicesError::WhichApp { .. } => CommandExit::Usage,
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
            DevicesError::NoneReady { .. } => {
                "see with `retap devices` what to do about each, or name a phone with `--device`".into()
            }
            DevicesError::Jvm { source, .. } => source.help(),
            DevicesError::Adb { source, .. } => source.help(),
            DevicesError::AdbSpec { source, .. } => source.help(),
            DevicesError::NotOnAdb { option, .. } => {
                format!("leave `{option}` away, or name a phone that `retap devices` lists as on adb")
            }
            DevicesError::OnlyOne { spec, .. } if is_on_adb(spec) => {
                "leave `--count` away, and name each phone: `--device SERIAL,SERIAL`".into()
            }
            DevicesError::OnlyOne { .. } => "leave `--count` away".into(),
            DevicesError::Connect { .. } => "see whether the phone is there and awake, then try again".into(),
            _ => "name a simulated phone such as `--device sim:notes`; `retap devices` lists them".into(),
        }
    }
}
