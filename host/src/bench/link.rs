//! What the link costs: requests over QUIC against a raw TCP ping-pong of 64 bytes, in turns, in one process.

mod baseline;
mod cpu;
mod far;
mod phone;

use std::fmt;
use std::time::Instant;

use baseline::PingPong;
use cpu::Place;
pub use far::Transport;
use far::{Far, FarError};
use phone::BenchPhone;
use retap_agent::phone::Phone;
use retap_shared::action::{Action, Key};
use retap_shared::codec;
use retap_shared::connection::{Connection, RequestError};
use retap_shared::micros::Micros;
use retap_shared::protocol::{
    Act, Acted, Capture, Captured, Reply, Request, ScreenUpdate, Screenshot, Settle,
};
use retap_shared::screen::{Point, ScreenHash, SharedScreen};
use retap_shared::session::Answer;
use retap_shared::trace::Step;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Explained;
use crate::link::{Link, LinkError};

/// An odd number, so that the median is one of them.
const BLOCKS: usize = 15;
const NODES: usize = 500;
/// Four pictures at once: 20 MB under way.
const PICTURES: usize = 4;

#[derive(Debug, Serialize)]
pub struct Measured {
    pub bench: &'static str,
    pub transport: Transport,
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
pub enum BenchError {
    #[error(transparent)]
    Far(#[from] FarError),
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("the phone did not answer")]
    Request(#[from] RequestError),
    #[error("the ping-pong broke off")]
    Baseline(#[from] std::io::Error),
}

/// All cases of one transport.
pub async fn measure(transport: Transport, samples: usize) -> Result<Vec<Measured>, BenchError> {
    Place::Apart.take_near();
    let stepping = Far::start(transport, Place::Apart, far::simulated)?;
    let step = step(transport, &stepping.connect().await?, samples).await?;

    let looking = Far::start(transport, Place::Apart, many_nodes)?;
    let link = looking.connect().await?;
    let whole_screen = whole_screen(transport, &link, samples).await?;
    let unchanged = unchanged(transport, &link, samples).await?;
    let one_change = one_change(transport, &link, samples).await?;
    drop(link);

    Place::Anywhere.take_near();
    let loaded = Far::start(transport, Place::Anywhere, many_nodes)?;
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

impl Measured {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names")
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured {
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

impl Explained for BenchError {
    fn exit(&self) -> Exit {
        Exit::OwnFault
    }

    fn help(&self) -> String {
        "both ends run in this process over 127.0.0.1; see whether something keeps it from talking to itself"
            .into()
    }
}

/// Back and forth between two screens of a simulated app, each sent as the difference to the one before.
async fn step(transport: Transport, link: &Link, samples: usize) -> Result<Measured, BenchError> {
    let mut held = captured(link).await?;
    let search = held
        .nodes()
        .iter()
        .position(|node| node.id.ends_with("search"));
    let there = search.map_or(Action::Launch, |node| {
        Action::Tap(held.nodes()[node].bounds.center())
    });
    let mut forth = false;
    let mut case = Case::new(transport, "step", samples).await?;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            forth = !forth;
            let action = if forth {
                there.clone()
            } else {
                Action::Key(Key::Back)
            };
            let acted: Acted = case.timed(link, act(action, Some(held.hash()))).await?;
            held = applied(acted.screen, held);
        }
        case.against_ping_pong().await?;
    }
    Ok(case.finish())
}

async fn whole_screen(
    transport: Transport,
    link: &Link,
    samples: usize,
) -> Result<Measured, BenchError> {
    looks(transport, "screen-500", link, samples, |_| None).await
}

async fn unchanged(
    transport: Transport,
    link: &Link,
    samples: usize,
) -> Result<Measured, BenchError> {
    looks(transport, "unchanged", link, samples, |screen| {
        Some(screen.hash())
    })
    .await
}

async fn looks(
    transport: Transport,
    name: &'static str,
    link: &Link,
    samples: usize,
    holds: impl Fn(&SharedScreen) -> Option<ScreenHash>,
) -> Result<Measured, BenchError> {
    let held = captured(link).await?;
    let mut case = Case::new(transport, name, samples).await?;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            let _: Captured = case
                .timed(
                    link,
                    Capture {
                        holds: holds(&held),
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
    transport: Transport,
    link: &Link,
    samples: usize,
) -> Result<Measured, BenchError> {
    let mut held = captured(link).await?;
    let mut case = Case::new(transport, "one-change", samples).await?;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            let acted: Acted = case.timed(link, act(tap(), Some(held.hash()))).await?;
            held = applied(acted.screen, held);
        }
        case.against_ping_pong().await?;
    }
    Ok(case.finish())
}

/// The same taps without and with pictures on the way; its baseline are those without.
async fn tap_under_load(
    transport: Transport,
    link: &Link,
    samples: usize,
) -> Result<Measured, BenchError> {
    let mut held = captured(link).await?;
    let mut case = Case::new(transport, "tap-under-load", samples).await?;
    case.at = 90;
    for _ in 0..BLOCKS {
        for _ in 0..samples {
            let began = Instant::now();
            let acted: Acted = asked(link, act(tap(), Some(held.hash()))).await?;
            case.baseline_block
                .push(began.elapsed().as_secs_f64() * 1e6);
            held = applied(acted.screen, held);
        }
        case.cpu_at_start = cpu::micros();
        let load = async {
            let pictures = (0..PICTURES).map(|_| link.request(Screenshot.into()));
            futures_util::future::try_join_all(pictures)
                .await
                .map_err(BenchError::from)
        };
        let taps = async {
            loop {
                let acted: Acted = case.timed(link, act(tap(), Some(held.hash()))).await?;
                held = applied(acted.screen, held.clone());
            }
        };
        let taps: Result<(), BenchError> = tokio::select! {
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
struct Case {
    measured: Measured,
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

impl Case {
    async fn new(
        transport: Transport,
        case: &'static str,
        samples: usize,
    ) -> Result<Case, BenchError> {
        let measured = Measured {
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
        Ok(Case {
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
    ) -> Result<T, BenchError> {
        let began = Instant::now();
        let reply = link.request(request.into()).await?;
        self.block.push(began.elapsed().as_secs_f64() * 1e6);
        if self.measured.bytes == 0 {
            let answer = Answer::Reply(reply.clone());
            self.measured.bytes = codec::encode(&answer).map_or(0, |bytes| bytes.len());
        }
        Ok(T::try_from(reply)
            .unwrap_or_else(|reply| unreachable!("answered with {}", reply.name())))
    }

    async fn against_ping_pong(&mut self) -> Result<(), BenchError> {
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

    fn finish(mut self) -> Measured {
        let count = self.all.len() as f64;
        Measured {
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
        holds,
    }
}

async fn asked<T: TryFrom<Reply, Error = Reply>>(
    link: &Link,
    request: impl Into<Request>,
) -> Result<T, BenchError> {
    let reply = link.request(request.into()).await?;
    Ok(T::try_from(reply).unwrap_or_else(|reply| unreachable!("answered with {}", reply.name())))
}

async fn captured(link: &Link) -> Result<SharedScreen, BenchError> {
    let captured: Captured = asked(link, Capture { holds: None }).await?;
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
