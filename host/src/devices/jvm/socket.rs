//! Connects to an agent on this machine, over the abstract socket that adb would forward to on a phone, or over a socket
//! among the files where the agent has a network of its own, since abstract sockets belong to a network.

use std::io;
use std::path::PathBuf;

use retap_shared::connection::BoxFuture;
use retap_transport::config::{self, Transport};
use retap_transport::keys::SessionKeys;
use retap_transport::stream::{FramedSocket, PEER};
use tokio::net::UnixStream;

use crate::link::{DialError, Dialer, handshake};

/// Where an agent listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentSocket {
    /// Name of an abstract socket.
    Abstract(String),
    File(PathBuf),
}

#[derive(Debug)]
pub struct SocketDialer {
    pub socket: AgentSocket,
    pub keys: SessionKeys,
}

impl Dialer for SocketDialer {
    fn dial(&self) -> BoxFuture<'_, Result<quinn::Connection, DialError>> {
        Box::pin(async {
            let stream = connect(&self.socket).map_err(|source| DialError::Reach {
                address: PEER,
                source,
            })?;
            let config = config::client_config(&self.keys, Transport::Stream)?;
            handshake(
                FramedSocket::new(stream),
                Transport::Stream,
                config,
                PEER,
                PEER,
            )
            .await
        })
    }
}

#[cfg(target_os = "linux")]
fn connect(socket: &AgentSocket) -> io::Result<UnixStream> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixStream as StdStream};
    let address = match socket {
        AgentSocket::Abstract(name) => SocketAddr::from_abstract_name(name)?,
        AgentSocket::File(path) => SocketAddr::from_pathname(path)?,
    };
    let stream = StdStream::connect_addr(&address)?;
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

#[cfg(not(target_os = "linux"))]
fn connect(_: &AgentSocket) -> io::Result<UnixStream> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "only Linux has abstract sockets",
    ))
}
