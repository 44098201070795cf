//! `retap devices`.

use clap::Args;
use serde_json::json;

use crate::adb::{Adb, AdbDevice, AdbError, AdbState, ListedPhone};
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::devices::PhoneLock;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::report::console::LineStyle;
use crate::sanitise_terminal::{self, LINE_WIDTH};

/// State of a phone that another command has.
const IN_USE: &str = "in use";

/// List the phones that there are, as `--device` names them
#[derive(Debug, Args)]
pub struct DevicesCommand {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl DevicesCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
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
            context.console.result(&line)?;
        }
        if !self.json {
            context.console.result(
                "\nSimulated phones take noise: sim:mail?noise=0.2&latency=realistic&seed=5\n\
                 A real app on a JVM: jvm:FILE.apk",
            )?;
        }
        self.list_on_adb(context)?;
        Ok(CommandExit::Done)
    }

    /// Without adb there are still the simulated phones: it is a remark and no error.
    fn list_on_adb(&self, context: &CommandContext) -> Result<(), CommandError> {
        let phones = match operations::block_on(ClockKind::Real, on_adb())? {
            Ok(phones) => phones,
            Err(error) => {
                let why = retap_shared::error_text::with_causes(&error);
                context.console.print(
                    LineStyle::Quiet,
                    &format!("\nPhones on adb: {why}; {}", error.help()),
                );
                return Ok(());
            }
        };
        for (phone, properties) in phones {
            context.console.result(&if self.json {
                to_json(&phone, properties)
            } else {
                to_words(&phone, properties)
            })?;
        }
        Ok(())
    }
}

fn to_json(phone: &ListedPhone, properties: PhoneProperties) -> String {
    let ListedPhone { serial, state } = phone;
    let remedy = (*state != AdbState::Ready).then(|| state.remedy());
    let owner = PhoneLock::owner(serial);
    let state = owner
        .as_ref()
        .map_or_else(|| state.to_string(), |_| IN_USE.to_owned());
    let mut line = json!({ "device": serial, "kind": "android", "state": state });
    line["remedy"] = json!(remedy);
    line["owner"] = json!(owner.flatten());
    for (name, value) in ["model", "api_level", "abi"].into_iter().zip(properties) {
        line[name] = json!(value);
    }
    line.to_string()
}

fn to_words(phone: &ListedPhone, properties: PhoneProperties) -> String {
    let ListedPhone { serial, state } = phone;
    let sanitise = |text: &str| sanitise_terminal::sanitise_line(text, LINE_WIDTH);
    let [model, level, abi] = properties.map(|value| sanitise(&value.unwrap_or_default()));
    let about = match level.is_empty() {
        true => String::new(),
        false => format!(": {model}, API level {level}, {abi}"),
    };
    let (state, remedy) = match (PhoneLock::owner(serial), state) {
        (Some(Some(owner)), _) => (
            IN_USE.to_owned(),
            format!(": {}", sanitise(&owner.describe())),
        ),
        (Some(None), _) => (IN_USE.to_owned(), String::new()),
        (None, AdbState::Ready) => (state.to_string(), String::new()),
        (None, _) => (state.to_string(), format!(": {}", state.remedy())),
    };
    format!("{}  on adb, {state}{about}{remedy}", sanitise(serial))
}

/// Model, API level and processor of a phone, as far as they are known.
type PhoneProperties = [Option<String>; 3];

async fn on_adb() -> Result<Vec<(ListedPhone, PhoneProperties)>, AdbError> {
    let adb = Adb::open().await?;
    let mut phones = Vec::new();
    for listed in adb.list().await? {
        let properties = match listed.state {
            AdbState::Ready => read_properties(&adb.phone(&listed.serial).await?).await,
            _ => PhoneProperties::default(),
        };
        phones.push((listed, properties));
    }
    Ok(phones)
}

/// Reads all properties at once, so that a phone that hangs is waited for once.
async fn read_properties(phone: &AdbDevice) -> PhoneProperties {
    let script = "for name in ro.product.model ro.build.version.sdk ro.product.cpu.abi; do getprop $name; done";
    let output = phone.shell_output(script).await.unwrap_or_default();
    let mut lines = output
        .lines()
        .map(|line| Some(line.trim().to_owned()).filter(|line| !line.is_empty()));
    std::array::from_fn(|_| lines.next().flatten())
}
