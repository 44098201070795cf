//! How to reach an agent once: over UDP, or over a byte stream that carries the datagrams.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use quinn::{AsyncUdpSocket, ClientConfig, ConnectionError, Endpoint, TokioRuntime};
use retap_shared::connection::Pending;
use retap_transport::keys::{Keys, KeysError};
use retap_transport::settings::{self, Way};
use retap_transport::stream::{FramedSocket, PEER};
use retap_transport::udp::PlainUdp;
use tokio::net::TcpStream;

/// A way to an agent, for as often as it is needed.
pub trait Dial: Send + Sync + fmt::Debug {
    fn dial(&self) -> Pending<'_, Result<quinn::Connection, DialError>>;

    /// How long one attempt may take.
    fn limit(&self) -> Duration {
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
        "the agent at `{address}` has other keys than the pairing file: take the file that it wrote when it was started"
    )]
    Keys { address: SocketAddr },
    #[error("no agent answered at `{address}`")]
    Handshake {
        address: SocketAddr,
        #[source]
        source: ConnectionError,
    },
    #[error(transparent)]
    Unusable(#[from] KeysError),
    /// What lies between is not there; `again` if it may come back.
    #[error("{why}")]
    Way { why: String, again: bool },
}

impl DialError {
    pub(super) fn is_final(&self) -> bool {
        matches!(
            self,
            DialError::Keys { .. } | DialError::Unusable(_) | DialError::Way { again: false, .. }
        )
    }
}

/// UDP, as on a LAN.
#[derive(Debug)]
pub struct OverUdp {
    pub address: SocketAddr,
    pub keys: Keys,
}

/// A TCP stream, as adb forwards it.
#[derive(Debug)]
pub struct OverStream {
    pub address: SocketAddr,
    pub keys: Keys,
}

impl Dial for OverUdp {
    fn dial(&self) -> Pending<'_, Result<quinn::Connection, DialError>> {
        Box::pin(async {
            let any: SocketAddr = match self.address {
                SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
                SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
            };
            let socket = PlainUdp::bind(any).map_err(|source| DialError::Reach {
                address: self.address,
                source,
            })?;
            let config = settings::client(&self.keys, Way::Udp)?;
            shake_hands(socket, Way::Udp, config, self.address, self.address).await
        })
    }
}

impl Dial for OverStream {
    fn dial(&self) -> Pending<'_, Result<quinn::Connection, DialError>> {
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
            let config = settings::client(&self.keys, Way::Stream)?;
            shake_hands(
                FramedSocket::new(stream),
                Way::Stream,
                config,
                PEER,
                self.address,
            )
            .await
        })
    }
}

pub async fn shake_hands(
    socket: Arc<dyn AsyncUdpSocket>,
    way: Way,
    config: ClientConfig,
    peer: SocketAddr,
    address: SocketAddr,
) -> Result<quinn::Connection, DialError> {
    let runtime = Arc::new(TokioRuntime);
    let endpoint =
        Endpoint::new_with_abstract_socket(settings::endpoint(way), None, socket, runtime)
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

/// TLS's alerts travel as 0x100 + alert: those about certificates are 42 to 49 and 116.
fn is_about_keys(error: &quinn_proto::TransportError) -> bool {
    let code = u64::from(error.code);
    (0x100 + 42..=0x100 + 51).contains(&code) || code == 0x100 + 116
}
