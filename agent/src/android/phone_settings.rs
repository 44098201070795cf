//! The phone's settings while the agent runs: animations off, display on, and the rotation, which steps change. The old
//! values are saved to a file first and restored on exit, or at the next start if the agent was killed. All through the
//! `settings` program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, io};

/// The settings that are applied: namespace, name, value.
const APPLIED_SETTINGS: [(&str, &str, &str); 4] = [
    ("global", "window_animation_scale", "0"),
    ("global", "transition_animation_scale", "0"),
    ("global", "animator_duration_scale", "0"),
    // On every kind of power supply.
    ("global", "stay_on_while_plugged_in", "7"),
];
/// Settings that `UiAutomation.setRotation` changes: namespace, name.
const CHANGED_BY_ROTATION: [(&str, &str); 2] = [
    ("system", "accelerometer_rotation"),
    ("system", "user_rotation"),
];
/// Output of `settings get` for a setting without a value.
const ABSENT: &str = "null";

/// Reads and writes one setting.
pub(crate) trait SettingStore {
    /// The value; `null` if it is not set.
    fn get(&self, namespace: &str, name: &str) -> io::Result<String>;
    fn put(&self, namespace: &str, name: &str, value: &str) -> io::Result<()>;
    fn delete(&self, namespace: &str, name: &str) -> io::Result<()>;
}

/// The old settings, until they are restored.
pub(crate) struct PhoneSettings<S: SettingStore> {
    store: S,
    saved: PathBuf,
}

impl<S: SettingStore> PhoneSettings<S> {
    /// Restores the settings that a killed agent has changed. To be called before anything looks at the phone: the frozen
    /// rotation of a killed agent would be taken for the user's.
    pub(crate) fn recover(store: S, folder: &Path) -> io::Result<Self> {
        let settings = PhoneSettings {
            store,
            saved: folder.join("settings.saved"),
        };
        settings.restore()?;
        Ok(settings)
    }

    /// Saves the current settings, and changes them. A setting that the phone refuses to change is only logged.
    pub(crate) fn apply(&self) -> io::Result<()> {
        let mut lines = String::new();
        let applied = APPLIED_SETTINGS.map(|(namespace, name, _)| (namespace, name));
        for (namespace, name) in applied.into_iter().chain(CHANGED_BY_ROTATION) {
            let value = self.store.get(namespace, name)?;
            lines.push_str(&format!("{namespace} {name} {}\n", value.trim()));
        }
        let written = self.saved.with_extension("new");
        std::fs::write(&written, lines)?;
        std::fs::File::open(&written)?.sync_all()?;
        std::fs::rename(&written, &self.saved)?;
        for (namespace, name, value) in APPLIED_SETTINGS {
            if let Err(error) = self.store.put(namespace, name, value) {
                tracing::warn!(%error, name, "could not change a setting of the phone");
            }
        }
        Ok(())
    }

    /// Restores the saved settings, if there are any. The file is deleted last: until then the next start tries again. One
    /// that the phone refuses does not keep the others from being restored.
    pub(crate) fn restore(&self) -> io::Result<()> {
        let lines = match std::fs::read_to_string(&self.saved) {
            Ok(lines) => lines,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut last_error = None;
        for line in lines.lines() {
            let restored = match *line.splitn(3, ' ').collect::<Vec<_>>() {
                [namespace, name, ABSENT] => self.store.delete(namespace, name),
                [namespace, name, value] => self.store.put(namespace, name, value),
                _ => {
                    tracing::warn!(line, "could not read a saved setting");
                    Ok(())
                }
            };
            last_error = restored.err().or(last_error);
        }
        last_error.map_or_else(|| std::fs::remove_file(&self.saved), Err)
    }
}

impl<S: SettingStore> fmt::Debug for PhoneSettings<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhoneSettings")
            .field("saved", &self.saved)
            .finish_non_exhaustive()
    }
}

/// The phone's `settings` program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettingsProgram {
    pub(crate) user: i32,
}

impl SettingsProgram {
    fn run(self, arguments: &[&str]) -> io::Result<String> {
        let user = self.user.to_string();
        let output = Command::new("settings")
            .args(["--user", &user])
            .args(arguments)
            .output()?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let message = String::from_utf8_lossy(&output.stderr);
        Err(io::Error::other(format!(
            "`settings {}` failed: {}",
            arguments.join(" "),
            message.trim()
        )))
    }
}

impl SettingStore for SettingsProgram {
    fn get(&self, namespace: &str, name: &str) -> io::Result<String> {
        self.run(&["get", namespace, name])
    }

    fn put(&self, namespace: &str, name: &str, value: &str) -> io::Result<()> {
        self.run(&["put", namespace, name, value]).map(drop)
    }

    fn delete(&self, namespace: &str, name: &str) -> io::Result<()> {
        self.run(&["delete", namespace, name]).map(drop)
    }
}

#[cfg(test)]
mod tests;
