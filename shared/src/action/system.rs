//! What comes upon an app without a finger, and which of it a phone can do.

use std::fmt;

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

use crate::Text;

/// What comes upon an app from the system. What it changes lasts until the app is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum System {
    /// Somebody calls: the phone's own screen for it takes the front.
    Call,
    /// The network is gone.
    Offline,
    /// It is back.
    Online,
    /// Memory is short: an app in front is told so, one that is not in front loses its process.
    LowMemory,
    /// Another language, by its tag, such as `ar`.
    Locale(Text),
    /// Somebody sends a text message.
    Message,
    /// A broadcast to the app, by its action, such as `android.intent.action.MEDIA_BUTTON`.
    Broadcast(Text),
    /// Another time zone, by its id, such as `Asia/Kathmandu`.
    TimeZone(Text),
    /// The phone sleeps as if it lay unused: no network, no jobs, no alarms for the app.
    Doze,
    /// It is used again.
    Wake,
}

bitflags! {
    /// Kinds of system events, whatever language, broadcast or time zone they name.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct SystemKinds: u16 {
        const CALL = 1;
        const OFFLINE = 1 << 1;
        const ONLINE = 1 << 2;
        const LOW_MEMORY = 1 << 3;
        const LOCALE = 1 << 4;
        const MESSAGE = 1 << 5;
        const BROADCAST = 1 << 6;
        const TIME_ZONE = 1 << 7;
        const DOZE = 1 << 8;
        const WAKE = 1 << 9;
        /// What every simulated phone can do.
        const SIMULATED = Self::CALL.bits()
            | Self::OFFLINE.bits()
            | Self::ONLINE.bits()
            | Self::LOW_MEMORY.bits()
            | Self::LOCALE.bits();
    }
}

impl System {
    pub fn kind(&self) -> SystemKinds {
        match self {
            System::Call => SystemKinds::CALL,
            System::Offline => SystemKinds::OFFLINE,
            System::Online => SystemKinds::ONLINE,
            System::LowMemory => SystemKinds::LOW_MEMORY,
            System::Locale(_) => SystemKinds::LOCALE,
            System::Message => SystemKinds::MESSAGE,
            System::Broadcast(_) => SystemKinds::BROADCAST,
            System::TimeZone(_) => SystemKinds::TIME_ZONE,
            System::Doze => SystemKinds::DOZE,
            System::Wake => SystemKinds::WAKE,
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            System::Call => f.write_str("a call comes in"),
            System::Offline => f.write_str("the network goes"),
            System::Online => f.write_str("the network comes back"),
            System::LowMemory => f.write_str("memory runs short"),
            System::Locale(tag) => write!(f, "switch the language to {tag}"),
            System::Message => f.write_str("a text message comes in"),
            System::Broadcast(action) => write!(f, "the broadcast {action} comes"),
            System::TimeZone(id) => write!(f, "switch the time zone to {id}"),
            System::Doze => f.write_str("the phone dozes off"),
            System::Wake => f.write_str("the phone wakes up"),
        }
    }
}

impl SystemKinds {
    const NAMES: [(SystemKinds, &str); 10] = [
        (SystemKinds::CALL, "calls"),
        (SystemKinds::OFFLINE, "the network gone"),
        (SystemKinds::ONLINE, "the network back"),
        (SystemKinds::LOW_MEMORY, "short memory"),
        (SystemKinds::LOCALE, "another language"),
        (SystemKinds::MESSAGE, "text messages"),
        (SystemKinds::BROADCAST, "broadcasts"),
        (SystemKinds::TIME_ZONE, "another time zone"),
        (SystemKinds::DOZE, "doze"),
        (SystemKinds::WAKE, "waking from doze"),
    ];
}

/// The kinds, each in words; `none` if there are none.
impl fmt::Display for SystemKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = SystemKinds::NAMES
            .iter()
            .filter(|(kind, _)| self.contains(*kind));
        let words: Vec<&str> = names.map(|(_, name)| *name).collect();
        f.write_str(if words.is_empty() { "none" } else { "" })?;
        f.write_str(&words.join(", "))
    }
}
