//! An app's data as a tar file: written and read by the app itself (`run-as`, which debuggable apps allow) or by root,
//! whichever this phone can do. What the app keeps elsewhere (accounts, keystore, servers) stays as it is.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use retap_shared::Text;
use retap_shared::protocol::{RequestFailure, SnapshotId};

use super::program;

/// A program that asks the person at the phone whether root may be had is not waited for longer.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// For tar, on a slow phone with much data.
const TAR_TIMEOUT: Duration = Duration::from_secs(120);
/// Of the system's making, or not worth keeping.
const EXCLUDED: [&str; 3] = ["lib", "cache", "code_cache"];

#[derive(Debug)]
pub(crate) struct AppDataSnapshots {
    folder: PathBuf,
    user: i32,
    run_as: OsString,
    su: OsString,
    data: PathBuf,
    access: BTreeMap<Text, Option<DataAccess>>,
    snapshots: BTreeMap<u32, AppDataSnapshot>,
    last_id: u32,
}

#[derive(Clone, Debug)]
struct AppDataSnapshot {
    package: Text,
    bytes: u64,
}

/// How an app's files are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataAccess {
    RunAs,
    /// This process is root's own.
    Root,
    /// `su 0 COMMAND`, as Android's own builds for developers have it.
    Su,
    /// `su -c SCRIPT`, as those have it that came later.
    SuScript,
}

impl AppDataSnapshots {
    /// What an agent that was killed has left in the folder goes.
    pub(crate) fn new(folder: &Path, user: i32) -> AppDataSnapshots {
        let folder = folder.join("checkpoints");
        let _ = std::fs::remove_dir_all(&folder);
        let data = PathBuf::from(format!("/data/user/{user}"));
        let run_as = "run-as".into();
        let su = "su".into();
        AppDataSnapshots {
            folder,
            user,
            run_as,
            su,
            data,
            access: BTreeMap::new(),
            snapshots: BTreeMap::new(),
            last_id: 0,
        }
    }

    /// The app must not run.
    pub(crate) fn save(&mut self, package: &Text) -> Result<(SnapshotId, u64), RequestFailure> {
        let way = self.require_access(package)?;
        let left_alone: String = EXCLUDED
            .iter()
            .map(|name| format!(" --exclude=./{name}"))
            .collect();
        let script = format!("tar -cf -{left_alone} .");
        std::fs::create_dir_all(&self.folder).map_err(|error| self.failed(&error))?;
        let id = self.last_id + 1;
        let file = File::create(self.file(id)).map_err(|error| self.failed(&error))?;
        if let Err(error) = self.run(
            way,
            package,
            &script,
            Stdio::null(),
            file.into(),
            TAR_TIMEOUT,
        ) {
            let _ = std::fs::remove_file(self.file(id));
            return Err(self.failed(&error));
        }
        let bytes = std::fs::metadata(self.file(id))
            .map_err(|error| self.failed(&error))?
            .len();
        self.last_id = id;
        self.snapshots.insert(
            id,
            AppDataSnapshot {
                package: package.clone(),
                bytes,
            },
        );
        Ok((SnapshotId(id), bytes))
    }

    /// The app must not run. Whatever it has now is gone after this.
    pub(crate) fn restore(
        &mut self,
        package: &Text,
        id: SnapshotId,
    ) -> Result<u64, RequestFailure> {
        let AppDataSnapshot { package: of, bytes } = self.snapshot(id)?.clone();
        if of != *package {
            return Err(RequestFailure::Impossible(format!(
                "checkpoint {} is of `{of}`, not of `{package}`",
                id.0
            )));
        }
        let way = self.require_access(package)?;
        let kept = EXCLUDED.join("|");
        // Files that root has written would otherwise not be the app's to SELinux.
        let label = if way == DataAccess::RunAs {
            ""
        } else {
            " && { restorecon -R . 2>/dev/null || true; }"
        };
        let script = format!(
            "for each in * .[!.]*; do case \"$each\" in {kept}) ;; *) rm -rf \"./$each\" || exit 1 ;; esac; done; \
             tar -xpf -{label}"
        );
        let file = File::open(self.file(id.0)).map_err(|error| self.failed(&error))?;
        self.run(
            way,
            package,
            &script,
            file.into(),
            Stdio::null(),
            TAR_TIMEOUT,
        )
        .map_err(|error| self.failed(&error))?;
        Ok(bytes)
    }

