//! App-data snapshots: tar files of an app's data, written and read as the app (`run-as`, for debuggable apps) or as root.
//! Data that the app keeps elsewhere (accounts, keystore, servers) is not part of a snapshot.

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

/// Timeout of a probe: `su` may wait for a person to allow it.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of tar, for a slow phone with much data.
const TAR_TIMEOUT: Duration = Duration::from_secs(120);
/// Folders that belong to the system or hold caches.
const EXCLUDED: [&str; 3] = ["lib", "cache", "code_cache"];

/// A shell function that prints an option for each socket and pipe of a folder, so that tar leaves it out. Android's tar fails
/// on them, and they are of no use without the process that made them. A name that is a pattern might leave out other files.
const SPECIAL_FILES: &str = "special() { for each in \"$1\"/* \"$1\"/.[!.]*; do \
     if [ -L \"$each\" ]; then :; elif [ -d \"$each\" ]; then special \"$each\"; \
     elif [ -S \"$each\" ] || [ -p \"$each\" ]; then \
     case \"$each\" in *[*?[\\\\]*) ;; *) echo \"--exclude=$each\" ;; esac; fi; done; }";

/// The app-data snapshots of one session.
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

/// The user that reads and writes an app's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataAccess {
    /// The app itself, through `run-as`.
    RunAs,
    /// This process, which is root's.
    Root,
    /// Root, through `su 0 COMMAND` of Android's builds for developers.
    Su,
    /// Root, through `su -c SCRIPT` of other tools.
    SuScript,
}

impl AppDataSnapshots {
    /// Deletes the snapshots of an agent that was killed.
    pub(crate) fn new(folder: &Path, user: i32) -> AppDataSnapshots {
        let folder = folder.join("snapshots");
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

    /// Saves the data of an app that is not running.
    pub(crate) fn save(&mut self, package: &Text) -> Result<(SnapshotId, u64), RequestFailure> {
        let access = self.require_access(package)?;
        let excluded: String = EXCLUDED
            .iter()
            .map(|name| format!(" --exclude=./{name}"))
            .collect();
        let script = format!(
            "{SPECIAL_FILES}; newline='\n'; IFS=\"$newline\"; set -f; tar -cf -{excluded} $(set +f; special .) ."
        );
        std::fs::create_dir_all(&self.folder).map_err(|error| self.failed(&error))?;
        let id = self.last_id + 1;
        let file = File::create(self.file(id)).map_err(|error| self.failed(&error))?;
        if let Err(error) = self.run(
            access,
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

    /// Replaces the data of an app that is not running.
    pub(crate) fn restore(
        &mut self,
        package: &Text,
        id: SnapshotId,
    ) -> Result<u64, RequestFailure> {
        let AppDataSnapshot {
            package: owner,
            bytes,
        } = self.snapshot(id)?.clone();
        if owner != *package {
            return Err(RequestFailure::Impossible(format!(
                "snapshot {} belongs to `{owner}`, not to `{package}`",
                id.0
            )));
        }
        let access = self.require_access(package)?;
        let kept = EXCLUDED.join("|");
        // SELinux does not let the app read files that root has written without their labels.
        let label = if access == DataAccess::RunAs {
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
            access,
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
        let unknown = || RequestFailure::Impossible(format!("there is no snapshot {}", id.0));
        self.snapshots.get(&id.0).ok_or_else(unknown)
    }

    fn file(&self, id: u32) -> PathBuf {
        self.folder.join(format!("{id}.tar"))
    }

    fn failed(&self, error: &io::Error) -> RequestFailure {
        RequestFailure::Phone(format!("could not save or restore the app's data: {error}"))
    }

    fn require_access(&mut self, package: &Text) -> Result<DataAccess, RequestFailure> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        if package.is_empty() || !package.chars().all(is_name) {
            return Err(RequestFailure::Impossible(format!(
                "`{package}` is not the package of an app"
            )));
        }
        let none = "save the app's data: the app is not debuggable, and there is no root";
        self.find_access(package)
            .ok_or_else(|| RequestFailure::Unsupported(none.to_owned()))
    }

    /// Probes each access once per app.
    fn find_access(&mut self, package: &Text) -> Option<DataAccess> {
        if let Some(known) = self.access.get(package) {
            return *known;
        }
        let candidates = [
            DataAccess::RunAs,
            DataAccess::Su,
            DataAccess::SuScript,
            DataAccess::Root,
        ];
        let access = candidates
            .into_iter()
            .find(|access| self.can_access(*access, package));
        self.access.insert(package.clone(), access);
        access
    }

    fn can_access(&self, access: DataAccess, package: &Text) -> bool {
        self.run(
            access,
            package,
            "[ -r . ]",
            Stdio::null(),
            Stdio::null(),
            PROBE_TIMEOUT,
        )
        .is_ok()
    }

    /// The command that runs a script in the app's folder. `run-as` starts there by itself.
    fn command(&self, access: DataAccess, package: &Text, script: &str) -> Command {
        let in_folder = format!(
            "cd {} && {{ {script}; }}",
            self.data.join(package.as_str()).display()
        );
        let mut command = match access {
            DataAccess::RunAs => Command::new(&self.run_as),
            DataAccess::Root => Command::new("sh"),
            DataAccess::Su | DataAccess::SuScript => Command::new(&self.su),
        };
        match access {
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
            DataAccess::Su => command.args(["0", "sh", "-c", &in_folder]),
            DataAccess::Root | DataAccess::SuScript => command.args(["-c", &in_folder]),
        };
        command
    }

    fn run(
        &self,
        access: DataAccess,
        package: &Text,
        script: &str,
        input: Stdio,
        output: Stdio,
        limit: Duration,
    ) -> io::Result<()> {
        let mut command = self.command(access, package, script);
        let mut child = command
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::piped())
            .spawn()?;
        let status = program::wait(&mut child, limit)?;
        if status.success() {
            return Ok(());
        }
        let mut message = String::new();
        if let Some(stderr) = child.stderr.take() {
            stderr.take(1_000).read_to_string(&mut message)?;
        }
        Err(io::Error::other(format!("{status}: {}", message.trim())))
    }
}

impl Drop for AppDataSnapshots {
    /// Deletes the snapshots, which belong to one session.
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests;
