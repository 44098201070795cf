//! One activity on the back stack: the app's page, and the framework's state of it.

use std::hash::{Hash, Hasher};

use retap_shared::Text;

use super::environment::ActivityConfiguration;

#[derive(Clone)]
pub(super) struct ActivityRecord<P> {
    /// Number of the instance; messages are addressed to it.
    pub(super) instance: u32,
    pub(super) page: P,
    /// The configuration that it was created for.
    pub(super) created_for: ActivityConfiguration,
    /// Its process was ended since it was last in front.
    pub(super) process_lost: bool,
    pub(super) menu_open: bool,
    /// The id of the field that has the keyboard.
    pub(super) focus: Option<Text>,
    /// The focused field is still to be scrolled into view.
    pub(super) reveal: bool,
    /// Offsets of the lists that are not at their beginning.
    scrolls: Vec<(Text, i32)>,
}

impl<P> ActivityRecord<P> {
    pub(super) fn new(instance: u32, page: P, created_for: ActivityConfiguration) -> Self {
        ActivityRecord {
            instance,
            page,
            created_for,
            process_lost: false,
            menu_open: false,
            focus: None,
            reveal: false,
            scrolls: Vec::new(),
        }
    }

    pub(super) fn scrolls(&self) -> &[(Text, i32)] {
        &self.scrolls
    }

    pub(super) fn scroll(&mut self, id: Text, offset: i32) {
        self.scrolls.retain(|(scrolled, _)| *scrolled != id);
        if offset != 0 {
            self.scrolls.push((id, offset));
            self.scrolls.sort_unstable();
        }
    }

    /// It was destroyed and created again: after a rotation, or in a new process.
    pub(super) fn recreate(&mut self, created_for: ActivityConfiguration) {
        self.created_for = created_for;
        self.process_lost = false;
        self.menu_open = false;
        self.focus = None;
        self.scrolls.clear();
    }
}

/// Without the instance's number: how often something was opened before is no part of a state's identity.
impl<P: Hash> Hash for ActivityRecord<P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.page.hash(state);
        (
            self.created_for,
            self.process_lost,
            self.menu_open,
            &self.focus,
            &self.scrolls,
        )
            .hash(state);
    }
}
