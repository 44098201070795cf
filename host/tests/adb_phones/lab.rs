//! Two phones behind a real adb: what every test of this target begins with, and what it must leave behind.

use std::any::type_name;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command_checks::run_saying;
use crate::environment::{ProgramOutput, TestEnvironment, names};
use crate::namespace::check_inside;
use crate::phone::PhoneBehindAdb;
use crate::private_network::{PrivateNetwork, namespace_ids};
use crate::running_program::{POLL_PAUSE, RunningProgram, started_by};
use crate::tools::{AdbTools, simulated_agent};

/// The agent's library, below the environment.
pub(crate) const LIBRARY: &str = "agent/x86_64/libretap_agent.so";

/// Namespaces of network, mounts and processes, with a /proc of those processes.
const NAMESPACES: [&str; 5] = ["--net", "--mount", "--pid", "--kill-child", "--mount-proc"];

/// In the command line of every agent's process.
const AGENT_MARK: &str = "--name retap-";

/// Runs a check with two simulated phones in namespaces of its own. The test function itself must call it with a closure:
/// the inner process finds the test by the name of the closure's type.
pub(crate) fn with_phones<Check: FnOnce(&AdbLab)>(check: Check) {
    check_in_lab(type_name::<Check>(), |lab| {
        check(lab);
        "passed".to_owned()
    });
}

/// The same for any check. `closure` is the name of the type of a closure of the test function; what the check returns is
/// printed.
pub(crate) fn check_in_lab(closure: &str, check: impl FnOnce(&AdbLab) -> String) {
    let test = closure
        .split_once("::")
        .and_then(|(_, path)| path.strip_suffix("::{{closure}}"))
        .unwrap_or_else(|| panic!("`{closure}` is no closure of a test"));
    check_inside(test, &NAMESPACES, namespace_ids, |outer| {
        check(&AdbLab::open(outer.to_str().unwrap()))
    });
}

/// Two phones, adb with its server, and a folder for runs.
pub(crate) struct AdbLab {
    pub(crate) environment: TestEnvironment,
    pub(crate) phones: [PhoneBehindAdb; 2],
    tools: AdbTools,
    network: PrivateNetwork,
}

impl AdbLab {
    /// Starts everything. Panics, before adbd is started, where the network is not private.
    fn open(outer: &str) -> AdbLab {
        let network = PrivateNetwork::check(outer)
            .unwrap_or_else(|why| panic!("adbd must not run here: {why}"));
        assert!(
            Path::new("/data").is_dir(),
            "there is no /data to mount the phones' files on: run `scripts/test-adb`"
        );
        let loopback = Command::new("ip")
            .args(["link", "set", "lo", "up"])
            .status();
        assert!(loopback.expect("`ip` of iproute2 is needed").success());

        let environment = TestEnvironment::new();
        fs::create_dir_all(environment.path("agent/x86_64")).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        environment.write(LIBRARY, &format!("retap-agent version {version};"));
        environment.write("agent/agent.jar", "PK\n");
        let start = simulated_agent();
        let place = environment.path("");
        let lab = AdbLab {
            phones: [6555, 6556].map(|port| PhoneBehindAdb::create(&place, port, &start)),
            tools: AdbTools::find(environment.path("adb")),
            environment,
            network,
        };
        let server = lab.adb("start-server").stderr(Stdio::null()).status();
        assert!(server.unwrap().success(), "adb's server does not start");
        for phone in &lab.phones {
            lab.start_daemon(phone);
            lab.connect("", phone);
        }
        lab
    }

    /// The serial of the first phone.
    pub(crate) fn one(&self) -> String {
        self.phones[0].serial()
    }

    /// The serial of the second phone.
    pub(crate) fn other(&self) -> String {
        self.phones[1].serial()
    }

    /// Both phones, for `--device`.
    pub(crate) fn both(&self) -> String {
        format!("{},{}", self.one(), self.other())
    }

    /// The program, with this adb. `line` is split at blanks.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = self.environment.command(line);
        command
            .env("ADB", &self.tools.adb)
            .env("RETAP_AGENT_DIR", self.environment.path("agent"))
            .env("HOME", self.environment.path(""))
            .env("TMPDIR", self.environment.path(""))
            .env_remove("ANDROID_ADB_SERVER_PORT")
            .env_remove("RUST_BACKTRACE");
        command
    }

    /// Runs the program, which must end with this exit code and say these words.
    pub(crate) fn run(&self, line: &str, code: i32, words: &str) -> ProgramOutput {
        run_saying(&mut self.command(line), code, words)
    }

    /// Starts an exploration of the second phone that takes longer than any test, and waits until it is under way.
    /// `begin` is the program that starts it.
    pub(crate) fn start_long_run(&self, run: &str, begin: &[&str]) -> RunningProgram {
        let other = self.other();
        let line = format!("explore --device {other} --events 10000000 --seed 1 --out {run}");
        self.start_run(&mut started_by(begin, &self.command(&line)), run, 5)
    }

    /// Starts a command with the run directory `run`, and waits until it has so many run events.
    pub(crate) fn start_run(
        &self,
        command: &mut Command,
        run: &str,
        events: usize,
    ) -> RunningProgram {
        let log = self.environment.path(&format!("{run}.log"));
        let mut running = RunningProgram::start(command, &log);
        let recorded = self.environment.path(run).join("events.jsonl");
        running.wait_for_text(&recorded, "\n", events);
        running
    }

    /// adb itself. `line` is split at blanks.
    pub(crate) fn adb(&self, line: &str) -> Command {
        let mut command = Command::new(&self.tools.adb);
        command
            .args(line.split_whitespace())
            .env("HOME", self.environment.path(""))
            .env("TMPDIR", self.environment.path(""))
            .env_remove("ANDROID_ADB_SERVER_PORT")
            .stdin(Stdio::null());
        command
    }

    /// The script that starts adb.
    pub(crate) fn adb_path(&self) -> &Path {
        &self.tools.adb
    }

    /// Starts adbd of a phone.
    pub(crate) fn start_daemon(&self, phone: &PhoneBehindAdb) {
        phone.start_daemon(&self.network, &self.tools);
    }

    /// Connects an adb server, which the options of adb name, with a phone as soon as both answer.
    pub(crate) fn connect(&self, options: &str, phone: &PhoneBehindAdb) {
        let line = format!("{options} connect {}", phone.serial());
        loop {
            let output = self.adb(&line).output().unwrap();
            let answer = String::from_utf8_lossy(&output.stdout);
            if answer.starts_with("connected") || answer.starts_with("already") {
                return;
            }
            phone.assert_daemon_runs();
            std::thread::sleep(POLL_PAUSE);
        }
    }

    /// Panics if something of Retap is on the phones, or between them and here.
    pub(crate) fn assert_nothing_left(&self) {
        for phone in &self.phones {
            let folder = phone.retap_folder();
            let left = names(&folder);
            let serial = phone.serial();
            assert!(!folder.exists(), "files were left on {serial}: {left:?}");
        }
        let agents: Vec<String> = command_lines()
            .filter(|line| line.contains(AGENT_MARK))
            .collect();
        assert!(agents.is_empty(), "an agent was left: {agents:?}");
        let forwarded = self.adb("forward --list").output().unwrap();
        let forwarded = String::from_utf8_lossy(&forwarded.stdout);
        assert_eq!(forwarded.trim(), "", "a forwarded port was left");
    }
}

/// The command lines of all processes in the namespace.
fn command_lines() -> impl Iterator<Item = String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|process| {
        let words = fs::read(process.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&words).replace('\0', " "))
    })
}
