//! The environment of an app: the phone's rotation, language and network.

use retap_shared::Text;
use retap_shared::geometry::Rotation;

use super::ui::is_landscape;

/// The language that a phone starts with.
pub(crate) const LANGUAGE: &str = "en-US";

#[derive(Clone, Debug, Hash)]
pub(super) struct PhoneEnvironment {
    pub(super) rotation: Rotation,
    pub(super) offline: bool,
    pub(super) language: Text,
}

/// The configuration of an activity. When it changes, the activity is created again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ActivityConfiguration {
    pub(super) landscape: bool,
    /// Another language than the phone started with.
    pub(super) foreign: bool,
}

impl PhoneEnvironment {
    pub(super) fn configuration(&self) -> ActivityConfiguration {
        ActivityConfiguration {
            landscape: is_landscape(self.rotation),
            foreign: self.language != LANGUAGE,
        }
    }
}

impl Default for PhoneEnvironment {
    fn default() -> PhoneEnvironment {
        PhoneEnvironment {
            rotation: Rotation::Natural,
            offline: false,
            language: Text::new_static(LANGUAGE),
        }
    }
}
