//! Cost of requests to a phone, and its events a second; on any `--device`.

pub mod comparison;
mod measurement;
pub mod request_costs;
mod walk;

use std::sync::Arc;
use std::time::Instant;

use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DeviceError, DeviceLease};
use retap_shared::connection::Connection;
use retap_shared::micros::Micros;
use retap_shared::protocol::{AppCommand, RequestFailure, Settle};
use retap_shared::trace::{App, StartMode, Step};

pub use self::measurement::DeviceMeasurement;
use self::measurement::DeviceTimings;
use self::request_costs::{CostedRequest, read_tree};
use self::walk::RandomWalk;
use crate::bench::simulated;
use crate::bench::statistics::percentile;
use crate::command_error::CommandError;
use crate::device_spec::{DeviceSpec, PhoneSelection};
use crate::devices::{self, ConnectedPhones, DevicesError, JvmError, JvmPhone, RandomWalkSummary};
use crate::operations::PlayError;

/// Events of one side before the other side's turn, so that other load of the machine affects both.
const BLOCK: u64 = 50;
/// Captures of each side that are not counted, while caches and code warm up.
const WARM_UP: usize = 30;
/// Captures of each side per sample of other cases: one sample alone would be too short on a busy machine.
const READS_A_SAMPLE: usize = 4;

/// Options of the benchmark.
#[derive(Clone, Debug)]
pub struct DeviceBenchOptions {
    pub device: DeviceSpec,
    pub app: Option<String>,
    /// Events of the case `step`.
    pub events: u64,
    /// Samples of each other case.
    pub samples: usize,
    /// Time without changes after which the screen counts as settled.
    pub quiet: Micros,
    pub seed: u64,
}

/// Measures all cases, and reports each as soon as it is done. Cases that the phone does not support are left out.
pub async fn measure(
    options: &DeviceBenchOptions,
    cancellation: &CancellationToken,
    mut report: impl FnMut(DeviceMeasurement) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let jvm = devices::jvm_for_bench(&options.device, cancellation).await?;
    let phones = match &jvm {
        Some(phone) => {
            let connected = Device::connect(
                options.device.to_string(),
                Arc::clone(phone) as Arc<dyn Connection>,
            );
            ConnectedPhones::from_devices(vec![connected.await.map_err(lost(options))?])
        }
        None => {
            let selection = PhoneSelection::one_each(options.device.clone());
            ConnectedPhones::connect(&selection, Seed(options.seed)).await?
        }
    };
    let app = phones.app(options.app.as_deref())?.app;
    let device = phones.pool.lease().await.map_err(PlayError::from)?;
    let mut bench = DeviceBench {
        options,
        device,
        app,
        jvm,
        largest: LargestScreen::default(),
    };
    report(bench.steps().await?)?;
    report(bench.restarts().await.map_err(lost(options))?)?;
    report(bench.captures().await?)?;
    for request in [
        CostedRequest::Tap,
        CostedRequest::Key,
        CostedRequest::Screenshot,
    ] {
        if let Some(measured) = bench.request(request).await.map_err(lost(options))? {
            report(measured)?;
        }
    }
    Ok(())
}

fn lost(options: &DeviceBenchOptions) -> impl Fn(DeviceError) -> DevicesError {
    |source| DevicesError::Connect {
        name: options.device.to_string(),
        source,
    }
}

/// A phone under measurement.
struct DeviceBench<'a> {
    options: &'a DeviceBenchOptions,
    device: DeviceLease,
    app: App,
    jvm: Option<Arc<JvmPhone>>,
    largest: LargestScreen,
}

/// The steps from a clean start to a screen, and how many nodes it has.
#[derive(Clone, Debug, Default)]
struct LargestScreen {
    steps: Vec<Step>,
    nodes: usize,
}

