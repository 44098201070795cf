//! Connections to an agent: over UDP, or over a byte stream that carries the datagrams.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use quinn::{AsyncUdpSocket, ClientConfig, ConnectionError, Endpoint, TokioRuntime};
use retap_shared::connection::BoxFuture;
use retap_transport::config::{self, Transport};
use retap_transport::keys::{SessionKeys, SessionKeysError};
use retap_transport::stream::{FramedSocket, PEER};
use retap_transport::udp::PlainUdpSocket;
use tokio::net::TcpStream;

/// Opens connections to one agent, as often as needed.
pub trait Dialer: Send + Sync + fmt::Debug {
    fn dial(&self) -> BoxFuture<'_, Result<quinn::Connection, DialError>>;

    /// Timeout of one attempt.
    fn timeout(&self) -> Duration {
        Duration::from_secs(5)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DialError {
    #[error("could not reach `{address}`")]
    Reach {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error(
        "the agent at `{address}` has other keys than the pairing file: use the file that it wrote when it was started"
    )]
    Keys { address: SocketAddr },
    #[error("no agent answered at `{address}`")]
    Handshake {
        address: SocketAddr,
        #[source]
        source: ConnectionError,
    },
    #[error(transparent)]
    Unusable(#[from] SessionKeysError),
    /// The transport is not available; `again` if it may become so.
    #[error("{why}")]
    Unavailable { why: String, again: bool },
}

impl DialError {
    pub(super) fn is_final(&self) -> bool {
        matches!(
            self,
            DialError::Keys { .. }
                | DialError::Unusable(_)
                | DialError::Unavailable { again: false, .. }
        )
    }
}

/// UDP, as on a LAN.
#[derive(Debug)]
pub struct UdpDialer {
    pub address: SocketAddr,
    pub keys: SessionKeys,
}

/// A TCP stream, as adb forwards it.
#[derive(Debug)]
pub struct StreamDialer {
    pub address: SocketAddr,
    pub keys: SessionKeys,
}

impl Dialer for UdpDialer {
    fn dial(&self) -> BoxFuture<'_, Result<quinn::Connection, DialError>> {
        Box::pin(async {
            let any: SocketAddr = match self.address {
                SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
                SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
            };
            let socket = PlainUdpSocket::bind(any).map_err(|source| DialError::Reach {
                address: self.address,
                source,
            })?;
            let config = config::client_config(&self.keys, Transport::Udp)?;
            handshake(socket, Transport::Udp, config, self.address, self.address).await
        })
    }
}

impl Dialer for StreamDialer {
    fn dial(&self) -> BoxFuture<'_, Result<quinn::Connection, DialError>> {
        Box::pin(async {
            let reached = async {
                let stream = TcpStream::connect(self.address).await?;
                stream.set_nodelay(true)?;
                Ok(stream)
            };
            let stream = reached.await.map_err(|source| DialError::Reach {
                address: self.address,
                source,
            })?;
            let config = config::client_config(&self.keys, Transport::Stream)?;
            handshake(
                FramedSocket::new(stream),
                Transport::Stream,
                config,
                PEER,
                self.address,
            )
            .await
        })
    }
}

pub async fn handshake(
    socket: Arc<dyn AsyncUdpSocket>,
    transport: Transport,
    config: ClientConfig,
    peer: SocketAddr,
    address: SocketAddr,
) -> Result<quinn::Connection, DialError> {
    let runtime = Arc::new(TokioRuntime);
    let endpoint = Endpoint::new_with_abstract_socket(
        config::endpoint_config(transport),
        None,
        socket,
        runtime,
    )
    .map_err(|source| DialError::Reach { address, source })?;
    let connecting = endpoint
        .connect_with(config, peer, "agent.retap")
        .expect("a name, an address and a config");
    connecting.await.map_err(|source| match source {
        ConnectionError::TransportError(ref error) if is_about_keys(error) => {
            DialError::Keys { address }
        }
        source => DialError::Handshake { address, source },
    })
}

/// Returns whether it is a TLS alert about certificates: QUIC's code is 0x100 plus the alert, 42 to 51 or 116.
fn is_about_keys(error: &quinn_proto::TransportError) -> bool {
    let code = u64::from(error.code);
    (0x100 + 42..=0x100 + 51).contains(&code) || code == 0x100 + 116
}
