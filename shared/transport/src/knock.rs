//! The host's knock: a tag in the first packet of a connection, by which the agent knows its paired host before any
//! handshake. It is made from both certificates, and nobody but the agent is ever shown the host's.

use std::fmt;

use quinn_proto::{ConnectionId, ConnectionIdGenerator, RandomConnectionIdGenerator};
use ring::{digest, hmac};

use crate::keys::SessionKeys;

/// Number of bytes of a knock: as many as QUIC's connection id may have.
pub const KNOCK_LENGTH: usize = 20;
/// Number of random bytes at its start. The others are their tag.
const NONCE_LENGTH: usize = 8;

/// The key of a session's knocks, equal on both ends.
#[derive(Clone)]
pub struct KnockKey(hmac::Key);

impl KnockKey {
    /// The key of these keys' session.
    pub fn new(keys: &SessionKeys) -> KnockKey {
        let mut certificates = keys.certificates();
        certificates.sort_unstable();
        let mut hash = digest::Context::new(&digest::SHA256);
        for certificate in certificates {
            hash.update(&(certificate.len() as u64).to_le_bytes());
            hash.update(certificate);
        }
        KnockKey(hmac::Key::new(hmac::HMAC_SHA256, hash.finish().as_ref()))
    }

    /// A new knock, as the destination of a connection's first packet.
    pub fn knock(&self) -> ConnectionId {
        let mut id = [0; KNOCK_LENGTH];
        id.copy_from_slice(&RandomConnectionIdGenerator::new(KNOCK_LENGTH).generate_cid());
        let (nonce, tag) = id.split_at_mut(NONCE_LENGTH);
        let signed = hmac::sign(&self.0, nonce);
        tag.copy_from_slice(&signed.as_ref()[..KNOCK_LENGTH - NONCE_LENGTH]);
        ConnectionId::new(&id)
    }

    /// True if this is a knock of the session's host.
    pub fn recognises(&self, id: &[u8]) -> bool {
        let Some((nonce, tag)) = id.split_at_checked(NONCE_LENGTH) else {
            return false;
        };
        let signed = hmac::sign(&self.0, nonce);
        let expected = &signed.as_ref()[..KNOCK_LENGTH - NONCE_LENGTH];
        let difference = expected
            .iter()
            .zip(tag)
            .fold(0, |sum, (a, b)| sum | (a ^ b));
        tag.len() == expected.len() && difference == 0
    }
}

impl fmt::Debug for KnockKey {
    /// Without the key, which must not appear in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnockKey").finish_non_exhaustive()
    }
}

/// The destination of the first packet in a byte stream; `None` as long as too few bytes have arrived.
pub fn first_destination(bytes: &[u8]) -> Result<Option<&[u8]>, NotAHandshake> {
    // The frame's length, the header's first byte, QUIC's version, and the length of the destination.
    let Some((head, rest)) = bytes.split_at_checked(8) else {
        return Ok(None);
    };
    let has_long_header = head[2] & 0x80 != 0;
    let length = usize::from(head[7]);
    if !has_long_header || length > KNOCK_LENGTH {
        return Err(NotAHandshake);
    }
    Ok(rest.get(..length))
}

/// Maximum number of bytes that `first_destination` needs.
pub const FIRST_DESTINATION_END: usize = 8 + KNOCK_LENGTH;

/// The bytes do not begin as a connection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream does not begin with a handshake")]
pub struct NotAHandshake;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_recognises_the_knocks_of_its_host_only() {
        let (agent, host) = SessionKeys::generate().unwrap();
        let (_, stranger) = SessionKeys::generate().unwrap();
        let impostor = stranger.expecting_peer_of(&agent);
        let agent = KnockKey::new(&agent);
        let knock = KnockKey::new(&host).knock();
        assert_eq!(knock.len(), KNOCK_LENGTH);
        assert!(agent.recognises(&knock));
        assert_ne!(KnockKey::new(&host).knock(), knock);
        for other in [stranger, impostor] {
            assert!(!agent.recognises(&KnockKey::new(&other).knock()));
        }
        for position in 0..KNOCK_LENGTH {
            let mut changed = knock.to_vec();
            changed[position] ^= 1;
            assert!(!agent.recognises(&changed));
            assert!(!agent.recognises(&knock[..position]));
        }
    }

    #[test]
    fn the_destination_is_read_from_whatever_has_arrived() {
        let mut bytes = vec![0x60, 0x04, 0xc3, 0, 0, 0, 1, 20];
        bytes.extend(1..=20);
        for length in 0..bytes.len() {
            assert_eq!(first_destination(&bytes[..length]), Ok(None));
        }
        assert_eq!(first_destination(&bytes).unwrap(), Some(&bytes[8..]));
        assert_eq!(bytes.len(), FIRST_DESTINATION_END);
        bytes[7] = 21;
        assert_eq!(first_destination(&bytes), Err(NotAHandshake));
        assert_eq!(first_destination(&[0; 8]), Err(NotAHandshake));
    }
}
