//! The link under faults, in memory and in virtual time: nothing is lost, nothing is done twice, no other host is accepted.

mod alone;
mod faults;
mod hostile_agent;
mod hostile_host;
mod limits;
mod mutations;
mod network;
mod phone;
mod refusals;
mod requests;
mod wrong_answers;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use network::MemoryNetwork;
use quinn::{Endpoint, TokioRuntime};
use retap_agent::handshake_gate::HandshakeGate;
use retap_agent::outbox::Outbox;
use retap_agent::server::AgentServer;
use retap_shared::connection::{BoxFuture, Connection};
use retap_transport::config::{self, Transport};
use retap_transport::keys::SessionKeys;
use tokio::task::JoinHandle;

use super::dialer::{DialError, Dialer, handshake};
use super::{Link, LinkError, ReconnectPolicy};

/// Address of the agent in memory.
const AGENT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7);

/// An agent that can be killed: all its tasks end at once, without a message.
struct TestAgent {
    server: Arc<AgentServer>,
    endpoint: Endpoint,
    tasks: Vec<JoinHandle<()>>,
}

impl TestAgent {
    fn start(
        network: &Arc<MemoryNetwork>,
        keys: &SessionKeys,
        phone: Arc<dyn Connection>,
        spool: Option<PathBuf>,
        incarnation: u64,
    ) -> TestAgent {
        TestAgent::start_version(
            network,
            keys,
            phone,
            spool,
            incarnation,
            env!("CARGO_PKG_VERSION"),
        )
    }

    fn start_version(
        network: &Arc<MemoryNetwork>,
        keys: &SessionKeys,
        phone: Arc<dyn Connection>,
        spool: Option<PathBuf>,
        incarnation: u64,
        version: &str,
    ) -> TestAgent {
        let config = config::server_config(keys, Transport::Udp).unwrap();
        let endpoint = Endpoint::new_with_abstract_socket(
            config::endpoint_config(Transport::Udp),
            Some(config),
            network.socket(AGENT),
            Arc::new(TokioRuntime),
        )
        .unwrap();
        let server = AgentServer::new(
            phone,
            Outbox::new(spool).unwrap(),
            version.into(),
            incarnation,
        );
        let tasks = vec![
            tokio::spawn(
                server
                    .clone()
                    .serve(endpoint.clone(), HandshakeGate::new(keys)),
            ),
            tokio::spawn(server.clone().collect_notifications()),
        ];
        TestAgent {
            server,
            endpoint,
            tasks,
        }
    }

    /// Kills the agent like `kill -9`: no more datagrams are sent.
    fn kill(self, network: &MemoryNetwork) {
        network.remove(AGENT);
        for task in self.tasks {
            task.abort();
        }
        self.endpoint.close(0u32.into(), b"");
    }
}

#[derive(Debug)]
struct MemoryDialer {
    network: Arc<MemoryNetwork>,
    keys: SessionKeys,
}

impl Dialer for MemoryDialer {
    fn dial(&self) -> BoxFuture<'_, Result<quinn::Connection, DialError>> {
        Box::pin(async {
            let socket = self.network.socket(self.network.fresh_address());
            let config = config::client_config(&self.keys, Transport::Udp)?;
            handshake(socket, Transport::Udp, config, AGENT, AGENT).await
        })
    }
}

async fn connect(
    network: &Arc<MemoryNetwork>,
    keys: &SessionKeys,
    host: &str,
) -> Result<Link, LinkError> {
    let dial = Arc::new(MemoryDialer {
        network: network.clone(),
        keys: keys.clone(),
    });
    // Longer than three interruptions of a minute in a row, and the idle timeout after them.
    let policy = ReconnectPolicy {
        connect_timeout: Duration::from_secs(300),
        reconnect_timeout: Duration::from_secs(300),
    };
    Link::connect(dial, host.into(), policy).await
}
