//! The way to an agent on this machine: the abstract socket that adb would forward to on a phone.

use std::io;

use retap_shared::connection::Pending;
use retap_transport::keys::Keys;
use retap_transport::settings::{self, Way};
use retap_transport::stream::{FramedSocket, PEER};
use tokio::net::UnixStream;

use crate::link::{Dial, DialError, shake_hands};

#[derive(Debug)]
pub struct OverSocket {
    pub name: String,
    pub keys: Keys,
}

impl Dial for OverSocket {
    fn dial(&self) -> Pending<'_, Result<quinn::Connection, DialError>> {
        Box::pin(async {
            let stream = connect(&self.name).map_err(|source| DialError::Reach {
                address: PEER,
                source,
            })?;
            let config = settings::client(&self.keys, Way::Stream)?;
            shake_hands(FramedSocket::new(stream), Way::Stream, config, PEER, PEER).await
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
