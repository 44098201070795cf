//! Arguments that several commands share.

use std::path::PathBuf;

use clap::Args;
use retap_shared::trace::Trace;

use crate::cli::named_choice::help_with_default;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::config::{Config, ConfigError};
use crate::containment;
use crate::device_spec::{AdbOptions, DeviceList, DeviceSelector, PhoneSelection};
use crate::devices::{self, DevicesError};
use crate::operations::{self, ClockKind, RunLocation};
use crate::options::{self, DEFAULT_COUNT, MappingOptions, PhonePermission};
use crate::report::console::{Color, LineStyle};
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
    /// Store of journals, known findings and policies [default: `$RETAP_STORE`, or `retap/store.sqlite` in the user's data
    /// directory]
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

    /// Absolute path of the store, because a run can be resumed from anywhere.
    pub fn store(&self, config: &Config) -> PathBuf {
        let store = self
            .named_store()
            .or_else(|| config.store.clone())
            .unwrap_or_else(default_store);
        std::path::absolute(&store).unwrap_or(store)
    }
}

/// Arguments of commands that make a run.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArguments {
    /// Seed of the run: the same seed gives the same run [default: random; the run prints it]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = parse_seed)]
    seed: Option<u64>,
    /// Directory of the run, new or empty [default: `runs/DATE-TIME-COMMAND-SEED`]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Resume a run that was interrupted or killed. No other option of the run may be given
    #[arg(long, value_name = "RUN")]
    pub resume: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl RunArguments {
    pub fn seed(&self, config: &Config) -> u64 {
        choose_seed(self.seed, config)
    }

    /// Directory and store of a new run.
    pub fn location(&self, store: PathBuf) -> RunLocation {
        RunLocation {
            out: self.out.clone(),
            store: Some(store),
        }
    }
}

/// Arguments of commands that retrace obfuscated stacks.
#[derive(Debug, Default, Args)]
pub struct MappingArguments {
    /// Mapping of R8 or ProGuard of the build on the phone: stacks become readable, fingerprints the same in every build
    /// [default: `[mappings]` of `retap.toml`]
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
}

impl MappingArguments {
    /// The command line over `retap.toml`.
    pub fn options(&self, config: &Config) -> MappingOptions {
        MappingOptions::new(self.mapping.as_deref(), &config.mappings)
    }
}

/// Arguments of commands that use phones.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Phones")]
pub struct PhoneArguments {
    /// The phone, or several with commas between them: a serial of adb's, `all` for those that are ready, `sim:APP`,
    /// `jvm:FILE.apk`, `udp:HOST:PORT` or `tcp:HOST:PORT`; `tag:NAME` for those of `lab.toml`; `retap devices` lists them
    #[arg(long, visible_alias = "devices", value_name = "PHONE")]
    device: Option<DeviceSelector>,
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=1_000),
        help = help_with_default("Number of phones of each simulated or JVM phone named", DEFAULT_COUNT)
    )]
    count: Option<u32>,
    /// Phones on adb: Android user whose apps are tested [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(0..=99_999))]
    user: Option<u32>,
    /// Phones on adb: keep the agent's files for the next time, instead of removing everything at the end
    #[arg(long)]
    keep_agent: bool,
    /// Phones on adb: permit what is not done to a phone that may be somebody's own
    #[arg(long, value_enum, value_name = "WHAT")]
    pub allow: Vec<PhonePermission>,
    /// JVM phones: run the app's code as you, with your files and your network, instead of contained
    #[arg(long)]
    trust: bool,
}

impl PhoneArguments {
    pub fn count(&self, config: &Config) -> u32 {
        self.count.or(config.count).unwrap_or(DEFAULT_COUNT)
    }

    /// Phones for a command without traces. If none is named, the only phone that is ready on adb is used.
    pub fn selection(
        &self,
        config: &Config,
        context: &CommandContext,
    ) -> Result<PhoneSelection, CommandError> {
        let device = match self.named(config, context)? {
            Some(named) => named,
            None => self.only_phone(context)?,
        };
        Ok(PhoneSelection {
            device,
            count: self.count(config),
        })
    }

    /// Phones for traces. None if none is named and simulated phones have their apps.
    pub fn devices_for_traces<'t>(
        &self,
        mut traces: impl Iterator<Item = &'t Trace>,
        config: &Config,
        context: &CommandContext,
    ) -> Result<Option<DeviceList>, CommandError> {
        let named = self.named(config, context)?;
        let is_simulated =
            |trace: &Trace| devices::simulated_with(&trace.header.app.package).is_some();
        if named.is_some() || traces.all(is_simulated) {
            return Ok(named);
        }
        self.only_phone(context).map(Some)
    }

    /// Phones that the command line or `retap.toml` names.
    fn named(
        &self,
        config: &Config,
        context: &CommandContext,
    ) -> Result<Option<DeviceList>, CommandError> {
        let selector = self.device.as_ref().or(config.device.as_ref());
        let list = match selector {
            None => return Ok(None),
            Some(DeviceSelector::Listed(list)) => list.clone(),
            Some(DeviceSelector::AllOnAdb) => {
                operations::block_on(ClockKind::Real, devices::all_ready_on_adb())??
            }
            Some(DeviceSelector::Tagged(tag)) => {
                operations::block_on(ClockKind::Real, devices::with_tag(tag))??
            }
        };
        let list = self.with_options(list)?;
        print_containment(&list, context);
        Ok(Some(list))
    }

    fn only_phone(&self, context: &CommandContext) -> Result<DeviceList, CommandError> {
        let only = operations::block_on(ClockKind::Real, async {
            let listing = devices::only_ready_on_adb();
            let listed = context.cancellation.run_until_cancelled(listing).await;
            listed.unwrap_or(Err(DevicesError::Cancelled))
        })??;
        let line = format!(
            "using `{}`, the only phone that is ready on adb",
            only.name()
        );
        context.console.print(LineStyle::Quiet, &line);
        self.with_options(only.into())
    }

    /// Options become part of the specs, so that a resumed run has them.
    fn with_options(&self, list: DeviceList) -> Result<DeviceList, CommandError> {
        let list = self.with_adb_options(list)?;
        match self.trust {
            true if list.has_jvm_phone() => Ok(list.with_trusted_apps()),
            true => Err(DevicesError::NotOnJvm {
                option: "--trust",
                spec: list.to_string(),
            }
            .into()),
            false => Ok(list),
        }
    }

    fn with_adb_options(&self, list: DeviceList) -> Result<DeviceList, CommandError> {
        let option = self
            .user
            .map(|_| "--user")
            .or(self.keep_agent.then_some("--keep-agent"));
        match option.filter(|_| !list.has_phone_on_adb()) {
            Some(option) => Err(DevicesError::NotOnAdb {
                option,
                spec: list.to_string(),
            }
            .into()),
            None => Ok(list.with_adb_options(AdbOptions {
                user: self.user,
                keep_agent: self.keep_agent,
                allow_system: self.allow.contains(&PhonePermission::System),
            })),
        }
    }
}

/// Says once that the code of an app will run on this machine. Who trusts it has said so, and what is no app will not run.
pub fn print_containment(list: &DeviceList, context: &CommandContext) {
    if !list.has_contained_app() || devices::check(list).is_err() {
        return;
    }
    if let Ok(kind) = containment::choose() {
        let line = format!(
            "a JVM phone runs the app's code on this machine, {}",
            kind.description()
        );
        context.console.print(LineStyle::Quiet, &line);
    }
}

/// The seed that was given, or a random one that is short enough to be typed again.
pub fn choose_seed(given: Option<u64>, config: &Config) -> u64 {
    given
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
