//! The families of noise, and the cells of each: which noise, and how many events the target needs.

use std::fmt;

use clap::ValueEnum;
use rand::RngExt;
use retap_device::seed::Rng;

use super::history::HistoryPattern;
use super::phases::PhasePattern;

/// Length of the range that clustered events lie in.
const CLUSTER: u32 = 10;

/// Kind of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NoisyFamily {
    /// One rate with all needed events, another without
    Grid,
    /// A dialog at the start of some runs, which then fail
    Dialog,
    /// A dialog at the start of some runs, which swallows the first event
    Swallow,
    /// One rate for all candidates that have all needed events
    Flat,
    /// Events that raise the rate
    Helpers,
    /// Pairs of events that cancel each other
    Toggles,
    /// Every further event lowers the rate
    Length,
    /// Phones with good and bad phases
    Bursts,
    /// One bad phone of 15
    BadPhone,
    /// Times at which no phone is good
    Outages,
    /// Rates that depend on earlier runs or on the time
    History,
}

/// Success rate of an attempt, as a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoiseModel {
    /// Rate with all needed events, and without.
    TwoRates { with: f64, without: f64 },
    /// A dialog in this share of the runs; these fail.
    FailingDialog { share: f64 },
    /// A dialog in this share of the runs; it takes the first event.
    SwallowingDialog { share: f64 },
    /// Rate without helpers, and with all of them; each raises it by the same amount.
    Helpers { none: f64, all: f64, count: u32 },
    /// Pairs of events; one of a pair without the other breaks the target.
    Toggles { rate: f64, pairs: u32 },
    /// Rate of the needed events alone, and of the whole trace; each further event has the same factor.
    Length { short: f64, whole: f64 },
    /// Phases of the phones.
    Bursts(PhasePattern),
    /// Rate of the good phones, and of the bad one.
    BadPhone { good: f64, bad: f64 },
    /// Phases of all phones at once.
    Outages(PhasePattern),
    /// What earlier runs and the time do to the rate.
    History(HistoryPattern),
}

/// Number and distribution of the events that the target needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeededEvents {
    Anywhere(u32),
    Clustered(u32),
    Spread(u32),
}

/// One kind of noise with its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoisyCell {
    pub family: NoisyFamily,
    pub noise: NoiseModel,
    pub needed_events: NeededEvents,
}

impl NoisyFamily {
    /// Cells that are measured.
    pub fn cells(self) -> Vec<NoisyCell> {
        let noise = match self {
            NoisyFamily::Grid => return grid(),
            NoisyFamily::Dialog => map(DIALOG_SHARES, |share| NoiseModel::FailingDialog { share }),
            NoisyFamily::Swallow => map(DIALOG_SHARES, |share| NoiseModel::SwallowingDialog {
                share,
            }),
            NoisyFamily::Flat => map(FLAT_RATES, |with| NoiseModel::TwoRates {
                with,
                without: 0.0,
            }),
            NoisyFamily::Helpers => map(HELPERS, |(none, all, count)| NoiseModel::Helpers {
                none,
                all,
                count,
            }),
            NoisyFamily::Toggles => {
                map(TOGGLES, |(rate, pairs)| NoiseModel::Toggles { rate, pairs })
            }
            NoisyFamily::Length => map(LENGTHS, |(short, whole)| NoiseModel::Length {
                short,
                whole,
            }),
            NoisyFamily::Bursts => map(BURSTS, NoiseModel::Bursts),
            NoisyFamily::BadPhone => {
                map(BAD_PHONES, |(good, bad)| NoiseModel::BadPhone { good, bad })
            }
            NoisyFamily::Outages => map(OUTAGES, NoiseModel::Outages),
            NoisyFamily::History => map(HISTORIES, NoiseModel::History),
        };
        let needed_events = match self {
            NoisyFamily::Dialog | NoisyFamily::Swallow => NeededEvents::Clustered(5),
            _ => NeededEvents::Anywhere(3),
        };
        map(noise, |noise| NoisyCell {
            family: self,
            noise,
            needed_events,
        })
    }
}

const GRID: [(f64, f64); 5] = [
    (1.0, 0.0),
    (0.95, 0.0),
    (0.95, 0.1),
    (0.93, 0.3),
    (0.93, 0.5),
];
const GRID_NEEDED_EVENTS: [NeededEvents; 5] = [
    NeededEvents::Anywhere(1),
    NeededEvents::Anywhere(3),
    NeededEvents::Clustered(5),
    NeededEvents::Spread(5),
    NeededEvents::Anywhere(10),
];
const DIALOG_SHARES: [f64; 6] = [0.1, 0.2, 0.25, 0.3, 0.4, 0.5];
const FLAT_RATES: [f64; 7] = [0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98];
const HELPERS: [(f64, f64, u32); 5] = [
    (0.6, 0.95, 1),
    (0.6, 0.95, 2),
    (0.6, 0.95, 3),
    (0.75, 0.98, 3),
    (0.3, 0.98, 2),
];
const TOGGLES: [(f64, u32); 5] = [(1.0, 1), (1.0, 3), (1.0, 10), (0.95, 3), (0.8, 3)];
const LENGTHS: [(f64, f64); 5] = [
    (0.98, 0.05),
    (0.98, 0.1),
    (0.98, 0.2),
    (0.98, 0.5),
    (0.8, 0.2),
];
const BURSTS: [PhasePattern; 5] = [
    bursts(1.0, 0.2, 60.0, 5.0),
    bursts(1.0, 0.0, 600.0, 60.0),
    bursts(1.0, 0.2, 30.0, 10.0),
    bursts(1.0, 0.0, 240.0, 60.0),
    bursts(0.95, 0.1, 10.0, 2.0),
];
const BAD_PHONES: [(f64, f64); 6] = [
    (1.0, 0.0),
    (1.0, 0.1),
    (0.95, 0.0),
    (0.95, 0.1),
    (0.8, 0.0),
    (0.8, 0.1),
];

