//! The settings are restored, even if the agent was killed.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::*;

#[derive(Default)]
struct MemorySettings(RefCell<BTreeMap<String, String>>);

impl SettingStore for &MemorySettings {
    fn get(&self, _: &str, name: &str) -> io::Result<String> {
        Ok(self
            .0
            .borrow()
            .get(name)
            .map_or("null\n".to_owned(), |value| format!("{value}\n")))
    }

    fn put(&self, _: &str, name: &str, value: &str) -> io::Result<()> {
        self.0
            .borrow_mut()
            .insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn delete(&self, _: &str, name: &str) -> io::Result<()> {
        self.0.borrow_mut().remove(name);
        Ok(())
    }
}

fn settings_of_a_user() -> MemorySettings {
    let memory = MemorySettings::default();
    (&memory)
        .put("global", "window_animation_scale", "1.5")
        .unwrap();
    memory
}

#[test]
fn old_values_are_restored_and_new_settings_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let memory = settings_of_a_user();
    let before = memory.0.borrow().clone();
    let settings = PhoneSettings::apply(&memory, folder.path()).unwrap();
    assert_eq!(
        memory.0.borrow().get("window_animation_scale").unwrap(),
        "0"
    );
    assert_eq!(memory.0.borrow().len(), APPLIED_SETTINGS.len());
    settings.restore().unwrap();
    assert_eq!(*memory.0.borrow(), before);
}

#[test]
fn the_settings_of_a_killed_agent_are_restored_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let memory = settings_of_a_user();
    let before = memory.0.borrow().clone();
    drop(PhoneSettings::apply(&memory, folder.path()).unwrap());
    let next = PhoneSettings::apply(&memory, folder.path()).unwrap();
    next.restore().unwrap();
    assert_eq!(*memory.0.borrow(), before);
}

#[test]
fn malformed_lines_of_the_file_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let memory = settings_of_a_user();
    std::fs::write(
        folder.path().join("settings.saved"),
        "\nglobal\nglobal window_animation_scale 2\n",
    )
    .unwrap();
    let settings = PhoneSettings::apply(&memory, folder.path()).unwrap();
    settings.restore().unwrap();
    assert_eq!(
        memory.0.borrow().get("window_animation_scale").unwrap(),
        "2"
    );
    assert_eq!(memory.0.borrow().len(), 1);
}