impl DeviceBench<'_> {
    /// Random events, each until the screen has settled.
    async fn steps(&mut self) -> Result<DeviceMeasurement, CommandError> {
        let Some(jvm) = self.jvm.clone() else {
            let mut times = DeviceTimings::default();
            let seed = Seed(self.options.seed).derive("block", 0);
            let (seconds, _) = self
                .block(self.options.events, seed, &mut times)
                .await
                .map_err(lost(self.options))?;
            let events_per_second = Some(self.options.events as f64 / seconds);
            return Ok(DeviceMeasurement {
                events_per_second,
                ..self.measured("step", times)
            });
        };
        // The first block is not counted: much of the phone's code is loaded and compiled then.
        self.compare_with_java(&jvm, 0, &mut DeviceTimings::default())
            .await?;
        let mut times = DeviceTimings::default();
        let blocks = self.options.events.div_ceil(BLOCK);
        let mut here = 0.0;
        let mut there = 0.0;
        let mut shares = Vec::new();
        for block in 1..=blocks {
            let [ours, direct] = self.compare_with_java(&jvm, block, &mut times).await?;
            here += ours.0;
            there += direct.0;
            if ours.1 == direct.1 {
                shares.push(direct.0 / ours.0);
            }
        }
        let events = (blocks * BLOCK) as f64;
        Ok(DeviceMeasurement {
            events_per_second: Some(events / here),
            direct_events_per_second: Some(events / there),
            blocks: Some(blocks),
            same_walks: Some(shares.len() as u64),
            share_p50: (!shares.is_empty()).then(|| percentile(&mut shares, 50)),
            ..self.measured("step", times)
        })
    }

    /// The same random walk here and in Java: seconds, and the summary of the walk. The first of the two has colder
    /// caches, so the order alternates.
    async fn compare_with_java(
        &mut self,
        jvm: &JvmPhone,
        block: u64,
        times: &mut DeviceTimings,
    ) -> Result<[(f64, RandomWalkSummary); 2], CommandError> {
        let seed = Seed(self.options.seed).derive("block", block);
        let quiet = self.options.quiet.0 / 1_000;
        let jvm_error = self.jvm_error();
        if block.is_multiple_of(2) {
            let direct = jvm
                .java_walk(BLOCK, seed.0, quiet)
                .await
                .map_err(jvm_error)?;
            let ours = self
                .block(BLOCK, seed, times)
                .await
                .map_err(lost(self.options))?;
            return Ok([ours, direct]);
        }
        let ours = self
            .block(BLOCK, seed, times)
            .await
            .map_err(lost(self.options))?;
        Ok([
            ours,
            jvm.java_walk(BLOCK, seed.0, quiet)
                .await
                .map_err(jvm_error)?,
        ])
    }

    fn jvm_error(&self) -> impl Fn(JvmError) -> DevicesError + use<> {
        let spec = self.options.device.to_string();
        move |source| DevicesError::Jvm {
            spec: spec.clone(),
            source,
        }
    }

    /// Plays one block, and returns its seconds without the first start and the summary of the walk.
    async fn block(
        &mut self,
        events: u64,
        seed: Seed,
        times: &mut DeviceTimings,
    ) -> Result<(f64, RandomWalkSummary), DeviceError> {
        self.device.set_settle(Settle {
            quiet: self.options.quiet,
            ..Settle::default()
        });
        let mut walk = RandomWalk::new(seed.0);
        let mut screen = simulated::start(&mut self.device, &self.app).await?;
        let started = Instant::now();
        let mut path = Vec::new();
        for _ in 0..events {
            let step = walk.choose(&screen);
            let at = Instant::now();
            path.push(step.clone());
            screen = match self.device.step(step).await {
                Ok(stepped) if !simulated::has_left_app(&stepped, &self.app) => {
                    times.add(at, Some(stepped.took));
                    let nodes = stepped.screen.nodes().len();
                    if nodes > self.largest.nodes {
                        self.largest = LargestScreen {
                            steps: path.clone(),
                            nodes,
                        };
                    }
                    stepped.screen
                }
                // An action that this phone does not support does not end the benchmark.
                Ok(_) | Err(DeviceError::Refused(RequestFailure::Unsupported(_))) => {
                    path.clear();
                    walk.started();
                    simulated::start(&mut self.device, &self.app).await?
                }
                Err(error) => return Err(error),
            };
        }
        Ok((started.elapsed().as_secs_f64(), walk.walked()))
    }

    async fn restarts(&mut self) -> Result<DeviceMeasurement, DeviceError> {
        let mut times = DeviceTimings::default();
        for _ in 0..self.options.samples {
            let at = Instant::now();
            let controlled = self
                .device
                .control(&self.app, AppCommand::Start(StartMode::Clean))
                .await?;
            times.add(at, Some(controlled.took));
        }
        Ok(self.measured("restart", times))
    }

    /// Full captures of the largest screen. The time of a node is measured where it is read, by the agent or by the loop in
    /// Java, because the link wakes other threads than that loop.
    async fn captures(&mut self) -> Result<DeviceMeasurement, CommandError> {
        let lost = lost(self.options);
        simulated::start(&mut self.device, &self.app)
            .await
            .map_err(&lost)?;
        for step in self.largest.steps.clone() {
            self.device.step(step).await.map_err(&lost)?;
        }
        let nodes = self.device.capture().await.map_err(&lost)?.nodes().len();
        let mut ours = DeviceTimings::default();
        let mut direct = Vec::new();
        for number in 0..WARM_UP + READS_A_SAMPLE * self.options.samples {
            if number == WARM_UP {
                (ours, direct) = Default::default();
            }
            // The order alternates: the second of the two has warmer caches.
            if number % 2 == 0 {
                read_tree(&mut self.device, &mut ours)
                    .await
                    .map_err(&lost)?;
            }
            if let Some(jvm) = &self.jvm {
                direct.push(jvm.java_read().await.map_err(self.jvm_error())?);
            }
            if number % 2 == 1 {
                read_tree(&mut self.device, &mut ours)
                    .await
                    .map_err(&lost)?;
            }
        }
        let each = |micros: &mut Vec<f64>| percentile(micros, 50) / nodes.max(1) as f64;
        Ok(DeviceMeasurement {
            nodes: Some(nodes),
            us_per_node: Some(each(&mut ours.phone)),
            direct_us_per_node: self.jvm.is_some().then(|| each(&mut direct)),
            ..self.measured(CostedRequest::Tree.name(), ours)
        })
    }

    /// A tap, a key or a screenshot; none if the phone does not support it.
    async fn request(
        &mut self,
        request: CostedRequest,
    ) -> Result<Option<DeviceMeasurement>, DeviceError> {
        let times = request
            .timings(&mut self.device, self.options.samples)
            .await?;
        Ok(times.map(|times| self.measured(request.name(), times)))
    }

    fn measured(&self, case: &'static str, mut times: DeviceTimings) -> DeviceMeasurement {
        let p50_us = percentile(&mut times.host, 50);
        let phone = percentile(&mut times.phone, 50);
        DeviceMeasurement {
            bench: "device",
            device: self.options.device.to_string(),
            case,
            p50_us,
            p90_us: percentile(&mut times.host, 90),
            phone_p50_us: (phone <= p50_us).then_some(phone),
            ..DeviceMeasurement::default()
        }
    }
}