const OUTAGES: [PhasePattern; 5] = [
    bursts(1.0, 0.0, 4.0, 1.0),
    bursts(1.0, 0.0, 20.0, 5.0),
    bursts(1.0, 0.0, 80.0, 20.0),
    bursts(1.0, 0.0, 20.0, 1.0),
    bursts(0.95, 0.3, 30.0, 10.0),
];
const HISTORIES: [HistoryPattern; 8] = [
    HistoryPattern::EveryNth { nth: 5 },
    HistoryPattern::EveryNth { nth: 20 },
    HistoryPattern::Sticky {
        after_success: 0.95,
        after_failure: 0.2,
    },
    HistoryPattern::Sticky {
        after_success: 0.99,
        after_failure: 0.04,
    },
    HistoryPattern::Sticky {
        after_success: 0.75,
        after_failure: 1.0,
    },
    HistoryPattern::SlowFailures {
        rate: 0.8,
        factor: 10,
    },
    HistoryPattern::WarmUp {
        cold: 0.0,
        warm: 1.0,
        runs: 1,
    },
    HistoryPattern::Drift {
        first: 1.0,
        last: 0.6,
        minutes: 60.0,
    },
];

const fn bursts(
    good_rate: f64,
    bad_rate: f64,
    good_minutes: f64,
    bad_minutes: f64,
) -> PhasePattern {
    PhasePattern {
        good_rate,
        bad_rate,
        good_minutes,
        bad_minutes,
    }
}

fn grid() -> Vec<NoisyCell> {
    let cell = |(with, without), needed_events| NoisyCell {
        family: NoisyFamily::Grid,
        noise: NoiseModel::TwoRates { with, without },
        needed_events,
    };
    GRID.into_iter()
        .flat_map(|rates| GRID_NEEDED_EVENTS.map(|needed| cell(rates, needed)))
        .collect()
}

fn map<T, U>(items: impl IntoIterator<Item = T>, of: impl FnMut(T) -> U) -> Vec<U> {
    items.into_iter().map(of).collect()
}

impl NeededEvents {
    pub fn choose(self, events: u32, rng: &mut Rng) -> Vec<u32> {
        let (count, from, to) = match self {
            NeededEvents::Anywhere(count) => (count, 0, events),
            NeededEvents::Clustered(count) => {
                let width = CLUSTER.min(events);
                let start = rng.random_range(0..=events - width);
                (count, start, start + width)
            }
            NeededEvents::Spread(count) => {
                let stretch = |number: u32| events * number / count..events * (number + 1) / count;
                return (0..count)
                    .map(|number| rng.random_range(stretch(number)))
                    .collect();
            }
        };
        let mut needed = Vec::new();
        while needed.len() < count.min(to - from) as usize {
            let event = rng.random_range(from..to);
            if !needed.contains(&event) {
                needed.push(event);
            }
        }
        needed.sort_unstable();
        needed
    }
}

impl fmt::Display for NoisyFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoisyFamily::Grid => "grid",
            NoisyFamily::Dialog => "dialog",
            NoisyFamily::Swallow => "swallow",
            NoisyFamily::Flat => "flat",
            NoisyFamily::Helpers => "helpers",
            NoisyFamily::Toggles => "toggles",
            NoisyFamily::Length => "length",
            NoisyFamily::Bursts => "bursts",
            NoisyFamily::BadPhone => "bad-phone",
            NoisyFamily::Outages => "outages",
            NoisyFamily::History => "history",
        })
    }
}

impl fmt::Display for NoisyCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoisyCell {
            family,
            noise,
            needed_events,
        } = self;
        match noise {
            NoiseModel::TwoRates { with, without } if *family == NoisyFamily::Grid => {
                write!(f, "{with} / {without}, {needed_events} needed")
            }
            NoiseModel::TwoRates { with, .. } => write!(f, "{with}"),
            NoiseModel::FailingDialog { share } | NoiseModel::SwallowingDialog { share } => {
                write!(f, "{:.0} %", share * 100.0)
            }
            NoiseModel::Helpers { none, all, count } => write!(f, "{count}: {none} to {all}"),
            NoiseModel::Toggles { rate, pairs } => write!(f, "{pairs} pairs, {rate}"),
            NoiseModel::Length { short, whole } => write!(f, "short {short}, whole {whole}"),
            NoiseModel::History(pattern) => pattern.fmt(f),
            NoiseModel::Bursts(PhasePattern {
                good_rate,
                bad_rate,
                good_minutes,
                bad_minutes,
            })
            | NoiseModel::Outages(PhasePattern {
                good_rate,
                bad_rate,
                good_minutes,
                bad_minutes,
            }) => {
                write!(
                    f,
                    "{good_rate} for {good_minutes} min, {bad_rate} for {bad_minutes} min"
                )
            }
            NoiseModel::BadPhone { good, bad } => write!(f, "14 with {good}, 1 with {bad}"),
        }
    }
}

impl fmt::Display for NeededEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NeededEvents::Anywhere(count) => write!(f, "{count}"),
            NeededEvents::Clustered(count) => write!(f, "{count}-clustered"),
            NeededEvents::Spread(count) => write!(f, "{count}-spread"),
        }
    }
}
