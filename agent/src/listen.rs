//! Where hosts come in: UDP datagrams, or byte streams that carry them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::{Endpoint, TokioRuntime};
use retap_transport::config::{self, Transport};
use retap_transport::keys::{SessionKeys, SessionKeysError};
use retap_transport::stream::{ByteStream, FramedSocket};
use retap_transport::udp::PlainUdpSocket;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::server::AgentServer;

/// Streams that may be open at once, whoever they belong to.
const STREAMS: usize = 16;
/// After the system could not give a stream.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
pub enum HostListenerError {
    #[error("could not listen on `{address}`")]
    Address {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Keys(#[from] SessionKeysError),
}

/// A place where hosts can come in, before the first one does.
#[derive(Debug)]
pub enum HostListener {
    Udp(Endpoint),
    Stream(TcpListener, SessionKeys),
}

impl HostListener {
    pub async fn udp(
        address: SocketAddr,
        keys: &SessionKeys,
    ) -> Result<HostListener, HostListenerError> {
        let config = config::server_config(keys, Transport::Udp)?;
        let bound = async {
            let socket = PlainUdpSocket::bind(address)?;
            let endpoint = config::endpoint_config(Transport::Udp);
            Endpoint::new_with_abstract_socket(
                endpoint,
                Some(config),
                socket,
                Arc::new(TokioRuntime),
            )
        };
        Ok(HostListener::Udp(bound.await.map_err(|source| {
            HostListenerError::Address { address, source }
        })?))
    }

    pub async fn tcp(
        address: SocketAddr,
        keys: &SessionKeys,
    ) -> Result<HostListener, HostListenerError> {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| HostListenerError::Address { address, source })?;
        Ok(HostListener::Stream(listener, keys.clone()))
    }

    /// With the port that was chosen if none was asked for.
    pub fn address(&self) -> io::Result<SocketAddr> {
        match self {
            HostListener::Udp(endpoint) => endpoint.local_addr(),
            HostListener::Stream(listener, _) => listener.local_addr(),
        }
    }

    /// Serves whoever comes, for as long as the process lives.
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

/// Serves whoever comes over byte streams, a few at a time.
pub(crate) async fn serve_streams<S: ByteStream>(
    accept: impl AsyncFn() -> io::Result<S>,
    keys: &SessionKeys,
    server: &Arc<AgentServer>,
) -> Result<(), SessionKeysError> {
    let places = Arc::new(Semaphore::new(STREAMS));
    loop {
        let stream = match accept().await {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "could not accept a stream");
                // Out of files or memory for a moment: the next one may fit.
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            tracing::warn!("turned a stream away: too many are open");
            continue;
        };
        let endpoint = stream_endpoint(stream, keys)?;
        let server = server.clone();
        tokio::spawn(async move {
            match endpoint {
                Ok(endpoint) => server.serve_one(endpoint).await,
                Err(error) => tracing::warn!(%error, "could not serve a stream"),
            }
            drop(place);
        });
    }
}

async fn accept_tcp(listener: &TcpListener) -> io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

/// The server's end of one stream.
fn stream_endpoint(
    stream: impl ByteStream,
    keys: &SessionKeys,
) -> Result<io::Result<Endpoint>, SessionKeysError> {
    let config = config::server_config(keys, Transport::Stream)?;
    let socket = FramedSocket::new(stream);
    let endpoint = config::endpoint_config(Transport::Stream);
    Ok(Endpoint::new_with_abstract_socket(
        endpoint,
        Some(config),
        socket,
        Arc::new(TokioRuntime),
    ))
}
