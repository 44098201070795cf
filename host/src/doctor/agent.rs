//! What only the agent can find out, and what it makes of every request.

use std::sync::Arc;

use retap_device::{Device, DeviceError};
use retap_shared::action::{Action, Key};
use retap_shared::micros::Micros;
use retap_shared::protocol::{Command, Fault, Play, Settle};
use retap_shared::trace::{App, Start, Step};
use retap_transport::with_causes;

use super::{Finding, Wanted};
use crate::devices::{AdbPhone, Spec};
use crate::words::counted;

/// KEYCODE_WAKEUP: no app hears of it, and whoever looks at the phone sees nothing but that it is awake.
const HARMLESS: Key = Key::Code(224);
const HELD: &str =
    "unlock the phone, end other tools that drive it (uiautomator, Appium), and try again";
/// Some vendors have a second switch.
const INJECTION: &str = "switch on \"USB debugging (Security settings)\" in the developer options, where the phone has that";
const SETTINGS: &str = "com.android.settings";

pub(super) async fn examine(spec: &Spec, wanted: &Wanted, tell: &mut impl FnMut(Finding)) {
    let phone = match AdbPhone::open_with_names(spec).await {
        Ok(phone) => Arc::new(phone),
        Err(error) => {
            let what = format!("the agent does not start: {}", with_causes(&error));
            return tell(Finding::broken(what, error.help()));
        }
    };
    tell(Finding::well("the agent starts and is reached"));
    let mut device = match Device::connect("doctor".into(), phone.clone()).await {
        Ok(device) => device,
        Err(error) => {
            let remedy =
                "look at the agent's words with `adb shell cat /data/local/tmp/retap/agent.log`";
            return tell(Finding::broken(
                format!("the agent does not describe the phone: {error}"),
                remedy,
            ));
        }
    };
    let Some(app) = choose_app(&device, wanted.app.as_deref(), tell) else {
        return;
    };
    look(&mut device, tell).await;
    checkpoint(&mut device, wanted.app.is_some().then_some(&app), tell).await;
    names(&phone, &device, wanted.deep, tell).await;
    if wanted.deep {
        let kinds = device.described().can.system;
        tell(Finding::well(format!(
            "system events it can do, if `--allow system` lets it: {kinds}"
        )));
        ask_everything(&mut device, &app, tell).await;
    }
}

/// The one that was named; else the settings, which every phone has, or whatever comes first.
fn choose_app(device: &Device, named: Option<&str>, tell: &mut impl FnMut(Finding)) -> Option<App> {
    let apps = &device.described().apps;
    let package = named.unwrap_or(SETTINGS);
    let found = apps.iter().find(|info| info.app.package == package);
    let chosen = found.or(apps.first().filter(|_| named.is_none()));
    tell(match (chosen, named) {
        (None, Some(package)) => Finding::broken(
            format!("`{package}` is not on it"),
            "install it with `retap install FILE.apk`",
        ),
        (None, None) => Finding::broken(
            "no app on it can be started",
            "install one with `retap install FILE.apk`",
        ),
        (Some(_), _) => Finding::well(format!(
            "it has {} that can be started",
            counted(apps.len() as u64, "app")
        )),
    });
    chosen.map(|info| info.app.clone())
}

async fn look(device: &mut Device, tell: &mut impl FnMut(Finding)) {
    tell(match device.capture().await {
        Ok(screen) => Finding::well(format!(
            "UiAutomation reads its screen: {} nodes",
            screen.nodes().len()
        )),
        Err(error) => Finding::broken(
            format!("UiAutomation does not read its screen: {error}"),
            HELD,
        ),
    });
    tell(match device.step(Step::new(Action::Key(HARMLESS))).await {
        Ok(_) => Finding::well("events can be injected"),
        Err(error) => Finding::broken(format!("events cannot be injected: {error}"), INJECTION),
    });
    tell(match device.screenshot().await {
        Ok(_) => Finding::well("it gives screenshots"),
        Err(error) => Finding::broken(format!("it gives no screenshot: {error}"), HELD),
    });
}

