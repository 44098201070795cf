//! Arguments that several commands share.

use std::path::PathBuf;

use clap::Args;

use crate::adb::{Adb, AdbState};
use crate::command_error::CommandError;
use crate::config::{Config, ConfigError};
use crate::devices::{DevicesError, is_on_adb, with_options};
use crate::operations::{self, ClockKind};
use crate::options::{self, PhonePermission, PhoneSelection};
use crate::report::console::Color;
use crate::run::{STORE_VARIABLE, default_store, random_number};

#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct GlobalArguments {
    /// Colours: where a terminal shows them, always, or never
    #[arg(long, global = true, value_enum, default_value_t)]
    pub color: Color,
    /// Plain lines instead of moving bars
    #[arg(long, global = true)]
    pub plain: bool,
    /// Log details to standard error
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// The adb server to use instead of this machine's: its address and port
    #[arg(long, global = true, value_name = "HOST:PORT")]
    pub adb: Option<String>,
    /// Settings to use instead of `retap.toml` in this directory
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where what outlives a run is kept; `$RETAP_STORE`, or else `retap/store.sqlite` in the user's data directory
    #[arg(long, global = true, value_name = "FILE")]
    pub store: Option<PathBuf>,
}

impl GlobalArguments {
    pub fn config(&self) -> Result<Config, ConfigError> {
        Config::load(self.config.as_deref())
    }

    /// The store that the command line or the environment names.
    pub fn named_store(&self) -> Option<PathBuf> {
        let variable = || {
            std::env::var_os(STORE_VARIABLE)
                .filter(|path| !path.is_empty())
                .map(PathBuf::from)
        };
        self.store.clone().or_else(variable)
    }

    /// Absolute, because a run can be resumed from anywhere.
    pub fn store(&self, config: &Config) -> PathBuf {
        let store = self
            .named_store()
            .or_else(|| config.store.clone())
            .unwrap_or_else(default_store);
        std::path::absolute(&store).unwrap_or(store)
    }
}

/// Every phone on adb that can be used.
const ALL: &str = "all";

#[derive(Debug, Args)]
pub struct PhoneArguments {
    /// The phone: a serial of adb's, several with commas between them or `all`, `sim:NAME`, `jvm:FILE.apk`; see `retap devices`
    #[arg(long, visible_alias = "devices", value_name = "PHONE", value_parser = phone)]
    pub device: Option<String>,
    /// Number of phones of that kind; default: 1
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub count: Option<u32>,
    /// Android user whose apps are tested, on phones on adb; default: 0
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=99_999))]
    pub user: Option<u32>,
    /// Leave the agent's files on phones on adb for the next time, instead of removing everything at the end
    #[arg(long)]
    pub keep_agent: bool,
    /// What may happen to a phone that somebody uses: without it, no system events, no keys that call or switch off, no settings
    #[arg(long, value_enum, value_name = "WHAT")]
    pub allow: Vec<PhonePermission>,
}

impl PhoneArguments {
    /// Options of a phone are part of its spec, so that a resumed run has them.
    pub fn device(&self, config: &Config) -> Result<Option<String>, CommandError> {
        let Some(named) = self.device.clone().or_else(|| config.device.clone()) else {
            return Ok(None);
        };
        let device = if named == ALL { all_on_adb()? } else { named };
        let option = self
            .user
            .map(|_| "--user")
            .or(self.keep_agent.then_some("--keep-agent"));
        match option.filter(|_| !is_on_adb(&device)) {
            Some(option) => Err(DevicesError::NotOnAdb {
                option,
                spec: device,
            }
            .into()),
            None if is_on_adb(&device) => Ok(Some(with_options(
                &device,
                self.user,
                self.keep_agent,
                self.allow.contains(&PhonePermission::System),
            ))),
            None => Ok(Some(device)),
        }
    }

    pub fn count(&self, config: &Config) -> u32 {
        self.count.or(config.count).unwrap_or(1)
    }

    /// For commands that cannot guess which phone is meant.
    pub fn devices(&self, config: &Config) -> Result<PhoneSelection, CommandError> {
        let device = self.device(config)?.ok_or(DevicesError::NoneNamed)?;
        Ok(PhoneSelection {
            device,
            count: self.count(config),
        })
    }
}

/// The phones that adb has and that can be used, now: a run that is gone on with goes on with these.
fn all_on_adb() -> Result<String, CommandError> {
    let listed = operations::block_on(ClockKind::Real, async { Adb::open().await?.list().await })?;
    let listed = listed.map_err(DevicesError::Unlisted)?;
    let ready: Vec<&str> = listed
        .iter()
        .filter(|phone| phone.state == AdbState::Ready)
        .map(|phone| phone.serial.as_str())
        .collect();
    if ready.is_empty() {
        return Err(DevicesError::NoneReady {
            listed: listed.len(),
        }
        .into());
    }
    Ok(ready.join(","))
}

/// A seed that nobody chose is kept short enough to be typed again.
pub fn seed(asked: Option<u64>, config: &Config) -> u64 {
    asked
        .or(config.seed)
        .unwrap_or_else(|| random_number() % 1_000_000)
}

pub fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!(
            "a seed is a whole number from 0 to {}, such as 42; without one, Retap chooses",
            u64::MAX
        )
    })
}

pub fn parse_events(text: &str) -> Result<u64, String> {
    let most = *options::EVENTS.end();
    let events = text
        .parse()
        .ok()
        .filter(|events| options::EVENTS.contains(events));
    events.ok_or_else(|| format!("events are a whole number from 1 to {most}"))
}

/// An empty name is caught here; everything else the phones know better.
fn phone(text: &str) -> Result<String, String> {
    if text.is_empty() {
        Err("name a phone such as `sim:notes`".into())
    } else {
        Ok(text.to_owned())
    }
}
