//! Listens for hosts: over UDP, or over byte streams that carry framed datagrams.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::Endpoint;
use retap_transport::config::{Transport, server_config};
use retap_transport::endpoint;
use retap_transport::keys::{SessionKeys, SessionKeysError};
use retap_transport::stream::ByteStream;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::server::AgentServer;

/// Maximum number of open streams.
const MAX_STREAMS: usize = 16;
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
    Udp(Endpoint),
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
        Ok(HostListener::Udp(endpoint))
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
            HostListener::Udp(endpoint) => endpoint.local_addr(),
            HostListener::Stream(listener, _) => listener.local_addr(),
        }
    }

    /// Serves hosts until the process ends.
    pub async fn serve(self, server: Arc<AgentServer>) -> Result<(), HostListenerError> {
        match self {
            HostListener::Udp(endpoint) => server.serve(endpoint).await,
            HostListener::Stream(listener, keys) => {
                serve_streams(async || accept_tcp(&listener).await, &keys, &server).await?;
            }
        }
        Ok(())
    }
}

/// Serves hosts over byte streams, a limited number of streams at a time.
pub(crate) async fn serve_streams<S: ByteStream>(
    accept: impl AsyncFn() -> io::Result<S>,
    keys: &SessionKeys,
    server: &Arc<AgentServer>,
) -> Result<(), SessionKeysError> {
    let config = server_config(keys, Transport::Stream)?;
    let streams = Arc::new(Semaphore::new(MAX_STREAMS));
    loop {
        let stream = match accept().await {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "could not accept a stream");
                // The system may be out of files or memory for a moment only.
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Ok(permit) = streams.clone().try_acquire_owned() else {
            tracing::warn!("refused a stream: too many are open");
            continue;
        };
        let endpoint = endpoint::stream_server(stream, config.clone());
        let server = server.clone();
        tokio::spawn(async move {
            match endpoint {
                Ok(endpoint) => server.serve_one(endpoint).await,
                Err(error) => tracing::warn!(%error, "could not serve a stream"),
            }
            drop(permit);
        });
    }
}

async fn accept_tcp(listener: &TcpListener) -> io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    let _ = stream.set_nodelay(true);
    Ok(stream)
}
