//! Noise parameters of a simulated phone: latency, lost touches, late dialogs.

use retap_shared::action::Action;

/// Noise of a phone. Off by default: such a phone is deterministic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    pub latency: Latency,
    pub snapshot: SnapshotCost,
    /// Probability that a touch is lost, and that a load fails.
    pub flaky: f64,
    /// Probability that an event that changes the screen is followed by an unexpected dialog.
    pub late_dialog: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Latency {
    /// Everything takes a fixed time, most of it very little.
    #[default]
    None,
    /// Drawn from figures published for phones, where there are any.
    Realistic,
}

/// Cost of saving and restoring a snapshot, in phone time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotCost {
    /// As the latency has it: next to nothing, or TimeMachine's.
    #[default]
    AsLatency,
    /// A whole virtual machine: 10 s and 9 s, published for TimeMachine.
    TimeMachine,
    /// An emulator's own: 0.7 s.
    Emulator,
}

impl Noise {
    /// Probability that an event reaches its window: exact, and independent of all other events.
    /// A late dialog that covers it takes the event instead; that depends on earlier events.
    pub fn delivery_probability(&self, action: &Action) -> f64 {
        match action {
            Action::Tap(_) | Action::LongPress(_) | Action::Swipe { .. } | Action::Pinch { .. } => {
                1.0 - self.flaky
            }
            // These are not touches: the system delivers them to the app by other means.
            Action::Key(_)
            | Action::Text { .. }
            | Action::Rotate(_)
            | Action::Launch
            | Action::Wait { .. }
            | Action::System(_) => 1.0,
        }
    }
}

impl SnapshotCost {
    /// Saving and restoring.
    pub(crate) fn costs(self, figures: &LatencyTable) -> [&'static [u64]; 2] {
        match self {
            SnapshotCost::AsLatency => [figures.save, figures.restore],
            SnapshotCost::TimeMachine => [&[10_000_000], &[9_000_000]],
            SnapshotCost::Emulator => [&[700_000], &[700_000]],
        }
    }
}

impl Latency {
    pub(crate) fn table(self) -> &'static LatencyTable {
        match self {
            Latency::None => &FIXED,
            Latency::Realistic => &REALISTIC,
        }
    }
}

/// Latencies in microseconds: evenly spaced quantiles from the least to the greatest, or one fixed figure.
#[derive(Debug)]
pub(crate) struct LatencyTable {
    pub(crate) event: &'static [u64],
    pub(crate) capture: &'static [u64],
    pub(crate) activity_start: &'static [u64],
    pub(crate) network: &'static [u64],
    pub(crate) launch: &'static [u64],
    pub(crate) stop: &'static [u64],
    pub(crate) clear: &'static [u64],
    pub(crate) grant: &'static [u64],
    pub(crate) save: &'static [u64],
    pub(crate) restore: &'static [u64],
}

static FIXED: LatencyTable = LatencyTable {
    event: &[1_000],
    capture: &[0],
    activity_start: &[0],
    network: &[160_000],
    launch: &[300_000],
    stop: &[20_000],
    clear: &[50_000],
    grant: &[10_000],
    save: &[1_000],
    restore: &[1_000],
};

static REALISTIC: LatencyTable = LatencyTable {
    // A persistent injector needs 5.6 ms an event.
    event: &[
        2_900, 4_100, 4_700, 5_200, 5_600, 6_100, 7_000, 9_500, 24_000,
    ],
    // uiautomator2 reads a tree in less than 100 ms.
    capture: &[18_000, 30_000, 42_000, 55_000, 98_000],
    // No published figure: an assumption, with one start in twenty slower than a usual wait for quiet.
    activity_start: &[
        35_000, 45_000, 55_000, 65_000, 75_000, 85_000, 90_000, 95_000, 100_000, 105_000, 110_000,
        115_000, 120_000, 130_000, 140_000, 150_000, 160_000, 170_000, 180_000, 190_000, 420_000,
    ],
    // No published figure: an assumption.
    network: &[
        90_000, 140_000, 200_000, 300_000, 480_000, 900_000, 3_000_000,
    ],
    // Restarts take seconds; how many is an assumption.
    launch: &[700_000, 1_100_000, 1_500_000, 2_600_000],
    stop: &[60_000, 120_000, 300_000],
    clear: &[400_000, 700_000, 1_400_000],
    grant: &[20_000, 60_000],
    // TimeMachine saves in 10 s and restores in 9 s.
    save: &[10_000_000],
    restore: &[9_000_000],
};

#[cfg(test)]
mod tests {
    use retap_shared::action::{Key, SystemEvent};
    use retap_shared::geometry::Point;

    use super::*;

    #[test]
    fn touches_are_lost_and_keys_are_not() {
        let noise = Noise {
            flaky: 0.25,
            ..Noise::default()
        };
        assert_eq!(
            noise.delivery_probability(&Action::Tap(Point::default())),
            0.75
        );
        assert_eq!(noise.delivery_probability(&Action::Key(Key::Back)), 1.0);
        assert_eq!(
            noise.delivery_probability(&Action::System(SystemEvent::Call)),
            1.0
        );
    }

    #[test]
    fn every_figure_grows_from_one_quantile_to_the_next() {
        for figures in [&FIXED, &REALISTIC] {
            let all = [
                figures.event,
                figures.capture,
                figures.activity_start,
                figures.network,
            ];
            let more = [figures.launch, figures.stop, figures.clear, figures.grant];
            for quantiles in all
                .into_iter()
                .chain(more)
                .chain([figures.save, figures.restore])
            {
                assert!(
                    !quantiles.is_empty() && quantiles.is_sorted(),
                    "{quantiles:?}"
                );
            }
        }
    }
}
