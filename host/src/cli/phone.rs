//! `retap phone`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use retap_agent::in_process::InProcess;
use retap_agent::listen::Listener;
use retap_agent::outbox::Outbox;
use retap_agent::server::Server;
use retap_transport::keys::Keys;

use crate::devices;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::job::{self, Clock};
use crate::link::pairing::{LinkAddress, PAIRING_FILE, Pairing};
use crate::link::serving::{self, ServingError};
use crate::report::console::{Console, Tone};
use crate::run::random_number;
use crate::shell::Shell;

/// Serve a phone to a host in another terminal or on another machine
///
/// Prints the address on which it listens, writes the keys for the host into the pairing file, and serves one host
/// at a time until it is stopped.
#[derive(Debug, Args)]
pub struct Phone {
    /// The phone: `sim:NAME` for a simulated one, see `retap devices`
    phone: String,
    /// Where to listen: `udp:ADDRESS:PORT` or `tcp:ADDRESS:PORT`; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "udp:127.0.0.1:0")]
    listen: String,
    /// Where to write the keys that a host needs
    #[arg(long, value_name = "FILE", default_value = PAIRING_FILE)]
    pairing: PathBuf,
    /// Keep keys and unfetched results here: a phone that is started again with it is the same one to its host
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Phone {
    pub fn run(&self, shell: &Shell) -> Result<Exit, Failure> {
        Console::trace();
        let listen: LinkAddress = self.listen.parse()?;
        let phone = devices::simulated(&self.phone)?;
        let (agent, host) = serving::keys(self.folder.as_deref())?;
        job::block_on(Clock::Real, async {
            let listener = bind(listen, &agent).await?;
            let address = listen.at(listener.address().map_err(ServingError::Address)?);
            Pairing {
                address: address.to_string(),
                keys: host,
            }
            .write(&self.pairing)?;
            self.tell(shell, address)?;
            let outbox = Outbox::new(self.folder.as_ref().map(|folder| folder.join("spool")));
            let phone = Arc::new(InProcess::new(Box::new(phone)).for_link());
            let version = env!("CARGO_PKG_VERSION").to_owned();
            let server = Server::new(
                phone,
                outbox.map_err(ServingError::Folder)?,
                version,
                random_number(),
            );
            tokio::spawn(server.clone().gather_news());
            tokio::select! {
                served = listener.serve(server) => served.map_err(ServingError::Listen)?,
                () = shell.stop.wait() => {}
            }
            Ok(Exit::Done)
        })?
    }

    fn tell(&self, shell: &Shell, address: LinkAddress) -> Result<(), Failure> {
        let pairing = self.pairing.display();
        let line = format!(
            "serving {} (a simulated phone); reach it with: --device {address}?pairing={pairing}",
            self.phone
        );
        shell.console.say(Tone::Plain, &line);
        Ok(shell.console.result(&address.to_string())?)
    }
}

async fn bind(listen: LinkAddress, keys: &Keys) -> Result<Listener, ServingError> {
    match listen {
        LinkAddress::Udp(address) => Listener::udp(address, keys).await,
        LinkAddress::Tcp(address) => Listener::tcp(address, keys).await,
    }
    .map_err(ServingError::Listen)
}
