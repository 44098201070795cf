//! One case of the bench as it is told, and the times that it is made of.

use std::fmt;
use std::time::Instant;

use retap_shared::micros::Micros;
use serde::Serialize;

#[derive(Debug, Default, Serialize)]
pub struct DeviceMeasurement {
    pub bench: &'static str,
    pub device: String,
    pub case: &'static str,
    pub p50_us: f64,
    pub p90_us: f64,
    /// As the phone tells it, without the way there and back. None if no reply does, and if the phone's clock is not that of
    /// the world: a virtual one runs ahead.
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
    /// Blocks that both did, and in how many of them both met the same screens and did the same there.
    pub blocks: Option<u64>,
    pub same_walks: Option<u64>,
    /// Of Java's events a second in the middle one of these blocks: what happens on the machine in single ones is not in it.
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
                "; the two went different ways in {} of {blocks} blocks",
                blocks - same
            )?;
        }
        Ok(())
    }
}

/// Microseconds, by the clock here and by the phone's.
#[derive(Default)]
pub(super) struct DeviceTimings {
    pub(super) host: Vec<f64>,
    pub(super) phone: Vec<f64>,
}

impl DeviceTimings {
    pub(super) fn add(&mut self, began: Instant, took: Option<Micros>) {
        self.host.push(began.elapsed().as_secs_f64() * 1e6);
        self.phone.extend(took.map(|took| took.0 as f64));
    }
}
