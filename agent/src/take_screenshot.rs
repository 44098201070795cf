//! Handler of `TakeScreenshot`: the picture is taken on another thread, so that a tap does not wait for it.

use std::fmt;

use retap_shared::protocol::{RequestFailure, TakeScreenshotReply};

use crate::handlers::Handlers;
use crate::phone::{PhoneError, ScreenshotTask};

/// A screenshot that has not been taken yet.
pub(crate) struct PendingScreenshot(ScreenshotTask);

impl Handlers {
    pub(crate) fn pending_screenshot(&mut self) -> Result<PendingScreenshot, PhoneError> {
        Ok(PendingScreenshot(self.phone.screenshot()?))
    }
}

impl PendingScreenshot {
    /// Takes the screenshot; may block.
    pub(crate) fn take(self) -> Result<TakeScreenshotReply, RequestFailure> {
        Ok(TakeScreenshotReply {
            picture: (self.0)()?,
        })
    }
}

impl fmt::Debug for PendingScreenshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingScreenshot").finish_non_exhaustive()
    }
}
