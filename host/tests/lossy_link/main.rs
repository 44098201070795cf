//! The link over bad networks: a phone and its host as two processes, each pair in a private network namespace. Packets are
//! lost, duplicated, delayed and reordered, and the network is cut. Every recorded event and every trace must equal those
//! of a run without a link. `scripts/test-link` runs these tests: `cargo test` alone does not, because of the namespaces.

mod baseline;
mod namespace;
mod network;
mod scenario;

use std::path::Path;

use baseline::Baseline;
use baseline::LinkCommand::{Explore, Reduce, Replay};
use network::CutKind::{Down, Silent};
use network::{NetworkCut, NetworkFaults};
use scenario::LinkScenario;

/// One test per network: name, transport, command, faults (loss and duplicates in percent, delay and jitter in
/// milliseconds), and cuts (seconds into the run, seconds that they last, kind).
macro_rules! networks {
    ($($name:ident: $transport:literal $command:ident [$loss:literal, $duplicate:literal, $delay:literal, $jitter:literal]
        cuts [$(($at:literal, $lasts:literal, $kind:ident)),*];)*) => {$(
        #[test]
        fn $name() {
            let scenario = LinkScenario {
                transport: $transport,
                command: $command,
                faults: NetworkFaults { loss: $loss, duplicate: $duplicate, delay: $delay, jitter: $jitter },
                cuts: vec![$(NetworkCut { at: $at, lasts: $lasts, kind: $kind }),*],
            };
            namespace::check_inside(
                stringify!($name),
                &["--net", "--pid", "--kill-child"],
                || Baseline::shared().into(),
                |baseline| scenario.check(Path::new(baseline)),
            );
        }
    )*};
}

networks! {
    a_reduction_survives_loss:          "udp" Reduce  [30,  0,   0,  0] cuts [];
    a_reduction_survives_duplicates:    "udp" Reduce  [ 0, 30,  60, 50] cuts [];
    a_reduction_survives_delay:         "udp" Reduce  [ 0,  0, 500,  0] cuts [];
    a_reduction_survives_cuts:          "udp" Reduce  [ 5,  5,  20, 15] cuts [(2, 1, Silent), (5, 14, Silent), (25, 3, Silent)];
    a_reduction_survives_unplugging:    "udp" Reduce  [ 0,  0,   5,  0] cuts [(3, 4, Down), (12, 13, Down)];
    an_exploration_survives_a_cut:      "udp" Explore [20, 10,  30, 25] cuts [(4, 12, Silent)];
    a_replay_survives_a_cut:            "udp" Replay  [30, 10, 100, 90] cuts [(2, 4, Silent)];
    a_reduction_over_tcp_survives_loss: "tcp" Reduce  [30,  0,   5,  4] cuts [];
    a_reduction_over_tcp_survives_delay: "tcp" Reduce [ 0,  0, 500,  0] cuts [];
    a_reduction_over_tcp_survives_cuts: "tcp" Reduce  [ 2,  0,  10,  5] cuts [(2, 1, Silent), (5, 14, Silent), (25, 3, Silent)];
    an_exploration_over_tcp_survives_a_cut: "tcp" Explore [5, 5, 20, 15] cuts [(4, 12, Silent)];
}
