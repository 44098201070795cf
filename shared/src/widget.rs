//! A node as a person would name it. `screen` finds the node again.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Text;

/// The widget that an action was meant for, as it looked when the action was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Widget {
    /// Resource id such as `com.example:id/save`; empty if it has none.
    pub id: Text,
    /// Its text, or its description if it has no text.
    pub text: Text,
    /// Java class such as `android.widget.Button`.
    pub class: Text,
    /// Child numbers from the window's root: `0.2.1`.
    pub path: Text,
}

impl fmt::Display for Widget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self
            .class
            .rsplit('.')
            .next()
            .filter(|class| !class.is_empty())
            .unwrap_or("widget");
        let id = self.id.rsplit('/').next().unwrap_or_default();
        match (self.text.is_empty(), id.is_empty()) {
            (false, _) => write!(f, "{class} {:?}", self.text),
            (true, false) => write!(f, "{class} #{id}"),
            (true, true) => write!(f, "{class} at {}", self.path),
        }
    }
}
