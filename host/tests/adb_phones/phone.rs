//! One phone behind adbd: its programs, its files, and a /data of its own.

use std::cell::RefCell;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::private_network::PrivateNetwork;
use crate::running_program::signal;
use crate::tools::AdbTools;

/// Programs that a phone's shell has and Debian lacks.
const PHONE_PROGRAMS: [&str; 12] = [
    "getprop",
    "app_process",
    "settings",
    "pm",
    "cmd",
    "am",
    "dumpsys",
    "wm",
    "run-as",
    "su",
    "input",
    "uiautomator",
];

/// Where an app's animations stand before Retap comes.
pub(crate) const ANIMATION: &str = "set/global.window_animation_scale";

/// A phone on a port of the loopback.
#[derive(Debug)]
pub(crate) struct PhoneBehindAdb {
    pub(crate) port: u16,
    /// Programs of the phone, and the files in which they keep what they receive.
    folder: PathBuf,
    storage: PhoneStorage,
    daemon: RefCell<Option<Child>>,
}

/// What is mounted on /data.
#[derive(Debug)]
pub(crate) enum PhoneStorage {
    Folder(PathBuf),
    /// Memory, with an option that is set once the folders are made.
    Memory(&'static str),
}

impl PhoneBehindAdb {
    /// Makes the phone below `place`. `start` is what `app_process` starts, with the agent's library and its options.
    pub(crate) fn create(place: &Path, port: u16, start: &str) -> PhoneBehindAdb {
        let data = place.join(format!("data-{port}"));
        fs::create_dir_all(data.join("local/tmp")).unwrap();
        PhoneBehindAdb::with_storage(place, port, start, PhoneStorage::Folder(data))
    }

    pub(crate) fn with_storage(
        place: &Path,
        port: u16,
        start: &str,
        storage: PhoneStorage,
    ) -> PhoneBehindAdb {
        let folder = place.join(format!("phone-{port}"));
        fs::create_dir_all(folder.join("set")).unwrap();
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/adb-phone");
        for program in PHONE_PROGRAMS {
            symlink(programs.canonicalize().unwrap(), folder.join(program)).unwrap();
        }
        let phone = PhoneBehindAdb {
            port,
            folder,
            storage,
            daemon: RefCell::new(None),
        };
        phone.write("model", &format!("Phone of port {port}\n"));
        phone.write("before", "1.0\n");
        phone.write(ANIMATION, "1.0\n");
        phone.start_agent_by(start);
        phone
    }

    pub(crate) fn serial(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Changes what `app_process` starts.
    pub(crate) fn start_agent_by(&self, start: &str) {
        write_script(&self.path("start"), start);
    }

    /// Starts adbd, with the phone's programs before those of this machine.
    pub(crate) fn start_daemon(&self, _: &PrivateNetwork, tools: &AdbTools) {
        let (mount, what) = match &self.storage {
            PhoneStorage::Folder(data) => ("mount --bind \"$1\" /data", data.display().to_string()),
            PhoneStorage::Memory(option) => (
                "mount -t tmpfs none /data && mkdir -p /data/local/tmp && mount -o \"remount,$1\" /data",
                (*option).to_owned(),
            ),
        };
        let path = std::env::var("PATH").unwrap();
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.path("adbd.log"))
            .unwrap();
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-c"])
            .arg(format!("{mount} && shift && exec \"$@\""))
            .args(["mount", &what])
            .arg(&tools.adbd)
            .env("PATH", format!("{}:{path}", self.folder.display()))
            .env("LD_LIBRARY_PATH", &tools.libraries)
            .env("ADBD_PORT", self.port.to_string())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        let before = self.daemon.replace(Some(command.spawn().unwrap()));
        assert!(before.is_none(), "adbd of {} ran already", self.serial());
    }

    /// Panics if adbd has ended.
    pub(crate) fn assert_daemon_runs(&self) {
        let ended = self.with_daemon(|daemon| daemon.try_wait().unwrap());
        let log = self.read("adbd.log");
        assert!(ended.is_none(), "adbd ended with {ended:?}: {log}");
    }

    pub(crate) fn kill_daemon(&self) {
        self.with_daemon(|daemon| {
            daemon.kill().unwrap();
            daemon.wait().unwrap();
        });
        self.daemon.replace(None);
    }

    /// A folder of the phone's /data as adbd sees it, whatever is mounted there.
    pub(crate) fn data_of_daemon(&self, inside: &str) -> PathBuf {
        let process = self.with_daemon(|daemon| daemon.id());
        PathBuf::from(format!("/proc/{process}/root/data")).join(inside)
    }

    fn with_daemon<Answer>(&self, ask: impl FnOnce(&mut Child) -> Answer) -> Answer {
        ask(self.daemon.borrow_mut().as_mut().expect("adbd was started"))
    }

    /// A file in which the phone's programs keep what they receive, or look up how they are to answer.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.folder.join(inside)
    }

    pub(crate) fn read(&self, inside: &str) -> String {
        let path = self.path(inside);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn write(&self, inside: &str, text: &str) {
        fs::write(self.path(inside), text).unwrap();
    }

    pub(crate) fn remove(&self, inside: &str) {
        fs::remove_file(self.path(inside)).unwrap();
    }

    /// A folder of the phone's /data.
    pub(crate) fn data(&self, inside: &str) -> PathBuf {
        match &self.storage {
            PhoneStorage::Folder(data) => data.join(inside),
            PhoneStorage::Memory(_) => panic!("only adbd sees the storage of {}", self.serial()),
        }
    }

    /// Retap's folder on the phone.
    pub(crate) fn retap_folder(&self) -> PathBuf {
        self.data("local/tmp/retap")
    }

    /// The process id of the agent on the phone, once there is one.
    pub(crate) fn agent_process(&self) -> Option<u32> {
        let text = fs::read_to_string(self.retap_folder().join("agent.pid")).ok()?;
        text.split_once(' ')?.0.parse().ok()
    }

    /// Sends a signal to the agent.
    pub(crate) fn signal_agent(&self, name: &str) {
        let agent = self.agent_process().expect("the phone has an agent");
        signal(agent, name);
    }
}

/// Writes a shell script that can be executed.
pub(crate) fn write_script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
