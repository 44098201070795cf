//! `retap devices`.

use clap::Args;
use serde_json::json;

use crate::adb::{Adb, Listed, State};
use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::{self, Clock};
use crate::plain;
use crate::report::console::Tone;
use crate::shell::Shell;

/// List the phones that there are
#[derive(Debug, Args)]
pub struct Devices {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Devices {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        let apps = retap_simulator::apps();
        let width = apps.iter().map(|app| app.len()).max().unwrap_or(0);
        for app in apps {
            let (device, about) = (format!("sim:{app}"), retap_simulator::about(app).unwrap_or_default());
            let line = if self.json {
                json!({ "device": device, "kind": "simulated", "about": about }).to_string()
            } else {
                format!("{device:<width$}  {about}", width = width + "sim:".len())
            };
            shell.console.result(&line)?;
        }
        if !self.json {
            shell.console.result(
                "\nSimulated phones take noise: sim:mail?noise=0.2&latency=realistic&seed=5\n\
                 A real app on a JVM: jvm:FILE.apk",
            )?;
        }
        self.list_on_adb(shell)?;
        Ok(Exit::Done)
    }

    /// Without adb there are still the simulated ones: that is told, and no failure.
    fn list_on_adb(&self, shell: &Shell) -> Result<(), Failure> {
        let listed = job::block_on(Clock::Real, async { Adb::open().await?.list().await })?;
        let phones = match listed {
            Ok(phones) => phones,
            Err(error) => {
                let why = retap_agent::link::with_causes(&error);
                shell.console.say(Tone::Quiet, &format!("\nPhones on adb: {why}; {}", error.help()));
                return Ok(());
            }
        };
        for Listed { serial, state } in phones {
            let remedy = (state != State::Ready).then(|| state.remedy());
            let line = if self.json {
                json!({ "device": serial, "kind": "android", "state": state.to_string(), "remedy": remedy })
                    .to_string()
            } else {
                let remedy = remedy.map(|remedy| format!(": {remedy}")).unwrap_or_default();
                format!("{}  on adb, {state}{remedy}", plain::line(&serial, plain::LONG))
            };
            shell.console.result(&line)?;
        }
        Ok(())
    }
}
