//! One case of the device benchmark, and the times it is computed from.

use std::fmt;
use std::time::Instant;

use retap_shared::micros::Micros;
use serde::Serialize;

/// Result of one case.
#[derive(Debug, Default, Serialize)]
pub struct DeviceMeasurement {
    pub bench: &'static str,
    pub device: String,
    pub case: &'static str,
    pub p50_us: f64,
    pub p90_us: f64,
    /// Time on the phone, without the link. None if no reply has it, or if the phone has a virtual clock.
    pub phone_p50_us: Option<f64>,
    /// Nodes of the captured screen.
    pub nodes: Option<usize>,
    /// Time to read one node, without the link.
    pub us_per_node: Option<f64>,
    /// Clean starts after a crash or after leaving the app count as time, not as events.
    pub events_per_second: Option<f64>,
    /// The same loop in Java inside the JVM phone, in turns with this one. Only JVM phones have it.
    pub direct_events_per_second: Option<f64>,
    /// Time to read one node in that loop.
    pub direct_us_per_node: Option<f64>,
    /// Blocks that both sides played.
    pub blocks: Option<u64>,
    /// Blocks in which both sides met the same screens and did the same.
    pub same_walks: Option<u64>,
    /// Share of Java's events a second, the median over blocks with the same walk.
    pub share_p50: Option<f64>,
}

impl DeviceMeasurement {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names")
    }
}

impl fmt::Display for DeviceMeasurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DeviceMeasurement {
            case,
            p50_us,
            p90_us,
            ..
        } = self;
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
        if let Some(share) = self.share_p50 {
            write!(f, ", {:.0} % of Java's in the middle block", 100.0 * share)?;
        }
        if let (Some(blocks), Some(same)) = (self.blocks, self.same_walks)
            && same < blocks
        {
            write!(
                f,
                "; the walks differed in {} of {blocks} blocks",
                blocks - same
            )?;
        }
        Ok(())
    }
}

/// Microseconds on the host's clock and on the phone's.
#[derive(Default)]
pub(super) struct DeviceTimings {
    pub(super) host: Vec<f64>,
    pub(super) phone: Vec<f64>,
}

impl DeviceTimings {
    pub(super) fn add(&mut self, started: Instant, took: Option<Micros>) {
        self.host.push(started.elapsed().as_secs_f64() * 1e6);
        self.phone.extend(took.map(|took| took.0 as f64));
    }
}