/// Without an app that was named nothing is stopped or saved.
async fn checkpoint(device: &mut Device, app: Option<&App>, tell: &mut impl FnMut(Finding)) {
    let Some(app) = app else {
        return tell(Finding::well(
            "name an app to see whether its data can be saved",
        ));
    };
    let saved = async {
        device.watch(&app.package).await?;
        let saved = device.save().await?;
        device.restore(saved.id).await?;
        device.forget(saved.id).await
    };
    tell(match saved.await {
        Ok(saved) => Finding::well(format!(
            "the data of `{}` was saved and put back: {} bytes",
            app.package, saved.bytes
        )),
        Err(error) => {
            let remedy = "use a debuggable build of the app, or a rooted phone; Retap works without, only slower";
            Finding::broken(
                format!("the data of `{}` cannot be saved: {error}", app.package),
                remedy,
            )
        }
    });
}

/// A phone that is no Android has none.
async fn names(phone: &AdbPhone, device: &Device, all: bool, tell: &mut impl FnMut(Finding)) {
    if device.described().phone.kind != "android" {
        return tell(Finding::well(format!(
            "it is a {} phone without Java names",
            device.described().phone.kind
        )));
    }
    let told = match phone.names().await {
        Ok(told) => told,
        Err(error) => return tell(Finding::failed("the table of Java names", &error)),
    };
    let lines: Vec<&str> = told.lines().collect();
    let missing: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.strip_suffix(" missing"))
        .collect();
    let newest = lines.iter().filter(|line| line.contains(" 1 of ")).count();
    let without: Vec<&str> = missing
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let without = if without.is_empty() {
        String::new()
    } else {
        format!("; not there: {}", without.join(", "))
    };
    let found = lines.len() - missing.len();
    tell(Finding::well(format!(
        "{found} of {} Java names are there, {newest} in their newest form{without}",
        lines.len()
    )));
    if all {
        lines.into_iter().for_each(|line| tell(Finding::well(line)));
    }
}

/// Each of them once, on an app that is stopped and started but never cleared.
async fn ask_everything(device: &mut Device, app: &App, tell: &mut impl FnMut(Finding)) {
    let settle = Settle {
        quiet: Micros::from_millis(50),
        limit: Micros::from_millis(500),
    };
    device.set_settle(settle);
    let play = Play {
        app: app.clone(),
        start: Start::Continue,
        steps: vec![Step::new(Action::Wait { millis: 1 })],
        target: None,
        settle,
        linger: Micros::ZERO,
        record: false,
    };
    let asked = [
        ("Watch", device.watch(&app.package).await.map(drop)),
        (
            "Control",
            device
                .control(app, Command::Start(Start::Restart))
                .await
                .map(drop),
        ),
        ("Capture", device.capture().await.map(drop)),
        ("Settle", device.settle().await.map(drop)),
        (
            "Act",
            device
                .step(Step::new(Action::Wait { millis: 1 }))
                .await
                .map(drop),
        ),
        ("Play", device.play(play).await.map(drop)),
        ("Screenshot", device.screenshot().await.map(drop)),
        ("Checkpoint", save_and_forget(device).await),
    ];
    tell(Finding::well("request About is answered"));
    for (request, answer) in asked {
        tell(match answer {
            Ok(()) => Finding::well(format!("request {request} is answered")),
            Err(DeviceError::Refused(Fault::Unsupported(what))) => Finding::well(format!(
                "request {request} is answered: this phone cannot {what}"
            )),
            Err(error) => Finding::broken(
                format!("request {request} on `{}` fails: {error}", app.package),
                "look at the agent's words with `--verbose`, and report it if the phone is well otherwise",
            ),
        });
    }
}

async fn save_and_forget(device: &mut Device) -> Result<(), DeviceError> {
    let saved = device.save().await?;
    device.forget(saved.id).await.map(drop)
}
