//! `retap phone`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use futures_util::future::select_all;
use retap_agent::listen::HostListener;
use retap_agent::outbox::Outbox;
use retap_agent::server::AgentServer;
use retap_device::seed::Seed;
use retap_shared::connection::Connection;
use retap_transport::keys::SessionKeys;

use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::device_spec::{DeviceList, PhoneSelection};
use crate::devices::{self, ConnectionContext, ServedSpeed};
use crate::exit::CommandExit;
use crate::link::pairing::{LinkAddress, PAIRING_FILE, Pairing};
use crate::link::served_keys::{self, ServePhoneError};
use crate::operations::{self, ClockKind};
use crate::report::console::LineStyle;
use crate::run::random_number;

/// Serve phones to hosts in another terminal or on another machine
///
/// Prints the address on which each phone listens, writes the keys for its host into a pairing file, and serves one
/// host at a time until it is stopped. Exit code 130 after Ctrl-C.
#[derive(Debug, Args)]
pub struct PhoneCommand {
    /// The phone, or several with commas between them: a serial of adb's, `jvm:FILE.apk`, or `sim:APP`
    phone: DeviceList,
    /// Where to listen: `udp:ADDRESS:PORT` or `tcp:ADDRESS:PORT`; port 0 takes a free one, and the second phone has
    /// the next port
    #[arg(long, value_name = "ADDRESS", default_value = "udp:127.0.0.1:0")]
    listen: String,
    /// File for the keys that a host needs; with several phones its name gets a number: `phone-1.pairing`
    #[arg(long, value_name = "FILE", default_value = PAIRING_FILE)]
    pairing: PathBuf,
    /// Directory that keeps keys and unfetched results: a phone that is started again with it is the same one to its host
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Simulated phones: take as long as their latencies say, instead of answering at once
    #[arg(long)]
    real_time: bool,
}

/// One phone that is served, with its place among the others.
struct ServedPhone {
    name: String,
    connection: Arc<dyn Connection>,
    listen: LinkAddress,
    pairing: PathBuf,
    folder: Option<PathBuf>,
}

impl PhoneCommand {
    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let listen: LinkAddress = self.listen.parse()?;
        operations::block_on(ClockKind::Real, async {
            let serving = self.serve(listen, context);
            match context.cancellation.run_until_cancelled(serving).await {
                Some(ended) => ended.map(|()| CommandExit::Done),
                None => Ok(CommandExit::Interrupted),
            }
        })?
    }

    /// Serves all phones until the first of them cannot be served any more.
    async fn serve(
        &self,
        listen: LinkAddress,
        context: &CommandContext,
    ) -> Result<(), CommandError> {
        let mut lines = Vec::new();
        let mut serving = Vec::new();
        for phone in self.phones(listen, context).await? {
            let (line, address, work) = serve_phone(phone).await?;
            lines.push((line, address));
            serving.push(Box::pin(work));
        }
        // Who reads the first address finds the pairing files of all phones.
        for (line, address) in lines {
            context.console.print(LineStyle::Plain, &line);
            context.console.result(&address)?;
        }
        let (ended, ..) = select_all(serving).await;
        ended
    }

    async fn phones(
        &self,
        listen: LinkAddress,
        context: &CommandContext,
    ) -> Result<Vec<ServedPhone>, CommandError> {
        let selection = PhoneSelection::one_each(self.phone.clone());
        let connection = ConnectionContext {
            cancellation: context.cancellation.clone(),
            ..ConnectionContext::default()
        };
        let speed = match self.real_time {
            true => ServedSpeed::RealTime,
            false => ServedSpeed::AtOnce,
        };
        let seed = Seed(random_number());
        let connected = devices::connect_to_serve(&selection, seed, speed, &connection).await?;
        let is_only = connected.len() == 1;
        let numbered = connected.into_iter().zip(0_u16..);
        let served = numbered.map(|((name, connection), index)| ServedPhone {
            name,
            connection,
            listen: nth_address(listen, index),
            pairing: match is_only {
                true => self.pairing.clone(),
                false => numbered_file(&self.pairing, index + 1),
            },
            folder: self.folder.as_ref().map(|folder| match is_only {
                true => folder.clone(),
                false => folder.join((index + 1).to_string()),
            }),
        });
        Ok(served.collect())
    }
}

/// Begins to listen. Returns how the phone is reached, its address, and the work of serving.
async fn serve_phone(
    phone: ServedPhone,
) -> Result<
    (
        String,
        String,
        impl Future<Output = Result<(), CommandError>>,
    ),
    CommandError,
> {
    let (agent_keys, host_keys) = served_keys::load_or_make_keys(phone.folder.as_deref())?;
    let listener = bind(phone.listen, &agent_keys).await?;
    let address = phone
        .listen
        .at(listener.address().map_err(ServePhoneError::Address)?);
    let pairing = Pairing {
        address: address.to_string(),
        keys: host_keys,
    };
    pairing.write(&phone.pairing)?;
    let line = format!(
        "serving {}; reach it with: --device {address}?pairing={}",
        phone.name,
        phone.pairing.display()
    );
    let spool = phone.folder.map(|folder| folder.join("spool"));
    let outbox = Outbox::new(spool).map_err(ServePhoneError::Folder)?;
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let server = AgentServer::new(phone.connection, outbox, version, random_number());
    tokio::spawn(server.clone().collect_notifications());
    let work = async move {
        let served = listener.serve(server).await;
        Ok(served.map_err(ServePhoneError::Listen)?)
    };
    Ok((line, address.to_string(), work))
}

/// Address of a phone among several: port 0 stays, others count up.
fn nth_address(listen: LinkAddress, index: u16) -> LinkAddress {
    let (LinkAddress::Udp(address) | LinkAddress::Tcp(address)) = listen;
    match address.port() {
        0 => listen,
        port => listen.at(SocketAddr::new(address.ip(), port.saturating_add(index))),
    }
}

/// `phone-2.pairing` for `phone.pairing` and 2.
fn numbered_file(file: &Path, number: u16) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let extension = file
        .extension()
        .map(|extension| extension.to_string_lossy());
    let name = match extension {
        Some(extension) => format!("{stem}-{number}.{extension}"),
        None => format!("{stem}-{number}"),
    };
    file.with_file_name(name)
}

async fn bind(listen: LinkAddress, keys: &SessionKeys) -> Result<HostListener, ServePhoneError> {
    match listen {
        LinkAddress::Udp(address) => HostListener::udp(address, keys).await,
        LinkAddress::Tcp(address) => HostListener::tcp(address, keys).await,
    }
    .map_err(ServePhoneError::Listen)
}
