//! A phone behind a link in this process: the agent's end on a thread and a runtime of its own.

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

use super::cpu::CorePlacement;
use crate::link::pairing::LinkAddress;
use crate::link::{Link, LinkError, ReconnectPolicy};

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
    #[error("could not start the phone's end")]
    Start(#[from] std::io::Error),
    #[error("the phone's end did not start")]
    ThreadEnded(#[from] mpsc::RecvError),
}

pub(super) struct RemoteAgent {
    address: LinkAddress,
    keys: SessionKeys,
    /// Dropped with this, which ends the thread.
    _alive: oneshot::Sender<()>,
}

impl RemoteAgent {
    /// On the core next to this thread's, or wherever the system likes.
    pub(super) fn start(
        transport: BenchTransport,
        place: CorePlacement,
        phone: fn() -> Box<dyn Phone>,
    ) -> Result<RemoteAgent, RemoteAgentError> {
        let (agent, keys) = SessionKeys::generate()?;
        let (tell, told) = mpsc::channel();
        let (alive, gone) = oneshot::channel();
        thread::spawn(move || {
            place.pin_agent();
            let _ = tell.send(serve(transport, &agent, phone, gone, &tell));
        });
        let address = told.recv()??;
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

/// Tells its address once it listens; returns when nobody wants it any more.
fn serve(
    transport: BenchTransport,
    keys: &SessionKeys,
    phone: fn() -> Box<dyn Phone>,
    gone: oneshot::Receiver<()>,
    tell: &mpsc::Sender<ListenResult>,
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
        let _ = tell.send(Ok(address));
        tokio::select! {
            served = listener.serve(server) => served?,
            _ = gone => {}
        }
        Ok(address)
    })
}

/// Notes, launched, without noise or latency.
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
        f.debug_struct("Far")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
