//! One command over one bad network: the phone, the host, the cuts, and the comparison with the baseline.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::baseline::{Baseline, LinkCommand, private};
use crate::network::{CutKind, LossyNetwork, NetworkCut, NetworkFaults, POLL_PAUSE, wait_for};

/// The line of the phone's log for each connection of a host.
const CONNECTION: &str = "serving host=";

/// A command over a link, and what happens to the network meanwhile.
#[derive(Debug)]
pub(crate) struct LinkScenario {
    pub(crate) transport: &'static str,
    pub(crate) command: LinkCommand,
    pub(crate) faults: NetworkFaults,
    pub(crate) cuts: Vec<NetworkCut>,
}

impl LinkScenario {
    /// Runs the command over the network and compares what it recorded. Returns a summary of what the network did.
    pub(crate) fn check(&self, baseline: &Path) -> String {
        let folder = tempfile::tempdir().unwrap();
        let network = LossyNetwork::open(self.faults, folder.path());
        let log = folder.path().join("phone.log");
        let transport = self.transport;
        let listen = format!("{transport}:{}:4400", network.phone_address());
        let mut phone = serve_phone(&listen, folder.path(), &log);

        let pairing = folder.path().join("pairing");
        let address = network.host_address();
        let device = format!("{transport}:{address}:4400?pairing={}", pairing.display());
        let out = folder.path().join("run");
        let trace = Baseline::trace(baseline);
        let mut host = self.command.start(&device, &trace, &out);
        if !self.cuts.is_empty() {
            wait_for(&log, CONNECTION, &mut phone);
            self.cut_network(&network, &mut host);
        }
        self.command.wait(host, &out);
        phone.kill().unwrap();
        phone.wait().unwrap();
        let expected = self
            .command
            .recorded(&Baseline::run(baseline, self.command));
        assert_same(&expected, &self.command.recorded(&out));

        let connections = fs::read_to_string(&log)
            .unwrap()
            .matches(CONNECTION)
            .count();
        let is_unplugged = self.cuts.iter().any(|cut| cut.kind == CutKind::Down);
        assert!(!is_unplugged || connections > 1, "the link was never down");
        let packets = network.check_faults(self.faults, &self.cuts);
        format!(
            "{:?} over {transport} as without a link; {packets}; connections: {connections}",
            self.command
        )
    }

    /// Cuts the network at the moments of the scenario, counted from now on.
    fn cut_network(&self, network: &LossyNetwork, host: &mut Child) {
        let began = Instant::now();
        for cut in &self.cuts {
            while began.elapsed() < Duration::from_secs(cut.at) {
                let ended = host.try_wait().unwrap();
                assert!(
                    ended.is_none(),
                    "the host ended before the cut at {} s",
                    cut.at
                );
                std::thread::sleep(POLL_PAUSE);
            }
            network.cut(cut.kind);
            std::thread::sleep(Duration::from_secs(cut.lasts));
            network.restore(cut.kind);
        }
    }
}

/// Starts `retap phone`, and waits until it listens. It ends with the namespace.
fn serve_phone(listen: &str, folder: &Path, log: &Path) -> Child {
    let address = folder.join("address");
    let mut command = Command::new(env!("CARGO_BIN_EXE_retap"));
    command
        .current_dir(folder)
        .args([
            "phone",
            "sim:notes",
            "--real-time",
            "--pairing",
            "pairing",
            "--listen",
            listen,
        ])
        .stdin(Stdio::null())
        .stdout(File::create(&address).unwrap())
        .stderr(File::create(log).unwrap());
    let mut child = private(&mut command, &folder.join("data")).spawn().unwrap();
    wait_for(&address, "\n", &mut child);
    child
}

/// Panics with the first difference.
fn assert_same(expected: &[String], recorded: &[String]) {
    for (number, (expected, recorded)) in expected.iter().zip(recorded).enumerate() {
        assert_eq!(
            recorded, expected,
            "entry {number} differs from a run without a link"
        );
    }
    assert_eq!(
        recorded.len(),
        expected.len(),
        "a run without a link has another length"
    );
}
