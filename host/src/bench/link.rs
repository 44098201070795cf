//! What the link costs: requests over QUIC against a raw TCP ping-pong of 64 bytes, in turns, in one process.

mod baseline;
mod cpu;
mod phone;
mod remote_agent;

use std::fmt;
use std::time::Instant;

use baseline::PingPong;
use cpu::CorePlacement;
use phone::BenchPhone;
pub use remote_agent::BenchTransport;
use remote_agent::{RemoteAgent, RemoteAgentError};
use retap_agent::phone::Phone;
use retap_shared::action::{Action, Key};
use retap_shared::codec;
use retap_shared::connection::{Connection, RequestError};
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::protocol::{
    Act, ActReply, Capture, CaptureReply, Reply, Request, ScreenUpdate, Settle, TakeScreenshot,
};
use retap_shared::screen::{ScreenHash, SharedScreen};
use retap_shared::session::RequestResult;
use retap_shared::trace::Step;
use serde::Serialize;

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::link::{Link, LinkError};

/// An odd number, so that the median is one of them.
const BLOCKS: usize = 15;
const NODES: usize = 500;
/// Four pictures at once: 20 MB under way.
const PICTURES: usize = 4;

#[derive(Debug, Serialize)]
pub struct LinkMeasurement {
    pub bench: &'static str,
    pub transport: BenchTransport,
    pub case: &'static str,
    pub p50_us: f64,
    pub p90_us: f64,
    /// Of both ends together.
    pub cpu_us: f64,
    /// Of the answer.
    pub bytes: usize,
    pub baseline_p50_us: f64,
    pub baseline_p90_us: f64,
    /// The median over the blocks.
    pub ratio: f64,
}

#[derive(Debug, thiserror::Error)]
pub enum LinkBenchError {
    #[error(transparent)]
    RemoteAgent(#[from] RemoteAgentError),
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("the phone did not answer")]
    Request(#[from] RequestError),
    #[error("the ping-pong broke off")]
    Baseline(#[from] std::io::Error),
}

/// All cases of one transport.
pub async fn measure(
    transport: BenchTransport,
    samples: usize,
) -> Result<Vec<LinkMeasurement>, LinkBenchError> {
    CorePlacement::Apart.pin_host();
    let stepping = RemoteAgent::start(transport, CorePlacement::Apart, remote_agent::simulated)?;
    let step = step(transport, &stepping.connect().await?, samples).await?;

    let looking = RemoteAgent::start(transport, CorePlacement::Apart, many_nodes)?;
    let link = looking.connect().await?;
    let whole_screen = whole_screen(transport, &link, samples).await?;
    let unchanged = unchanged(transport, &link, samples).await?;
    let one_change = one_change(transport, &link, samples).await?;
    drop(link);

    CorePlacement::Anywhere.pin_host();
    let loaded = RemoteAgent::start(transport, CorePlacement::Anywhere, many_nodes)?;
    let tap_under_load = tap_under_load(transport, &loaded.connect().await?, samples).await?;
    Ok(vec![
        step,
        whole_screen,
        unchanged,
        one_change,
        tap_under_load,
    ])
}

fn many_nodes() -> Box<dyn Phone> {
    Box::new(BenchPhone::new(NODES))
}

impl LinkMeasurement {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names")
    }
}

impl fmt::Display for LinkMeasurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinkMeasurement {
            case,
            p50_us,
            p90_us,
            cpu_us,
            bytes,
            ratio,
            ..
        } = self;
        let transport = format!("{:?}", self.transport).to_lowercase();
        write!(
            f,
            "{transport:<7} {case:<15} p50 {p50_us:>7.1} µs  p90 {p90_us:>7.1} µs  cpu {cpu_us:>7.1} µs  {bytes:>6} bytes  {ratio:>5.2} × baseline"
        )
    }
}

impl UserError for LinkBenchError {
    fn exit(&self) -> CommandExit {
        CommandExit::InternalError
    }

    fn help(&self) -> String {
        "both ends run in this process over 127.0.0.1; see whether something keeps it from talking to itself"
            .into()
    }
}

