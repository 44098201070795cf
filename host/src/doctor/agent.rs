//! Checks that need the agent: screen, snapshots, Java names, and every request.

use std::sync::Arc;

use retap_device::{Device, DeviceError};
use retap_shared::action::{Action, Key};
use retap_shared::error_text::with_causes;
use retap_shared::geometry::Rotation;
use retap_shared::micros::Micros;
use retap_shared::protocol::{AppCommand, Play, RequestFailure, Settle};
use retap_shared::trace::{App, ReplayPace, StartMode, Step};

use super::{DoctorCheck, DoctorOptions};
use crate::bench::device::request_costs::{CostedRequest, RequestCost};
use crate::device_spec::AdbDeviceSpec;
use crate::devices::AdbPhone;
use crate::vendors::{self, RefusableOperation};
use crate::wording::pluralise;

/// KEYCODE_WAKEUP: no app receives it, and it only wakes the display.
const HARMLESS: Key = Key::Code(224);
const HELD_REMEDY: &str =
    "unlock the phone, end other tools that drive it (uiautomator, Appium), and try again";
/// Number of requests that a cost is computed from.
const COST_SAMPLES: usize = 20;
const SETTINGS: &str = "com.android.settings";

pub(super) async fn examine(
    spec: &AdbDeviceSpec,
    wanted: &DoctorOptions,
    manufacturer: &str,
    report: &mut impl FnMut(DoctorCheck),
) {
    let phone = match AdbPhone::open_with_names(spec).await {
        Ok(phone) => Arc::new(phone),
        Err(error) => {
            let what = format!("the agent does not start: {}", with_causes(&error));
            return report(DoctorCheck::failed(what, error.help()));
        }
    };
    report(DoctorCheck::passed("the agent starts and is reached"));
    let mut device = match Device::connect("doctor".into(), phone.clone()).await {
        Ok(device) => device,
        Err(error) => {
            let remedy =
                "look at the agent's log with `adb shell cat /data/local/tmp/retap/agent.log`";
            return report(DoctorCheck::failed(
                format!("the agent does not describe the phone: {error}"),
                remedy,
            ));
        }
    };
    let Some(app) = choose_app(&device, wanted.app.as_deref(), report) else {
        return;
    };
    check_screen(&mut device, manufacturer, report).await;
    check_snapshots(&mut device, wanted.app.is_some().then_some(&app), report).await;
    check_java_names(&phone, &device, wanted.deep, report).await;
    if wanted.deep {
        let kinds = device.description().capabilities.system_events;
        report(DoctorCheck::passed(format!(
            "system events it can do, if `--allow system` lets it: {kinds}"
        )));
        check_every_request(&mut device, &app, report).await;
        check_costs(&mut device, report).await;
    }
}

/// What the requests cost that a run is made of, with the link and on the phone alone.
async fn check_costs(device: &mut Device, report: &mut impl FnMut(DoctorCheck)) {
    for request in CostedRequest::ALL {
        let name = request.name();
        report(match request.measure(device, COST_SAMPLES).await {
            Ok(Some(cost)) => {
                let RequestCost {
                    p50_us,
                    p90_us,
                    phone_p50_us,
                } = cost;
                let millis = |micros: f64| format!("{:.1} ms", micros / 1e3);
                let alone = phone_p50_us.map(|alone| format!(", on the phone {}", millis(alone)));
                DoctorCheck::passed(format!(
                    "cost of {name}: p50 {}, p90 {}{}",
                    millis(p50_us),
                    millis(p90_us),
                    alone.unwrap_or_default()
                ))
            }
            Ok(None) => DoctorCheck::passed(format!("cost of {name}: this phone has none")),
            Err(error) => DoctorCheck::failed(
                format!("the cost of {name} is not known: {error}"),
                "try again with the phone's screen on",
            ),
        });
    }
}

/// The named app; without a name the settings, which every phone has, or else the first app.
fn choose_app(
    device: &Device,
    named: Option<&str>,
    report: &mut impl FnMut(DoctorCheck),
) -> Option<App> {
    let apps = &device.description().apps;
    let package = named.unwrap_or(SETTINGS);
    let found = apps.iter().find(|info| info.app.package == package);
    let chosen = found.or(apps.first().filter(|_| named.is_none()));
    report(match (chosen, named) {
        (None, Some(package)) => DoctorCheck::failed(
            format!("`{package}` is not on it"),
            "install it with `retap install FILE.apk`",
        )
        .private(),
        (None, None) => DoctorCheck::failed(
            "no app on it can be started",
            "install one with `retap install FILE.apk`",
        ),
        (Some(_), _) => DoctorCheck::passed(format!(
            "it has {} that can be started",
            pluralise(apps.len() as u64, "app")
        )),
    });
    chosen.map(|info| info.app.clone())
}

