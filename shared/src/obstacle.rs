//! What keeps an app from being seen and driven: a dark or locked display, or something else in front of it.

use serde::{Deserialize, Serialize};

use crate::Text;

/// What is in the way of the app under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Obstacle {
    /// The display is off. Events that are injected then are lost without an error.
    #[error("the display was off: see what switches it off, and keep the phone on its charger")]
    DisplayOff,
    /// A lock screen that only a person can open.
    #[error(
        "the phone is locked with a PIN, a pattern or a password: unlock it, and set its screen lock to none or swipe"
    )]
    LockScreen,
    /// The launcher is in front, although the app was started.
    #[error(
        "the app was started, but the launcher is in front: start it by hand, and see whether it ends itself"
    )]
    Launcher,
    /// A dialog of the system about an app that has failed.
    #[error(
        "the app was started, but a dialog about a failed app is in front: close it on the phone"
    )]
    FailureDialog,
    /// The system asks for a permission.
    #[error("the app was started, but a permission dialog is in front")]
    PermissionDialog,
    /// The app is in front and has no window with content.
    #[error(
        "the app was started, but has not shown a window in time: see whether its splash screen ever ends"
    )]
    NoWindow,
    /// Another app is in front.
    #[error("the app was started, but `{0}` is in front")]
    OtherApp(Text),
}
