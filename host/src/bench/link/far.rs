//! A phone behind a link in this process: the agent's end on a thread and a runtime of its own.

use std::sync::{Arc, mpsc};
use std::{fmt, thread};

use clap::ValueEnum;
use retap_agent::in_process::InProcess;
use retap_agent::listen::{ListenError, Listener};
use retap_agent::outbox::Outbox;
use retap_agent::phone::Phone;
use retap_agent::server::Server;
use retap_transport::keys::{Keys, KeysError};
use serde::Serialize;
use tokio::sync::oneshot;

use super::cpu::Place;
use crate::link::pairing::LinkAddress;
use crate::link::{Link, LinkError, Patience};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    Udp,
    Stream,
}

#[derive(Debug, thiserror::Error)]
pub enum FarError {
    #[error(transparent)]
    Keys(#[from] KeysError),
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error("could not start the phone's end")]
    Start(#[from] std::io::Error),
    #[error("the phone's end did not start")]
    Gone(#[from] mpsc::RecvError),
}

pub(super) struct Far {
    address: LinkAddress,
    keys: Keys,
    /// Dropped with this, which ends the thread.
    _alive: oneshot::Sender<()>,
}

impl Far {
    /// On the core next to this thread's, or wherever the system likes.
    pub(super) fn start(
        transport: Transport,
        place: Place,
        phone: fn() -> Box<dyn Phone>,
    ) -> Result<Far, FarError> {
        let (agent, keys) = Keys::make()?;
        let (tell, told) = mpsc::channel();
        let (alive, gone) = oneshot::channel();
        thread::spawn(move || {
            place.take_far();
            let _ = tell.send(serve(transport, &agent, phone, gone, &tell));
        });
        let address = told.recv()??;
        Ok(Far {
            address,
            keys,
            _alive: alive,
        })
    }

    pub(super) async fn connect(&self) -> Result<Link, LinkError> {
        Link::connect(
            self.address.dial(self.keys.clone()),
            "bench".into(),
            Patience::default(),
        )
        .await
    }
}

type Told = Result<LinkAddress, FarError>;

/// Tells its address once it listens; returns when nobody wants it any more.
fn serve(
    transport: Transport,
    keys: &Keys,
    phone: fn() -> Box<dyn Phone>,
    gone: oneshot::Receiver<()>,
    tell: &mpsc::Sender<Told>,
) -> Told {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let any = ([127, 0, 0, 1], 0).into();
        let listener = match transport {
            Transport::Udp => Listener::udp(any, keys).await?,
            Transport::Stream => Listener::tcp(any, keys).await?,
        };
        let address = match transport {
            Transport::Udp => LinkAddress::Udp(listener.address()?),
            Transport::Stream => LinkAddress::Tcp(listener.address()?),
        };
        let phone = Arc::new(InProcess::new(phone()).for_link().timeless());
        let server = Server::new(
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

impl fmt::Debug for Far {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Far")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