/// Back and forth between two screens of a simulated app, each sent as the difference to the one before.
async fn step(
    transport: BenchTransport,
    link: &Link,
    samples: usize,
) -> Result<LinkMeasurement, LinkBenchError> {
    let mut held = captured(link).await?;
    let search = held
        .nodes()
        .iter()
        .position(|node| node.id.ends_with("search"));
    let there = search.map_or(Action::Launch, |node| {
        Action::Tap(held.nodes()[node].bounds.center())
    });
    let mut forth = false;
    let mut case = LinkBenchCase::new(transport, "step", samples).await?;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            forth = !forth;
            let action = if forth {
                there.clone()
            } else {
                Action::Key(Key::Back)
            };
            let acted: ActReply = case.timed(link, act(action, Some(held.hash()))).await?;
            held = applied(acted.screen, held);
        }
        case.against_ping_pong().await?;
    }
    Ok(case.finish())
}

async fn whole_screen(
    transport: BenchTransport,
    link: &Link,
    samples: usize,
) -> Result<LinkMeasurement, LinkBenchError> {
    capture_case(transport, "screen-500", link, samples, |_| None).await
}

async fn unchanged(
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
    holds: impl Fn(&SharedScreen) -> Option<ScreenHash>,
) -> Result<LinkMeasurement, LinkBenchError> {
    let held = captured(link).await?;
    let mut case = LinkBenchCase::new(transport, name, samples).await?;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            let _: CaptureReply = case
                .timed(
                    link,
                    Capture {
                        held_screen: holds(&held),
                    },
                )
                .await?;
        }
        case.against_ping_pong().await?;
    }
    Ok(case.finish())
}

/// Each tap changes one text among the nodes.
async fn one_change(
    transport: BenchTransport,
    link: &Link,
    samples: usize,
) -> Result<LinkMeasurement, LinkBenchError> {
    let mut held = captured(link).await?;
    let mut case = LinkBenchCase::new(transport, "one-change", samples).await?;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            let acted: ActReply = case.timed(link, act(tap(), Some(held.hash()))).await?;
            held = applied(acted.screen, held);
        }
        case.against_ping_pong().await?;
    }
    Ok(case.finish())
}

