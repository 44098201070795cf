//! What a reduction claims about its trace: how often it reproduces, by how many runs, and how far that is established.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How far a claim about a rate of reproduction is established.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStanding {
    /// The rate is at least the required one; this is wrong in at most 5 of 100 reductions.
    Proven,
    /// It reproduces in some runs and not in others, and less often than required or not provably as often.
    Flaky,
    /// Too few runs to say.
    Unproven,
}

/// The claim of the reduction that made a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceClaim {
    /// How far it is established that the rate is at least the required one.
    pub standing: ClaimStanding,
    /// All runs of the trace, wherever they were made.
    pub tally: RunTally,
    /// Ends of the 95 % interval of the rate.
    pub interval: [RunShare; 2],
    /// Rate that was to be proven.
    pub required_rate: RunShare,
    /// Number of phones that made the runs.
    pub phones: u32,
    /// Runs on freshly started phones; they are among all runs.
    pub fresh_starts: RunTally,
    /// The trace was accepted by a published rule and not by a proof.
    pub as_published: bool,
}

/// Runs, and those of them that reached the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTally {
    /// Runs that reached the target.
    pub successes: u32,
    /// All runs.
    pub runs: u32,
}

/// A share of runs in ten-thousandths, so that a trace can be compared and its file read back as it was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunShare(u16);

impl RunTally {
    /// Share of the runs that reached the target; 0 without runs.
    pub fn rate(self) -> f64 {
        f64::from(self.successes) / f64::from(self.runs.max(1))
    }
}

impl RunShare {
    const WHOLE: f64 = 10_000.0;

    /// The nearest share.
    pub fn nearest(share: f64) -> RunShare {
        RunShare((share.clamp(0.0, 1.0) * Self::WHOLE).round() as u16)
    }

    /// The nearest share that is not larger: a lower end must not look better than it is.
    pub fn at_most(share: f64) -> RunShare {
        RunShare((share.clamp(0.0, 1.0) * Self::WHOLE + 1e-6).floor() as u16)
    }

    /// The nearest share that is not smaller.
    pub fn at_least(share: f64) -> RunShare {
        RunShare((share.clamp(0.0, 1.0) * Self::WHOLE - 1e-6).ceil() as u16)
    }

    /// The share from 0 to 1.
    pub fn value(self) -> f64 {
        f64::from(self.0) / Self::WHOLE
    }
}

impl fmt::Display for ClaimStanding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClaimStanding::Proven => "proven",
            ClaimStanding::Flaky => "flaky",
            ClaimStanding::Unproven => "unproven",
        })
    }
}
