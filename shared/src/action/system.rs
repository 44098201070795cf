//! System events, and the kinds of them that a phone can inject.

use std::fmt;

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

use crate::Text;

/// An event that comes from the system and not from a finger. Its effect lasts until the app is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemEvent {
    /// A phone call comes in: the screen for calls takes the front.
    Call,
    /// The network is switched off.
    Offline,
    /// The network is switched on again.
    Online,
    /// Memory is short: an app in front is notified, an app in the background loses its process.
    LowMemory,
    /// The language changes to this tag, such as `ar`.
    Locale(Text),
    /// A text message comes in.
    Message,
    /// The app receives a broadcast of this action, such as `android.intent.action.MEDIA_BUTTON`.
    Broadcast(Text),
    /// The time zone changes to this id, such as `Asia/Kathmandu`.
    TimeZone(Text),
    /// The phone enters doze: no network, no jobs, no alarms for the app.
    Doze,
    /// The phone leaves doze.
    Wake,
}

bitflags! {
    /// A set of kinds of system events, without their languages, broadcasts and time zones.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct SystemEventKinds: u16 {
        /// `SystemEvent::Call`.
        const CALL = 1;
        /// `SystemEvent::Offline`.
        const OFFLINE = 1 << 1;
        /// `SystemEvent::Online`.
        const ONLINE = 1 << 2;
        /// `SystemEvent::LowMemory`.
        const LOW_MEMORY = 1 << 3;
        /// `SystemEvent::Locale`.
        const LOCALE = 1 << 4;
        /// `SystemEvent::Message`.
        const MESSAGE = 1 << 5;
        /// `SystemEvent::Broadcast`.
        const BROADCAST = 1 << 6;
        /// `SystemEvent::TimeZone`.
        const TIME_ZONE = 1 << 7;
        /// `SystemEvent::Doze`.
        const DOZE = 1 << 8;
        /// `SystemEvent::Wake`.
        const WAKE = 1 << 9;
        /// The kinds that every simulated phone can inject.
        const SIMULATED = Self::CALL.bits()
            | Self::OFFLINE.bits()
            | Self::ONLINE.bits()
            | Self::LOW_MEMORY.bits()
            | Self::LOCALE.bits();
    }
}

impl SystemEvent {
    /// The kind of the event.
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
            SystemEvent::Call => f.write_str("incoming call"),
            SystemEvent::Offline => f.write_str("network off"),
            SystemEvent::Online => f.write_str("network on"),
            SystemEvent::LowMemory => f.write_str("low memory"),
            SystemEvent::Locale(tag) => write!(f, "switch the language to {tag}"),
            SystemEvent::Message => f.write_str("incoming text message"),
            SystemEvent::Broadcast(action) => write!(f, "broadcast {action}"),
            SystemEvent::TimeZone(id) => write!(f, "switch the time zone to {id}"),
            SystemEvent::Doze => f.write_str("enter doze"),
            SystemEvent::Wake => f.write_str("leave doze"),
        }
    }
}

impl SystemEventKinds {
    const NAMES: [(SystemEventKinds, &str); 10] = [
        (SystemEventKinds::CALL, "calls"),
        (SystemEventKinds::OFFLINE, "network off"),
        (SystemEventKinds::ONLINE, "network on"),
        (SystemEventKinds::LOW_MEMORY, "low memory"),
        (SystemEventKinds::LOCALE, "another language"),
        (SystemEventKinds::MESSAGE, "text messages"),
        (SystemEventKinds::BROADCAST, "broadcasts"),
        (SystemEventKinds::TIME_ZONE, "another time zone"),
        (SystemEventKinds::DOZE, "doze"),
        (SystemEventKinds::WAKE, "leaving doze"),
    ];
}

/// The kinds, separated by commas; `none` if the set is empty.
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
