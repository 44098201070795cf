//! Messages around requests and replies: the handshake, and the numbering with which results survive a broken link.
//! `Hello` and `Welcome` never change, so that a host and an agent of different versions can report that.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::phone_event::PhoneEvent;
use crate::protocol::{Reply, Request, RequestFailure};
use crate::verdict::Interruption;

/// Maximum number of bytes of a `Hello` or a `Welcome`. Each limit is checked before memory is allocated.
pub const HELLO_LIMIT: usize = 64 << 10;
/// Maximum number of bytes of a request.
pub const REQUEST_LIMIT: usize = 16 << 20;
/// Maximum number of bytes of a reply.
pub const REPLY_LIMIT: usize = 64 << 20;
/// Maximum number of bytes of a notification.
pub const NOTIFICATION_LIMIT: usize = 1 << 20;
/// Maximum number of notifications that either end keeps. Further ones replace the oldest.
pub const MAX_NOTIFICATIONS: usize = 10_000;
/// Maximum number of bytes of all notifications that either end keeps.
pub const MAX_NOTIFICATION_BYTES: usize = 16 << 20;
/// Maximum number of requests whose results the agent keeps for the host.
pub const MAX_OPEN_REQUESTS: usize = 256;

/// The identity of a session: a host's work with one agent, however often the link between them breaks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionId(pub u128);

/// The first message on a connection, from the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The host's version of Retap.
    pub version: String,
    /// The session to begin or to continue.
    pub session: SessionId,
    /// The host's name, which another host reads if it is refused.
    pub host: String,
    /// The requests whose replies the host still waits for; all others are cancelled.
    pub open_requests: Vec<u64>,
    /// Number of the last notification that has arrived.
    pub notifications_seen: u64,
}

/// The agent's answer to `Hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Welcome {
    /// The session begins or continues.
    Accepted {
        /// A number that changes whenever the agent is restarted.
        incarnation: u64,
    },
    /// The host is refused.
    Refused(HandshakeRefusal),
}

/// Why the agent refuses a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum HandshakeRefusal {
    /// Host and agent are of different versions.
    #[error(
        "the agent is Retap {agent}; host and agent must be equal: use the same version on both sides"
    )]
    Version {
        /// The agent's version.
        agent: String,
    },
    /// Another host uses the phone.
    #[error(
        "the phone is held by {by}, last heard of {silent_seconds} s ago: end that run, or choose another phone"
    )]
    Held {
        /// The other host's name.
        by: String,
        /// Seconds since the other host's last message.
        silent_seconds: u64,
    },
    /// The `Hello` could not be decoded.
    #[error("the agent could not decode the host's hello: {why}")]
    MalformedHello {
        /// The decoder's message.
        why: String,
    },
}

/// A request with its number, sent on a stream of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestEnvelope {
    /// Counted from 1 within the session. A request that is sent again after the link broke keeps its number.
    pub number: u64,
    /// Results below this number have arrived and can be dropped.
    pub oldest_open: u64,
    /// Number of the last notification that has arrived.
    pub notifications_seen: u64,
    /// Reply only if the result is known already: the agent that first got the request has ended.
    pub only_known: bool,
    /// The request itself.
    pub request: Request,
}

/// The result of a request, sent back on the same stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestResult {
    /// The request succeeded.
    Reply(Reply),
    /// The request failed.
    Failed(RequestFailure),
    /// The phone was lost.
    Interrupted(Interruption),
    /// The request was sent with `only_known`, and its result is not known.
    Unknown,
}

/// A notification with its number, which the host acknowledges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedNotification {
    /// Counted from 1 within the session.
    pub number: u64,
    /// The event that no reply carries.
    pub event: PhoneEvent,
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({self})")
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
