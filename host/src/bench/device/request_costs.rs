//! Costs of single requests: the tree, a tap, a key and a screenshot. Nothing of the app is changed.

use std::time::Instant;

use retap_device::{Device, DeviceError};
use retap_shared::action::{Action, Key};
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::protocol::{RequestFailure, Settle};
use retap_shared::screen::{NodeFlags, Screen};
use retap_shared::trace::Step;

use super::measurement::DeviceTimings;
use crate::bench::statistics::percentile;

/// KEYCODE_WAKEUP: no app receives it, and it only wakes the display.
const HARMLESS: Key = Key::Code(224);

/// A request whose cost is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostedRequest {
    /// The whole screen, also if the host holds it.
    Tree,
    /// A tap where nothing happens, and the tree after it.
    Tap,
    /// A key that no app receives, and the tree after it.
    Key,
    Screenshot,
}

/// What a request costs on one phone.
#[derive(Clone, Debug)]
pub struct RequestCost {
    pub p50_us: f64,
    pub p90_us: f64,
    /// Time on the phone, without the link; none if the reply does not have it.
    pub phone_p50_us: Option<f64>,
}

impl CostedRequest {
    pub const ALL: [CostedRequest; 4] = [
        CostedRequest::Tree,
        CostedRequest::Tap,
        CostedRequest::Key,
        CostedRequest::Screenshot,
    ];

    pub fn name(self) -> &'static str {
        match self {
            CostedRequest::Tree => "tree",
            CostedRequest::Tap => "tap",
            CostedRequest::Key => "key",
            CostedRequest::Screenshot => "screenshot",
        }
    }

    /// Sends the request so many times, one after the other; `None` if the phone does not support it.
    pub async fn measure(
        self,
        device: &mut Device,
        samples: usize,
    ) -> Result<Option<RequestCost>, DeviceError> {
        let times = self.timings(device, samples).await?;
        Ok(times.map(|mut times| RequestCost {
            p50_us: percentile(&mut times.host, 50),
            p90_us: percentile(&mut times.host, 90),
            phone_p50_us: (!times.phone.is_empty()).then(|| percentile(&mut times.phone, 50)),
        }))
    }

    pub(super) async fn timings(
        self,
        device: &mut Device,
        samples: usize,
    ) -> Result<Option<DeviceTimings>, DeviceError> {
        // A settle time of zero: the request itself is measured.
        device.set_settle(Settle {
            quiet: Micros::ZERO,
            limit: Micros::ZERO,
        });
        let place = inert(device.capture().await?.as_ref());
        let mut times = DeviceTimings::default();
        for _ in 0..samples {
            let sent = match self {
                CostedRequest::Tree => read_tree(device, &mut times).await,
                CostedRequest::Tap => step(device, Action::Tap(place), &mut times).await,
                CostedRequest::Key => step(device, Action::Key(HARMLESS), &mut times).await,
                CostedRequest::Screenshot => take_screenshot(device, &mut times).await,
            };
            match sent {
                Ok(()) => {}
                Err(DeviceError::Refused(RequestFailure::Unsupported(_))) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(times))
    }
}

pub(super) async fn read_tree(
    device: &mut Device,
    times: &mut DeviceTimings,
) -> Result<(), DeviceError> {
    device.clear_cached_screen();
    let at = Instant::now();
    let (_, worked) = device.capture_timed().await?;
    times.add(at, Some(worked));
    Ok(())
}

async fn step(
    device: &mut Device,
    action: Action,
    times: &mut DeviceTimings,
) -> Result<(), DeviceError> {
    let at = Instant::now();
    let stepped = device.step(Step::new(action)).await?;
    times.add(at, Some(stepped.took));
    Ok(())
}

async fn take_screenshot(
    device: &mut Device,
    times: &mut DeviceTimings,
) -> Result<(), DeviceError> {
    let at = Instant::now();
    device.screenshot().await?;
    times.add(at, None);
    Ok(())
}

/// Centre of a visible node that is not clickable; the first pixel if there is none.
fn inert(screen: &Screen) -> Point {
    let is_inert = |flags: NodeFlags| {
        flags.contains(NodeFlags::VISIBLE) && !flags.contains(NodeFlags::CLICKABLE)
    };
    let active: Vec<_> = screen
        .nodes()
        .iter()
        .filter(|node| node.flags.contains(NodeFlags::CLICKABLE))
        .collect();
    let mut places = screen
        .nodes()
        .iter()
        .filter(|node| is_inert(node.flags))
        .map(|node| node.bounds.center());
    let free = |place: &Point| !active.iter().any(|node| node.bounds.contains(*place));
    places.find(free).unwrap_or(Point { x: 1, y: 1 })
}
