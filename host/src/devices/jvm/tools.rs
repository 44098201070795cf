//! Java and Maven, the folder of the phone's classes and jars that they build, and apps that are prepared for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use retap_device::CancellationToken;

use super::JvmError;
use super::cancellable_process::output_unless_cancelled;
use crate::options::CodeCoverage;
use crate::run::random_number;

/// Environment variable with the folder of the built phone. Default: beside the program, or in the project that the
/// program was built from.
const JVM_PHONE_VARIABLE: &str = "RETAP_JVM_PHONE";
const BUILD: &str = "scripts/build-jvm-phone";
const BUILD_SAMPLE: &str = "scripts/build-sample-app";
const OPENED_PACKAGES: [&str; 6] = ["lang", "lang.reflect", "io", "net", "util", "nio"];
/// Code that was translated from dex does not always pass the JVM's verification, so that is off; the rest is for a
/// fast start and little memory.
const FLAGS: [&str; 8] = [
    "-Xmx1g",
    "-Xss4m",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    "-XX:TieredStopAtLevel=1",
    // Every process of the app brings its classes anew: where there is no room for their code, old and new are compiled in turns.
    "-XX:ReservedCodeCacheSize=240m",
    "-XX:+UseSerialGC",
    "-XX:+DisableExplicitGC",
];
const MODES: [&str; 9] = [
    "offline=true",
    "graphicsMode=NATIVE",
    "sqliteMode=NATIVE",
    "looperMode=PAUSED",
    "resourcesMode=BINARY",
    "useRealAni=true",
    "useRealScrolling=true",
    "windowManager.useRequestedSize=true",
    "createActivityContexts=true",
];

const COVERAGE_LIBRARY: &str = "libretap_coverage.so";
/// The class loader of the app's own classes.
const APP_LOADER: &str = "dev/retap/jvmphone/app/AppLoader";
/// Packages of common libraries, which are not covered; the same as those without branches (prepare/Counted).
const LIBRARIES: [&str; 6] = [
    "android/",
    "androidx/",
    "com/google/android/material/",
    "j$/",
    "kotlin/",
    "kotlinx/",
];

/// What a phone's process does besides being a phone.
#[derive(Clone, Copy, Debug)]
pub struct JvmOptions {
    /// What it notes of the app's code.
    pub coverage: CodeCoverage,
    /// It can be asked for the bench's own loop in Java.
    pub direct: bool,
}

#[derive(Debug)]
pub struct JvmTools {
    java: PathBuf,
    /// Output of `scripts/build-jvm-phone`.
    built: PathBuf,
}

impl JvmTools {
    pub fn find(cancellation: &CancellationToken) -> Result<JvmTools, JvmError> {
        let java = program("java")?;
        let built = match search_paths()
            .into_iter()
            .find(|place| place.join("ready").exists())
        {
            Some(built) => built,
            None => build(cancellation)?,
        };
        // Resolved, because the name may be a link, which the next build changes while a phone runs.
        let built = built.canonicalize().unwrap_or(built);
        Ok(JvmTools { java, built })
    }

