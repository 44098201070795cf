//! Keys that `retap phone` keeps, so that a phone that is started again has the same ones.

use std::io;
use std::path::Path;

use retap_agent::listen::HostListenerError;
use retap_transport::keys::{SessionKeys, SessionKeysError};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::input_file;

const KEYS: &str = "keys.json";

#[derive(Debug, thiserror::Error)]
pub enum ServePhoneError {
    #[error(transparent)]
    Keys(#[from] SessionKeysError),
    #[error(transparent)]
    Listen(#[from] HostListenerError),
    #[error("could not read the address that the phone listens on")]
    Address(#[source] io::Error),
    #[error("could not use the phone's folder")]
    Folder(#[source] io::Error),
}

/// Keys of agent and host: those in the folder, or new ones.
pub fn load_or_make_keys(
    folder: Option<&Path>,
) -> Result<(SessionKeys, SessionKeys), ServePhoneError> {
    let Some(folder) = folder else {
        return Ok(SessionKeys::generate()?);
    };
    let path = folder.join(KEYS);
    match input_file::read(&path) {
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
                "name another address with `--listen`, such as `udp:127.0.0.1:0` for a free port"
                    .into()
            }
            ServePhoneError::Folder(_) => {
                "name another folder with `--folder`, or remove its `keys.json`".into()
            }
            ServePhoneError::Keys(_) => "see whether the system provides random numbers".into(),
        }
    }
}
