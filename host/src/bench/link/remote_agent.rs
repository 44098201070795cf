//! An agent behind a link in this process, with its own thread and runtime.

use std::sync::{Arc, mpsc};
use std::{fmt, thread};

use clap::ValueEnum;
use retap_agent::in_process::InProcessConnection;
use retap_agent::listen::{HostListener, HostListenerError};
use retap_agent::outbox::Outbox;
use retap_agent::phone::Phone;
use retap_agent::server::AgentServer;
use retap_transport::keys::{SessionKeys, SessionKeysError};
use serde::Serialize;
use tokio::sync::oneshot;

use super::core_placement::CorePlacement;
use crate::link::pairing::LinkAddress;
use crate::link::{Link, LinkError, ReconnectPolicy};

/// Transport under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum BenchTransport {
    Udp,
    Stream,
}

#[derive(Debug, thiserror::Error)]
pub enum RemoteAgentError {
    #[error(transparent)]
    Keys(#[from] SessionKeysError),
    #[error(transparent)]
    Listen(#[from] HostListenerError),
    #[error("could not start the agent")]
    Start(#[from] std::io::Error),
    #[error("the agent did not start")]
    ThreadEnded(#[from] mpsc::RecvError),
}

/// A running agent.
pub(super) struct RemoteAgent {
    address: LinkAddress,
    keys: SessionKeys,
    /// Ends the thread when dropped.
    _alive: oneshot::Sender<()>,
}

impl RemoteAgent {
    /// Starts the agent.
    pub(super) fn start(
        transport: BenchTransport,
        placement: CorePlacement,
        phone: fn() -> Box<dyn Phone>,
    ) -> Result<RemoteAgent, RemoteAgentError> {
        let (agent, keys) = SessionKeys::generate()?;
        let (sender, receiver) = mpsc::channel();
        let (alive, dropped) = oneshot::channel();
        thread::spawn(move || {
            placement.pin_agent();
            let _ = sender.send(serve(transport, &agent, phone, dropped, &sender));
        });
        let address = receiver.recv()??;
        Ok(RemoteAgent {
            address,
            keys,
            _alive: alive,
        })
    }

    pub(super) async fn connect(&self) -> Result<Link, LinkError> {
        Link::connect(
            self.address.dialer(self.keys.clone()),
            "bench".into(),
            ReconnectPolicy::default(),
        )
        .await
    }
}

type ListenResult = Result<LinkAddress, RemoteAgentError>;

/// Sends its address once it listens, and returns when the agent is dropped.
fn serve(
    transport: BenchTransport,
    keys: &SessionKeys,
    phone: fn() -> Box<dyn Phone>,
    dropped: oneshot::Receiver<()>,
    sender: &mpsc::Sender<ListenResult>,
) -> ListenResult {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let any = ([127, 0, 0, 1], 0).into();
        let listener = match transport {
            BenchTransport::Udp => HostListener::udp(any, keys).await?,
            BenchTransport::Stream => HostListener::tcp(any, keys).await?,
        };
        let address = match transport {
            BenchTransport::Udp => LinkAddress::Udp(listener.address()?),
            BenchTransport::Stream => LinkAddress::Tcp(listener.address()?),
        };
        let phone = Arc::new(
            InProcessConnection::new(phone())
                .with_screen_diffs()
                .without_sleeping(),
        );
        let server = AgentServer::new(
            phone,
            Outbox::new(None)?,
            env!("CARGO_PKG_VERSION").into(),
            1,
        );
        let _ = sender.send(Ok(address));
        tokio::select! {
            served = listener.serve(server) => served?,
            _ = dropped => {}
        }
        Ok(address)
    })
}

/// The notes app, launched, without noise or latency.
pub(super) fn simulated() -> Box<dyn Phone> {
    let mut phone = retap_simulator::open("sim:notes").expect("a simulated app");
    let app = phone
        .apps()
        .ok()
        .and_then(|apps| apps.first().map(|info| info.app.clone()))
        .unwrap_or_default();
    phone.launch(&app).expect("its own app");
    Box::new(phone)
}

impl fmt::Debug for RemoteAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteAgent")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