/// The same taps without and with pictures on the way; its baseline are those without.
async fn tap_under_load(
    transport: BenchTransport,
    link: &Link,
    samples: usize,
) -> Result<LinkMeasurement, LinkBenchError> {
    let mut held = captured(link).await?;
    let mut case = LinkBenchCase::new(transport, "tap-under-load", samples).await?;
    case.at = 90;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            let began = Instant::now();
            let acted: ActReply = asked(link, act(tap(), Some(held.hash()))).await?;
            case.baseline_block
                .push(began.elapsed().as_secs_f64() * 1e6);
            held = applied(acted.screen, held);
        }
        case.cpu_at_start = cpu::micros();
        let load = async {
            let pictures = (0..PICTURES).map(|_| link.request(TakeScreenshot.into()));
            futures_util::future::try_join_all(pictures)
                .await
                .map_err(LinkBenchError::from)
        };
        let taps = async {
            loop {
                let acted: ActReply = case.timed(link, act(tap(), Some(held.hash()))).await?;
                held = applied(acted.screen, held.clone());
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

/// Samples of a case and of its baseline, block by block.
struct LinkBenchCase {
    measured: LinkMeasurement,
    ping_pong: PingPong,
    samples: usize,
    /// Which percentile the ratio is of.
    at: usize,
    block: Vec<f64>,
    baseline_block: Vec<f64>,
    all: Vec<f64>,
    baseline_all: Vec<f64>,
    ratios: Vec<f64>,
    cpu: f64,
    cpu_at_start: f64,
}

impl LinkBenchCase {
    async fn new(
        transport: BenchTransport,
        case: &'static str,
        samples: usize,
    ) -> Result<LinkBenchCase, LinkBenchError> {
        let measured = LinkMeasurement {
            bench: "link",
            transport,
            case,
            p50_us: 0.0,
            p90_us: 0.0,
            cpu_us: 0.0,
            bytes: 0,
            baseline_p50_us: 0.0,
            baseline_p90_us: 0.0,
            ratio: 0.0,
        };
        Ok(LinkBenchCase {
            measured,
            ping_pong: PingPong::start().await?,
            samples,
            at: 50,
            block: Vec::new(),
            baseline_block: Vec::new(),
            all: Vec::new(),
            baseline_all: Vec::new(),
            ratios: Vec::new(),
            cpu: 0.0,
            cpu_at_start: cpu::micros(),
        })
    }

    async fn timed<T: TryFrom<Reply, Error = Reply>>(
        &mut self,
        link: &Link,
        request: impl Into<Request>,
    ) -> Result<T, LinkBenchError> {
        let began = Instant::now();
        let reply = link.request(request.into()).await?;
        self.block.push(began.elapsed().as_secs_f64() * 1e6);
        if self.measured.bytes == 0 {
            let answer = RequestResult::Reply(reply.clone());
            self.measured.bytes = codec::encode(&answer).map_or(0, |bytes| bytes.len());
        }
        Ok(T::try_from(reply)
            .unwrap_or_else(|reply| unreachable!("answered with {}", reply.name())))
    }

    async fn against_ping_pong(&mut self) -> Result<(), LinkBenchError> {
        self.count_cpu();
        for _ in 0..self.samples {
            let began = Instant::now();
            self.ping_pong.once().await?;
            self.baseline_block
                .push(began.elapsed().as_secs_f64() * 1e6);
        }
        self.end_block();
        Ok(())
    }

    fn end_block(&mut self) {
        let case = percentile(&mut self.block, self.at);
        let baseline = percentile(&mut self.baseline_block, self.at);
        self.ratios.push(case / baseline);
        self.all.append(&mut self.block);
        self.baseline_all.append(&mut self.baseline_block);
        self.cpu_at_start = cpu::micros();
    }

    /// What the samples of this block have used; asking the system is too slow to be done for each.
    fn count_cpu(&mut self) {
        self.cpu += cpu::micros() - self.cpu_at_start;
    }

    fn finish(mut self) -> LinkMeasurement {
        let count = self.all.len() as f64;
        LinkMeasurement {
            p50_us: percentile(&mut self.all, 50),
            p90_us: percentile(&mut self.all, 90),
            cpu_us: self.cpu / count,
            baseline_p50_us: percentile(&mut self.baseline_all, 50),
            baseline_p90_us: percentile(&mut self.baseline_all, 90),
            ratio: percentile(&mut self.ratios, 50),
            ..self.measured
        }
    }
}

pub(super) fn percentile(samples: &mut [f64], percent: usize) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    samples
        .get(samples.len().saturating_sub(1) * percent / 100)
        .copied()
        .unwrap_or(f64::NAN)
}

fn tap() -> Action {
    Action::Tap(Point { x: 10, y: 10 })
}

/// Quiet at once: what is measured is the link, not the wait.
fn act(action: Action, holds: Option<ScreenHash>) -> Act {
    let settle = Settle {
        quiet: Micros::ZERO,
        limit: Micros::ZERO,
    };
    Act {
        step: Step::new(action),
        settle,
        held_screen: holds,
    }
}

async fn asked<T: TryFrom<Reply, Error = Reply>>(
    link: &Link,
    request: impl Into<Request>,
) -> Result<T, LinkBenchError> {
    let reply = link.request(request.into()).await?;
    Ok(T::try_from(reply).unwrap_or_else(|reply| unreachable!("answered with {}", reply.name())))
}

async fn captured(link: &Link) -> Result<SharedScreen, LinkBenchError> {
    let captured: CaptureReply = asked(link, Capture { held_screen: None }).await?;
    let ScreenUpdate::Full(screen) = captured.screen else {
        unreachable!("the whole screen was asked for")
    };
    Ok(screen)
}

fn applied(update: ScreenUpdate, held: SharedScreen) -> SharedScreen {
    match update {
        ScreenUpdate::Full(screen) => screen,
        ScreenUpdate::Unchanged => held,
        ScreenUpdate::Changed(change) => change.apply(&held).map_or(held, Into::into),
    }
}
