//! `retap devices`.

use clap::Args;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::Failure;
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
                 A real app on a JVM: jvm:FILE.apk\n\
                 Phones over adb come with a later version.",
            )?;
        }
        Ok(Exit::Done)
    }
}
