//! Events a second of a simulated phone over the in-process connection, with its screens, and the time of a snapshot and its
//! restore.

use std::time::Instant;

use rand::RngExt;
use retap_device::seed::{Rng, Seed};
use retap_device::{Device, DeviceError, StepResult};
use retap_shared::action::{Action, Key};
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::AppCommand;
use retap_shared::screen::{NodeFlags, Screen, SharedScreen, WindowKind};
use retap_shared::trace::{App, StartMode, Step};

use crate::bench::processor_time::thread_seconds;
use crate::command_error::CommandError;
use crate::device_spec::{DeviceSpec, PhoneSelection};
use crate::devices::{ConnectedPhones, DevicesError};
use crate::operations::PlayError;

/// One in this many events is the back key, so that the walk reaches all of the app.
const BACK: u32 = 16;
/// Events of one measured block.
const BLOCK: u64 = 10_000;
const TAPPED: NodeFlags = NodeFlags::ENABLED
    .union(NodeFlags::CLICKABLE)
    .union(NodeFlags::VISIBLE);

/// An app with screens of 500 nodes.
pub const LARGE_SCREENS: &str = "forge?seed=1&activities=12&widgets=500";
/// Number of snapshots that are measured.
const SNAPSHOTS: u32 = 200;

/// Speed of a simulated phone.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedMeasurement {
    /// Events a second of this thread's processor time.
    pub events_per_second: u64,
    /// Events a second of real time, which other programs share.
    pub events_per_wall_second: u64,
    /// Mean number of nodes of a screen.
    pub nodes: u64,
    /// Median time of a snapshot and its restore together, in microseconds.
    pub snapshot_micros: f64,
}

/// Measures random events, including their choice and the clean starts. The median over blocks is not affected by short
/// load of other programs.
pub async fn measure(
    app: &str,
    events: u64,
    seed: u64,
) -> Result<SimulatedMeasurement, CommandError> {
    let selection = PhoneSelection::one_each(DeviceSpec::simulated(app)?);
    let phones = ConnectedPhones::connect(&selection, Seed(seed)).await?;
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
        let started = Instant::now();
        let worked = thread_seconds();
        nodes += drive(&mut device, &app, block, &mut rng)
            .await
            .map_err(failed(device.name()))?;
        speeds.push((block as f64 / (thread_seconds() - worked)) as u64);
        by_clock.push((block as f64 / started.elapsed().as_secs_f64()) as u64);
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

/// Takes and restores snapshots, with an event between. The time of the events is not counted.
async fn snapshots(device: &mut Device, app: &App, rng: &mut Rng) -> Result<f64, DeviceError> {
    let mut spans = Vec::new();
    let mut screen = start(device, app).await?;
    for _ in 0..SNAPSHOTS {
        screen = device.step(choose(&screen, rng)).await?.screen;
        let started = Instant::now();
        let saved = device.take_snapshot().await?;
        let saving = started.elapsed();
        let moved = device.step(choose(&screen, rng)).await?;
        let started = Instant::now();
        device.restore_snapshot(saved.id).await?;
        spans.push((saving + started.elapsed()).as_nanos() as f64 / 1_000.0);
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

/// Plays random events, and returns the number of nodes of all screens.
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

/// Returns whether the step ended in a finding or outside the app.
pub(super) fn has_left_app(stepped: &StepResult, app: &App) -> bool {
    let failed = stepped
        .phone_events
        .iter()
        .any(|event| matches!(event.kind, PhoneEventKind::Finding(_)));
    failed || stepped.screen.activity().split('/').next() != Some(&app.package)
}

/// Starts the app clean, and returns its first screen.
pub(super) async fn start(device: &mut Device, app: &App) -> Result<SharedScreen, DeviceError> {
    device
        .control(app, AppCommand::Start(StartMode::Clean))
        .await?;
    device.capture().await
}

/// Chooses a clickable widget of the topmost window at random, or the back key.
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