    /// The app as a JVM can run it: done once for each file, and kept.
    pub fn prepare(
        &self,
        apk: &Path,
        cancellation: &CancellationToken,
    ) -> Result<PathBuf, JvmError> {
        let what = format!("preparing {}", apk.display());
        let mut command = Command::new(&self.java);
        command
            .args([
                "-Xmx1g",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
            ])
            .arg(self.class_path());
        command
            .arg("dev.retap.jvmphone.prepare.Prepare")
            .arg(apk)
            .arg(cache());
        command.stderr(Stdio::piped());
        let output = output_unless_cancelled(&mut command, cancellation).map_err(|source| {
            JvmError::Run {
                what: what.clone(),
                source,
            }
        })?;
        let output = output.ok_or(JvmError::Cancelled)?;
        let text = String::from_utf8_lossy(&output.stdout);
        match text.lines().last() {
            Some(folder) if output.status.success() => Ok(PathBuf::from(folder)),
            _ => Err(self.refusal(what, &String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// The error of a program that has started is its own line `error: …`. Without one, Java did not start it.
    fn refusal(&self, what: String, output: &str) -> JvmError {
        match output
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("error: "))
        {
            Some(why) => JvmError::Failed {
                what,
                why: why.to_owned(),
            },
            None => JvmError::WrongJava {
                java: self.java.clone(),
                why: java_error_line(output),
            },
        }
    }

    /// Folders that a phone reads: the JDK, the phone's own classes, and the app.
    pub fn readable(&self, prepared: &Path) -> Vec<PathBuf> {
        let java = self
            .java
            .canonicalize()
            .unwrap_or_else(|_| self.java.clone());
        let jdk = java.ancestors().nth(2).map(Path::to_owned);
        let mut readable: Vec<PathBuf> = jdk.into_iter().collect();
        readable.extend([self.built.clone(), prepared.to_owned()]);
        readable
    }

    /// The process of one phone, whose agent listens on this socket.
    pub fn phone(
        &self,
        prepared: &Path,
        folder: &Path,
        socket: &str,
        options: JvmOptions,
    ) -> Command {
        // Its own name: a contained phone does not see every link to it.
        let java = self
            .java
            .canonicalize()
            .unwrap_or_else(|_| self.java.clone());
        let mut command = Command::new(java);
        // Programs of a phone's shell: `run-as`, `cmd`, `getprop` and `logcat`. They must know the phone's folder.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.built.join("bin")).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
        command.env("RETAP_JVM_DATA", folder.join("data"));
        command.args(FLAGS);
        for package in OPENED_PACKAGES {
            command
                .arg("--add-opens")
                .arg(format!("java.base/java.{package}=ALL-UNNAMED"));
        }
        command.args(MODES.map(|mode| format!("-Drobolectric.{mode}")));
        command.arg(property(
            "robolectric.dependency.dir",
            &self.built.join("framework"),
        ));
        command.arg(property("java.io.tmpdir", folder));
        command.arg(property("user.home", folder));
        if options.direct {
            command.arg("-Dretap.direct=true");
        }
        let coverage_socket = format!("retap-coverage-{:016x}", random_number());
        if let Some(mode) = options.coverage.library_mode() {
            command.arg(self.coverage_library(&coverage_socket, mode));
        }
        command
            .arg("-cp")
            .arg(self.class_path())
            .arg("dev.retap.jvmphone.Phone");
        command
            .arg(prepared)
            .arg(folder.join("data"))
            .arg(self.built.join("libretap_agent.so"));
        command.args(["--name", socket, "--folder"]).arg(folder);
        if options.coverage.library_mode().is_some() {
            command.args(["--coverage", &coverage_socket]);
        }
        command
    }

    /// The JVM's option that loads the library for methods and lines, for the app's own classes.
    fn coverage_library(&self, socket: &str, mode: &str) -> OsString {
        let mut option = OsString::from("-agentpath:");
        option.push(self.built.join(COVERAGE_LIBRARY));
        let left_out = LIBRARIES.join(":");
        option.push(format!(
            "=socket={socket},mode={mode},loader={APP_LOADER},leave={left_out}"
        ));
        option
    }

    /// Checks that the build has the library for methods and lines.
    pub fn check_coverage_library(&self) -> Result<(), JvmError> {
        let library = self.built.join(COVERAGE_LIBRARY);
        match library.is_file() {
            true => Ok(()),
            false => Err(JvmError::NoCoverageLibrary(library)),
        }
    }

    fn class_path(&self) -> OsString {
        let mut path = self.built.join("classes").into_os_string();
        for part in ["bootstrap", "lib/*"] {
            path.push(":");
            path.push(self.built.join(part));
        }
        path
    }
}

fn property(name: &str, value: &Path) -> OsString {
    let mut property = OsString::from(format!("-D{name}="));
    property.push(value);
    property
}

fn search_paths() -> Vec<PathBuf> {
    let named = std::env::var_os(JVM_PHONE_VARIABLE)
        .filter(|path| !path.is_empty())
        .map(PathBuf::from);
    let program = std::env::current_exe().ok();
    let beside = program
        .iter()
        .flat_map(|path| path.ancestors().skip(1).take(2))
        .map(|path| path.join("jvm-phone"));
    named.into_iter().chain(beside).collect()
}

/// The sample app, which is built where it is not there yet.
pub fn sample(cancellation: &CancellationToken) -> Result<PathBuf, JvmError> {
    let program = std::env::current_exe().ok();
    let beside = program
        .iter()
        .flat_map(|path| path.ancestors().skip(1).take(2));
    match beside
        .map(|path| path.join("sample-app.apk"))
        .find(|path| path.is_file())
    {
        Some(apk) => Ok(apk),
        None => run_build_script(BUILD_SAMPLE, &[], cancellation),
    }
}

fn build(cancellation: &CancellationToken) -> Result<PathBuf, JvmError> {
    run_build_script(
        BUILD,
        if cfg!(debug_assertions) {
            &["--debug"]
        } else {
            &[]
        },
        cancellation,
    )
}

/// Only where the sources are: an installed program has what it needs beside it. The script's last line is what it made.
fn run_build_script(
    name: &'static str,
    arguments: &[&str],
    cancellation: &CancellationToken,
) -> Result<PathBuf, JvmError> {
    for tool in ["javac", "mvn"] {
        program(tool)?;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    let run = |source| JvmError::Run {
        what: script.display().to_string(),
        source,
    };
    let mut command = Command::new(&script);
    command.args(arguments);
    // Beside this program, so that the next time finds it.
    if let Some(target) = std::env::current_exe()
        .ok()
        .as_deref()
        .and_then(|path| path.ancestors().nth(2))
    {
        command.env("CARGO_TARGET_DIR", target);
    }
    command.stderr(Stdio::inherit());
    let output = output_unless_cancelled(&mut command, cancellation).map_err(run)?;
    let output = output.ok_or(JvmError::Cancelled)?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().last() {
        Some(folder) if output.status.success() => Ok(PathBuf::from(folder)),
        _ => Err(JvmError::NotBuilt(name)),
    }
}

/// True if this machine can run JVM phones, as far as that can be seen without starting one.
pub fn has_java() -> bool {
    program("java").is_ok()
}

fn program(tool: &'static str) -> Result<PathBuf, JvmError> {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = home
        .into_iter()
        .chain(std::env::split_paths(&path))
        .collect();
    let found = folders
        .iter()
        .map(|folder| folder.join(tool))
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        let folders: Vec<_> = folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        JvmError::NoTool {
            tool,
            path: folders.join(", "),
        }
    })
}

fn cache() -> PathBuf {
    let home = || std::env::home_dir().map(|home| home.join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    cache
        .or_else(home)
        .unwrap_or_else(std::env::temp_dir)
        .join("retap")
        .join("apps")
}

/// Why a JVM did not come to the program: its first line that is no notice and no frame of a stack.
pub fn java_error_line(output: &str) -> String {
    let is_notice =
        |line: &str| line.starts_with("Picked up ") || line.starts_with("\tat ") || line.is_empty();
    output
        .lines()
        .find(|line| !is_notice(line))
        .unwrap_or("it did not say why")
        .trim()
        .to_owned()
}
