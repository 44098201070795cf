//! Where hosts come in: UDP datagrams, or byte streams that carry them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::{Endpoint, TokioRuntime};
use retap_transport::keys::{Keys, KeysError};
use retap_transport::settings::{self, Way};
use retap_transport::stream::{Bytes, FramedSocket};
use retap_transport::udp::PlainUdp;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::server::Server;

/// Streams that may be open at once, whoever they belong to.
const STREAMS: usize = 16;
/// After the system could not give a stream.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("could not listen on `{address}`")]
    Address {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Keys(#[from] KeysError),
}

/// A place where hosts can come in, before the first one does.
#[derive(Debug)]
pub enum Listener {
    Udp(Endpoint),
    Stream(TcpListener, Keys),
}

impl Listener {
    pub async fn udp(address: SocketAddr, keys: &Keys) -> Result<Listener, ListenError> {
        let config = settings::server(keys, Way::Udp)?;
        let bound = async {
            let socket = PlainUdp::bind(address)?;
            let endpoint = settings::endpoint(Way::Udp);
            Endpoint::new_with_abstract_socket(
                endpoint,
                Some(config),
                socket,
                Arc::new(TokioRuntime),
            )
        };
        Ok(Listener::Udp(bound.await.map_err(|source| {
            ListenError::Address { address, source }
        })?))
    }

    pub async fn tcp(address: SocketAddr, keys: &Keys) -> Result<Listener, ListenError> {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| ListenError::Address { address, source })?;
        Ok(Listener::Stream(listener, keys.clone()))
    }

    /// With the port that was chosen if none was asked for.
    pub fn address(&self) -> io::Result<SocketAddr> {
        match self {
            Listener::Udp(endpoint) => endpoint.local_addr(),
            Listener::Stream(listener, _) => listener.local_addr(),
        }
    }

    /// Serves whoever comes, for as long as the process lives.
    pub async fn serve(self, server: Arc<Server>) -> Result<(), ListenError> {
        match self {
            Listener::Udp(endpoint) => server.serve(endpoint).await,
            Listener::Stream(listener, keys) => {
                serve_streams(async || accept_tcp(&listener).await, &keys, &server).await?;
            }
        }
        Ok(())
    }
}

/// Serves whoever comes over byte streams, a few at a time.
pub(crate) async fn serve_streams<S: Bytes>(
    accept: impl AsyncFn() -> io::Result<S>,
    keys: &Keys,
    server: &Arc<Server>,
) -> Result<(), KeysError> {
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
fn stream_endpoint(stream: impl Bytes, keys: &Keys) -> Result<io::Result<Endpoint>, KeysError> {
    let config = settings::server(keys, Way::Stream)?;
    let socket = FramedSocket::new(stream);
    let endpoint = settings::endpoint(Way::Stream);
    Ok(Endpoint::new_with_abstract_socket(
        endpoint,
        Some(config),
        socket,
        Arc::new(TokioRuntime),
    ))
}
