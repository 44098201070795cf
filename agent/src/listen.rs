//! Listens for hosts: over UDP, or over byte streams that carry framed datagrams.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use quinn::{Endpoint, ServerConfig};
use retap_transport::config::{Transport, server_config};
use retap_transport::endpoint;
use retap_transport::keys::{SessionKeys, SessionKeysError};
use retap_transport::knock::first_destination;
use retap_transport::stream::{ByteStream, read_head};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::handshake_gate::HandshakeGate;
use crate::server::AgentServer;
use crate::waiting_streams::{WaitingPlace, WaitingStreams};

/// Time for the first packet of a stream.
const FIRST_PACKET_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause after the system could not accept a stream.
const PAUSE: Duration = Duration::from_millis(100);

/// Why no host can be listened for.
#[derive(Debug, thiserror::Error)]
pub enum HostListenerError {
    /// The address cannot be bound.
    #[error("could not listen on `{address}`")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The keys cannot be used for TLS.
    #[error(transparent)]
    Keys(#[from] SessionKeysError),
}

/// A bound address, before the first host connects.
#[derive(Debug)]
pub enum HostListener {
    /// Datagrams over UDP.
    Udp(Endpoint, HandshakeGate),
    /// Datagrams framed in TCP streams.
    Stream(TcpListener, SessionKeys),
}

impl HostListener {
    /// Binds a UDP address.
    pub async fn udp(
        address: SocketAddr,
        keys: &SessionKeys,
    ) -> Result<HostListener, HostListenerError> {
        let config = server_config(keys, Transport::Udp)?;
        let endpoint = endpoint::udp_server(address, config)
            .map_err(|source| HostListenerError::Address { address, source })?;
        Ok(HostListener::Udp(endpoint, HandshakeGate::new(keys)))
    }

    /// Binds a TCP address.
    pub async fn tcp(
        address: SocketAddr,
        keys: &SessionKeys,
    ) -> Result<HostListener, HostListenerError> {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| HostListenerError::Address { address, source })?;
        Ok(HostListener::Stream(listener, keys.clone()))
    }

    /// The bound address, with the port that the system chose if the port was 0.
    pub fn address(&self) -> io::Result<SocketAddr> {
        match self {
            HostListener::Udp(endpoint, _) => endpoint.local_addr(),
            HostListener::Stream(listener, _) => listener.local_addr(),
        }
    }

    /// Serves hosts until the process ends.
    pub async fn serve(self, server: Arc<AgentServer>) -> Result<(), HostListenerError> {
        match self {
            HostListener::Udp(endpoint, gate) => server.serve(endpoint, gate).await,
            HostListener::Stream(listener, keys) => {
                serve_streams(async || accept_tcp(&listener).await, &keys, &server).await?;
            }
        }
        Ok(())
    }
}

/// Serves hosts over byte streams. A stream is served once its first packet says who it is from.
pub(crate) async fn serve_streams<S: ByteStream>(
    accept: impl AsyncFn() -> io::Result<(S, Option<IpAddr>)>,
    keys: &SessionKeys,
    server: &Arc<AgentServer>,
) -> Result<(), SessionKeysError> {
    let acceptor = Arc::new(StreamAcceptor {
        config: server_config(keys, Transport::Stream)?,
        gate: HandshakeGate::new(keys),
        server: Arc::clone(server),
    });
    let waiting = Arc::new(WaitingStreams::default());
    for number in 0.. {
        match accept().await {
            Ok((stream, address)) => {
                let place = waiting.enter(number, address);
                tokio::spawn(Arc::clone(&acceptor).serve(stream, address, place));
            }
            Err(error) => {
                tracing::warn!(%error, "could not accept a stream");
                // The system may be out of files or memory for a moment only.
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    Ok(())
}

/// What all streams of a listener share.
struct StreamAcceptor {
    config: ServerConfig,
    gate: HandshakeGate,
    server: Arc<AgentServer>,
}

impl StreamAcceptor {
    /// Serves a stream to its end, unless its place is taken before its first packet comes.
    async fn serve<S: ByteStream>(
        self: Arc<Self>,
        stream: S,
        address: Option<IpAddr>,
        mut waiting: WaitingPlace,
    ) {
        let head = tokio::select! {
            head = timeout(FIRST_PACKET_TIMEOUT, read_head(&stream)) => head,
            () = waiting.evicted() => return,
        };
        drop(waiting);
        let Ok(Ok(head)) = head else {
            return;
        };
        let Ok(Some(destination)) = first_destination(&head) else {
            return;
        };
        let Some(_place) = self.gate.enter(self.gate.identify(destination, address)) else {
            tracing::debug!("refused a stream: too many strangers are at the gate");
            return;
        };
        match endpoint::stream_server(stream, &head, self.config.clone()) {
            Ok(endpoint) => Arc::clone(&self.server).serve_one(endpoint).await,
            Err(error) => tracing::warn!(%error, "could not serve a stream"),
        }
    }
}

async fn accept_tcp(listener: &TcpListener) -> io::Result<(TcpStream, Option<IpAddr>)> {
    let (stream, address) = listener.accept().await?;
    let _ = stream.set_nodelay(true);
    Ok((stream, Some(address.ip())))
}
