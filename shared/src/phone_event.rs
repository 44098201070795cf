//! Events of the app under test that the phone reports: in a reply if a request was being handled, as a notification
//! otherwise.

use serde::{Deserialize, Serialize};

use crate::Text;
use crate::finding::Finding;
use crate::micros::Micros;

/// An event with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhoneEvent {
    /// Phone time of the event.
    pub at: Micros,
    /// The event itself.
    pub kind: PhoneEventKind,
}

/// An event of the app under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PhoneEventKind {
    /// The app failed.
    Finding(Finding),
    /// Another activity is in front, as `package/class`.
    Activity(Text),
}
