//! A machine for the hostile app: a private network with an address that somebody listens on, a user with a home
//! directory and a secret in the environment, and the program as that user runs it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

use tempfile::TempDir;

use crate::attempt::{Attempt, Outcome};

/// Says to a test that it runs in its private network.
const INSIDE_VARIABLE: &str = "RETAP_CONTAINMENT_INSIDE";
/// Of the private network, and no loopback address.
const ADDRESS: &str = "10.77.0.1";
const SECRET_VARIABLE: &str = "RETAP_TEST_SECRET";
/// Nobody's, and not among the users that the program takes for the phones of root.
const PLAIN_USER: u32 = 54_321;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestUser {
    Root,
    Plain,
    /// A plain user on a system that forbids namespaces.
    WithoutNamespaces,
}

/// Runs a test in a private network, where it has the address.
pub(crate) fn inside(test: &str, body: impl FnOnce()) {
    if std::env::var_os(INSIDE_VARIABLE).is_some() {
        make_network();
        return body();
    }
    let output = Command::new("unshare")
        // Not one of processes: its low numbers would be numbers of the phone's too.
        .arg("--net")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE_VARIABLE, "yes")
        .output()
        .expect("`unshare` of util-linux makes network namespaces");
    assert!(
        output.status.success(),
        "{test}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn make_network() {
    for line in [
        "link set lo up",
        "link add inner type veth peer name outer",
        "address add 10.77.0.1/24 dev inner",
        "link set inner up",
        "link set outer up",
    ] {
        let status = Command::new("ip").args(line.split(' ')).status();
        assert!(status.is_ok_and(|status| status.success()), "ip {line}");
    }
}

pub(crate) struct Machine {
    user: TestUser,
    folder: TempDir,
    listener: TcpListener,
    /// A process of the same user.
    bystander: Child,
}

impl Machine {
    pub(crate) fn new(user: TestUser) -> Machine {
        let folder = TempDir::new().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let machine = Machine {
            user,
            folder,
            listener: TcpListener::bind((ADDRESS, 0)).unwrap(),
            bystander: start_bystander(user),
        };
        for name in ["home", "tmp"] {
            fs::create_dir(machine.path(name)).unwrap();
            machine.give(&machine.path(name));
        }
        fs::write(machine.path("home/secret"), "secret").unwrap();
        machine.give(&machine.path("home/secret"));
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn give(&self, path: &Path) {
        if self.user != TestUser::Root {
            chown(path, Some(PLAIN_USER), Some(PLAIN_USER)).unwrap();
        }
    }

    pub(crate) fn write_trace(&self, attempt: Attempt, outcome: Outcome) -> PathBuf {
        let path = self.path(&format!("{}.retap", attempt.button()));
        fs::write(&path, attempt.trace(outcome)).unwrap();
        path
    }

    /// Plays each trace once.
    pub(crate) fn replay(&self, traces: &[PathBuf], trust: bool) -> Output {
        let apk = target_folder().join("hostile-app.apk");
        let mut command = self.program();
        command
            .arg("replay")
            .args(traces)
            .args(["--times", "1", "--plain", "--device"])
            .arg(format!("jvm:{}", apk.display()));
        if trust {
            command.arg("--trust");
        }
        command.output().unwrap()
    }

    pub(crate) fn doctor(&self) -> String {
        let output = self.program().arg("doctor").output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The program, run by the user.
    fn program(&self) -> Command {
        let mut command = match self.user {
            TestUser::Root => Command::new(env!("CARGO_BIN_EXE_retap")),
            TestUser::Plain => as_plain_user([env!("CARGO_BIN_EXE_retap")]),
            // Namespaces are forbidden to users in a user namespace whose root, here the shell, has said so.
            TestUser::WithoutNamespaces => as_plain_user([
                "unshare",
                "--user",
                "--map-root-user",
                "sh",
                "-c",
                "echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all \"$@\"",
                "sh",
                env!("CARGO_BIN_EXE_retap"),
            ]),
        };
        let properties = [
            ("file", self.path("home/secret").display().to_string()),
            ("variable", SECRET_VARIABLE.to_owned()),
            ("address", self.listener.local_addr().unwrap().to_string()),
            ("process", self.bystander.id().to_string()),
        ];
        let properties: Vec<_> = properties
            .iter()
            .map(|(name, value)| format!("-Dretap.hostile.{name}={value}"))
            .collect();
        command
            .env("JAVA_TOOL_OPTIONS", properties.join(" "))
            .env("RETAP_JVM_PHONE", target_folder().join("jvm-phone"))
            .env("RETAP_STORE", self.path("home/store.sqlite"))
            .env(SECRET_VARIABLE, "secret")
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env_remove("XDG_CACHE_HOME")
            .current_dir(self.path("home"));
        command
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.bystander.kill().unwrap();
        self.bystander.wait().unwrap();
    }
}

fn start_bystander(user: TestUser) -> Child {
    let line = ["sleep", "3600"];
    let mut command = match user {
        TestUser::Root => Command::new(line[0]),
        TestUser::Plain | TestUser::WithoutNamespaces => as_plain_user(&line[..1]),
    };
    command.args(&line[1..]).spawn().unwrap()
}

fn as_plain_user(line: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let user = PLAIN_USER.to_string();
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", &user, "--regid", &user, "--clear-groups", "--"])
        .args(line);
    command
}

/// With the built phone and the app.
fn target_folder() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_retap"));
    let folder = program.ancestors().nth(2).unwrap();
    for needed in ["jvm-phone", "hostile-app.apk"] {
        let path = folder.join(needed);
        assert!(
            path.exists(),
            "{}: {}",
            path.display(),
            io::ErrorKind::NotFound
        );
    }
    folder.to_owned()
}
