//! What both ends of a QUIC link share: keys, the settings of a connection, and the two ways its datagrams travel.

pub mod config;
pub mod keys;
pub mod stream;
pub mod udp;

use std::sync::Arc;

use retap_shared::codec::{self, CodecError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// From this many bytes on a message is decoded on a thread of its own.
const LARGE: usize = 256 << 10;

/// Closing codes, as the other end sees them.
pub mod close_code {
    pub const DONE: u32 = 0;
    pub const REFUSED: u32 = 1;
    pub const REPLACED: u32 = 2;
    pub const MALFORMED: u32 = 4;
}

/// One message alone on a stream.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    #[error("could not write the message")]
    Write(#[from] quinn::WriteError),
    #[error("could not read the message")]
    Read(#[from] quinn::ReadError),
    #[error(transparent)]
    Codec(#[from] CodecError),
    #[error("the stream was closed before the message was whole")]
    Closed(#[from] quinn::ClosedStream),
    #[error("the message broke off")]
    Truncated(#[from] quinn::ReadExactError),
    #[error("a message of {length} bytes is too long; at most {limit} are allowed")]
    TooLong { length: usize, limit: usize },
}

/// Sends the message and ends the stream.
pub async fn send<T: Serialize>(
    stream: &mut quinn::SendStream,
    message: &T,
) -> Result<(), MessageError> {
    stream.write_chunk(codec::encode(message)?.into()).await?;
    Ok(stream.finish()?)
}

/// As `send`, for what is so large that nothing should wait while it is encoded.
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

/// On a thread of its own: other requests go on meanwhile.
async fn on_blocking_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Sends the message as one of many on the stream: its length as four bytes, little endian, then itself.
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

/// Reads the next of many messages; refuses one of more than `limit` bytes before it is read.
pub async fn receive_next<T: DeserializeOwned>(
    stream: &mut quinn::RecvStream,
    limit: usize,
) -> Result<T, MessageError> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).await?;
    let length = u32::from_le_bytes(length) as usize;
    if length > limit {
        return Err(MessageError::TooLong { length, limit });
    }
    let mut message = vec![0; length];
    stream.read_exact(&mut message).await?;
    Ok(codec::decode(&message)?)
}

/// An error with everything that led to it, on one line, as a log wants it.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
