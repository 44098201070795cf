//! `retap doctor`.

use clap::Args;
use serde_json::json;

use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::device_spec::{AdbDeviceSpec, DeviceList, DeviceSpec};
use crate::devices::DevicesError;
use crate::doctor::{DoctorCheck, DoctorOptions, examine};
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
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
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl DoctorCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let mut exit = CommandExit::Done;
        let mut printed = Ok(());
        let report = |check: DoctorCheck| {
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
                () = examine(&options, report) => true,
                () = context.cancellation.cancelled() => false,
            }
        };
        let examined = operations::block_on(ClockKind::Real, examined)?;
        printed?;
        Ok(if examined {
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
        let DoctorCheck { what, remedy } = check;
        match (self.json, remedy) {
            (true, remedy) => {
                json!({ "what": what, "well": remedy.is_none(), "remedy": remedy }).to_string()
            }
            (false, None) => format!(
                "✔ {}",
                sanitise_terminal::sanitise_line(what, sanitise_terminal::LINE_WIDTH)
            ),
            (false, Some(remedy)) => format!(
                "✘ {}\n  → {remedy}",
                sanitise_terminal::sanitise_line(what, sanitise_terminal::LINE_WIDTH)
            ),
        }
    }
}
