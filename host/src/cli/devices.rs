//! `retap devices`.

use clap::Args;
use serde_json::json;

use crate::adb::{Adb, AdbDevice, AdbError, AdbState, ListedPhone};
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::report::console::LineStyle;
use crate::sanitise_terminal;

/// List the phones that there are
#[derive(Debug, Args)]
pub struct DevicesCommand {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl DevicesCommand {
    pub fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        let apps = retap_simulator::app_names();
        let width = apps.iter().map(|app| app.len()).max().unwrap_or(0);
        for app in apps {
            let device = format!("sim:{app}");
            let about = retap_simulator::about(app).unwrap_or_default();
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
        Ok(CommandExit::Done)
    }

    /// Without adb there are still the simulated ones: that is told, and no failure.
    fn list_on_adb(&self, shell: &CommandContext) -> Result<(), CommandError> {
        let phones = match operations::block_on(ClockKind::Real, on_adb())? {
            Ok(phones) => phones,
            Err(error) => {
                let why = retap_shared::error_text::with_causes(&error);
                shell.console.print(
                    LineStyle::Quiet,
                    &format!("\nPhones on adb: {why}; {}", error.help()),
                );
                return Ok(());
            }
        };
        for (ListedPhone { serial, state }, about) in phones {
            let remedy = (state != AdbState::Ready).then(|| state.remedy());
            let line = if self.json {
                let mut line =
                    json!({ "device": serial, "kind": "android", "state": state.to_string() });
                line["remedy"] = json!(remedy);
                for (name, value) in ["model", "api_level", "abi"].into_iter().zip(about) {
                    line[name] = json!(value);
                }
                line.to_string()
            } else {
                let [model, level, abi] = about.map(|it| {
                    sanitise_terminal::sanitise_line(
                        &it.unwrap_or_default(),
                        sanitise_terminal::LINE_WIDTH,
                    )
                });
                let known = if level.is_empty() {
                    String::new()
                } else {
                    format!(": {model}, API level {level}, {abi}")
                };
                let remedy = remedy
                    .map(|remedy| format!(": {remedy}"))
                    .unwrap_or_default();
                format!(
                    "{}  on adb, {state}{known}{remedy}",
                    sanitise_terminal::sanitise_line(&serial, sanitise_terminal::LINE_WIDTH)
                )
            };
            shell.console.result(&line)?;
        }
        Ok(())
    }
}

/// Model, API level and processor, of phones that say so.
type PhoneProperties = [Option<String>; 3];

async fn on_adb() -> Result<Vec<(ListedPhone, PhoneProperties)>, AdbError> {
    let adb = Adb::open().await?;
    let mut phones = Vec::new();
    for listed in adb.list().await? {
        let about = match listed.state {
            AdbState::Ready => read_properties(&adb.phone(&listed.serial).await?).await,
            _ => PhoneProperties::default(),
        };
        phones.push((listed, about));
    }
    Ok(phones)
}

/// All at once: a phone that hangs is waited for once.
async fn read_properties(phone: &AdbDevice) -> PhoneProperties {
    let asked = "for name in ro.product.model ro.build.version.sdk ro.product.cpu.abi; do getprop $name; done";
    let told = phone.shell_output(asked).await.unwrap_or_default();
    let mut lines = told
        .lines()
        .map(|line| Some(line.trim().to_owned()).filter(|line| !line.is_empty()));
    std::array::from_fn(|_| lines.next().flatten())
}
