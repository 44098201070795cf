//! What the requests to a phone cost over whatever lies between, and how many events a second it takes; any `--device`.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use retap_engine::device::{Device, DeviceError};
use retap_engine::pool::Lease;
use retap_engine::seed::Seed;
use retap_shared::action::Action;
use retap_shared::connection::Connection;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Command, Fault, Settle};
use retap_shared::screen::{NodeFlags, Point, Screen};
use retap_shared::trace::{App, Start, Step};
use serde::Serialize;

use super::link::percentile;
use super::simulated;
use crate::devices::{self, DevicesError, Direct, JvmPhone, Phones};
use crate::failure::Failure;
use crate::job::PlayError;
use crate::settings::Devices;

/// Whatever else the machine does meanwhile meets both.
const BLOCKS: u64 = 4;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    pub device: String,
    pub app: Option<String>,
    /// Of the case `step`.
    pub events: u64,
    /// Of each other case.
    pub samples: usize,
    /// What counts as quiet after an event.
    pub quiet: Micros,
    pub seed: u64,
}

#[derive(Debug, Serialize)]
pub struct Measured {
    pub bench: &'static str,
    pub device: String,
    pub case: &'static str,
    pub p50_us: f64,
    pub p90_us: f64,
    /// By the phone's own clock, without the way there and back. None if no reply tells it, and if the phone's clock
    /// is not that of the world: a virtual one runs ahead.
    pub phone_p50_us: Option<f64>,
    /// On the screen that was captured.
    pub nodes: Option<usize>,
    /// What reading one of them takes, without the way there and back.
    pub us_per_node: Option<f64>,
    /// Starts after a crash and after leaving the app are in the time, not in the count.
    pub events_per_second: Option<f64>,
    /// The same loop in Java in the phone's own JVM, block by block in turns with this one. Only JVM phones have it.
    pub direct_events_per_second: Option<f64>,
    /// The same reading of a node in that loop.
    pub direct_us_per_node: Option<f64>,
}

/// Hands over each case as soon as it is measured. Cases that the phone cannot do are left out.
pub async fn measure(
    options: &Options,
    mut tell: impl FnMut(Measured) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let jvm = devices::jvm_for_bench(&options.device).await?;
    let phones = match &jvm {
        Some(phone) => {
            let connected = Device::connect(options.device.clone(), Arc::clone(phone) as Arc<dyn Connection>);
            Phones::of(vec![connected.await.map_err(lost(options))?])
        }
        None => {
            let named = Devices { device: options.device.clone(), count: 1 };
            Phones::connect(&named, Seed(options.seed)).await?
        }
    };
    let app = phones.app(options.app.as_deref())?.app;
    let device = phones.pool.lease().await.map_err(PlayError::from)?;
    let mut bench = Bench { options, device, app, jvm, largest: Way::default() };
    tell(bench.steps().await?)?;
    tell(bench.restarts().await.map_err(lost(options))?)?;
    tell(bench.captures().await?)?;
    tell(bench.taps().await.map_err(lost(options))?)?;
    if let Some(screenshots) = bench.screenshots().await.map_err(lost(options))? {
        tell(screenshots)?;
    }
    Ok(())
}

fn lost(options: &Options) -> impl Fn(DeviceError) -> DevicesError {
    |source| DevicesError::Connect { name: options.device.clone(), source }
}

struct Bench<'a> {
    options: &'a Options,
    device: Lease,
    app: App,
    jvm: Option<Arc<JvmPhone>>,
    /// To the screen that had the most nodes.
    largest: Way,
}

/// The steps from a clean start to a screen, and how many nodes it has.
#[derive(Clone, Debug, Default)]
struct Way {
    steps: Vec<Step>,
    nodes: usize,
}

