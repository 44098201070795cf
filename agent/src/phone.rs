//! The interface between the handlers and a phone, its clock included.

use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::bytes::Png;
use retap_shared::connection::RequestError;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{
    AppInfo, Capabilities, ReadLog, ReadLogReply, RequestFailure, SnapshotId,
};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::App;
use retap_shared::verdict::Interruption;

/// Takes a screenshot; may block.
pub type ScreenshotTask = Box<dyn FnOnce() -> Result<Png, RequestFailure> + Send>;

/// A phone with blocking calls. Phone time is a number on a simulated phone and the real clock on others.
pub trait Phone: Send {
    /// The phone's properties.
    fn info(&self) -> PhoneInfo;
    /// The phone's capabilities.
    fn capabilities(&self) -> Capabilities;
    /// The apps that can be tested.
    fn apps(&mut self) -> Result<Vec<AppInfo>, PhoneError>;

    /// Phone time.
    fn now(&self) -> Micros;
    /// Waits in phone time.
    fn sleep(&mut self, span: Micros);

    /// Injects one event and returns when the app has consumed it.
    fn inject(&mut self, action: &Action) -> Result<(), PhoneError>;
    /// Phone time of the last change on the screen.
    fn last_change(&mut self) -> Micros;
    /// Captures the screen.
    fn capture(&mut self) -> Result<SharedScreen, PhoneError>;
    /// A task that takes a screenshot. It runs on another thread, so that a tap does not wait for it.
    fn screenshot(&mut self) -> Result<ScreenshotTask, PhoneError> {
        Err(RequestFailure::Unsupported("take screenshots".into()).into())
    }

    /// Switches the display on and dismisses a lock screen without a secret. Returns true if the display was off or locked;
    /// fails if it stays so. A phone that never sleeps does nothing.
    fn wake(&mut self) -> Result<bool, PhoneError> {
        Ok(false)
    }
    /// What is in front instead of a window of the app in front. A phone that starts apps at once has nothing there.
    fn obstacle(&mut self, _app: &App) -> Result<Option<Obstacle>, PhoneError> {
        Ok(None)
    }

    /// Launches the app.
    fn launch(&mut self, app: &App) -> Result<(), PhoneError>;
    /// Stops all processes of the app.
    fn stop(&mut self, app: &App) -> Result<(), PhoneError>;
    /// Clears the app's data.
    fn clear_data(&mut self, app: &App) -> Result<(), PhoneError>;
    /// Grants every runtime permission that the app declares.
    fn grant(&mut self, app: &App) -> Result<(), PhoneError>;

    /// Reports events of this package only from now on; empty for every app.
    fn watch(&mut self, package: &Text);
    /// Moves the events since the last call to the end of `into`, oldest first.
    fn take_events(&mut self, into: &mut Vec<PhoneEvent>);
    /// Moves the branches that ran since the last call to the end of `into`, in any order, repetitions allowed.
    fn take_branches(&mut self, into: &mut Vec<u32>);

    /// The log of the watched app since its last launch. Empty where there is none.
    fn read_log(&mut self, _wanted: ReadLog) -> Result<ReadLogReply, PhoneError> {
        Ok(ReadLogReply::default())
    }

    /// Saves a snapshot and returns its size in bytes.
    fn save_snapshot(&mut self) -> Result<(SnapshotId, u64), PhoneError>;
    /// Returns to a snapshot and returns its size in bytes.
    fn restore_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError>;
    /// Deletes a snapshot and returns its size in bytes.
    fn discard_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError>;
}

/// Why a call of a phone failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhoneError {
    /// The call failed, but the phone works.
    #[error(transparent)]
    Failed(#[from] RequestFailure),
    /// The phone is lost: no further call will succeed.
    #[error(transparent)]
    Lost(#[from] Interruption),
}

impl From<PhoneError> for RequestError {
    fn from(error: PhoneError) -> Self {
        match error {
            PhoneError::Failed(failure) => RequestError::Failed(failure),
            PhoneError::Lost(interruption) => RequestError::Interrupted(interruption),
        }
    }
}
