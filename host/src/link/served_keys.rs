//! What `retap phone` keeps: the session's keys, for a phone that is started again.

use std::io;
use std::path::Path;

use retap_agent::listen::HostListenerError;
use retap_transport::keys::{SessionKeys, SessionKeysError};

use crate::command_error::UserError;
use crate::exit::CommandExit;

const KEYS: &str = "keys.json";

#[derive(Debug, thiserror::Error)]
pub enum ServePhoneError {
    #[error(transparent)]
    Keys(#[from] SessionKeysError),
    #[error(transparent)]
    Listen(#[from] HostListenerError),
    #[error("the address on which the phone listens is not known")]
    Address(#[source] io::Error),
    #[error("the phone's folder cannot be used")]
    Folder(#[source] io::Error),
}

/// The agent's and the host's half: those of the folder if it has any, new ones otherwise.
pub fn load_or_make_keys(
    folder: Option<&Path>,
) -> Result<(SessionKeys, SessionKeys), ServePhoneError> {
    let Some(folder) = folder else {
        return Ok(SessionKeys::generate()?);
    };
    let path = folder.join(KEYS);
    match std::fs::read(&path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| ServePhoneError::Folder(error.into()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let keys = SessionKeys::generate()?;
            let text =
                serde_json::to_vec(&keys).map_err(|error| ServePhoneError::Folder(error.into()))?;
            std::fs::create_dir_all(folder).map_err(ServePhoneError::Folder)?;
            crate::os::write_private(&path, &text).map_err(ServePhoneError::Folder)?;
            Ok(keys)
        }
        Err(error) => Err(ServePhoneError::Folder(error)),
    }
}

impl UserError for ServePhoneError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            ServePhoneError::Listen(_) | ServePhoneError::Address(_) => {
                "choose another address with --listen, such as `udp:127.0.0.1:0` for a free port"
                    .into()
            }
            ServePhoneError::Folder(_) => {
                "choose another folder with --folder, or remove its `keys.json`".into()
            }
            ServePhoneError::Keys(_) => "see whether the system gives random numbers".into(),
        }
    }
}