    pub(crate) fn discard(&mut self, id: SnapshotId) -> Result<u64, RequestFailure> {
        let bytes = self.snapshot(id)?.bytes;
        std::fs::remove_file(self.file(id.0)).map_err(|error| self.failed(&error))?;
        self.snapshots.remove(&id.0);
        Ok(bytes)
    }

    fn snapshot(&self, id: SnapshotId) -> Result<&AppDataSnapshot, RequestFailure> {
        let unknown = || RequestFailure::Impossible(format!("there is no checkpoint {}", id.0));
        self.snapshots.get(&id.0).ok_or_else(unknown)
    }

    fn file(&self, id: u32) -> PathBuf {
        self.folder.join(format!("{id}.tar"))
    }

    fn failed(&self, error: &io::Error) -> RequestFailure {
        RequestFailure::Phone(format!(
            "the app's data could not be packed or unpacked: {error}"
        ))
    }

    fn require_access(&mut self, package: &Text) -> Result<DataAccess, RequestFailure> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        if package.is_empty() || !package.chars().all(is_name) {
            return Err(RequestFailure::Impossible(format!(
                "`{package}` is no app whose data could be saved"
            )));
        }
        let none = "save the app's data: the app is not debuggable, and there is no root";
        self.find_access(package)
            .ok_or_else(|| RequestFailure::Unsupported(none.to_owned()))
    }

    /// Tried once for each app.
    fn find_access(&mut self, package: &Text) -> Option<DataAccess> {
        if let Some(known) = self.access.get(package) {
            return *known;
        }
        let ways = [
            DataAccess::RunAs,
            DataAccess::Su,
            DataAccess::SuScript,
            DataAccess::Root,
        ];
        let way = ways.into_iter().find(|way| self.can_access(*way, package));
        self.access.insert(package.clone(), way);
        way
    }

    fn can_access(&self, way: DataAccess, package: &Text) -> bool {
        self.run(
            way,
            package,
            "[ -r . ]",
            Stdio::null(),
            Stdio::null(),
            PROBE_TIMEOUT,
        )
        .is_ok()
    }

    /// `run-as` begins in the app's folder by itself, and only it knows where that is.
    fn command(&self, way: DataAccess, package: &Text, script: &str) -> Command {
        let there = format!(
            "cd {} && {{ {script}; }}",
            self.data.join(package.as_str()).display()
        );
        let mut command = match way {
            DataAccess::RunAs => Command::new(&self.run_as),
            DataAccess::Root => Command::new("sh"),
            DataAccess::Su | DataAccess::SuScript => Command::new(&self.su),
        };
        match way {
            DataAccess::RunAs if self.user == 0 => {
                command.args([package.as_str(), "sh", "-c", script])
            }
            DataAccess::RunAs => command.args([
                package.as_str(),
                "--user",
                &self.user.to_string(),
                "sh",
                "-c",
                script,
            ]),
            DataAccess::Su => command.args(["0", "sh", "-c", &there]),
            DataAccess::Root | DataAccess::SuScript => command.args(["-c", &there]),
        };
        command
    }

    fn run(
        &self,
        way: DataAccess,
        package: &Text,
        script: &str,
        input: Stdio,
        output: Stdio,
        limit: Duration,
    ) -> io::Result<()> {
        let mut command = self.command(way, package, script);
        let mut child = command
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::piped())
            .spawn()?;
        let status = program::wait(&mut child, limit)?;
        if status.success() {
            return Ok(());
        }
        let mut told = String::new();
        if let Some(stderr) = child.stderr.take() {
            stderr.take(1_000).read_to_string(&mut told)?;
        }
        Err(io::Error::other(format!("{status}: {}", told.trim())))
    }
}

impl Drop for AppDataSnapshots {
    /// Checkpoints are of one session.
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests;