async fn check_screen(
    device: &mut Device,
    manufacturer: &str,
    report: &mut impl FnMut(DoctorCheck),
) {
    report(match device.capture().await {
        Ok(screen) => DoctorCheck::passed(format!(
            "UiAutomation reads its screen: {} nodes",
            screen.nodes().len()
        )),
        Err(error) => DoctorCheck::failed(
            format!("UiAutomation does not read its screen: {error}"),
            HELD_REMEDY,
        ),
    });
    report(match device.step(Step::new(Action::Key(HARMLESS))).await {
        Ok(_) => DoctorCheck::passed("events can be injected"),
        Err(error) => {
            let why = error.to_string();
            let remedy = vendors::remedy(manufacturer, RefusableOperation::Inject, &why);
            DoctorCheck::failed(
                format!("events cannot be injected: {why}"),
                remedy.unwrap_or(HELD_REMEDY),
            )
        }
    });
    let turn = Step::new(Action::Rotate(Rotation::Natural));
    report(match device.step(turn).await {
        Ok(_) => DoctorCheck::passed("its display can be turned"),
        Err(error) => DoctorCheck::failed(
            format!("its display cannot be turned: {error}"),
            "explore without rotation; Retap works without",
        ),
    });
    report(match device.screenshot().await {
        Ok(_) => DoctorCheck::passed("it gives screenshots"),
        Err(error) => DoctorCheck::failed(format!("it gives no screenshot: {error}"), HELD_REMEDY),
    });
}

/// Saves and restores the data of the named app. Without a name no app is stopped.
async fn check_snapshots(
    device: &mut Device,
    app: Option<&App>,
    report: &mut impl FnMut(DoctorCheck),
) {
    let Some(app) = app else {
        return report(DoctorCheck::passed(
            "name an app to see whether its data can be saved",
        ));
    };
    let saved = async {
        device.watch(&app.package).await?;
        let saved = device.take_snapshot().await?;
        device.restore_snapshot(saved.id).await?;
        device.discard_snapshot(saved.id).await
    };
    report(match saved.await {
        Ok(saved) => DoctorCheck::passed(format!(
            "the data of `{}` was saved and put back: {} bytes",
            app.package, saved.bytes
        ))
        .private(),
        Err(error) => {
            let remedy = "use a debuggable build of the app, or a rooted phone; Retap works without, only slower";
            DoctorCheck::failed(
                format!("the data of `{}` cannot be saved: {error}", app.package),
                remedy,
            )
            .private()
        }
    });
}

/// Reports the Java names that the phone lacks. Only Android has any.
async fn check_java_names(
    phone: &AdbPhone,
    device: &Device,
    all: bool,
    report: &mut impl FnMut(DoctorCheck),
) {
    let kind = &device.description().phone.kind;
    if kind != "android" {
        return report(DoctorCheck::passed(format!(
            "it is a {kind} phone without Java names"
        )));
    }
    let output = match phone.names().await {
        Ok(output) => output,
        Err(error) => return report(DoctorCheck::from_error("the table of Java names", &error)),
    };
    let lines: Vec<&str> = output.lines().collect();
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
    report(DoctorCheck::passed(format!(
        "{found} of {} Java names are there, {newest} in their newest form{without}",
        lines.len()
    )));
    if all {
        lines
            .into_iter()
            .for_each(|line| report(DoctorCheck::passed(line)));
    }
}

/// Makes every request once, on an app that is stopped and started but never cleared.
async fn check_every_request(device: &mut Device, app: &App, report: &mut impl FnMut(DoctorCheck)) {
    let settle = Settle {
        quiet: Micros::from_millis(50),
        limit: Micros::from_millis(500),
    };
    device.set_settle(settle);
    let play = Play {
        app: app.clone(),
        start: StartMode::Continue,
        steps: vec![Step::new(Action::Wait { millis: 1 })],
        target: None,
        pace: ReplayPace::Quiet,
        settle,
        final_wait: Micros::ZERO,
        record: false,
    };
    let asked = [
        ("WatchApp", device.watch(&app.package).await.map(drop)),
        (
            "ControlApp",
            device
                .control(app, AppCommand::Start(StartMode::Restart))
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
        ("TakeScreenshot", device.screenshot().await.map(drop)),
        ("ManageSnapshot", snapshot_and_discard(device).await),
    ];
    report(DoctorCheck::passed("request DescribePhone is answered"));
    for (request, answer) in asked {
        report(check_answer(request, &app.package, answer));
    }
}

fn check_answer(request: &str, package: &str, answer: Result<(), DeviceError>) -> DoctorCheck {
    match answer {
        Ok(()) => DoctorCheck::passed(format!("request {request} is answered")),
        Err(DeviceError::Refused(RequestFailure::Unsupported(what))) => DoctorCheck::passed(
            format!("request {request} is answered: this phone cannot {what}"),
        ),
        Err(error) => DoctorCheck::failed(
            format!("request {request} on `{package}` fails: {error}"),
            "look at the agent's log with `--verbose`, and report it if nothing else fails on this phone",
        ),
    }
}

async fn snapshot_and_discard(device: &mut Device) -> Result<(), DeviceError> {
    let saved = device.take_snapshot().await?;
    device.discard_snapshot(saved.id).await.map(drop)
}
