//! How many events a second a simulated phone takes through the in-process connection, screens built and read.

use std::time::Instant;

use rand::RngExt;
use retap_engine::device::{Device, DeviceError, Stepped};
use retap_engine::seed::{Rng, Seed};
use retap_shared::action::{Action, Key};
use retap_shared::protocol::{Command, What};
use retap_shared::screen::{NodeFlags, Screen, SharedScreen, WindowKind};
use retap_shared::trace::{App, Start, Step};

use crate::devices::{DevicesError, Phones};
use crate::failure::Failure;
use crate::job::PlayError;
use crate::settings::Devices;

/// One in this many events goes back, so that the whole app is seen.
const BACK: u32 = 16;
/// Events between two looks at the clock.
const BLOCK: u64 = 10_000;
const TAPPED: NodeFlags = NodeFlags::ENABLED.union(NodeFlags::CLICKABLE).union(NodeFlags::VISIBLE);

/// By the clock of the machine, with the choice of each event and the clean starts included: the median over blocks,
/// because other programs take their share of single moments.
pub async fn events_per_second(app: &str, events: u64, seed: u64) -> Result<u64, Failure> {
    let phones = Phones::connect(&Devices { device: format!("sim:{app}"), count: 1 }, Seed(seed)).await?;
    let app = phones.app(None)?.app;
    let mut device = phones.pool.lease().await.map_err(PlayError::from)?;
    let mut rng = Seed(seed).rng();
    let mut speeds = Vec::new();
    let mut left = events;
    while left > 0 {
        let block = left.min(BLOCK);
        let began = Instant::now();
        drive(&mut device, &app, block, &mut rng)
            .await
            .map_err(|source| DevicesError::Connect { name: device.name().to_owned(), source })?;
        speeds.push((block as f64 / began.elapsed().as_secs_f64()) as u64);
        left -= block;
    }
    speeds.sort_unstable();
    Ok(speeds.get(speeds.len() / 2).copied().unwrap_or_default())
}

async fn drive(device: &mut Device, app: &App, events: u64, rng: &mut Rng) -> Result<(), DeviceError> {
    let mut screen = start(device, app).await?;
    for _ in 0..events {
        let stepped = device.step(choose(&screen, rng)).await?;
        screen = if ended(&stepped, app) { start(device, app).await? } else { stepped.screen };
    }
    Ok(())
}

/// Whether the app has failed or was left.
pub(super) fn ended(stepped: &Stepped, app: &App) -> bool {
    let failed = stepped.happened.iter().any(|happening| matches!(happening.what, What::Problem(_)));
    failed || stepped.screen.activity().split('/').next() != Some(&app.package)
}

pub(super) async fn start(device: &mut Device, app: &App) -> Result<SharedScreen, DeviceError> {
    device.control(app, Command::Start(Start::Clean)).await?;
    device.capture().await
}

/// A random widget of the topmost window, each with the same chance.
pub(super) fn choose(screen: &Screen, rng: &mut Rng) -> Step {
    let mut seen = 0;
    let mut chosen = None;
    if !rng.random_ratio(1, BACK) {
        let windows = screen.windows_with_nodes().filter(|(window, ..)| window.kind != WindowKind::Keyboard);
        for node in windows.last().map(|(_, _, nodes)| nodes).into_iter().flatten() {
            if node.is(TAPPED) {
                seen += 1;
                if rng.random_ratio(1, seen) {
                    chosen = Some(node);
                }
            }
        }
    }
    Step::new(chosen.map_or(Action::Key(Key::Back), |node| Action::Tap(node.bounds.center())))
}
