//! An agent with the right keys that accepts every host, and then answers wrongly, too much or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use quinn::{Connection as Quic, Endpoint, RecvStream, SendStream, TokioRuntime};
use retap_shared::connection::BoxFuture;
use retap_shared::session::{HELLO_LIMIT, Hello, Welcome};
use retap_transport::config::{self, Transport};
use retap_transport::keys::SessionKeys;
use retap_transport::{receive, send};

use super::AGENT;
use super::network::MemoryNetwork;

/// What it does with a connection after the handshake, and with each request.
#[derive(Clone, Copy)]
pub(super) struct HostileBehaviour {
    pub(super) greet: fn(Quic) -> BoxFuture<'static, ()>,
    pub(super) answer: fn(Quic, SendStream, RecvStream) -> BoxFuture<'static, ()>,
}

impl Default for HostileBehaviour {
    /// Holds the connection and every request, and never answers.
    fn default() -> HostileBehaviour {
        HostileBehaviour {
            greet: |_| Box::pin(async {}),
            answer: |quic, send, receive| {
                Box::pin(async move {
                    quic.closed().await;
                    drop((send, receive));
                })
            },
        }
    }
}

/// Numbers of what hosts have done.
#[derive(Debug, Default)]
pub(super) struct HostCounts {
    pub(super) connections: AtomicU32,
    pub(super) requests: AtomicU32,
}

/// Starts the agent. It lives as long as the test.
pub(super) fn start(
    network: &Arc<MemoryNetwork>,
    keys: &SessionKeys,
    behaviour: HostileBehaviour,
) -> Arc<HostCounts> {
    let config = config::server_config(keys, Transport::Udp).unwrap();
    let endpoint = Endpoint::new_with_abstract_socket(
        config::endpoint_config(Transport::Udp),
        Some(config),
        network.socket(AGENT),
        Arc::new(TokioRuntime),
    )
    .unwrap();
    let counts = Arc::new(HostCounts::default());
    let counted = Arc::clone(&counts);
    tokio::spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            tokio::spawn(serve(incoming, behaviour, Arc::clone(&counted)));
        }
    });
    counts
}

async fn serve(
    incoming: quinn::Incoming,
    behaviour: HostileBehaviour,
    counts: Arc<HostCounts>,
) -> Option<()> {
    let quic = incoming.await.ok()?;
    counts.connections.fetch_add(1, Ordering::Relaxed);
    let (mut answer, mut question) = quic.accept_bi().await.ok()?;
    receive::<Hello>(&mut question, HELLO_LIMIT).await.ok()?;
    let accepted = Welcome::Accepted { incarnation: 1 };
    send(&mut answer, &accepted).await.ok()?;
    tokio::spawn((behaviour.greet)(quic.clone()));
    loop {
        let (answer, request) = quic.accept_bi().await.ok()?;
        counts.requests.fetch_add(1, Ordering::Relaxed);
        tokio::spawn((behaviour.answer)(quic.clone(), answer, request));
    }
}
