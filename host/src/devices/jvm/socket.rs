//! Connects to an agent on this machine, over the abstract socket that adb would forward to on a phone.

use std::io;

use retap_shared::connection::BoxFuture;
use retap_transport::config::{self, Transport};
use retap_transport::keys::SessionKeys;
use retap_transport::stream::{FramedSocket, PEER};
use tokio::net::UnixStream;

use crate::link::{DialError, Dialer, handshake};

#[derive(Debug)]
pub struct SocketDialer {
    pub name: String,
    pub keys: SessionKeys,
}

impl Dialer for SocketDialer {
    fn dial(&self) -> BoxFuture<'_, Result<quinn::Connection, DialError>> {
        Box::pin(async {
            let stream = connect(&self.name).map_err(|source| DialError::Reach {
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
fn connect(name: &str) -> io::Result<UnixStream> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixStream as StdStream};
    let stream = StdStream::connect_addr(&SocketAddr::from_abstract_name(name)?)?;
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

#[cfg(not(target_os = "linux"))]
fn connect(_: &str) -> io::Result<UnixStream> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "only Linux has abstract sockets",
    ))
}
