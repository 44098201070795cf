//! A minimal host: handshake and requests.

use std::fmt::Debug;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixStream as StdStream};
use std::sync::Arc;

use quinn::{AsyncUdpSocket, Connection, Endpoint, TokioRuntime};
use retap_shared::error_text::with_causes;
use retap_shared::protocol::{Reply, Request};
use retap_shared::session::{
    HELLO_LIMIT, Hello, REPLY_LIMIT, RequestEnvelope, RequestResult, SessionId, Welcome,
};
use retap_transport::config::{self, Transport};
use retap_transport::keys::SessionKeys;
use retap_transport::stream::{FramedSocket, PEER};
use retap_transport::udp::PlainUdpSocket;
use retap_transport::{receive, send};
use tokio::net::UnixStream;

pub(crate) struct Host {
    quic: Connection,
    requests: u64,
}

impl Host {
    /// Connects to `udp:ADDRESS`, as the agent announces it.
    pub(crate) async fn over_udp(announced: &str, keys: &SessionKeys) -> Result<Host, String> {
        let address = announced.strip_prefix("udp:").unwrap().parse().unwrap();
        let socket = PlainUdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Host::handshake(socket, Transport::Udp, address, keys).await
    }

    pub(crate) async fn over_abstract_socket(
        name: &str,
        keys: &SessionKeys,
    ) -> Result<Host, String> {
        let address = UnixAddress::from_abstract_name(name).unwrap();
        let stream = StdStream::connect_addr(&address).unwrap();
        stream.set_nonblocking(true).unwrap();
        let socket = FramedSocket::new(UnixStream::from_std(stream).unwrap());
        Host::handshake(socket, Transport::Stream, PEER, keys).await
    }

    async fn handshake(
        socket: Arc<dyn AsyncUdpSocket>,
        transport: Transport,
        peer: std::net::SocketAddr,
        keys: &SessionKeys,
    ) -> Result<Host, String> {
        let runtime = Arc::new(TokioRuntime);
        let config = config::endpoint_config(transport);
        let endpoint = Endpoint::new_with_abstract_socket(config, None, socket, runtime).unwrap();
        let config = config::client_config(keys, transport).unwrap();
        let connecting = endpoint.connect_with(config, peer, "agent.retap").unwrap();
        let quic = connecting.await.map_err(|error| with_causes(&error))?;
        let hello = Hello {
            version: env!("CARGO_PKG_VERSION").into(),
            session: SessionId(1),
            host: "the test".into(),
            open_requests: Vec::new(),
            notifications_seen: 0,
        };
        let (mut sender, mut receiver) =
            quic.open_bi().await.map_err(|error| with_causes(&error))?;
        send(&mut sender, &hello)
            .await
            .map_err(|error| with_causes(&error))?;
        match receive(&mut receiver, HELLO_LIMIT)
            .await
            .map_err(|error| with_causes(&error))?
        {
            Welcome::Accepted { .. } => Ok(Host { quic, requests: 0 }),
            Welcome::Refused(refusal) => Err(refusal.to_string()),
        }
    }

    pub(crate) async fn request(&mut self, request: impl Into<Request>) -> RequestResult {
        self.requests += 1;
        let envelope = RequestEnvelope {
            number: self.requests,
            oldest_open: self.requests,
            notifications_seen: 0,
            only_known: false,
            request: request.into(),
        };
        let (mut sender, mut receiver) = self.quic.open_bi().await.unwrap();
        send(&mut sender, &envelope).await.unwrap();
        receive(&mut receiver, REPLY_LIMIT).await.unwrap()
    }

    /// Sends a request that must succeed.
    pub(crate) async fn reply_to<T: TryFrom<Reply, Error: Debug>>(
        &mut self,
        request: impl Into<Request>,
    ) -> T {
        match self.request(request).await {
            RequestResult::Reply(reply) => reply.try_into().unwrap(),
            other => panic!("{other:?}"),
        }
    }
}
