//! `retap doctor`.

use clap::Args;
use serde_json::json;

use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::doctor::{DoctorCheck, DoctorOptions, examine};
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::sanitise_terminal;

/// See whether a phone on adb can be driven, and what to do where it cannot
///
/// Ends with 0 if all is well, and with 1 if something is not.
#[derive(Debug, Args)]
pub struct DoctorCommand {
    /// The package of an app: its data is saved and put back, and it is stopped for that
    app: Option<String>,
    /// Serial of the phone; default: the only one that is ready
    #[arg(long, value_name = "SERIAL")]
    device: Option<String>,
    /// The Android user whose apps are to be tested
    #[arg(long, value_name = "N", default_value_t = 0)]
    user: u32,
    /// Make every request once, and tell every Java name that the agent uses with the form that the phone has
    #[arg(long)]
    deep: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl DoctorCommand {
    pub fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        let mut exit = CommandExit::Done;
        let mut told = Ok(());
        let tell = |finding: DoctorCheck| {
            if finding.remedy.is_some() {
                exit = CommandExit::FindingsFound;
            }
            if told.is_ok() {
                told = shell.console.result(&self.line(&finding));
            }
        };
        let wanted = DoctorOptions {
            serial: self.device.clone(),
            user: self.user,
            app: self.app.clone(),
            deep: self.deep,
        };
        let examined = async {
            tokio::select! {
                () = examine(&wanted, tell) => true,
                () = shell.cancellation.cancelled() => false,
            }
        };
        let examined = operations::block_on(ClockKind::Real, examined)?;
        told?;
        Ok(if examined {
            exit
        } else {
            CommandExit::Interrupted
        })
    }

    fn line(&self, finding: &DoctorCheck) -> String {
        let DoctorCheck { what, remedy } = finding;
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
