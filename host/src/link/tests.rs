//! The link under faults, in memory and in virtual time: nothing lost, nothing done twice, nobody else let in.

mod alone;
mod faults;
mod network;
mod phone;
mod refusals;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use network::Network;
use quinn::{Endpoint, TokioRuntime};
use retap_agent::outbox::Outbox;
use retap_agent::server::Server;
use retap_shared::connection::{Connection, Pending};
use retap_transport::keys::Keys;
use retap_transport::settings::{self, Way};
use tokio::task::JoinHandle;

use super::dial::{Dial, DialError, shake_hands};
use super::{Link, LinkError, Patience};

/// Where the agent listens in memory.
const AGENT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7);

/// An agent that can be killed: nothing of it goes on, and nobody is told.
struct Agent {
    server: Arc<Server>,
    endpoint: Endpoint,
    tasks: Vec<JoinHandle<()>>,
}

impl Agent {
    fn start(
        network: &Arc<Network>,
        keys: &Keys,
        phone: Arc<dyn Connection>,
        spool: Option<PathBuf>,
        incarnation: u64,
    ) -> Agent {
        Agent::start_version(
            network,
            keys,
            phone,
            spool,
            incarnation,
            env!("CARGO_PKG_VERSION"),
        )
    }

    fn start_version(
        network: &Arc<Network>,
        keys: &Keys,
        phone: Arc<dyn Connection>,
        spool: Option<PathBuf>,
        incarnation: u64,
        version: &str,
    ) -> Agent {
        let config = settings::server(keys, Way::Udp).unwrap();
        let endpoint = Endpoint::new_with_abstract_socket(
            settings::endpoint(Way::Udp),
            Some(config),
            network.socket(AGENT),
            Arc::new(TokioRuntime),
        )
        .unwrap();
        let server = Server::new(
            phone,
            Outbox::new(spool).unwrap(),
            version.into(),
            incarnation,
        );
        let tasks = vec![
            tokio::spawn(server.clone().serve(endpoint.clone())),
            tokio::spawn(server.clone().gather_news()),
        ];
        Agent {
            server,
            endpoint,
            tasks,
        }
    }

    /// As `kill -9` does it: its datagrams are not sent any more.
    fn kill(self, network: &Network) {
        network.remove(AGENT);
        for task in self.tasks {
            task.abort();
        }
        self.endpoint.close(0u32.into(), b"");
    }
}

#[derive(Debug)]
struct InMemory {
    network: Arc<Network>,
    keys: Keys,
}

impl Dial for InMemory {
    fn dial(&self) -> Pending<'_, Result<quinn::Connection, DialError>> {
        Box::pin(async {
            let socket = self.network.socket(self.network.fresh_address());
            let config = settings::client(&self.keys, Way::Udp)?;
            shake_hands(socket, Way::Udp, config, AGENT, AGENT).await
        })
    }
}

async fn connect(network: &Arc<Network>, keys: &Keys, host: &str) -> Result<Link, LinkError> {
    let dial = Arc::new(InMemory {
        network: network.clone(),
        keys: keys.clone(),
    });
    // Longer than three cuts of a minute one after the other, and the silence after them.
    let patience = Patience {
        first: Duration::from_secs(300),
        again: Duration::from_secs(300),
    };
    Link::connect(dial, host.into(), patience).await
}
