//! `retap bench device`.

use clap::Args;
use retap_shared::micros::Micros;

use crate::bench::device::{self, DeviceBenchOptions, comparison};
use crate::cli::arguments;
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::device_spec::{AdbDeviceSpec, DeviceList, DeviceSpec};
use crate::devices::{self, DevicesError};
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::shutdown;

/// Cost of the requests to a phone, and the number of events that it takes per second
#[derive(Debug, Args)]
pub struct BenchDeviceCommand {
    /// The phone, as for `retap explore`
    #[arg(long, value_name = "PHONE")]
    device: DeviceList,
    /// The app [default: the only app of the phone]
    #[arg(long)]
    app: Option<String>,
    /// Number of random events
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, default_value_t = 500)]
    events: u64,
    /// Number of each other request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 30)]
    samples: u32,
    /// Milliseconds without a change after which the screen has settled
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(0..=5_000), default_value_t = 200)]
    quiet: u32,
    /// A phone of the same kind that is reached in another way: both take turns with the same events
    #[arg(long, value_name = "PHONE")]
    against: Option<DeviceList>,
    /// Also measure `adb shell input tap` and an XML dump through a file, for a phone on adb
    #[arg(long)]
    stock: bool,
    /// Seed of the choices
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl BenchDeviceCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let spec = self.device.single()?;
        let options = DeviceBenchOptions {
            device: spec.clone(),
            app: self.app.clone(),
            events: self.events,
            samples: self.samples as usize,
            quiet: Micros::from_millis(u64::from(self.quiet)),
            seed: self.seed,
        };
        devices::check(&self.device)?;
        self.against.as_ref().map_or(Ok(()), devices::check)?;
        let stock = self.stock.then(|| stock_phone(spec)).transpose()?;
        operations::block_on(ClockKind::for_devices(&self.device), async {
            tokio::select! {
                measured = self.measure(&options, stock, context) => {
                    measured.map(|()| CommandExit::Done)
                }
                () = context.cancellation.cancelled() => Ok(CommandExit::Interrupted),
            }
        })?
    }

    async fn measure(
        &self,
        options: &DeviceBenchOptions,
        stock: Option<&AdbDeviceSpec>,
        context: &CommandContext,
    ) -> Result<(), CommandError> {
        let print = |text: String| Ok(context.console.result(&text)?);
        device::measure(options, &context.cancellation, |case| {
            print(if self.json {
                case.to_json()
            } else {
                case.to_string()
            })
        })
        .await?;
        // The agent of what was measured before is still shutting down.
        shutdown::wait_for_all().await;
        if let Some(against) = &self.against {
            let turns = comparison::compare_phones(options, against.single()?).await?;
            print(if self.json {
                turns.to_json()
            } else {
                turns.to_words()
            })?;
            shutdown::wait_for_all().await;
        }
        if let Some(spec) = stock {
            let stock = comparison::measure_stock_tools(options, spec).await?;
            print(if self.json {
                stock.to_json()
            } else {
                stock.to_words()
            })?;
        }
        Ok(())
    }
}

fn stock_phone(spec: &DeviceSpec) -> Result<&AdbDeviceSpec, DevicesError> {
    match spec {
        DeviceSpec::Adb(adb) => Ok(adb),
        other => Err(DevicesError::NotOnAdb {
            option: "--stock",
            spec: other.to_string(),
        }),
    }
}
