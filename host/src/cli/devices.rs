//! `retap devices`.

use clap::Args;
use serde_json::json;

use crate::adb::{Adb, AdbError, Listed, Phone, State};
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
        Ok(Exit::Done)
    }

    /// Without adb there are still the simulated ones: that is told, and no failure.
    fn list_on_adb(&self, shell: &Shell) -> Result<(), Failure> {
        let phones = match job::block_on(Clock::Real, on_adb())? {
            Ok(phones) => phones,
            Err(error) => {
                let why = retap_transport::with_causes(&error);
                shell.console.say(
                    Tone::Quiet,
                    &format!("\nPhones on adb: {why}; {}", error.help()),
                );
                return Ok(());
            }
        };
        for (Listed { serial, state }, about) in phones {
            let remedy = (state != State::Ready).then(|| state.remedy());
            let line = if self.json {
                let mut line =
                    json!({ "device": serial, "kind": "android", "state": state.to_string() });
                line["remedy"] = json!(remedy);
                for (name, value) in ["model", "api_level", "abi"].into_iter().zip(about) {
                    line[name] = json!(value);
                }
                line.to_string()
            } else {
                let [model, level, abi] =
                    about.map(|it| plain::line(&it.unwrap_or_default(), plain::LONG));
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
                    plain::line(&serial, plain::LONG)
                )
            };
            shell.console.result(&line)?;
        }
        Ok(())
    }
}

/// Model, API level and processor, of phones that say so.
type About = [Option<String>; 3];

async fn on_adb() -> Result<Vec<(Listed, About)>, AdbError> {
    let adb = Adb::open().await?;
    let mut phones = Vec::new();
    for listed in adb.list().await? {
        let about = match listed.state {
            State::Ready => about(&adb.phone(&listed.serial).await?).await,
            _ => About::default(),
        };
        phones.push((listed, about));
    }
    Ok(phones)
}

/// All at once: a phone that hangs is waited for once.
async fn about(phone: &Phone) -> About {
    let asked = "for name in ro.product.model ro.build.version.sdk ro.product.cpu.abi; do getprop $name; done";
    let told = phone.told(asked).await.unwrap_or_default();
    let mut lines = told
        .lines()
        .map(|line| Some(line.trim().to_owned()).filter(|line| !line.is_empty()));
    std::array::from_fn(|_| lines.next().flatten())
}
