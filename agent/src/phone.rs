//! What the request handlers need from a phone: one trait, its clock included.

use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::bytes::Png;
use retap_shared::micros::Micros;
use retap_shared::protocol::{
    AppInfo, Capabilities, PhoneEvent, PhoneInfo, RequestFailure, SnapshotId,
};
use retap_shared::screen::SharedScreen;
use retap_shared::trace::App;
use retap_shared::verdict::Interruption;

/// Takes the pixels and packs them; may block.
pub type ScreenshotTask = Box<dyn FnOnce() -> Result<Png, RequestFailure> + Send>;

/// A phone, synchronous. Time is the phone's own: on a simulator a number, on a phone the real clock.
pub trait Phone: Send {
    fn info(&self) -> PhoneInfo;
    fn capabilities(&self) -> Capabilities;
    fn apps(&mut self) -> Result<Vec<AppInfo>, PhoneError>;

    fn now(&self) -> Micros;
    fn sleep(&mut self, span: Micros);

    /// Injects one event and returns when the app has consumed it.
    fn inject(&mut self, action: &Action) -> Result<(), PhoneError>;
    /// When something on the screen last changed.
    fn last_change(&mut self) -> Micros;
    fn capture(&mut self) -> Result<SharedScreen, PhoneError>;
    /// How to get the pixels: taken on another thread, so that a tap does not wait for a picture.
    fn screenshot(&mut self) -> Result<ScreenshotTask, PhoneError> {
        Err(RequestFailure::Unsupported("take screenshots".into()).into())
    }

    fn launch(&mut self, app: &App) -> Result<(), PhoneError>;
    fn stop(&mut self, app: &App) -> Result<(), PhoneError>;
    fn clear_data(&mut self, app: &App) -> Result<(), PhoneError>;
    fn grant(&mut self, app: &App) -> Result<(), PhoneError>;

    /// Whose failures to report from now on; empty for every app's.
    fn watch(&mut self, package: &Text);
    /// Moves what has happened since the last call to the end of `into`, oldest first.
    fn take_events(&mut self, into: &mut Vec<PhoneEvent>);
    /// Moves the branches that ran since the last call to the end of `into`, in any order, repetitions allowed.
    fn take_branches(&mut self, into: &mut Vec<u32>);

    /// Returns its size in bytes too.
    fn save_snapshot(&mut self) -> Result<(SnapshotId, u64), PhoneError>;
    fn restore_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError>;
    fn discard_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError>;
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhoneError {
    #[error(transparent)]
    Failed(#[from] RequestFailure),
    /// The phone is gone: there will be no more answers.
    #[error(transparent)]
    Lost(#[from] Interruption),
}
