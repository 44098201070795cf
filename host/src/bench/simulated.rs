//! How many events a second a simulated phone takes through the in-process connection, screens built and read, and how
//! long saving a state and going back takes.

use std::time::Instant;

use rand::RngExt;
use retap_device::seed::{Rng, Seed};
use retap_device::{Device, DeviceError, StepResult};
use retap_shared::action::{Action, Key};
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::AppCommand;
use retap_shared::screen::{NodeFlags, Screen, SharedScreen, WindowKind};
use retap_shared::trace::{App, StartMode, Step};
use rustix::time::{ClockId, clock_gettime};

use crate::command_error::CommandError;
use crate::devices::{ConnectedPhones, DevicesError};
use crate::operations::PlayError;
use crate::options::PhoneSelection;

/// One in this many events goes back, so that the whole app is seen.
const BACK: u32 = 16;
/// Events between two looks at the clock.
const BLOCK: u64 = 10_000;
const TAPPED: NodeFlags = NodeFlags::ENABLED
    .union(NodeFlags::CLICKABLE)
    .union(NodeFlags::VISIBLE);

/// An app with screens of 500 nodes.
pub const LARGE_SCREENS: &str = "forge?seed=1&activities=12&widgets=500";
/// How many snapshots are timed.
const SNAPSHOTS: u32 = 200;

#[derive(Clone, Copy, Debug)]
pub struct SimulatedMeasurement {
    /// A second of this thread's processor time.
    pub events_per_second: u64,
    /// A second on the clock, in which other programs have their share.
    pub events_per_wall_second: u64,
    /// On an average screen.
    pub nodes: u64,
    /// Saving a state, and going back to it after another event: the median of both together, in microseconds.
    pub snapshot_micros: f64,
}

/// With the choice of each event and the clean starts included: the median over blocks, because other programs take
/// their share of single moments.
pub async fn measure(
    app: &str,
    events: u64,
    seed: u64,
) -> Result<SimulatedMeasurement, CommandError> {
    let phones = ConnectedPhones::connect(
        &PhoneSelection {
            device: format!("sim:{app}"),
            count: 1,
        },
        Seed(seed),
    )
    .await?;
    let app = phones.app(None)?.app;
    let mut device = phones.pool.lease().await.map_err(PlayError::from)?;
    let failed = |name: &str| {
        let name = name.to_owned();
        move |source| DevicesError::Connect { name, source }
    };
    let mut rng = Seed(seed).rng();
    let mut speeds = Vec::new();
    let mut by_clock = Vec::new();
    let mut nodes = 0;
    let mut left = events;
    while left > 0 {
        let block = left.min(BLOCK);
        let began = Instant::now();
        let worked = processor_time();
        nodes += drive(&mut device, &app, block, &mut rng)
            .await
            .map_err(failed(device.name()))?;
        speeds.push((block as f64 / (processor_time() - worked)) as u64);
        by_clock.push((block as f64 / began.elapsed().as_secs_f64()) as u64);
        left -= block;
    }
    let snapshots = snapshots(&mut device, &app, &mut rng)
        .await
        .map_err(failed(device.name()))?;
    Ok(SimulatedMeasurement {
        events_per_second: median(speeds),
        events_per_wall_second: median(by_clock),
        nodes: nodes / events.max(1),
        snapshot_micros: snapshots,
    })
}

fn median(mut of: Vec<u64>) -> u64 {
    of.sort_unstable();
    of.get(of.len() / 2).copied().unwrap_or_default()
}

/// What this thread has worked, in seconds.
fn processor_time() -> f64 {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

/// Saves, acts and goes back, again and again; what the acts take is not counted.
async fn snapshots(device: &mut Device, app: &App, rng: &mut Rng) -> Result<f64, DeviceError> {
    let mut spans = Vec::new();
    let mut screen = start(device, app).await?;
    for _ in 0..SNAPSHOTS {
        screen = device.step(choose(&screen, rng)).await?.screen;
        let began = Instant::now();
        let saved = device.take_snapshot().await?;
        let saving = began.elapsed();
        let moved = device.step(choose(&screen, rng)).await?;
        let began = Instant::now();
        device.restore_snapshot(saved.id).await?;
        spans.push((saving + began.elapsed()).as_nanos() as f64 / 1_000.0);
        device.discard_snapshot(saved.id).await?;
        let inside = moved.screen.activity().split('/').next() == Some(&app.package);
        screen = if inside {
            device.capture().await?
        } else {
            start(device, app).await?
        };
    }
    spans.sort_unstable_by(f64::total_cmp);
    Ok(spans.get(spans.len() / 2).copied().unwrap_or_default())
}

/// Returns how many nodes all screens had together.
async fn drive(
    device: &mut Device,
    app: &App,
    events: u64,
    rng: &mut Rng,
) -> Result<u64, DeviceError> {
    let mut screen = start(device, app).await?;
    let mut nodes = 0;
    for _ in 0..events {
        let stepped = device.step(choose(&screen, rng)).await?;
        nodes += stepped.screen.nodes().len() as u64;
        screen = if has_left_app(&stepped, app) {
            start(device, app).await?
        } else {
            stepped.screen
        };
    }
    Ok(nodes)
}

/// Whether the app has failed or was left.
pub(super) fn has_left_app(stepped: &StepResult, app: &App) -> bool {
    let failed = stepped
        .phone_events
        .iter()
        .any(|happening| matches!(happening.kind, PhoneEventKind::Finding(_)));
    failed || stepped.screen.activity().split('/').next() != Some(&app.package)
}

pub(super) async fn start(device: &mut Device, app: &App) -> Result<SharedScreen, DeviceError> {
    device
        .control(app, AppCommand::Start(StartMode::Clean))
        .await?;
    device.capture().await
}

/// A random widget of the topmost window, each with the same chance.
pub(super) fn choose(screen: &Screen, rng: &mut Rng) -> Step {
    let windows = screen
        .windows_with_nodes()
        .filter(|(window, ..)| window.kind != WindowKind::Keyboard);
    let nodes = windows
        .last()
        .map(|(_, _, nodes)| nodes)
        .unwrap_or_default();
    let tapped = || nodes.iter().filter(|node| node.is(TAPPED));
    let count = if rng.random_ratio(1, BACK) {
        0
    } else {
        tapped().count()
    };
    let chosen = (count > 0)
        .then(|| rng.random_range(0..count))
        .and_then(|number| tapped().nth(number));
    Step::new(chosen.map_or(Action::Key(Key::Back), |node| {
        Action::Tap(node.bounds.center())
    }))
}
