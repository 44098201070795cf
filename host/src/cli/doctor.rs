//! `retap doctor`.

use clap::Args;
use serde_json::json;

use crate::doctor::{Finding, Wanted, examine};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::job::{self, Clock};
use crate::plain;
use crate::shell::Shell;

/// See whether a phone on adb can be driven, and what to do where it cannot
///
/// Ends with 0 if all is well, and with 1 if something is not.
#[derive(Debug, Args)]
pub struct Doctor {
    /// The package of an app: its data is saved and put back, and it is stopped for that
    app: Option<String>,
    /// The phone's serial; the only one that is ready if not said
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

impl Doctor {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let mut exit = Exit::Done;
        let mut told = Ok(());
        let tell = |finding: Finding| {
            if finding.remedy.is_some() {
                exit = Exit::ProblemsFound;
            }
            if told.is_ok() {
                told = shell.console.result(&self.line(&finding));
            }
        };
        let wanted = Wanted {
            serial: self.device.clone(),
            user: self.user,
            app: self.app.clone(),
            deep: self.deep,
        };
        let examined = async {
            tokio::select! {
                () = examine(&wanted, tell) => true,
                () = shell.stop.wait() => false,
            }
        };
        let examined = job::block_on(Clock::Real, examined)?;
        told?;
        Ok(if examined { exit } else { Exit::Interrupted })
    }

    fn line(&self, finding: &Finding) -> String {
        let Finding { what, remedy } = finding;
        match (self.json, remedy) {
            (true, remedy) => {
                json!({ "what": what, "well": remedy.is_none(), "remedy": remedy }).to_string()
            }
            (false, None) => format!("✔ {}", plain::line(what, plain::LONG)),
            (false, Some(remedy)) => format!("✘ {}\n  → {remedy}", plain::line(what, plain::LONG)),
        }
    }
}
