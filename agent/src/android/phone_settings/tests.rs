//! The settings are restored, even if the agent was killed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::*;

/// Settings by name, and the name of one that cannot be changed.
#[derive(Default)]
struct MemorySettings(
    RefCell<BTreeMap<String, String>>,
    Cell<Option<&'static str>>,
);

impl MemorySettings {
    fn check(&self, name: &str) -> io::Result<()> {
        match self.1.get() {
            Some(refused) if refused == name => Err(io::ErrorKind::PermissionDenied.into()),
            _ => Ok(()),
        }
    }
}

impl SettingStore for &MemorySettings {
    fn get(&self, _: &str, name: &str) -> io::Result<String> {
        Ok(self
            .0
            .borrow()
            .get(name)
            .map_or("null\n".to_owned(), |value| format!("{value}\n")))
    }

    fn put(&self, _: &str, name: &str, value: &str) -> io::Result<()> {
        self.check(name)?;
        self.0
            .borrow_mut()
            .insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn delete(&self, _: &str, name: &str) -> io::Result<()> {
        self.check(name)?;
        self.0.borrow_mut().remove(name);
        Ok(())
    }
}

fn settings_of_a_user() -> MemorySettings {
    let memory = MemorySettings::default();
    for (name, value) in [
        ("window_animation_scale", "1.5"),
        ("accelerometer_rotation", "1"),
    ] {
        memory.0.borrow_mut().insert(name.into(), value.into());
    }
    memory
}

/// The settings of an agent at its start.
fn applied<'m>(memory: &'m MemorySettings, folder: &Path) -> PhoneSettings<&'m MemorySettings> {
    let settings = PhoneSettings::recover(memory, folder).unwrap();
    settings.apply().unwrap();
    settings
}

/// As `UiAutomation.setRotation` does.
fn freeze_rotation(store: &MemorySettings) {
    (&store)
        .put("system", "accelerometer_rotation", "0")
        .unwrap();
    (&store).put("system", "user_rotation", "1").unwrap();
}

#[test]
fn old_values_are_restored_and_new_settings_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let memory = settings_of_a_user();
    let before = memory.0.borrow().clone();
    let settings = applied(&memory, folder.path());
    assert_eq!(
        memory.0.borrow().get("window_animation_scale").unwrap(),
        "0"
    );
    assert_eq!(memory.0.borrow().len(), APPLIED_SETTINGS.len() + 1);
    settings.restore().unwrap();
    assert_eq!(*memory.0.borrow(), before);
}

#[test]
fn the_settings_and_the_rotation_of_a_killed_agent_are_restored_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let memory = settings_of_a_user();
    let before = memory.0.borrow().clone();
    drop(applied(&memory, folder.path()));
    freeze_rotation(&memory);
    let next = PhoneSettings::recover(&memory, folder.path()).unwrap();
    assert_eq!(*memory.0.borrow(), before);
    next.apply().unwrap();
    freeze_rotation(&memory);
    next.restore().unwrap();
    assert_eq!(*memory.0.borrow(), before);
}

#[test]
fn a_setting_that_the_phone_refuses_does_not_keep_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let memory = settings_of_a_user();
    let before = memory.0.borrow().clone();
    memory.1.set(Some("transition_animation_scale"));
    let settings = applied(&memory, folder.path());
    let scale = memory.0.borrow().get("animator_duration_scale").cloned();
    assert_eq!(scale.as_deref(), Some("0"));
    settings.restore().unwrap_err();
    assert_eq!(*memory.0.borrow(), before);
    memory.1.set(None);
    PhoneSettings::recover(&memory, folder.path()).unwrap();
    assert!(!folder.path().join("settings.saved").exists());
}

#[test]
fn malformed_lines_of_the_file_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemorySettings::default();
    std::fs::write(
        folder.path().join("settings.saved"),
        "\nglobal\nglobal window_animation_scale 2\n",
    )
    .unwrap();
    PhoneSettings::recover(&memory, folder.path()).unwrap();
    assert_eq!(
        memory.0.borrow().get("window_animation_scale").unwrap(),
        "2"
    );
    assert_eq!(memory.0.borrow().len(), 1);
}