impl Bench<'_> {
    /// Random events, each with the wait until the screen is quiet.
    async fn steps(&mut self) -> Result<Measured, Failure> {
        let blocks = if self.jvm.is_some() { BLOCKS } else { 1 };
        let each = self.options.events.div_ceil(blocks);
        let (mut times, mut seconds) = (Times::default(), 0.0);
        let mut direct = Sum::default();
        for block in 0..blocks {
            let seed = Seed(self.options.seed).derive("block", block);
            seconds += self.block(each, seed, &mut times).await.map_err(lost(self.options))?;
            if let Some(ran) = self.direct(each, seed).await? {
                direct.events += ran.events;
                direct.seconds += ran.seconds;
            }
        }
        Ok(Measured {
            events_per_second: Some((each * blocks) as f64 / seconds),
            direct_events_per_second: (direct.seconds > 0.0).then(|| direct.events / direct.seconds),
            ..self.measured("step", times)
        })
    }

    /// The same in Java, where there is that. Without any events it reads the screen that is there.
    async fn direct(&self, events: u64, seed: Seed) -> Result<Option<Direct>, Failure> {
        let Some(jvm) = &self.jvm else { return Ok(None) };
        let quiet = self.options.quiet.0 / 1_000;
        let wrong = |source| DevicesError::Jvm { spec: self.options.device.clone(), source };
        Ok(Some(jvm.direct(events, seed.0 >> 1, quiet).await.map_err(wrong)?))
    }

    /// Returns how long it took, with the start.
    async fn block(&mut self, events: u64, seed: Seed, times: &mut Times) -> Result<f64, DeviceError> {
        self.device.set_settle(Settle { quiet: self.options.quiet, ..Settle::default() });
        let mut rng = seed.rng();
        let mut screen = simulated::start(&mut self.device, &self.app).await?;
        let began = Instant::now();
        let mut way = Vec::new();
        for _ in 0..events {
            let step = simulated::choose(&screen, &mut rng);
            let at = Instant::now();
            way.push(step.clone());
            screen = match self.device.step(step).await {
                Ok(stepped) if !simulated::ended(&stepped, &self.app) => {
                    times.add(at, Some(stepped.took));
                    let nodes = stepped.screen.nodes().len();
                    if nodes > self.largest.nodes {
                        self.largest = Way { steps: way.clone(), nodes };
                    }
                    stepped.screen
                }
                // What only this phone cannot do is no reason to stop.
                Ok(_) | Err(DeviceError::Refused(Fault::Unsupported(_))) => {
                    way.clear();
                    simulated::start(&mut self.device, &self.app).await?
                }
                Err(error) => return Err(error),
            };
        }
        Ok(began.elapsed().as_secs_f64())
    }

    async fn restarts(&mut self) -> Result<Measured, DeviceError> {
        let mut times = Times::default();
        for _ in 0..self.options.samples {
            let at = Instant::now();
            let controlled = self.device.control(&self.app, Command::Start(Start::Clean)).await?;
            times.add(at, Some(controlled.took));
        }
        Ok(self.measured("restart", times))
    }

    /// The whole of the largest screen, as if the host held none. What reading a node costs is told without the way there and
    /// back: of a screen that the host holds, less what a request takes that reads nothing.
    async fn captures(&mut self) -> Result<Measured, Failure> {
        let lost = lost(self.options);
        simulated::start(&mut self.device, &self.app).await.map_err(&lost)?;
        for step in self.largest.steps.clone() {
            self.device.step(step).await.map_err(&lost)?;
        }
        let nodes = self.device.capture().await.map_err(&lost)?.nodes().len();
        self.device.set_settle(Settle { quiet: Micros::ZERO, limit: Micros::ZERO });
        let (mut whole, mut held, mut nothing) = (Times::default(), Times::default(), Times::default());
        for _ in 0..self.options.samples {
            let at = Instant::now();
            self.device.settle().await.map_err(&lost)?;
            nothing.add(at, None);
            let at = Instant::now();
            self.device.capture().await.map_err(&lost)?;
            held.add(at, None);
            self.device.forget_screen();
            let at = Instant::now();
            self.device.capture().await.map_err(&lost)?;
            whole.add(at, None);
        }
        let read = percentile(&mut held.here, 50) - percentile(&mut nothing.here, 50);
        let direct = self.direct(0, Seed(self.options.seed)).await?;
        Ok(Measured {
            nodes: Some(nodes),
            us_per_node: Some(read.max(0.0) / nodes.max(1) as f64),
            direct_us_per_node: direct.map(|read| read.us_per_node),
            ..self.measured("capture", whole)
        })
    }

    /// On a place where nothing happens, without waiting for quiet.
    async fn taps(&mut self) -> Result<Measured, DeviceError> {
        self.device.set_settle(Settle { quiet: Micros::ZERO, limit: Micros::ZERO });
        let screen = self.device.capture().await?;
        let place = inert(&screen);
        let mut times = Times::default();
        for _ in 0..self.options.samples {
            let at = Instant::now();
            let stepped = self.device.step(Step::new(Action::Tap(place))).await?;
            times.add(at, Some(stepped.took));
        }
        Ok(self.measured("tap", times))
    }

    /// None if the phone gives no pixels.
    async fn screenshots(&mut self) -> Result<Option<Measured>, DeviceError> {
        let mut times = Times::default();
        for _ in 0..self.options.samples {
            let at = Instant::now();
            match self.device.screenshot().await {
                Ok(_) => times.add(at, None),
                Err(DeviceError::Refused(Fault::Unsupported(_))) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(self.measured("screenshot", times)))
    }

    fn measured(&self, case: &'static str, mut times: Times) -> Measured {
        let p50_us = percentile(&mut times.here, 50);
        let phone = percentile(&mut times.phone, 50);
        Measured {
            bench: "device",
            device: self.options.device.clone(),
            case,
            p50_us,
            p90_us: percentile(&mut times.here, 90),
            phone_p50_us: (phone <= p50_us).then_some(phone),
            nodes: None,
            us_per_node: None,
            events_per_second: None,
            direct_events_per_second: None,
            direct_us_per_node: None,
        }
    }
}

