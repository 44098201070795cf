//! Rates that depend on what happened before: on earlier runs of the phone, or on the time since the beginning.

use std::fmt;
use std::time::Duration;

/// How earlier runs and the time change the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HistoryPattern {
    /// Every n-th run of a phone fails.
    EveryNth { nth: u64 },
    /// Rates after a success and after a failure on the same phone.
    Sticky {
        after_success: f64,
        after_failure: f64,
    },
    /// Attempts that fail take so many times as long.
    SlowFailures { rate: f64, factor: u32 },
    /// Rate of the first runs of a phone, and of later ones.
    WarmUp { cold: f64, warm: f64, runs: u64 },
    /// Rate at the beginning, and after so many minutes.
    Drift { first: f64, last: f64, minutes: f64 },
}

impl HistoryPattern {
    /// Success rate of the run with this number on its phone, from 1 on.
    pub fn rate_at(self, run: u64, last_reached: bool, time: Duration) -> f64 {
        match self {
            HistoryPattern::EveryNth { nth } => f64::from(u8::from(!run.is_multiple_of(nth))),
            HistoryPattern::Sticky { after_success, .. } if last_reached => after_success,
            HistoryPattern::Sticky { after_failure, .. } => after_failure,
            HistoryPattern::SlowFailures { rate, .. } => rate,
            HistoryPattern::WarmUp { cold, runs, .. } if run <= runs => cold,
            HistoryPattern::WarmUp { warm, .. } => warm,
            HistoryPattern::Drift {
                first,
                last,
                minutes,
            } => first + (last - first) * (time.as_secs_f64() / 60.0 / minutes).min(1.0),
        }
    }

    /// Rate over a long time.
    pub fn stationary_rate(self) -> f64 {
        match self {
            HistoryPattern::EveryNth { nth } => 1.0 - 1.0 / nth as f64,
            HistoryPattern::Sticky {
                after_success,
                after_failure,
            } => after_failure / (1.0 - after_success + after_failure),
            HistoryPattern::SlowFailures { rate, .. } => rate,
            HistoryPattern::WarmUp { warm, .. } => warm,
            HistoryPattern::Drift { last, .. } => last,
        }
    }

    /// Factor of the time of an attempt that fails.
    pub fn failure_factor(self) -> u32 {
        match self {
            HistoryPattern::SlowFailures { factor, .. } => factor,
            _ => 1,
        }
    }
}

impl fmt::Display for HistoryPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryPattern::EveryNth { nth } => write!(f, "every {nth}th run of a phone fails"),
            HistoryPattern::Sticky {
                after_success,
                after_failure,
            } => write!(f, "{after_success} after a success, else {after_failure}"),
            HistoryPattern::SlowFailures { rate, factor } => {
                write!(f, "{rate}, failures take {factor} times")
            }
            HistoryPattern::WarmUp { cold, warm, runs } => {
                write!(f, "{cold} in the first {runs} runs, then {warm}")
            }
            HistoryPattern::Drift {
                first,
                last,
                minutes,
            } => write!(f, "{first} falls to {last} in {minutes} min"),
        }
    }
}
