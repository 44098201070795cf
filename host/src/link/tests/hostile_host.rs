//! A host with the right keys that does the handshake, and then as it likes.

use std::sync::Arc;

use quinn::Connection as Quic;
use retap_shared::connection::Connection;
use retap_shared::protocol::WatchApp;
use retap_shared::session::{HELLO_LIMIT, Hello, SessionId, Welcome};
use retap_transport::keys::SessionKeys;
use retap_transport::{close_code, receive, send};

use super::network::{MemoryNetwork, NetworkFaults};
use super::{MemoryDialer, TestAgent, connect};
use crate::link::dialer::Dialer;

/// A host that does the handshake and then as it likes.
pub(super) struct HostileHost {
    network: Arc<MemoryNetwork>,
    host_keys: SessionKeys,
    _agent: TestAgent,
}

impl HostileHost {
    pub(super) fn new(phone: Arc<dyn Connection>) -> HostileHost {
        let network = MemoryNetwork::new(1, NetworkFaults::default());
        let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
        let agent = TestAgent::start(&network, &agent_keys, phone, None, 1);
        HostileHost {
            network,
            host_keys,
            _agent: agent,
        }
    }

    pub(super) async fn dial(&self) -> Quic {
        let dialer = MemoryDialer {
            network: self.network.clone(),
            keys: self.host_keys.clone(),
        };
        dialer.dial().await.unwrap()
    }

    pub(super) async fn greeted(&self) -> Quic {
        let quic = self.dial().await;
        let (mut out, mut back) = quic.open_bi().await.unwrap();
        send(&mut out, &hello("host".to_owned())).await.unwrap();
        let welcome: Welcome = receive(&mut back, HELLO_LIMIT).await.unwrap();
        assert_eq!(welcome, Welcome::Accepted { incarnation: 1 });
        quic
    }

    /// The agent still serves an honest host.
    pub(super) async fn leave_to_an_honest_host(self, quic: Quic) {
        quic.close(close_code::DONE.into(), b"");
        let watch = WatchApp {
            package: "com.example".into(),
        };
        let link = connect(&self.network, &self.host_keys, "honest").await;
        link.unwrap().request(watch.into()).await.unwrap();
    }
}

pub(super) fn hello(host: String) -> Hello {
    Hello {
        version: env!("CARGO_PKG_VERSION").into(),
        session: SessionId(7),
        host,
        open_requests: Vec::new(),
        notifications_seen: 0,
    }
}
