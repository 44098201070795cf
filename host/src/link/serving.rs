//! What `retap phone` keeps: the session's keys, for a phone that is started again.

use std::io;
use std::path::Path;

use retap_agent::listen::ListenError;
use retap_transport::keys::{Keys, KeysError};

use crate::exit::Exit;
use crate::failure::Explained;

const KEYS: &str = "keys.json";

#[derive(Debug, thiserror::Error)]
pub enum ServingError {
    #[error(transparent)]
    Keys(#[from] KeysError),
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error("the address on which the phone listens is not known")]
    Address(#[source] io::Error),
    #[error("the phone's folder cannot be used")]
    Folder(#[source] io::Error),
}

/// The agent's and the host's half: those of the folder if it has any, new ones otherwise.
pub fn keys(folder: Option<&Path>) -> Result<(Keys, Keys), ServingError> {
    let Some(folder) = folder else {
        return Ok(Keys::make()?);
    };
    let path = folder.join(KEYS);
    match std::fs::read(&path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| ServingError::Folder(error.into()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let keys = Keys::make()?;
            let text =
                serde_json::to_vec(&keys).map_err(|error| ServingError::Folder(error.into()))?;
            std::fs::create_dir_all(folder).map_err(ServingError::Folder)?;
            crate::os::write_private(&path, &text).map_err(ServingError::Folder)?;
            Ok(keys)
        }
        Err(error) => Err(ServingError::Folder(error)),
    }
}

impl Explained for ServingError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        match self {
            ServingError::Listen(_) | ServingError::Address(_) => {
                "choose another address with --listen, such as `udp:127.0.0.1:0` for a free port"
                    .into()
            }
            ServingError::Folder(_) => {
                "choose another folder with --folder, or remove its `keys.json`".into()
            }
            ServingError::Keys(_) => "see whether the system gives random numbers".into(),
        }
    }
}
