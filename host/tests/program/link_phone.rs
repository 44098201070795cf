//! `retap phone` as the tests of the link need it: on a free port, killed and started again, its log at hand.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use retap_shared::action::Action;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};

use crate::retap::Desk;

/// A phone that is served, and stopped at the latest when the test is over.
pub(crate) struct Served {
    child: Child,
    line: String,
    pairing: String,
    /// With the port that was free.
    pub(crate) address: String,
}

impl Served {
    pub(crate) fn start(desk: &Desk, phone: &str, way: &str, pairing: &str) -> Served {
        Served::begin(
            desk,
            &format!("phone {phone}"),
            &format!("{way}:127.0.0.1:0"),
            pairing,
        )
    }

    /// One that is the same to its host after it was killed.
    pub(crate) fn start_lasting(desk: &Desk, phone: &str, way: &str) -> Served {
        let line = format!("phone {phone} --folder kept");
        Served::begin(desk, &line, &format!("{way}:127.0.0.1:0"), "keys.pairing")
    }

    /// The first line on stdout is the address.
    fn begin(desk: &Desk, line: &str, listen: &str, pairing: &str) -> Served {
        let log = File::options()
            .create(true)
            .append(true)
            .open(desk.path(&log_of(pairing)))
            .unwrap();
        let mut command = desk.command(&format!("{line} --listen {listen} --pairing {pairing}"));
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        let address = address.trim().to_owned();
        assert!(
            !address.is_empty(),
            "it does not listen: {}",
            desk.read(&log_of(pairing))
        );
        Served {
            child,
            line: line.to_owned(),
            pairing: pairing.to_owned(),
            address,
        }
    }

    /// What `--device` takes.
    pub(crate) fn device(&self) -> String {
        format!("{}?pairing={}", self.address, self.pairing)
    }

    /// SIGKILL, and the same line again on the same port.
    pub(crate) fn die_and_return(&mut self, desk: &Desk) {
        self.kill();
        *self = Served::begin(desk, &self.line, &self.address, &self.pairing);
    }

    /// What it told so far of who came and who went.
    pub(crate) fn log(&self, desk: &Desk) -> String {
        desk.read(&log_of(&self.pairing))
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.kill();
    }
}

fn log_of(pairing: &str) -> String {
    format!("{pairing}.log")
}

/// The shortest planted way into a crash of the app.
pub(crate) fn planted(desk: &Desk, app: &str) -> String {
    let (header, steps) = shortest(app);
    desk.write("planted.retap", &Trace { header, steps }.to_text());
    "planted.retap".to_owned()
}

/// The same behind three steps that a reduction takes away: half a minute of a phone's real time.
pub(crate) fn padded(desk: &Desk, app: &str) -> String {
    let (header, shortest) = shortest(app);
    let padding = (1..=3).map(|millis| Step::new(Action::Wait { millis }));
    desk.write(
        "padded.retap",
        &Trace {
            header,
            steps: padding.chain(shortest).collect(),
        }
        .to_text(),
    );
    "padded.retap".to_owned()
}

fn shortest(app: &str) -> (TraceHeader, Vec<Step>) {
    let truth = retap_simulator::ground_truth(app).unwrap();
    let crash = truth
        .crashes
        .iter()
        .min_by_key(|crash| crash.shortest.len())
        .unwrap();
    let header = TraceHeader {
        app: App {
            package: format!("com.example.{app}").into(),
            ..App::default()
        },
        start: StartMode::Clean,
        seed: None,
        target: Some(Target::Problem(crash.fingerprint)),
        phone: PhoneInfo::default(),
        pace: ReplayPace::Quiet,
    };
    (header, crash.shortest.clone())
}