#[derive(Default)]
struct Sum {
    events: f64,
    seconds: f64,
}

/// Microseconds, by the clock here and by the phone's.
#[derive(Default)]
struct Times {
    here: Vec<f64>,
    phone: Vec<f64>,
}

impl Times {
    fn add(&mut self, began: Instant, took: Option<Micros>) {
        self.here.push(began.elapsed().as_secs_f64() * 1e6);
        self.phone.extend(took.map(|took| took.0 as f64));
    }
}

/// The middle of something that is seen and does nothing; the first pixel if all of it does something.
fn inert(screen: &Screen) -> Point {
    let deaf = |flags: NodeFlags| flags.contains(NodeFlags::VISIBLE) && !flags.contains(NodeFlags::CLICKABLE);
    let active: Vec<_> =
        screen.nodes().iter().filter(|node| node.flags.contains(NodeFlags::CLICKABLE)).collect();
    let mut places = screen.nodes().iter().filter(|node| deaf(node.flags)).map(|node| node.bounds.center());
    let free = |place: &Point| !active.iter().any(|node| node.bounds.contains(*place));
    places.find(free).unwrap_or(Point { x: 1, y: 1 })
}

impl Measured {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names")
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured { case, p50_us, p90_us, .. } = self;
        write!(f, "{case:<10} p50 {p50_us:>9.0} µs  p90 {p90_us:>9.0} µs")?;
        if let Some(phone) = self.phone_p50_us {
            write!(f, "  on the phone {phone:>9.0} µs")?;
        }
        if let (Some(nodes), Some(node)) = (self.nodes, self.us_per_node) {
            write!(f, "  {node:.2} µs for each of {nodes} nodes")?;
        }
        if let Some(direct) = self.direct_us_per_node {
            write!(f, " ({direct:.2} in Java)")?;
        }
        if let Some(speed) = self.events_per_second {
            write!(f, "  {speed:.1} events a second")?;
        }
        if let Some(direct) = self.direct_events_per_second {
            write!(f, " ({direct:.1} in Java)")?;
        }
        Ok(())
    }
}
