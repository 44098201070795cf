//! `retap phone`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use retap_agent::in_process::InProcessConnection;
use retap_agent::listen::HostListener;
use retap_agent::outbox::Outbox;
use retap_agent::server::AgentServer;
use retap_transport::keys::SessionKeys;

use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::devices;
use crate::exit::CommandExit;
use crate::link::pairing::{LinkAddress, PAIRING_FILE, Pairing};
use crate::link::served_keys::{self, ServePhoneError};
use crate::operations::{self, ClockKind};
use crate::report::console::{Console, LineStyle};
use crate::run::random_number;

/// Serve a phone to a host in another terminal or on another machine
///
/// Prints the address on which it listens, writes the keys for the host into the pairing file, and serves one host
/// at a time until it is stopped.
#[derive(Debug, Args)]
pub struct PhoneCommand {
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

impl PhoneCommand {
    pub fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        Console::enable_tracing();
        let listen: LinkAddress = self.listen.parse()?;
        let phone = devices::simulated(&self.phone)?;
        let (agent, host) = served_keys::load_or_make_keys(self.folder.as_deref())?;
        operations::block_on(ClockKind::Real, async {
            let listener = bind(listen, &agent).await?;
            let address = listen.at(listener.address().map_err(ServePhoneError::Address)?);
            Pairing {
                address: address.to_string(),
                keys: host,
            }
            .write(&self.pairing)?;
            self.print_address(shell, address)?;
            let outbox = Outbox::new(self.folder.as_ref().map(|folder| folder.join("spool")));
            let phone = Arc::new(InProcessConnection::new(Box::new(phone)).with_screen_diffs());
            let version = env!("CARGO_PKG_VERSION").to_owned();
            let server = AgentServer::new(
                phone,
                outbox.map_err(ServePhoneError::Folder)?,
                version,
                random_number(),
            );
            tokio::spawn(server.clone().collect_notifications());
            tokio::select! {
                served = listener.serve(server) => served.map_err(ServePhoneError::Listen)?,
                () = shell.cancellation.cancelled() => {}
            }
            Ok(CommandExit::Done)
        })?
    }

    fn print_address(
        &self,
        shell: &CommandContext,
        address: LinkAddress,
    ) -> Result<(), CommandError> {
        let pairing = self.pairing.display();
        let line = format!(
            "serving {} (a simulated phone); reach it with: --device {address}?pairing={pairing}",
            self.phone
        );
        shell.console.print(LineStyle::Plain, &line);
        Ok(shell.console.result(&address.to_string())?)
    }
}

async fn bind(listen: LinkAddress, keys: &SessionKeys) -> Result<HostListener, ServePhoneError> {
    match listen {
        LinkAddress::Udp(address) => HostListener::udp(address, keys).await,
        LinkAddress::Tcp(address) => HostListener::tcp(address, keys).await,
    }
    .map_err(ServePhoneError::Listen)
}
