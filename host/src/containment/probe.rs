//! Which containment works here: each is tried with a program that does nothing, once in the life of this process.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::{ContainmentKind, ProgramFiles};

/// Settings of kernels that forbid user namespaces: file, forbidding value, command that permits them.
const NAMESPACE_SETTINGS: [(&str, &str, &str); 3] = [
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "sudo sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "sudo sysctl -w user.max_user_namespaces=10000",
    ),
];

/// No means of containment works.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "nothing here can contain the code of an app: namespaces: {namespaces}; Landlock: {landlock}"
)]
pub struct ContainmentError {
    namespaces: String,
    landlock: String,
}

/// The strongest containment that works here.
pub fn choose() -> Result<ContainmentKind, ContainmentError> {
    static CHOSEN: OnceLock<Result<ContainmentKind, ContainmentError>> = OnceLock::new();
    CHOSEN
        .get_or_init(|| {
            let Err(namespaces) = try_out(ContainmentKind::Namespaces) else {
                return Ok(ContainmentKind::Namespaces);
            };
            match try_out(ContainmentKind::Landlock) {
                Ok(()) => Ok(ContainmentKind::Landlock),
                Err(landlock) => Err(ContainmentError {
                    namespaces,
                    landlock,
                }),
            }
        })
        .clone()
}

/// What permits user namespaces where a setting of the kernel forbids them.
pub fn remedy_for_namespaces() -> String {
    let forbids = |file: &str, value: &str| {
        std::fs::read_to_string(file).is_ok_and(|text| text.trim() == value)
    };
    let setting = NAMESPACE_SETTINGS
        .into_iter()
        .find(|(file, value, _)| forbids(file, value));
    match setting {
        Some((.., command)) => format!("`{command}` permits namespaces"),
        None => "the container around this process forbids namespaces; start it with more rights, or leave it".into(),
    }
}

/// Why it does not work, if so.
fn try_out(kind: ContainmentKind) -> Result<(), String> {
    let folder = PathBuf::from(format!("retap-probe-{}", std::process::id()));
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let tried = run_nothing(kind, &folder);
    // Whatever is left is in the system's folder for such things.
    let _ = std::fs::remove_dir_all(&folder);
    tried
}

fn run_nothing(kind: ContainmentKind, folder: &Path) -> Result<(), String> {
    let mut nothing = Command::new("/bin/sh");
    nothing.args(["-c", ":"]);
    let files = ProgramFiles {
        readable: &[],
        folder,
    };
    let output = kind
        .command(&nothing, files)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let why = text.lines().find_map(|line| line.strip_prefix("error: "));
    Err(why.map_or_else(|| output.status.to_string(), str::to_owned))
}
