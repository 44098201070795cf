//! The pairing file: the address of an agent and the keys for it. Every reader of the file can drive the phone, so only
//! its owner may read it.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use retap_transport::keys::SessionKeys;
use serde::{Deserialize, Serialize};

use super::dialer::{Dialer, StreamDialer, UdpDialer};
use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::input_file;

/// Default path of the file.
pub const PAIRING_FILE: &str = "phone.pairing";

/// `udp:ADDRESS` or `tcp:ADDRESS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkAddress {
    Udp(SocketAddr),
    Tcp(SocketAddr),
}

/// Content of the file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pairing {
    pub address: String,
    pub keys: SessionKeys,
}

#[derive(Debug, thiserror::Error)]
pub enum PairingError {
    #[error(
        "`{0}` is not an address of an agent; write `udp:HOST:PORT` or `tcp:HOST:PORT` with a numeric host, such as `udp:127.0.0.1:4400`"
    )]
    Address(String),
    #[error(
        "could not read the pairing file `{path}`; it is written by `retap phone` when it starts"
    )]
    Read {
        path: String,
        #[source]
        source: std::io::Error,
    },
    #[error("`{path}` is not a pairing file; use the one that `retap phone` wrote when it started")]
    Malformed {
        path: String,
        #[source]
        source: serde_json::Error,
    },
    #[error("could not write the pairing file `{path}`; name another path with `--pairing`")]
    Write {
        path: String,
        #[source]
        source: std::io::Error,
    },
}

impl LinkAddress {
    /// The same transport at another address, such as the port that was chosen for port 0.
    pub fn at(self, address: SocketAddr) -> LinkAddress {
        match self {
            LinkAddress::Udp(_) => LinkAddress::Udp(address),
            LinkAddress::Tcp(_) => LinkAddress::Tcp(address),
        }
    }

    pub fn dialer(self, keys: SessionKeys) -> Arc<dyn Dialer> {
        match self {
            LinkAddress::Udp(address) => Arc::new(UdpDialer { address, keys }),
            LinkAddress::Tcp(address) => Arc::new(StreamDialer { address, keys }),
        }
    }
}

impl FromStr for LinkAddress {
    type Err = PairingError;

    fn from_str(text: &str) -> Result<LinkAddress, PairingError> {
        let wrong = || PairingError::Address(text.to_owned());
        let (transport, address) = text.split_once(':').ok_or_else(wrong)?;
        let address = address.parse().map_err(|_| wrong())?;
        match transport {
            "udp" => Ok(LinkAddress::Udp(address)),
            "tcp" => Ok(LinkAddress::Tcp(address)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for LinkAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkAddress::Udp(address) => write!(f, "udp:{address}"),
            LinkAddress::Tcp(address) => write!(f, "tcp:{address}"),
        }
    }
}

impl Pairing {
    pub fn read(path: &Path) -> Result<Pairing, PairingError> {
        let name = || path.display().to_string();
        let text = input_file::read_to_string(path).map_err(|source| PairingError::Read {
            path: name(),
            source,
        })?;
        serde_json::from_str(&text).map_err(|source| PairingError::Malformed {
            path: name(),
            source,
        })
    }

    pub fn write(&self, path: &Path) -> Result<(), PairingError> {
        let text = serde_json::to_string_pretty(self).expect("strings only");
        crate::os::write_private(path, text.as_bytes()).map_err(|source| PairingError::Write {
            path: path.display().to_string(),
            source,
        })
    }
}

impl UserError for PairingError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "see `retap phone --help` for how a phone is served and where its pairing file is".into()
    }
}
