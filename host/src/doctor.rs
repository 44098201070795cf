//! What stands between this machine and a phone that can be driven: one finding a line, each with what to do about it.

use std::sync::Arc;

use retap_agent::link::with_causes;
use retap_engine::device::Device;

use crate::adb::{Adb, AdbError, Phone, State};
use crate::agent_files::AgentFiles;
use crate::devices::AdbPhone;
use crate::failure::Explained;

/// The oldest that the agent knows.
const OLDEST_LEVEL: u32 = 23;
/// For the agent's files and what it spools.
const LEAST_KILOBYTES: u64 = 64 << 10;

/// Something that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub what: String,
    /// None if it is well, otherwise what to do, as a sentence without a full stop.
    pub remedy: Option<String>,
}

impl Finding {
    fn well(what: impl Into<String>) -> Finding {
        Finding { what: what.into(), remedy: None }
    }

    fn broken(what: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { what: what.into(), remedy: Some(remedy.into()) }
    }
}

/// Looks at adb, at every phone it lists, and into the one that is named or the only one that is ready.
pub async fn examine(serial: Option<&str>, mut tell: impl FnMut(Finding)) {
    let adb = match Adb::open().await {
        Ok(adb) => adb,
        Err(error) => return tell(failed("adb", &error)),
    };
    tell(Finding::well(format!("adb and its server at {} are of one version", adb.server())));
    let phones = match adb.list().await {
        Ok(phones) => phones,
        Err(error) => return tell(failed("the list of phones", &error)),
    };
    for phone in &phones {
        let what = format!("phone {} is {}", phone.serial, phone.state);
        tell(match phone.state {
            State::Ready => Finding::well(what),
            _ => Finding::broken(what, phone.state.remedy()),
        });
    }
    let ready: Vec<_> = phones.iter().filter(|phone| phone.state == State::Ready).collect();
    match (serial, ready.as_slice()) {
        (Some(serial), _) => look_into(&adb, serial, &mut tell).await,
        (None, [only]) => look_into(&adb, &only.serial, &mut tell).await,
        (None, []) => tell(Finding::broken("no phone is ready", "plug one in and switch USB debugging on")),
        (None, _) => tell(Finding::broken("several phones are ready", "name one with --device")),
    }
}

async fn look_into(adb: &Adb, serial: &str, tell: &mut impl FnMut(Finding)) {
    let phone = match adb.phone(serial).await {
        Ok(phone) => phone,
        Err(error) => return tell(failed(&format!("phone {serial}"), &error)),
    };
    for finding in [level(&phone).await, files(&phone).await, space(&phone).await] {
        tell(finding.unwrap_or_else(|error| failed("the phone's shell", &error)));
    }
    match AdbPhone::open(serial).await {
        Ok(phone) => look_at_agent(phone, tell).await,
        Err(error) => {
            tell(Finding::broken(format!("the agent does not start: {}", with_causes(&error)), error.help()));
        }
    }
}

async fn level(phone: &Phone) -> Result<Finding, AdbError> {
    let told = phone.property("ro.build.version.sdk").await?;
    Ok(match told.parse::<u32>() {
        Ok(level) if level >= OLDEST_LEVEL => Finding::well(format!("Android's API level is {level}")),
        _ => Finding::broken(
            format!("Android's API level is `{told}`"),
            format!("use a phone with Android 6 (level {OLDEST_LEVEL}) or newer"),
        ),
    })
}

async fn files(phone: &Phone) -> Result<Finding, AdbError> {
    let abi = phone.property("ro.product.cpu.abi").await?;
    Ok(match AgentFiles::find(&abi) {
        Ok(_) => Finding::well(format!("there is an agent for its processor, {abi}")),
        Err(error) => Finding::broken(format!("processor {abi}: {error}"), error.help()),
    })
}

/// The fourth number of df's last line.
async fn space(phone: &Phone) -> Result<Finding, AdbError> {
    let told = phone.told("df -k /data/local/tmp").await?;
    let free = told.lines().last().and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    Ok(match free {
        Some(free) if free >= LEAST_KILOBYTES => Finding::well(format!("{} MB are free on it", free >> 10)),
        Some(free) => {
            Finding::broken(format!("only {} MB are free on it", free >> 10), "free 64 MB on the phone")
        }
        None => {
            Finding::broken("its free space is not known", "see what `adb shell df -k /data/local/tmp` says")
        }
    })
}

async fn look_at_agent(phone: AdbPhone, tell: &mut impl FnMut(Finding)) {
    tell(Finding::well("the agent starts and is reached"));
    let mut device = match Device::connect("doctor".into(), Arc::new(phone)).await {
        Ok(device) => device,
        Err(error) => {
            let remedy = "look at the agent's words with `adb shell cat /data/local/tmp/retap/agent.log`";
            return tell(Finding::broken(format!("the agent does not describe the phone: {error}"), remedy));
        }
    };
    let apps = device.described().apps.len();
    tell(match apps {
        0 => Finding::broken("no app on it can be started", "install one"),
        apps => Finding::well(format!("it has {apps} apps that can be started")),
    });
    let unlocked = "unlock the phone, end other tools that drive it (uiautomator, Appium), and try again";
    tell(match device.capture().await {
        Ok(screen) => Finding::well(format!("its screen is read: {} nodes", screen.nodes().len())),
        Err(error) => Finding::broken(format!("its screen is not read: {error}"), unlocked),
    });
    tell(match device.screenshot().await {
        Ok(_) => Finding::well("it gives screenshots"),
        Err(error) => Finding::broken(format!("it gives no screenshot: {error}"), unlocked),
    });
}

fn failed(what: &str, error: &AdbError) -> Finding {
    Finding::broken(format!("{what}: {}", with_causes(error)), error.help())
}
