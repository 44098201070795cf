//! `retap install`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::adb::{Adb, AdbError, AdbState};
use crate::cli::arguments::GlobalArguments;
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::device_spec::{AdbDeviceSpec, DeviceList, DeviceSelector, DeviceSpec};
use crate::devices::{self, DevicesError};
use crate::exit::CommandExit;
use crate::input_file;
use crate::operations::{self, ClockKind};
use crate::vendors;

/// First bytes of every APK.
const ZIP: &[u8; 4] = b"PK\x03\x04";

/// Install an app on phones on adb, for `retap explore` to drive
///
/// An older version of it is replaced and keeps its data.
#[derive(Debug, Args)]
pub struct InstallCommand {
    /// The app, as an APK
    file: PathBuf,
    /// Serial of the phone, several with commas between them, or `all` [default: the only phone that is ready]
    #[arg(long, value_name = "SERIAL")]
    device: Option<DeviceSelector>,
    /// Android user who gets the app [default: 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=99_999))]
    user: Option<u32>,
    /// Print one JSON object per phone
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("could not read `{}`", .path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` is no APK: it does not begin as a zip file does", .0.display())]
    NoApk(PathBuf),
    #[error("{} phones are ready on adb, and none was named", .0)]
    WhichPhone(usize),
    #[error(transparent)]
    Adb(#[from] AdbError),
    #[error(transparent)]
    Devices(#[from] DevicesError),
    #[error("`{serial}` does not take `{}`", .path.display())]
    Refused {
        serial: String,
        path: PathBuf,
        #[source]
        source: AdbError,
    },
}

impl InstallCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let config = global.config()?;
        check(&self.file)?;
        let named = self.device.as_ref().or(config.device.as_ref());
        operations::block_on(ClockKind::Real, async {
            tokio::select! {
                done = self.install(named, context) => done,
                () = context.cancellation.cancelled() => Ok(CommandExit::Interrupted),
            }
        })?
    }

    async fn install(
        &self,
        named: Option<&DeviceSelector>,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let adb = Adb::open().await?;
        for spec in phones(&adb, named).await? {
            let phone = adb.phone(&spec.serial).await?;
            phone
                .install(&self.file, self.user.unwrap_or(spec.user))
                .await
                .map_err(|source| InstallError::Refused {
                    serial: spec.serial.clone(),
                    path: self.file.clone(),
                    source,
                })?;
            let file = self.file.display();
            let line = if self.json {
                json!({ "result": "install", "device": spec.serial, "file": file.to_string() })
                    .to_string()
            } else {
                format!("{file} is on {}", spec.serial)
            };
            context.console.result(&line)?;
        }
        Ok(CommandExit::Done)
    }
}

/// The named phones on adb, or the only one that is ready.
async fn phones(
    adb: &Adb,
    named: Option<&DeviceSelector>,
) -> Result<Vec<AdbDeviceSpec>, InstallError> {
    match named {
        Some(DeviceSelector::Listed(list)) => on_adb(list),
        Some(DeviceSelector::AllOnAdb) => on_adb(&devices::all_ready_on_adb().await?),
        Some(DeviceSelector::Tagged(tag)) => on_adb(&devices::with_tag(tag).await?),
        None => {
            let listed = adb.list().await?;
            let ready: Vec<_> = listed
                .into_iter()
                .filter(|phone| phone.state == AdbState::Ready)
                .collect();
            match ready.as_slice() {
                [only] => Ok(vec![AdbDeviceSpec::of(&only.serial)]),
                several => Err(InstallError::WhichPhone(several.len())),
            }
        }
    }
}

fn on_adb(list: &DeviceList) -> Result<Vec<AdbDeviceSpec>, InstallError> {
    let specs = list.specs().iter().map(|spec| match spec {
        DeviceSpec::Adb(adb) => Ok(adb.clone()),
        other => Err(DevicesError::NotOnAdb {
            option: "retap install",
            spec: other.to_string(),
        }
        .into()),
    });
    specs.collect()
}

fn check(path: &Path) -> Result<(), InstallError> {
    let read = |source| InstallError::Read {
        path: path.to_owned(),
        source,
    };
    let mut start = [0; ZIP.len()];
    let begun = input_file::open(path).map_err(read)?.read_exact(&mut start);
    if begun.is_ok() && start == *ZIP {
        Ok(())
    } else {
        Err(InstallError::NoApk(path.to_owned()))
    }
}

impl UserError for InstallError {
    fn exit(&self) -> CommandExit {
        match self {
            InstallError::Read { .. } | InstallError::NoApk(_) | InstallError::Refused { .. } => {
                CommandExit::Usage
            }
            InstallError::WhichPhone(0) => CommandExit::NoPhone,
            InstallError::WhichPhone(_) => CommandExit::Usage,
            InstallError::Adb(error) => error.exit(),
            InstallError::Devices(error) => error.exit(),
        }
    }

    fn help(&self) -> String {
        match self {
            InstallError::Read { .. } => "see whether the file is there and may be read".into(),
            InstallError::NoApk(_) => "name the APK that the app's build has made".into(),
            InstallError::WhichPhone(0) => {
                "plug one in and switch USB debugging on; `retap doctor` helps".into()
            }
            InstallError::WhichPhone(_) => "name one or more with `--device SERIAL,SERIAL`".into(),
            InstallError::Adb(error) => error.help(),
            InstallError::Devices(error) => error.help(),
            InstallError::Refused { source, .. } => {
                remedy(source.adb_message().unwrap_or_default()).into()
            }
        }
    }
}

/// By the reasons that Android's installer names.
fn remedy(why: &str) -> &'static str {
    let known = [
        ("INSUFFICIENT_STORAGE", "free some space on the phone"),
        (
            "UPDATE_INCOMPATIBLE",
            "the phone has it with another signature: uninstall that one first",
        ),
        (
            "VERSION_DOWNGRADE",
            "the phone has a newer version: uninstall that one first",
        ),
        (
            "NO_MATCHING_ABIS",
            "build the app for the phone's processor, which `retap devices` names",
        ),
        (
            "OLDER_SDK",
            "use a phone with a newer Android: the app asks for it",
        ),
        (
            "INVALID_APK",
            "build the app again: the file is broken or not signed",
        ),
        (
            "NO_CERTIFICATES",
            "sign the app: `apksigner sign`, or a debug build",
        ),
    ];
    let found = known.into_iter().find(|(reason, _)| why.contains(reason));
    found
        .map(|(_, remedy)| remedy)
        .or_else(|| vendors::remedy_in(why))
        .unwrap_or("see what the phone said; `retap doctor` looks at the phone itself")
}
