//! Containment of foreign code: which means this system has, what each of them keeps away, and the command that starts a
//! program within one. The launcher, a second process of this program, applies them.

#[cfg(target_os = "linux")]
mod launcher;
mod probe;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub use probe::{ContainmentError, choose, remedy_for_namespaces};

/// First argument of the launcher. It is no command of the user's.
const LAUNCH: &str = "contained-program";
/// Between the files that the program may read and the program.
const PROGRAM_FOLLOWS: &str = "--";
/// The program of this process, also after its file was replaced.
const THIS_PROGRAM: &str = "/proc/self/exe";
/// The writable folder in a file system of its own.
const OWN_FOLDER: &str = "/phone";
/// Variables of the environment that a contained program sees, beside the locale's. Others may hold secrets.
const PASSED_VARIABLES: [&str; 10] = [
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "JAVA_HOME",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "RUST_LOG",
    "RUST_BACKTRACE",
];

/// Means of containment, the stronger one first. Both come with a filter of system calls and with resource limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainmentKind {
    /// Namespaces: a file system, a network with nothing but loopback, and processes of its own.
    Namespaces,
    /// Landlock for files, and no sockets that reach anybody.
    Landlock,
}

/// What a contained program sees of this machine's files, beside the system's own.
#[derive(Clone, Copy, Debug)]
pub struct ProgramFiles<'f> {
    /// Folders to read from.
    pub readable: &'f [PathBuf],
    /// The folder to write to. With namespaces it only marks the place: the program has one in memory instead.
    pub folder: &'f Path,
}

impl ContainmentKind {
    const ALL: [ContainmentKind; 2] = [ContainmentKind::Namespaces, ContainmentKind::Landlock];

    fn name(self) -> &'static str {
        match self {
            ContainmentKind::Namespaces => "namespaces",
            ContainmentKind::Landlock => "landlock",
        }
    }

    /// What it does, as the rest of a sentence.
    pub fn description(self) -> &'static str {
        match self {
            ContainmentKind::Namespaces => {
                "contained by namespaces: files of its own, no network but loopback, limited resources"
            }
            ContainmentKind::Landlock => {
                "contained by Landlock and seccomp: files of its own, no network, limited resources"
            }
        }
    }

    /// The writable folder, as the program names it.
    pub fn folder_inside(self, folder: &Path) -> PathBuf {
        match self {
            ContainmentKind::Namespaces => PathBuf::from(OWN_FOLDER),
            ContainmentKind::Landlock => folder.to_owned(),
        }
    }

    /// The writable folder of a running program, as this process reaches it.
    pub fn folder_from_outside(self, folder: &Path, launcher: u32) -> PathBuf {
        match self {
            ContainmentKind::Namespaces => {
                PathBuf::from(format!("/proc/{launcher}/root{OWN_FOLDER}"))
            }
            ContainmentKind::Landlock => folder.to_owned(),
        }
    }

    /// The command that runs this one contained. Of the environment it keeps what it sets itself and what is harmless.
    pub fn command(self, program: &Command, files: ProgramFiles) -> Command {
        let mut command = Command::new(THIS_PROGRAM);
        command
            .args([LAUNCH, self.name()])
            .arg(files.folder)
            .args(files.readable)
            .arg(PROGRAM_FOLLOWS)
            .arg(program.get_program())
            .args(program.get_args());
        command.env_clear();
        command.envs(std::env::vars_os().filter(|(name, _)| is_passed(name)));
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("HOME", self.folder_inside(files.folder));
        command
    }
}

fn is_passed(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    PASSED_VARIABLES.contains(&name.as_ref()) || name.starts_with("LC_")
}

/// What the launcher was asked for on its command line.
#[derive(Debug, PartialEq, Eq)]
pub struct LaunchRequest {
    kind: ContainmentKind,
    folder: PathBuf,
    readable: Vec<PathBuf>,
    program: OsString,
    arguments: Vec<OsString>,
}

impl LaunchRequest {
    /// The request in the arguments of this process, if it is a launcher.
    pub fn from_arguments(arguments: impl Iterator<Item = OsString>) -> Option<LaunchRequest> {
        let mut arguments = arguments.skip(1);
        arguments.next().filter(|first| first == LAUNCH)?;
        let kind = arguments.next()?;
        let kind = ContainmentKind::ALL
            .into_iter()
            .find(|known| kind == known.name())?;
        let folder = PathBuf::from(arguments.next()?);
        let readable = arguments
            .by_ref()
            .take_while(|argument| argument != PROGRAM_FOLLOWS)
            .map(PathBuf::from)
            .collect();
        Some(LaunchRequest {
            kind,
            folder,
            readable,
            program: arguments.next()?,
            arguments: arguments.collect(),
        })
    }

    /// Applies the containment to this process and becomes the program, or waits for it.
    #[cfg(target_os = "linux")]
    pub fn launch(self) -> ExitCode {
        launcher::launch(&self)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn launch(self) -> ExitCode {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_arrives_at_the_launcher_as_it_was_given() {
        let mut program = Command::new("/usr/bin/java");
        program
            .args(["-cp", "--", "Main"])
            .env("DATA", "/phone/data");
        let readable = [PathBuf::from("/opt/jdk"), PathBuf::from("/my apps")];
        let files = ProgramFiles {
            readable: &readable,
            folder: Path::new("/tmp/phone"),
        };
        for kind in ContainmentKind::ALL {
            let command = kind.command(&program, files);
            let arguments = std::iter::once(command.get_program()).chain(command.get_args());
            let request = LaunchRequest::from_arguments(arguments.map(OsString::from));
            let expected = LaunchRequest {
                kind,
                folder: "/tmp/phone".into(),
                readable: readable.to_vec(),
                program: "/usr/bin/java".into(),
                arguments: ["-cp", "--", "Main"].map(OsString::from).to_vec(),
            };
            assert_eq!(request, Some(expected));
        }
    }

    #[test]
    fn secrets_of_the_environment_stay_outside() {
        for kept in ["PATH", "LC_ALL", "JAVA_TOOL_OPTIONS"] {
            assert!(is_passed(&kept.into()), "{kept}");
        }
        for secret in [
            "AWS_SECRET_ACCESS_KEY",
            "SSH_AUTH_SOCK",
            "HOME",
            "LD_PRELOAD",
        ] {
            assert!(!is_passed(&secret.into()), "{secret}");
        }
    }

    #[test]
    fn commands_of_the_user_are_no_requests() {
        for line in [
            "retap",
            "retap explore",
            "retap contained-program",
            "retap contained-program sand /x -- ls",
        ] {
            let arguments = line.split(' ').map(OsString::from);
            assert_eq!(LaunchRequest::from_arguments(arguments), None, "{line}");
        }
    }
}
