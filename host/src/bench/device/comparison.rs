//! A phone on adb compared: with a phone that is reached without adb, block by block in turns, and with the stock tools of
//! Android, which are started for each step.

use std::time::Instant;

use retap_device::seed::Seed;
use retap_device::{DeviceError, DeviceLease};
use retap_shared::protocol::{RequestFailure, Settle};
use retap_shared::trace::App;
use serde::Serialize;

use super::DeviceBenchOptions;
use crate::adb::Adb;
use crate::bench::simulated;
use crate::bench::statistics::percentile;
use crate::command_error::CommandError;
use crate::device_spec::{AdbDeviceSpec, DeviceSpec, PhoneSelection};
use crate::devices::{ConnectedPhones, DevicesError};
use crate::operations::PlayError;

/// Blocks of each side, in turns, so that other load of the machine affects both.
const BLOCKS: u64 = 10;

/// The same events on two phones.
#[derive(Debug, Serialize)]
pub struct PhoneComparisonMeasurement {
    pub bench: &'static str,
    pub case: &'static str,
    pub device: String,
    pub against: String,
    pub p50_us: f64,
    pub against_p50_us: f64,
    /// Median of `device` minus median of `against`.
    pub more_p50_us: f64,
    pub events_per_second: f64,
    pub against_events_per_second: f64,
    /// Events a second of `device`, divided by those of `against`.
    pub share: f64,
}

/// One phone, and the times of its steps.
struct ComparedPhone {
    device: DeviceLease,
    app: App,
    times: Vec<f64>,
    seconds: f64,
    events: u64,
}

/// Plays the same random events on both phones, in turns.
pub async fn compare_phones(
    options: &DeviceBenchOptions,
    against: &DeviceSpec,
) -> Result<PhoneComparisonMeasurement, CommandError> {
    let mut ours = connect_side(options, &options.device).await?;
    let mut other = connect_side(options, against).await?;
    let each = (options.events / BLOCKS).max(1);
    for block in 0..BLOCKS {
        let mut order = [(&mut ours, &options.device), (&mut other, against)];
        // The order alternates.
        if block % 2 == 1 {
            order.reverse();
        }
        for (side, name) in order {
            let lost = |source| DevicesError::Connect {
                name: name.to_string(),
                source,
            };
            side.drive(each, options.seed + block).await.map_err(lost)?;
        }
    }
    let p50_us = percentile(&mut ours.times, 50);
    let against_p50_us = percentile(&mut other.times, 50);
    Ok(PhoneComparisonMeasurement {
        bench: "device",
        case: "turns",
        device: options.device.to_string(),
        against: against.to_string(),
        p50_us,
        against_p50_us,
        more_p50_us: p50_us - against_p50_us,
        events_per_second: ours.speed(),
        against_events_per_second: other.speed(),
        share: ours.speed() / other.speed(),
    })
}

async fn connect_side(
    options: &DeviceBenchOptions,
    device: &DeviceSpec,
) -> Result<ComparedPhone, CommandError> {
    let selection = PhoneSelection::one_each(device.clone());
    let phones = ConnectedPhones::connect(&selection, Seed(options.seed)).await?;
    let app = phones.app(options.app.as_deref())?.app;
    let mut device = phones.pool.lease().await.map_err(PlayError::from)?;
    device.set_settle(Settle {
        quiet: options.quiet,
        ..Settle::default()
    });
    Ok(ComparedPhone {
        device,
        app,
        times: Vec::new(),
        seconds: 0.0,
        events: 0,
    })
}

impl ComparedPhone {
    /// Plays one block. The clean start before it is not counted, those within it are.
    async fn drive(&mut self, events: u64, seed: u64) -> Result<(), DeviceError> {
        let mut rng = Seed(seed).rng();
        let mut screen = simulated::start(&mut self.device, &self.app).await?;
        let started = Instant::now();
        for _ in 0..events {
            let at = Instant::now();
            let stepped = self.device.step(simulated::choose(&screen, &mut rng)).await;
            self.times.push(at.elapsed().as_secs_f64() * 1e6);
            screen = match stepped {
                Ok(stepped) if !simulated::has_left_app(&stepped, &self.app) => stepped.screen,
                // An action that this phone does not support does not end the benchmark.
                Ok(_) | Err(DeviceError::Refused(RequestFailure::Unsupported(_))) => {
                    simulated::start(&mut self.device, &self.app).await?
                }
                Err(error) => return Err(error),
            };
        }
        self.seconds += started.elapsed().as_secs_f64();
        self.events += events;
        Ok(())
    }

    fn speed(&self) -> f64 {
        self.events as f64 / self.seconds
    }
}

/// A step done with `input` and `uiautomator`.
#[derive(Debug, Serialize)]
pub struct StockToolMeasurement {
    pub bench: &'static str,
    pub case: &'static str,
    pub device: String,
    pub p50_us: f64,
    pub p90_us: f64,
}

/// Measures a step with the stock tools: `input tap`, then an XML dump through a file, without the agent.
pub async fn measure_stock_tools(
    options: &DeviceBenchOptions,
    spec: &AdbDeviceSpec,
) -> Result<StockToolMeasurement, CommandError> {
    const FILE: &str = "/data/local/tmp/retap-stock.xml";
    let phone = Adb::open().await?.phone(&spec.serial).await?;
    let mut times = Vec::new();
    for _ in 0..options.samples {
        let at = Instant::now();
        phone.shell_output("input tap 1 1").await?;
        phone
            .shell_output(&format!("uiautomator dump {FILE}"))
            .await?;
        phone.shell_output(&format!("cat {FILE}")).await?;
        times.push(at.elapsed().as_secs_f64() * 1e6);
    }
    phone.shell_output(&format!("rm -f {FILE}")).await?;
    let p50_us = percentile(&mut times, 50);
    let p90_us = percentile(&mut times, 90);
    Ok(StockToolMeasurement {
        bench: "device",
        case: "stock",
        device: spec.serial.clone(),
        p50_us,
        p90_us,
    })
}

impl PhoneComparisonMeasurement {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names")
    }

    pub fn to_words(&self) -> String {
        let PhoneComparisonMeasurement {
            against,
            p50_us,
            more_p50_us,
            events_per_second,
            share,
            ..
        } = self;
        format!(
            "turns      p50 {p50_us:>9.0} µs  {more_p50_us:.0} µs more than `{against}`  {events_per_second:.1} events a second, {:.0} % of its speed",
            share * 100.0
        )
    }
}

impl StockToolMeasurement {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names")
    }

    pub fn to_words(&self) -> String {
        format!(
            "stock      p50 {:>9.0} µs  p90 {:>9.0} µs",
            self.p50_us, self.p90_us
        )
    }
}
