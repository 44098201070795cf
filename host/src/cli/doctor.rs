//! `retap doctor`.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use retap_agent::version::VERSION;
use serde_json::json;

use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::device_spec::{AdbDeviceSpec, DeviceList, DeviceSpec};
use crate::devices::DevicesError;
use crate::doctor::{DoctorCheck, DoctorOptions, examine};
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::run::atomic_write::write_atomically;
use crate::sanitise_terminal;

/// See whether a phone on adb can be driven, and what to do where it cannot
///
/// Exit code 0 if all is well, 1 if something is not.
#[derive(Debug, Args)]
pub struct DoctorCommand {
    /// The package of an app: its data is saved and put back, and it is stopped for that
    app: Option<String>,
    /// Serial of the phone [default: the only one that is ready]
    #[arg(long, value_name = "SERIAL")]
    device: Option<DeviceList>,
    /// Android user whose apps are tested [default: 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=99_999))]
    user: Option<u32>,
    /// Send every request once, and list every Java name that the agent uses with the form that the phone has
    #[arg(long)]
    deep: bool,
    /// Write all of it to a file that can be pasted into a bug report: no serial, no app, no user is named
    #[arg(long, value_name = "FILE", requires = "deep")]
    report: Option<PathBuf>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("could not write the report `{}`", .path.display())]
pub struct DoctorError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl DoctorCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let mut exit = CommandExit::Done;
        let mut printed = Ok(());
        let mut report = format!("Retap {VERSION}, {}\n", std::env::consts::OS);
        let tell = |check: DoctorCheck| {
            if !check.is_private {
                report += &format!("{}\n", words(&check));
            }
            if check.remedy.is_some() {
                exit = CommandExit::FindingsFound;
            }
            if printed.is_ok() {
                printed = context.console.result(&self.line(&check));
            }
        };
        let options = DoctorOptions {
            phone: self.phone()?,
            user: self.user,
            app: self.app.clone(),
            deep: self.deep,
        };
        let examined = async {
            tokio::select! {
                serial = examine(&options, tell) => Some(serial),
                () = context.cancellation.cancelled() => None,
            }
        };
        let examined = operations::block_on(ClockKind::Real, examined)?;
        printed?;
        if let Some(path) = &self.report {
            write_report(path, &report, examined.clone().flatten())?;
        }
        Ok(if examined.is_some() {
            exit
        } else {
            CommandExit::Interrupted
        })
    }

    fn phone(&self) -> Result<Option<AdbDeviceSpec>, CommandError> {
        let Some(device) = &self.device else {
            return Ok(None);
        };
        match device.single()? {
            DeviceSpec::Adb(adb) => Ok(Some(adb.clone())),
            other => Err(DevicesError::NotOnAdb {
                option: "retap doctor",
                spec: other.to_string(),
            }
            .into()),
        }
    }

    fn line(&self, check: &DoctorCheck) -> String {
        let DoctorCheck { what, remedy, .. } = check;
        match (self.json, remedy) {
            (true, remedy) => {
                json!({ "what": what, "well": remedy.is_none(), "remedy": remedy }).to_string()
            }
            (false, _) => words(check),
        }
    }
}

/// A serial may stand in the message of any error.
fn write_report(path: &Path, report: &str, serial: Option<String>) -> Result<(), DoctorError> {
    let report = match serial {
        Some(serial) => report.replace(&serial, "SERIAL"),
        None => report.to_owned(),
    };
    write_atomically(path, report.as_bytes()).map_err(|source| DoctorError {
        path: path.to_owned(),
        source,
    })
}

fn words(check: &DoctorCheck) -> String {
    let what = sanitise_terminal::sanitise_line(&check.what, sanitise_terminal::LINE_WIDTH);
    match &check.remedy {
        None => format!("✔ {what}"),
        Some(remedy) => format!("✘ {what}\n  → {remedy}"),
    }
}

impl UserError for DoctorError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "name a file in a directory that you may write to".into()
    }
}
