//! The parts of a QUIC link that both ends share: keys, the configuration of a connection, and the two transports of its
//! datagrams.

#![warn(missing_docs)]

pub mod config;
pub mod endpoint;
pub mod keys;
pub mod knock;
pub mod stream;
pub mod udp;

use std::sync::Arc;

use retap_shared::codec::{self, CodecError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Number of bytes from which a message is decoded on a blocking thread.
const LARGE: usize = 256 << 10;

/// Codes with which connections and streams are closed.
pub mod close_code {
    /// The host is done.
    pub const DONE: u32 = 0;
    /// The agent refused the host.
    pub const REFUSED: u32 = 1;
    /// The host has reconnected.
    pub const REPLACED: u32 = 2;
    /// A message could not be decoded.
    pub const MALFORMED: u32 = 4;
}

/// Why a message could not be sent or received.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// The stream cannot be written.
    #[error("could not write the message")]
    Write(#[from] quinn::WriteError),
    /// The stream cannot be read.
    #[error("could not read the message")]
    Read(#[from] quinn::ReadError),
    /// The message cannot be encoded or decoded.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The stream was closed too early.
    #[error("the stream was closed before the message was complete")]
    Closed(#[from] quinn::ClosedStream),
    /// The stream ended within the message.
    #[error("the stream ended within the message")]
    Truncated(#[from] quinn::ReadExactError),
    /// The message is longer than allowed.
    #[error("a message of {length} bytes is too long; at most {limit} are allowed")]
    TooLong {
        /// The message's length.
        length: usize,
        /// Maximum length.
        limit: usize,
    },
}

/// Sends the message and ends the stream.
pub async fn send<T: Serialize>(
    stream: &mut quinn::SendStream,
    message: &T,
) -> Result<(), MessageError> {
    stream.write_chunk(codec::encode(message)?.into()).await?;
    Ok(stream.finish()?)
}

/// Sends a large message and ends the stream. It is encoded on a blocking thread.
pub async fn send_large<T: Serialize + Send + Sync + 'static>(
    stream: &mut quinn::SendStream,
    message: Arc<T>,
) -> Result<(), MessageError> {
    let encoded = on_blocking_thread(move || codec::encode(&*message)).await?;
    stream.write_chunk(encoded.into()).await?;
    Ok(stream.finish()?)
}

/// Reads the one message of the stream; refuses to read more than `limit` bytes.
pub async fn receive<T: DeserializeOwned + Send + 'static>(
    stream: &mut quinn::RecvStream,
    limit: usize,
) -> Result<T, MessageError> {
    let mut message = Vec::new();
    while let Some(chunk) = stream.read_chunk(usize::MAX, true).await? {
        let length = message.len() + chunk.bytes.len();
        if length > limit {
            return Err(MessageError::TooLong { length, limit });
        }
        message.extend_from_slice(&chunk.bytes);
    }
    if message.len() < LARGE {
        return Ok(codec::decode(&message)?);
    }
    Ok(on_blocking_thread(move || codec::decode(&message)).await?)
}

/// Runs work on a blocking thread, so that other requests are not delayed.
async fn on_blocking_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Sends one of many messages on a stream: the length as four bytes, little endian, then the message.
pub async fn send_next<T: Serialize>(
    stream: &mut quinn::SendStream,
    message: &T,
) -> Result<(), MessageError> {
    let message = codec::encode(message)?;
    let too_long = |_| MessageError::TooLong {
        length: message.len(),
        limit: u32::MAX as usize,
    };
    let length = u32::try_from(message.len()).map_err(too_long)?;
    stream.write_all(&length.to_le_bytes()).await?;
    Ok(stream.write_chunk(message.into()).await?)
}

/// Reads the next of many messages, and its number of bytes; refuses one of more than `limit` before it is read.
pub async fn receive_next<T: DeserializeOwned>(
    stream: &mut quinn::RecvStream,
    limit: usize,
) -> Result<(T, usize), MessageError> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).await?;
    let length = u32::from_le_bytes(length) as usize;
    if length > limit {
        return Err(MessageError::TooLong { length, limit });
    }
    let mut message = vec![0; length];
    stream.read_exact(&mut message).await?;
    Ok((codec::decode(&message)?, length))
}
