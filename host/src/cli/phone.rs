//! `retap phone`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use retap_agent::in_process::InProcessConnection;
use retap_agent::listen::HostListener;
use retap_agent::outbox::Outbox;
use retap_agent::server::AgentServer;
use retap_simulator::SimulatedPhone;
use retap_transport::keys::SessionKeys;

use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::device_spec::DeviceList;
use crate::devices;
use crate::exit::CommandExit;
use crate::link::pairing::{LinkAddress, PAIRING_FILE, Pairing};
use crate::link::served_keys::{self, ServePhoneError};
use crate::operations::{self, ClockKind};
use crate::report::console::LineStyle;
use crate::run::random_number;

/// Serve a phone to a host in another terminal or on another machine
///
/// Prints the address on which it listens, writes the keys for the host into the pairing file, and serves one host
/// at a time until it is stopped. Exit code 130 after Ctrl-C.
#[derive(Debug, Args)]
pub struct PhoneCommand {
    /// The phone: `sim:APP` for a simulated one, see `retap devices`
    phone: DeviceList,
    /// Where to listen: `udp:ADDRESS:PORT` or `tcp:ADDRESS:PORT`; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "udp:127.0.0.1:0")]
    listen: String,
    /// File for the keys that a host needs
    #[arg(long, value_name = "FILE", default_value = PAIRING_FILE)]
    pairing: PathBuf,
    /// Directory that keeps keys and unfetched results: a phone that is started again with it is the same one to its host
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl PhoneCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let listen: LinkAddress = self.listen.parse()?;
        let phone = devices::open_simulated(self.phone.single()?)?;
        let (agent_keys, host_keys) = served_keys::load_or_make_keys(self.folder.as_deref())?;
        operations::block_on(ClockKind::Real, async {
            let listener = bind(listen, &agent_keys).await?;
            let address = listen.at(listener.address().map_err(ServePhoneError::Address)?);
            let pairing = Pairing {
                address: address.to_string(),
                keys: host_keys,
            };
            pairing.write(&self.pairing)?;
            self.print_address(context, address)?;
            let server = self.server(phone)?;
            tokio::spawn(server.clone().collect_notifications());
            tokio::select! {
                served = listener.serve(server) => {
                    served.map_err(ServePhoneError::Listen)?;
                    Ok(CommandExit::Done)
                }
                () = context.cancellation.cancelled() => Ok(CommandExit::Interrupted),
            }
        })?
    }

    fn server(&self, phone: SimulatedPhone) -> Result<Arc<AgentServer>, ServePhoneError> {
        let outbox = Outbox::new(self.folder.as_ref().map(|folder| folder.join("spool")))
            .map_err(ServePhoneError::Folder)?;
        let phone = Arc::new(InProcessConnection::new(Box::new(phone)).with_screen_diffs());
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(AgentServer::new(phone, outbox, version, random_number()))
    }

    fn print_address(
        &self,
        context: &CommandContext,
        address: LinkAddress,
    ) -> Result<(), CommandError> {
        let pairing = self.pairing.display();
        let line = format!(
            "serving {} (a simulated phone); reach it with: --device {address}?pairing={pairing}",
            self.phone
        );
        context.console.print(LineStyle::Plain, &line);
        Ok(context.console.result(&address.to_string())?)
    }
}

async fn bind(listen: LinkAddress, keys: &SessionKeys) -> Result<HostListener, ServePhoneError> {
    match listen {
        LinkAddress::Udp(address) => HostListener::udp(address, keys).await,
        LinkAddress::Tcp(address) => HostListener::tcp(address, keys).await,
    }
    .map_err(ServePhoneError::Listen)
}
