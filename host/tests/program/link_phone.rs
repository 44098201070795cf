//! `retap phone` as the tests of the link need it: on a free port, killed and started again, with its log.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use retap_shared::action::Action;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};

use crate::environment::TestEnvironment;

/// A running `retap phone`, killed at the end of the test.
pub(crate) struct ServedPhone {
    child: Child,
    line: String,
    pairing: String,
    /// The address that it listens on, with its port.
    pub(crate) address: String,
}

impl ServedPhone {
    pub(crate) fn start(
        environment: &TestEnvironment,
        phone: &str,
        transport: &str,
        pairing: &str,
    ) -> ServedPhone {
        ServedPhone::begin(
            environment,
            &format!("phone {phone}"),
            &format!("{transport}:127.0.0.1:0"),
            pairing,
        )
    }

    /// Starts a phone that keeps its state in a folder, so that a host finds it again after a kill.
    pub(crate) fn start_lasting(
        environment: &TestEnvironment,
        phone: &str,
        transport: &str,
    ) -> ServedPhone {
        let line = format!("phone {phone} --folder kept");
        ServedPhone::begin(
            environment,
            &line,
            &format!("{transport}:127.0.0.1:0"),
            "keys.pairing",
        )
    }

    /// The first line on stdout is the address.
    fn begin(
        environment: &TestEnvironment,
        line: &str,
        listen: &str,
        pairing: &str,
    ) -> ServedPhone {
        let log = File::options()
            .create(true)
            .append(true)
            .open(environment.path(&log_of(pairing)))
            .unwrap();
        let mut command = environment.command(&format!(
            "{line} --real-time --listen {listen} --pairing {pairing}"
        ));
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        let address = address.trim().to_owned();
        assert!(
            !address.is_empty(),
            "it does not listen: {}",
            environment.read(&log_of(pairing))
        );
        ServedPhone {
            child,
            line: line.to_owned(),
            pairing: pairing.to_owned(),
            address,
        }
    }

    /// The device spec of this phone, for `--device`.
    pub(crate) fn device(&self) -> String {
        format!("{}?pairing={}", self.address, self.pairing)
    }

    /// Kills the phone with SIGKILL, and starts it with the same options on the same port.
    pub(crate) fn die_and_return(&mut self, environment: &TestEnvironment) {
        self.kill();
        *self = ServedPhone::begin(environment, &self.line, &self.address, &self.pairing);
    }

    /// The log so far: hosts that connected and disconnected.
    pub(crate) fn log(&self, environment: &TestEnvironment) -> String {
        environment.read(&log_of(&self.pairing))
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ServedPhone {
    fn drop(&mut self) {
        self.kill();
    }
}

fn log_of(pairing: &str) -> String {
    format!("{pairing}.log")
}

/// Writes the shortest trace to a planted crash of the app.
pub(crate) fn planted(environment: &TestEnvironment, app: &str) -> String {
    let (header, steps) = shortest(app);
    environment.write("planted.retap", &Trace { header, steps }.to_text());
    "planted.retap".to_owned()
}

/// Writes the same trace behind three steps that a reduction removes: half a minute of real time.
pub(crate) fn padded(environment: &TestEnvironment, app: &str) -> String {
    let (header, shortest) = shortest(app);
    let padding = (1..=3).map(|millis| Step::new(Action::Wait { millis }));
    environment.write(
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
        claim: None,
    };
    (header, crash.shortest.clone())
}
