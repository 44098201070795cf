//! What comes upon an app without a finger, and which of it a phone can do.

use std::fmt;

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

use crate::Text;

/// What comes upon an app from the system. What it changes lasts until the app is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemEvent {
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
    pub struct SystemEventKinds: u16 {
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

impl SystemEvent {
    pub fn kind(&self) -> SystemEventKinds {
        match self {
            SystemEvent::Call => SystemEventKinds::CALL,
            SystemEvent::Offline => SystemEventKinds::OFFLINE,
            SystemEvent::Online => SystemEventKinds::ONLINE,
            SystemEvent::LowMemory => SystemEventKinds::LOW_MEMORY,
            SystemEvent::Locale(_) => SystemEventKinds::LOCALE,
            SystemEvent::Message => SystemEventKinds::MESSAGE,
            SystemEvent::Broadcast(_) => SystemEventKinds::BROADCAST,
            SystemEvent::TimeZone(_) => SystemEventKinds::TIME_ZONE,
            SystemEvent::Doze => SystemEventKinds::DOZE,
            SystemEvent::Wake => SystemEventKinds::WAKE,
        }
    }
}

impl fmt::Display for SystemEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemEvent::Call => f.write_str("a call comes in"),
            SystemEvent::Offline => f.write_str("the network goes"),
            SystemEvent::Online => f.write_str("the network comes back"),
            SystemEvent::LowMemory => f.write_str("memory runs short"),
            SystemEvent::Locale(tag) => write!(f, "switch the language to {tag}"),
            SystemEvent::Message => f.write_str("a text message comes in"),
            SystemEvent::Broadcast(action) => write!(f, "the broadcast {action} comes"),
            SystemEvent::TimeZone(id) => write!(f, "switch the time zone to {id}"),
            SystemEvent::Doze => f.write_str("the phone dozes off"),
            SystemEvent::Wake => f.write_str("the phone wakes up"),
        }
    }
}

impl SystemEventKinds {
    const NAMES: [(SystemEventKinds, &str); 10] = [
        (SystemEventKinds::CALL, "calls"),
        (SystemEventKinds::OFFLINE, "the network gone"),
        (SystemEventKinds::ONLINE, "the network back"),
        (SystemEventKinds::LOW_MEMORY, "short memory"),
        (SystemEventKinds::LOCALE, "another language"),
        (SystemEventKinds::MESSAGE, "text messages"),
        (SystemEventKinds::BROADCAST, "broadcasts"),
        (SystemEventKinds::TIME_ZONE, "another time zone"),
        (SystemEventKinds::DOZE, "doze"),
        (SystemEventKinds::WAKE, "waking from doze"),
    ];
}

/// The kinds, each in words; `none` if there are none.
impl fmt::Display for SystemEventKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = SystemEventKinds::NAMES
            .iter()
            .filter(|(kind, _)| self.contains(*kind));
        let words: Vec<&str> = names.map(|(_, name)| *name).collect();
        f.write_str(if words.is_empty() { "none" } else { "" })?;
        f.write_str(&words.join(", "))
    }
}
