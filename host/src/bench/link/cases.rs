//! The cases of the link benchmark.

use std::time::Instant;

use retap_shared::action::{Action, Key};
use retap_shared::connection::Connection;
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::protocol::{
    Act, ActReply, Capture, CaptureReply, Reply, Request, ScreenUpdate, Settle, TakeScreenshot,
};
use retap_shared::screen::{ScreenHash, SharedScreen};
use retap_shared::trace::Step;

use super::interleaved::InterleavedCase;
use super::{BLOCKS, BenchTransport, LinkBenchError, LinkMeasurement};
use crate::bench::processor_time::process_micros;
use crate::link::Link;

/// Screenshots that are transferred at once: 20 MB.
const SCREENSHOTS: usize = 4;

/// Steps between two screens of a simulated app, each sent as a screen diff.
pub(super) async fn step(
    transport: BenchTransport,
    link: &Link,
    samples: usize,
) -> Result<LinkMeasurement, LinkBenchError> {
    let mut held = capture(link).await?;
    let search = held
        .nodes()
        .iter()
        .position(|node| node.id.ends_with("search"));
    let forward = search.map_or(Action::Launch, |node| {
        Action::Tap(held.nodes()[node].bounds.center())
    });
    let mut is_forward = false;
    let mut case = InterleavedCase::new(transport, "step", samples).await?;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            is_forward = !is_forward;
            let action = if is_forward {
                forward.clone()
            } else {
                Action::Key(Key::Back)
            };
            let acted: ActReply = case.timed(link, act(action, Some(held.hash()))).await?;
            held = apply(acted.screen, held);
        }
        case.against_ping_pong().await?;
    }
    Ok(case.finish())
}

/// Captures of a full screen.
pub(super) async fn full_screen(
    transport: BenchTransport,
    link: &Link,
    samples: usize,
) -> Result<LinkMeasurement, LinkBenchError> {
    capture_case(transport, "screen-500", link, samples, |_| None).await
}

/// Captures of a screen that the host holds already.
pub(super) async fn unchanged(
    transport: BenchTransport,
    link: &Link,
    samples: usize,
) -> Result<LinkMeasurement, LinkBenchError> {
    capture_case(transport, "unchanged", link, samples, |screen| {
        Some(screen.hash())
    })
    .await
}

async fn capture_case(
    transport: BenchTransport,
    name: &'static str,
    link: &Link,
    samples: usize,
    held_hash: impl Fn(&SharedScreen) -> Option<ScreenHash>,
) -> Result<LinkMeasurement, LinkBenchError> {
    let held = capture(link).await?;
    let mut case = InterleavedCase::new(transport, name, samples).await?;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            let _: CaptureReply = case
                .timed(
                    link,
                    Capture {
                        held_screen: held_hash(&held),
                    },
                )
                .await?;
        }
        case.against_ping_pong().await?;
    }
    Ok(case.finish())
}

/// Taps that change the text of one node.
pub(super) async fn one_change(
    transport: BenchTransport,
    link: &Link,
    samples: usize,
) -> Result<LinkMeasurement, LinkBenchError> {
    let mut held = capture(link).await?;
    let mut case = InterleavedCase::new(transport, "one-change", samples).await?;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            let acted: ActReply = case.timed(link, act(tap(), Some(held.hash()))).await?;
            held = apply(acted.screen, held);
        }
        case.against_ping_pong().await?;
    }
    Ok(case.finish())
}

/// Taps while screenshots are transferred. The baseline is the same taps without them.
pub(super) async fn tap_under_load(
    transport: BenchTransport,
    link: &Link,
    samples: usize,
) -> Result<LinkMeasurement, LinkBenchError> {
    let mut held = capture(link).await?;
    let mut case = InterleavedCase::new(transport, "tap-under-load", samples).await?;
    case.percentile = 90;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            let started = Instant::now();
            let acted: ActReply = request(link, act(tap(), Some(held.hash()))).await?;
            case.baseline_block
                .push(started.elapsed().as_secs_f64() * 1e6);
            held = apply(acted.screen, held);
        }
        case.cpu_at_start = process_micros();
        let load = async {
            let screenshots = (0..SCREENSHOTS).map(|_| link.request(TakeScreenshot.into()));
            futures_util::future::try_join_all(screenshots)
                .await
                .map_err(LinkBenchError::from)
        };
        let taps = async {
            loop {
                let acted: ActReply = case.timed(link, act(tap(), Some(held.hash()))).await?;
                held = apply(acted.screen, held.clone());
            }
        };
        let taps: Result<(), LinkBenchError> = tokio::select! {
            load = load => load.map(|_| ()),
            taps = taps => taps,
        };
        taps?;
        case.count_cpu();
        case.end_block();
    }
    Ok(case.finish())
}

fn tap() -> Action {
    Action::Tap(Point { x: 10, y: 10 })
}

/// Does not settle: the link is measured, not the wait.
fn act(action: Action, held_screen: Option<ScreenHash>) -> Act {
    let settle = Settle {
        quiet: Micros::ZERO,
        limit: Micros::ZERO,
    };
    Act {
        step: Step::new(action),
        settle,
        held_screen,
    }
}

async fn request<T: TryFrom<Reply, Error = Reply>>(
    link: &Link,
    message: impl Into<Request>,
) -> Result<T, LinkBenchError> {
    let reply = link.request(message.into()).await?;
    Ok(T::try_from(reply).unwrap_or_else(|reply| unreachable!("answered with {}", reply.name())))
}

async fn capture(link: &Link) -> Result<SharedScreen, LinkBenchError> {
    let captured: CaptureReply = request(link, Capture { held_screen: None }).await?;
    let ScreenUpdate::Full(screen) = captured.screen else {
        unreachable!("a full screen was requested")
    };
    Ok(screen)
}

fn apply(update: ScreenUpdate, held: SharedScreen) -> SharedScreen {
    match update {
        ScreenUpdate::Full(screen) => screen,
        ScreenUpdate::Unchanged => held,
        ScreenUpdate::Changed(change) => change.apply(&held).map_or(held, Into::into),
    }
}
