//! Messages to bytes and back: bincode with one fixed configuration, known to this file only.
//!
//! Decoding needs at most 1 MiB + 8 × the input in memory, whatever the input is; `budget` enforces that.

mod budget;
mod metered;

use std::error::Error;

use bincode::config::{Config, standard};
use budget::MemoryBudget;
use metered::metered_seed;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum number of bytes of a message: enough for a recording of thousands of screens.
pub const MAX_MESSAGE: usize = 64 << 20;

/// Why a message could not be encoded or decoded.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The message is longer than `MAX_MESSAGE`.
    #[error("a message of {length} bytes is too long; at most {MAX_MESSAGE} can be sent")]
    TooLong {
        /// The message's length.
        length: usize,
    },
    /// bincode could not encode the message.
    #[error("could not encode the message")]
    Encode(#[source] Box<dyn Error + Send + Sync>),
    /// bincode could not decode the message, or it needs too much memory.
    #[error("could not decode the message; host and agent must be of the same version")]
    Decode(#[source] Box<dyn Error + Send + Sync>),
    /// The message ends before the input does.
    #[error(
        "{excess} bytes follow the end of the message; host and agent must be of the same version"
    )]
    Excess {
        /// Number of bytes after the message.
        excess: usize,
    },
}

/// Encodes a message.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, CodecError> {
    let bytes = bincode::serde::encode_to_vec(message, configuration())
        .map_err(|error| CodecError::Encode(error.into()))?;
    check_length(&bytes)?;
    Ok(bytes)
}

/// Decodes a message that must fill the input.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    check_length(bytes)?;
    let budget = MemoryBudget::for_input(bytes);
    let (message, read) =
        bincode::serde::seed_decode_from_slice(metered_seed::<T>(&budget), bytes, configuration())
            .map_err(|error| CodecError::Decode(error.into()))?;
    match bytes.len() - read {
        0 => Ok(message),
        excess => Err(CodecError::Excess { excess }),
    }
}

/// bincode's own limit counts bytes read, which the input's length limits already; `budget` limits the memory.
fn configuration() -> impl Config {
    standard()
        .with_little_endian()
        .with_variable_int_encoding()
        .with_no_limit()
}

fn check_length(bytes: &[u8]) -> Result<(), CodecError> {
    if bytes.len() > MAX_MESSAGE {
        Err(CodecError::TooLong {
            length: bytes.len(),
        })
    } else {
        Ok(())
    }
}
