//! The random walk of the case `step`. `direct/RandomTaps.java` of the JVM phone makes the same choices: speeds of walks through
//! different screens cannot be compared.

use retap_shared::action::{Action, Key};
use retap_shared::screen::{NodeFlags, Screen, WindowKind};
use retap_shared::trace::Step;

use crate::devices::RandomWalkSummary;

/// One in this many events is the back key, so that the walk reaches all of the app.
const BACK: u64 = 16;
const TAPPED: NodeFlags = NodeFlags::ENABLED
    .union(NodeFlags::CLICKABLE)
    .union(NodeFlags::VISIBLE);
/// Increment of SplitMix64: odd, from the digits of the golden ratio.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A random walk by SplitMix64, which is short enough to be implemented twice.
#[derive(Debug)]
pub(super) struct RandomWalk {
    state: u64,
    walked: RandomWalkSummary,
}

impl RandomWalk {
    pub(super) fn new(seed: u64) -> Self {
        RandomWalk {
            state: seed,
            walked: RandomWalkSummary::default(),
        }
    }

    /// Chooses a clickable widget of the topmost window that is no keyboard, or the back key.
    pub(super) fn choose(&mut self, screen: &Screen) -> Step {
        let windows = screen
            .windows_with_nodes()
            .filter(|(window, ..)| window.kind != WindowKind::Keyboard);
        let nodes = windows
            .last()
            .map(|(_, _, nodes)| nodes)
            .unwrap_or_default();
        let tapped: Vec<_> = nodes.iter().filter(|node| node.is(TAPPED)).collect();
        self.record(screen.nodes().len() as u64);
        self.record(tapped.len() as u64);
        if self.next().is_multiple_of(BACK) || tapped.is_empty() {
            self.walked.backs += 1;
            return Step::new(Action::Key(Key::Back));
        }
        let place = tapped[(self.next() % tapped.len() as u64) as usize]
            .bounds
            .center();
        self.walked.taps += 1;
        self.record(u64::from(place.x.cast_unsigned()));
        self.record(u64::from(place.y.cast_unsigned()));
        Step::new(Action::Tap(place))
    }

    /// Records a clean start: after a crash, after leaving the app, or after an unsupported action.
    pub(super) fn started(&mut self) {
        self.walked.starts += 1;
        self.record(0);
    }

    pub(super) fn walked(&self) -> RandomWalkSummary {
        self.walked
    }

    fn record(&mut self, observed: u64) {
        self.walked.seen = (self.walked.seen ^ observed)
            .wrapping_mul(GOLDEN_GAMMA)
            .rotate_left(32);
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `RandomTaps.java` must give the same numbers.
    #[test]
    fn the_generator_is_splitmix64() {
        let mut walk = RandomWalk::new(1_234_567);
        let numbers: Vec<_> = (0..3).map(|_| walk.next()).collect();
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }
}
