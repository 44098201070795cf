//! What travels around the requests of the table: the handshake, and how results survive a link that breaks.
//! `Hello` and `Welcome` keep their form for ever, so that unequal versions can tell each other so.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::protocol::{PhoneEvent, Reply, Request, RequestFailure};
use crate::verdict::Interruption;

/// Bytes of a message as they may arrive, each checked before anything is allocated for it.
pub const HELLO_LIMIT: usize = 64 << 10;
pub const REQUEST_LIMIT: usize = 16 << 20;
pub const REPLY_LIMIT: usize = 64 << 20;
pub const NOTIFICATION_LIMIT: usize = 1 << 20;

/// A host's work with one agent, however often the link between them breaks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionId(pub u128);

/// The first message on a connection, from the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub version: String,
    pub session: SessionId,
    /// Who the host is, for the words that a second host gets.
    pub host: String,
    /// The requests whose answers the host still waits for; all others are cancelled.
    pub open_requests: Vec<u64>,
    /// News up to this number have arrived.
    pub notifications_seen: u64,
}

/// The agent's answer to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Welcome {
    Accepted {
        /// Another number than before: the agent has been started anew since.
        incarnation: u64,
    },
    Refused(HandshakeRefusal),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum HandshakeRefusal {
    #[error(
        "the agent is Retap {agent}; host and agent must be equal: use the same version on both sides"
    )]
    Version { agent: String },
    #[error(
        "the phone is held by {by}, last heard of {silent_seconds} s ago: end that run, or choose another phone"
    )]
    Held { by: String, silent_seconds: u64 },
    #[error("the greeting could not be understood: {why}")]
    MalformedHello { why: String },
}

/// A request on its way, on a stream of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestEnvelope {
    /// Counted from 1 within the session. Sent again under the same number after the link broke.
    pub number: u64,
    /// Answers below this number have arrived and can be forgotten.
    pub oldest_open: u64,
    pub notifications_seen: u64,
    /// Answer only if the result is known already: the agent that was first asked is gone.
    pub only_known: bool,
    pub request: Request,
}

/// What comes back on the same stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestResult {
    Reply(Reply),
    Failed(RequestFailure),
    Interrupted(Interruption),
    /// `only_known` was asked, and it is not.
    Unknown,
}

/// A piece of news on its way; the host acknowledges by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedNotification {
    pub number: u64,
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
