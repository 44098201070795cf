//! Description of the phone that a trace was recorded on.

use serde::{Deserialize, Serialize};

use crate::Text;
use crate::geometry::{Rotation, Size};

/// The properties of a phone that a trace records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PhoneInfo {
    /// `simulated`, `jvm` or `android`.
    pub kind: Text,
    /// The model's name, such as `Pixel 8`.
    pub model: Text,
    /// `Build.VERSION.SDK_INT`.
    pub api_level: u32,
    /// The number of the display.
    pub display: u32,
    /// The display's size in its current rotation.
    pub size: Size,
    /// Dots per inch.
    pub density: u32,
    /// The display's rotation.
    pub rotation: Rotation,
    /// The posture of a foldable phone; empty if it has none.
    pub posture: Text,
    /// Language tag such as `en-US`.
    pub locale: Text,
    /// Percent.
    pub font_scale: u32,
    /// True if dark mode is on.
    pub dark_mode: bool,
}
