//! The agent as a process on a phone: its options, the keys that come through standard input, and where hosts come in.

use std::io::{self, BufRead, Read, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixListener as StdListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use retap_shared::codec::{self, CodecError};
use retap_transport::keys::SessionKeys;
use tokio::net::UnixListener;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::listen::{HostListener, HostListenerError, serve_streams};
use crate::outbox::Outbox;
use crate::phone::Phone;
use crate::server::AgentServer;
use crate::threaded::ThreadedConnection;
use crate::version::VERSION;

/// Keys are short; whatever is longer is something else.
const MAX_KEYS_LENGTH: u64 = 64 * 1024;

/// A phone that nobody asks for anything is left alone again.
const IDLE_LIMIT: Duration = Duration::from_secs(600);

/// Who has the phone, for the words that a second host gets. Whoever starts the agent writes it first.
const HOST_FILE: &str = "agent.host";
/// A host that started the agent and has not come by then is gone.
const FIRST_HOST_TIMEOUT: Duration = Duration::from_secs(90);

/// What the host says when it starts the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentOptions {
    /// The abstract socket that adb forwards to.
    pub name: Option<String>,
    /// Where to listen for datagrams, on a Wi-Fi or a lab's network.
    pub udp: Option<SocketAddr>,
    /// The Android user whose apps are tested.
    pub user: i32,
    /// Who the process becomes if it was started as root: the shell, 2000.
    pub uid: Option<u32>,
    /// Where results and the user's settings outlive the process.
    pub folder: PathBuf,
    /// A file to write every Java name to, with the form that this phone has.
    pub names: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(
        "`{0}` is no option, or its value is missing; options are --name, --udp, --user, --uid, --folder, --names"
    )]
    Option(String),
    #[error("nowhere to listen: give --name or --udp")]
    Nowhere,
    #[error("no keys came through standard input: one line of hexadecimal digits is expected")]
    Keys,
    #[error("the keys that came through standard input could not be read")]
    Codec(#[from] CodecError),
    #[error("could not serve")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Listen(#[from] HostListenerError),
}

impl AgentOptions {
    pub fn parse(arguments: &[String]) -> Result<AgentOptions, ServeError> {
        let folder = PathBuf::from("/data/local/tmp/retap");
        let mut options = AgentOptions {
            name: None,
            udp: None,
            user: 0,
            uid: None,
            folder,
            names: None,
        };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let wrong = || ServeError::Option(option.clone());
            let value = rest.next().ok_or_else(wrong)?;
            match option.as_str() {
                "--name" => options.name = Some(value.clone()),
                "--udp" => options.udp = Some(value.parse().map_err(|_| wrong())?),
                "--user" => options.user = value.parse().map_err(|_| wrong())?,
                "--uid" => options.uid = Some(user_id(value).ok_or_else(wrong)?),
                "--folder" => options.folder = PathBuf::from(value),
                "--names" => options.names = Some(PathBuf::from(value)),
                _ => return Err(wrong()),
            }
        }
        Ok(options)
    }
}

/// The highest number means nobody.
fn user_id(text: &str) -> Option<u32> {
    text.parse().ok().filter(|id| *id < u32::MAX)
}

/// Serves one host, however often it comes back, until that says that it is done or has been gone for ten minutes. The
/// phone is put back as it was before this returns.
pub fn serve(phone: Box<dyn Phone>, options: &AgentOptions) -> Result<(), ServeError> {
    let keys = read_keys(&mut io::stdin().lock())?;
    let (connection, phones_thread) = ThreadedConnection::start(phone)?;
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
    // With the last of those who ask, the phone's thread ends, and with it the phone.
    drop((runtime, server));
    let _ = phones_thread.join();
    served
}

