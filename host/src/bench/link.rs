//! Cost of the link: requests over QUIC compared with a raw TCP ping-pong of 64 bytes, in turns, in one process.

mod baseline;
mod cases;
mod core_placement;
mod interleaved;
mod phone;
mod remote_agent;

use std::fmt;

use core_placement::CorePlacement;
use phone::BenchPhone;
pub use remote_agent::BenchTransport;
use remote_agent::{RemoteAgent, RemoteAgentError};
use retap_agent::phone::Phone;
use retap_shared::connection::RequestError;
use serde::Serialize;

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::link::LinkError;

/// Blocks of a case; odd, so that the median is one of them.
const BLOCKS: usize = 15;
/// Nodes of the benchmark phone's screen.
const NODES: usize = 500;

/// Result of one case.
#[derive(Debug, Serialize)]
pub struct LinkMeasurement {
    pub bench: &'static str,
    pub transport: BenchTransport,
    pub case: &'static str,
    pub p50_us: f64,
    pub p90_us: f64,
    /// Processor time of both ends together.
    pub cpu_us: f64,
    /// Size of the reply.
    pub bytes: usize,
    pub baseline_p50_us: f64,
    pub baseline_p90_us: f64,
    /// Ratio to the baseline, the median over the blocks.
    pub ratio: f64,
}

#[derive(Debug, thiserror::Error)]
pub enum LinkBenchError {
    #[error(transparent)]
    RemoteAgent(#[from] RemoteAgentError),
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error("the phone did not reply")]
    Request(#[from] RequestError),
    #[error("the ping-pong failed")]
    Baseline(#[from] std::io::Error),
}

/// Measures all cases of one transport.
pub async fn measure(
    transport: BenchTransport,
    samples: usize,
) -> Result<Vec<LinkMeasurement>, LinkBenchError> {
    CorePlacement::Separate.pin_host();
    let stepping = RemoteAgent::start(transport, CorePlacement::Separate, remote_agent::simulated)?;
    let step = cases::step(transport, &stepping.connect().await?, samples).await?;

    let looking = RemoteAgent::start(transport, CorePlacement::Separate, many_nodes)?;
    let link = looking.connect().await?;
    let full_screen = cases::full_screen(transport, &link, samples).await?;
    let unchanged = cases::unchanged(transport, &link, samples).await?;
    let one_change = cases::one_change(transport, &link, samples).await?;
    drop(link);

    CorePlacement::Anywhere.pin_host();
    let loaded = RemoteAgent::start(transport, CorePlacement::Anywhere, many_nodes)?;
    let tap_under_load =
        cases::tap_under_load(transport, &loaded.connect().await?, samples).await?;
    Ok(vec![
        step,
        full_screen,
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
        )?;
        if core_placement::CAN_PIN {
            Ok(())
        } else {
            f.write_str("  not pinned")
        }
    }
}

impl UserError for LinkBenchError {
    fn exit(&self) -> CommandExit {
        CommandExit::InternalError
    }

    fn help(&self) -> String {
        "both ends run in this process over 127.0.0.1; see whether a firewall blocks it".into()
    }
}
