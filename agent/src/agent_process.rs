//! The agent as a process on a phone: it reads keys from standard input, listens for a host and serves it.

use std::io::{self, BufRead, Read, Write};
use std::os::unix::net::{SocketAddr, UnixListener as StdListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use retap_shared::codec::{self, CodecError};
use retap_transport::keys::SessionKeys;
use tokio::net::UnixListener;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::listen::{HostListener, HostListenerError, serve_streams};
use crate::options::AgentOptions;
use crate::outbox::Outbox;
use crate::phone::Phone;
use crate::server::AgentServer;
use crate::threaded::ThreadedConnection;
use crate::version::VERSION;

/// Maximum number of bytes of the line with the keys.
const MAX_KEYS_LENGTH: u64 = 64 * 1024;

/// Time without a host after which the agent ends.
const IDLE_LIMIT: Duration = Duration::from_secs(600);

/// File with the name of the host that holds the phone, for the message to a second host. The host that starts the agent
/// writes it first.
const HOST_FILE: &str = "agent.host";
/// Time after which the host that started the agent is given up if it has not connected.
const FIRST_HOST_TIMEOUT: Duration = Duration::from_secs(90);

/// Why the agent could not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The options name no address.
    #[error("no address to listen on: give --name or --udp")]
    Nowhere,
    /// Standard input holds no keys.
    #[error("standard input holds no keys: one line of hexadecimal digits is expected")]
    Keys,
    /// The keys cannot be decoded.
    #[error("could not decode the keys from standard input")]
    Codec(#[from] CodecError),
    /// The system refused a file, a socket or a thread.
    #[error("could not serve")]
    Io(#[from] io::Error),
    /// The address cannot be listened on.
    #[error(transparent)]
    Listen(#[from] HostListenerError),
}

/// Serves one host, however often it reconnects, until it is done or has been away for ten minutes. The phone's settings
/// are restored before this returns.
pub fn serve(phone: Box<dyn Phone>, options: &AgentOptions) -> Result<(), ServeError> {
    let keys = read_keys(&mut io::stdin().lock())?;
    let (connection, phone_thread) = ThreadedConnection::start(phone)?;
    let outbox = Outbox::new(Some(options.folder.join("outbox")))?;
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let incarnation = started.as_nanos() as u64 ^ u64::from(std::process::id());
    let server = AgentServer::new(
        Arc::new(connection),
        outbox,
        VERSION.to_owned(),
        incarnation,
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        tokio::spawn(server.clone().collect_notifications());
        tokio::spawn(record_host(
            server.connected(),
            options.folder.join(HOST_FILE),
        ));
        tokio::select! {
            served = listen(options, &keys, &server) => served,
            () = server.wait_until_done() => Ok(()),
            () = server.wait_until_idle(IDLE_LIMIT) => Ok(()),
        }
    });
    // Dropping the last connection ends the phone's thread, which drops the phone.
    drop((runtime, server));
    let _ = phone_thread.join();
    served
}

/// Keeps the host file while a host is connected or expected. An error is only logged: the file serves a message.
async fn record_host(mut connected: watch::Receiver<Option<String>>, file: PathBuf) {
    let _ = timeout(FIRST_HOST_TIMEOUT, connected.wait_for(Option::is_some)).await;
    loop {
        let host = connected.borrow_and_update().clone();
        let written = match host {
            Some(host) => std::fs::write(&file, host),
            None => std::fs::remove_file(&file),
        };
        if let Err(error) = written {
            tracing::debug!(%error, "could not record the host that holds the phone");
        }
        if connected.changed().await.is_err() {
            return;
        }
    }
}

async fn listen(
    options: &AgentOptions,
    keys: &SessionKeys,
    server: &Arc<AgentServer>,
) -> Result<(), ServeError> {
    match (&options.name, options.udp) {
        (Some(name), _) => {
            let listener = bind(name)?;
            let mark = if is_path(name) { "" } else { "@" };
            announce_address(&mut io::stdout(), &format!("{mark}{name}"))?;
            serve_socket(&listener, keys, server).await
        }
        (None, Some(address)) => {
            let listener = HostListener::udp(address, keys).await?;
            announce_address(&mut io::stdout(), &format!("udp:{}", listener.address()?))?;
            Ok(listener.serve(server.clone()).await?)
        }
        (None, None) => Err(ServeError::Nowhere),
    }
}

/// Reads the keys as one line of hexadecimal digits, which no shell changes.
fn read_keys(from: &mut impl BufRead) -> Result<SessionKeys, ServeError> {
    let mut line = String::new();
    from.take(MAX_KEYS_LENGTH).read_line(&mut line)?;
    let line = line.trim();
    let digits = line.as_bytes().chunks_exact(2);
    if line.is_empty() || !digits.remainder().is_empty() {
        return Err(ServeError::Keys);
    }
    let bytes: Option<Vec<u8>> = digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    Ok(codec::decode(&bytes.ok_or(ServeError::Keys)?)?)
}

/// Writes the address to standard output, where the process that started the agent reads it.
fn announce_address(to: &mut impl Write, address: &str) -> io::Result<()> {
    writeln!(to, "listening on {address}")?;
    to.flush()
}

/// A name that is a path is the path of a socket among the files, for hosts in another network namespace.
fn is_path(name: &str) -> bool {
    name.starts_with('/')
}

fn bind(name: &str) -> io::Result<UnixListener> {
    #[cfg(target_os = "android")]
    use std::os::android::net::SocketAddrExt;
    #[cfg(not(target_os = "android"))]
    use std::os::linux::net::SocketAddrExt;
    let address = match is_path(name) {
        true => SocketAddr::from_pathname(name)?,
        false => SocketAddr::from_abstract_name(name)?,
    };
    let listener = StdListener::bind_addr(&address)?;
    listener.set_nonblocking(true)?;
    UnixListener::from_std(listener)
}

async fn serve_socket(
    listener: &UnixListener,
    keys: &SessionKeys,
    server: &Arc<AgentServer>,
) -> Result<(), ServeError> {
    let accept = async || Ok((listener.accept().await?.0, None));
    Ok(serve_streams(accept, keys, server)
        .await
        .map_err(HostListenerError::from)?)
}

#[cfg(test)]
mod tests {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::UnixStream;

    use retap_shared::connection::{BoxFuture, Connection, RequestError};
    use retap_shared::phone_event::PhoneEvent;
    use retap_shared::protocol::{Reply, Request};

    use super::*;
    use crate::waiting_streams::MAX_WAITING;

    struct NoPhone;

    impl Connection for NoPhone {
        fn request(&self, _: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
            Box::pin(std::future::pending())
        }

        fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test]
    async fn a_name_that_is_a_path_is_a_socket_among_the_files() {
        let path = std::env::temp_dir().join(format!("retap-test-{}.socket", std::process::id()));
        let listener = bind(path.to_str().unwrap()).unwrap();
        let _stream = UnixStream::connect(&path).unwrap();
        listener.accept().await.unwrap();
        std::fs::remove_file(&path).unwrap();
    }

    #[tokio::test]
    async fn the_oldest_silent_stream_is_closed_when_there_are_too_many() {
        let name = format!("retap-test-{}", std::process::id());
        let listener = bind(&name).unwrap();
        let (keys, _) = SessionKeys::generate().unwrap();
        let server = AgentServer::new(
            Arc::new(NoPhone),
            Outbox::new(None).unwrap(),
            String::new(),
            1,
        );
        let clients = async {
            let connect = || {
                let address = SocketAddr::from_abstract_name(&name).unwrap();
                let stream = UnixStream::connect_addr(&address).unwrap();
                stream.set_nonblocking(true).unwrap();
                tokio::net::UnixStream::from_std(stream).unwrap()
            };
            let first = connect();
            let _others: Vec<_> = (0..MAX_WAITING).map(|_| connect()).collect();
            let last = connect();
            first.readable().await.unwrap();
            assert_eq!(first.try_read(&mut [0]).unwrap(), 0);
            let error = last.try_read(&mut [0]).unwrap_err();
            assert_eq!(
                error.kind(),
                io::ErrorKind::WouldBlock,
                "the last stream is still open"
            );
        };
        tokio::select! {
            served = serve_socket(&listener, &keys, &server) => panic!("{served:?}"),
            () = clients => {}
        }
    }

    #[test]
    fn keys_are_read_from_a_line_of_hexadecimal_digits_only() {
        let (agent, _) = SessionKeys::generate().unwrap();
        let line: String = codec::encode(&agent)
            .unwrap()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            read_keys(&mut format!("{line}\n").as_bytes()).unwrap(),
            agent
        );
        for line in ["", "\n", "abc", "zz", "00", "ff00ff", "\u{fffd}\u{fffd}"] {
            assert!(read_keys(&mut line.as_bytes()).is_err(), "{line:?}");
        }
    }
}