/// Keeps the file for as long as a host is there or expected. One that cannot be written is missed by nobody who works.
async fn record_host(mut connected: watch::Receiver<Option<String>>, file: PathBuf) {
    let _ = timeout(FIRST_HOST_TIMEOUT, connected.wait_for(Option::is_some)).await;
    loop {
        let host = connected.borrow_and_update().clone();
        let noted = match host {
            Some(host) => std::fs::write(&file, host),
            None => std::fs::remove_file(&file),
        };
        if let Err(error) = noted {
            tracing::debug!(%error, "could not note who has the phone");
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
            announce_address(&mut io::stdout(), &format!("@{name}"))?;
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

/// One line of hexadecimal digits: whatever else a shell does to its input, it leaves those alone.
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

/// One line on standard output, for whoever started the agent: hosts can come, and where.
fn announce_address(to: &mut impl Write, place: &str) -> io::Result<()> {
    writeln!(to, "listening on {place}")?;
    to.flush()
}

fn bind(name: &str) -> io::Result<UnixListener> {
    #[cfg(target_os = "android")]
    use std::os::android::net::SocketAddrExt;
    #[cfg(not(target_os = "android"))]
    use std::os::linux::net::SocketAddrExt;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    let listener = StdListener::bind_addr(&address)?;
    listener.set_nonblocking(true)?;
    UnixListener::from_std(listener)
}

async fn serve_socket(
    listener: &UnixListener,
    keys: &SessionKeys,
    server: &Arc<AgentServer>,
) -> Result<(), ServeError> {
    let accept = async || Ok(listener.accept().await?.0);
    Ok(serve_streams(accept, keys, server)
        .await
        .map_err(HostListenerError::from)?)
}

#[cfg(test)]
mod tests {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixStream};

    use retap_shared::connection::{BoxFuture, Connection, RequestError};
    use retap_shared::protocol::{PhoneEvent, Reply, Request};

    use super::*;

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
    async fn streams_beyond_a_few_are_closed_at_once() {
        let name = format!("retap-test-{}", std::process::id());
        let listener = bind(&name).unwrap();
        let (keys, _) = SessionKeys::generate().unwrap();
        let server = AgentServer::new(
            Arc::new(NoPhone),
            Outbox::new(None).unwrap(),
            String::new(),
            1,
        );
        let strangers = async {
            let connect = || {
                let address = SocketAddr::from_abstract_name(&name).unwrap();
                let stream = UnixStream::connect_addr(&address).unwrap();
                stream.set_nonblocking(true).unwrap();
                tokio::net::UnixStream::from_std(stream).unwrap()
            };
            let first = connect();
            let _others: Vec<_> = (0..40).map(|_| connect()).collect();
            let last = connect();
            last.readable().await.unwrap();
            assert_eq!(last.try_read(&mut [0]).unwrap(), 0);
            let error = first.try_read(&mut [0]).unwrap_err();
            assert_eq!(
                error.kind(),
                io::ErrorKind::WouldBlock,
                "the first is still listened to"
            );
        };
        tokio::select! {
            served = serve_socket(&listener, &keys, &server) => panic!("{served:?}"),
            () = strangers => {}
        }
    }

    #[test]
    fn options_say_where_to_listen_and_for_which_user() {
        let words = [
            "--name", "retap", "--user", "10", "--uid", "2000", "--folder", "/tmp/x",
        ];
        let options = AgentOptions::parse(&words.map(str::to_owned)).unwrap();
        assert_eq!(options.name.as_deref(), Some("retap"));
        assert_eq!(
            (options.user, options.uid, options.folder),
            (10, Some(2000), PathBuf::from("/tmp/x"))
        );
    }

    #[test]
    fn an_option_that_does_not_exist_or_lacks_its_value_is_refused() {
        for words in [
            &["--nmae", "x"][..],
            &["--user"],
            &["--user", "me"],
            &["--uid", "4294967295"],
            &["--udp", "here"],
        ] {
            let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
            assert!(
                matches!(AgentOptions::parse(&words), Err(ServeError::Option(_))),
                "{words:?}"
            );
        }
    }

    #[test]
    fn keys_come_as_a_line_of_digits_and_nothing_else_does() {
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
