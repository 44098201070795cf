//! A bad network inside a namespace: the kernel's netem where it is there, otherwise the lossy proxy.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

/// Pause between two looks at a file that another process writes.
pub(crate) const POLL_PAUSE: Duration = Duration::from_millis(50);

/// Faults of a network: percent of packets, and milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetworkFaults {
    pub(crate) loss: u32,
    pub(crate) duplicate: u32,
    pub(crate) delay: u32,
    pub(crate) jitter: u32,
}

/// A time without network, in seconds after the host has its phone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetworkCut {
    pub(crate) at: u64,
    pub(crate) lasts: u64,
    pub(crate) kind: CutKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutKind {
    /// All packets are lost.
    Silent,
    /// The network device is down.
    Down,
}

/// The network of one namespace.
pub(crate) enum LossyNetwork {
    Netem(NetworkFaults),
    Proxy { process: Child, output: PathBuf },
}

impl LossyNetwork {
    pub(crate) fn open(faults: NetworkFaults, folder: &Path) -> LossyNetwork {
        assert!(succeeds("ip link set lo up"), "`ip` of iproute2 is needed");
        if succeeds(&format!(
            "tc qdisc add dev lo root netem {}",
            netem_options(faults)
        )) {
            return LossyNetwork::Netem(faults);
        }
        let output = folder.join("proxy.out");
        let proxy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/lossy-proxy");
        let number = |value: u32| value.to_string();
        let mut process = Command::new(proxy)
            .args(["--seed", "7", "--loss", &number(faults.loss)])
            .args(["--duplicate", &number(faults.duplicate)])
            .args([
                "--delay",
                &number(faults.delay),
                "--jitter",
                &number(faults.jitter),
            ])
            .stdout(File::create(&output).unwrap())
            .spawn()
            .unwrap();
        wait_for(&output, "open", &mut process);
        LossyNetwork::Proxy { process, output }
    }

    /// The address that the phone listens on.
    pub(crate) fn phone_address(&self) -> &'static str {
        match self {
            LossyNetwork::Netem(_) => "127.0.0.1",
            LossyNetwork::Proxy { .. } => "10.77.0.1",
        }
    }

    /// The address at which the host reaches the phone.
    pub(crate) fn host_address(&self) -> &'static str {
        match self {
            LossyNetwork::Netem(_) => "127.0.0.1",
            LossyNetwork::Proxy { .. } => "10.77.0.2",
        }
    }

    pub(crate) fn cut(&self, kind: CutKind) {
        let done = match (kind, self) {
            (CutKind::Silent, LossyNetwork::Netem(_)) => {
                succeeds("tc qdisc change dev lo root netem loss 100%")
            }
            (CutKind::Silent, LossyNetwork::Proxy { process, .. }) => signal(process, "USR1"),
            (CutKind::Down, _) => succeeds(&format!("ip link set {} down", self.device())),
        };
        assert!(done, "the network cannot be cut: {kind:?}");
    }

    pub(crate) fn restore(&self, kind: CutKind) {
        let done = match (kind, self) {
            (CutKind::Silent, LossyNetwork::Netem(faults)) => succeeds(&format!(
                "tc qdisc change dev lo root netem {}",
                netem_options(*faults)
            )),
            (CutKind::Silent, LossyNetwork::Proxy { process, .. }) => signal(process, "USR2"),
            (CutKind::Down, _) => succeeds(&format!("ip link set {} up", self.device())),
        };
        assert!(done, "the network cannot be restored: {kind:?}");
    }

    /// Ends the network and returns its counters. Panics if a fault that was asked for never happened: then the test has
    /// shown nothing.
    pub(crate) fn check_faults(self, faults: NetworkFaults, cuts: &[NetworkCut]) -> String {
        let is_cut = cuts.iter().any(|cut| cut.kind == CutKind::Silent);
        match self {
            LossyNetwork::Netem(_) => {
                let shown = Command::new("tc")
                    .args(["-s", "qdisc", "show", "dev", "lo"])
                    .output()
                    .unwrap();
                let counters = String::from_utf8_lossy(&shown.stdout).into_owned();
                let has_lost = !counters.contains("dropped 0,");
                assert!(
                    faults.loss == 0 || has_lost,
                    "netem lost nothing: {counters}"
                );
                format!(
                    "netem: {}",
                    counters.split_whitespace().collect::<Vec<_>>().join(" ")
                )
            }
            LossyNetwork::Proxy {
                mut process,
                output,
            } => {
                assert!(signal(&process, "TERM"));
                process.wait().unwrap();
                let text = fs::read_to_string(output).unwrap();
                let counters = text.lines().last().unwrap_or_default();
                let asked = [
                    (faults.loss > 0, "lost"),
                    (faults.duplicate > 0, "duplicated"),
                    (faults.jitter > 0, "reordered"),
                    (is_cut, "cut"),
                ];
                for (_, fault) in asked.into_iter().filter(|(asked, _)| *asked) {
                    let happened = counters
                        .split_whitespace()
                        .filter_map(|counter| counter.strip_prefix(fault)?.strip_prefix('='))
                        .any(|count| count.parse() != Ok(0));
                    assert!(happened, "nothing was {fault}: {counters}");
                }
                format!("lossy proxy: {counters}")
            }
        }
    }

    fn device(&self) -> &'static str {
        match self {
            LossyNetwork::Netem(_) => "lo",
            LossyNetwork::Proxy { .. } => "lossy",
        }
    }
}

/// Waits until a file contains a text. Panics if the process that writes it ends before.
pub(crate) fn wait_for(file: &Path, text: &str, writer: &mut Child) {
    while !fs::read_to_string(file).is_ok_and(|content| content.contains(text)) {
        let ended = writer.try_wait().unwrap();
        let content = fs::read_to_string(file).unwrap_or_default();
        assert!(ended.is_none(), "ended without `{text}`: {content}");
        std::thread::sleep(POLL_PAUSE);
    }
}

fn netem_options(faults: NetworkFaults) -> String {
    let NetworkFaults {
        loss,
        duplicate,
        delay,
        jitter,
    } = faults;
    format!("loss {loss}% duplicate {duplicate}% delay {delay}ms {jitter}ms")
}

fn signal(process: &Child, name: &str) -> bool {
    succeeds(&format!("kill -{name} {}", process.id()))
}

/// True if a command, split at blanks, could be started and has exit code 0.
fn succeeds(line: &str) -> bool {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command
        .args(words)
        .output()
        .is_ok_and(|output| output.status.success())
}
