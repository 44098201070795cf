//! Messages to bytes and back: bincode with one fixed configuration. No other file knows of it.
//!
//! Decoding needs at most 1 MiB + 8 × the input in memory, whatever the input is; `budget` sees to that.

mod budget;
mod metered;

use std::error::Error;

use bincode::config::{Config, standard};
use budget::MemoryBudget;
use metered::metered_seed;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// No message is longer: that is a recording of thousands of screens.
pub const MAX_MESSAGE: usize = 64 << 20;

#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    #[error("a message of {length} bytes is too long; at most {MAX_MESSAGE} can be sent")]
    TooLong { length: usize },
    #[error("could not encode the message")]
    Encode(#[source] Box<dyn Error + Send + Sync>),
    #[error("could not decode the message; host and agent must be of the same version")]
    Decode(#[source] Box<dyn Error + Send + Sync>),
    #[error(
        "{excess} bytes follow the end of the message; host and agent must be of the same version"
    )]
    Excess { excess: usize },
}

pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, CodecError> {
    let bytes = bincode::serde::encode_to_vec(message, configuration())
        .map_err(|error| CodecError::Encode(error.into()))?;
    check_length(&bytes)?;
    Ok(bytes)
}

/// The whole input must be one message.
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

/// bincode's own limit counts bytes read, which the input's end does anyway; what it leads to in memory is `budget`'s.
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
