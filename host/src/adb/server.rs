//! The adb server: its address and its version. The version is asked for over the server's own protocol, because the
//! adb program would end a server of another version first.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Duration;
use std::{fmt, io};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::AdbError;

const DEFAULT_PORT: u16 = 5037;
/// adb's own environment variable for the server's port.
const PORT_VARIABLE: &str = "ANDROID_ADB_SERVER_PORT";
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
const LONGEST_ANSWER: usize = 64;

/// The server that the command line names.
static CHOSEN_SERVER: OnceLock<AdbServer> = OnceLock::new();

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdbServer {
    /// `None` for this machine.
    host: Option<IpAddr>,
    port: u16,
}

/// Uses this server from now on.
pub fn use_server(address: &str) -> Result<(), AdbError> {
    let _ = CHOSEN_SERVER.set(address.parse()?);
    Ok(())
}

impl AdbServer {
    pub(super) fn chosen() -> Result<AdbServer, AdbError> {
        if let Some(chosen) = CHOSEN_SERVER.get() {
            return Ok(chosen.clone());
        }
        match std::env::var(PORT_VARIABLE) {
            Ok(port) if !port.is_empty() => {
                let port = port
                    .parse()
                    .map_err(|_| AdbError::Address(format!("{PORT_VARIABLE}={port}")))?;
                Ok(AdbServer { host: None, port })
            }
            _ => Ok(AdbServer {
                host: None,
                port: DEFAULT_PORT,
            }),
        }
    }

    /// The host at which forwarded ports are reached.
    pub fn host(&self) -> IpAddr {
        self.host.unwrap_or(IpAddr::from([127, 0, 0, 1]))
    }

    pub(super) fn arguments(&self) -> Vec<String> {
        let host = self.host.map(|host| ["-H".to_owned(), host.to_string()]);
        let port = (self.port != DEFAULT_PORT || self.host.is_some())
            .then(|| ["-P".to_owned(), self.port.to_string()]);
        host.into_iter().chain(port).flatten().collect()
    }

    /// Version of the server; `None` if none runs on this machine. adb will then start one.
    pub(super) async fn version(&self) -> Result<Option<u32>, AdbError> {
        let mut stream =
            match timeout(ANSWER_TIMEOUT, TcpStream::connect((self.host(), self.port))).await {
                Ok(Ok(stream)) => stream,
                Ok(Err(_)) if self.host.is_none() => return Ok(None),
                Ok(Err(source)) => {
                    return Err(AdbError::NoServer {
                        server: self.clone(),
                        source,
                    });
                }
                Err(_) => return Err(self.timed_out()),
            };
        match timeout(ANSWER_TIMEOUT, ask(&mut stream)).await {
            Ok(Ok(Ok(version))) => Ok(Some(version)),
            Ok(Ok(Err(answer))) => Err(self.malformed_answer(&answer)),
            Ok(Err(_)) => Err(self.malformed_answer(b"the end of the stream")),
            Err(_) => Err(self.timed_out()),
        }
    }

    fn timed_out(&self) -> AdbError {
        AdbError::TimedOut {
            what: format!("the server at {self}"),
            limit: ANSWER_TIMEOUT,
        }
    }

    fn malformed_answer(&self, answer: &[u8]) -> AdbError {
        let answer = format!("{:?}", String::from_utf8_lossy(answer));
        AdbError::MalformedAnswer {
            what: format!("the server at {self}"),
            answer,
        }
    }
}

/// Asks for the version. The inner error holds the bytes that came instead.
async fn ask(stream: &mut TcpStream) -> io::Result<Result<u32, Vec<u8>>> {
    stream.write_all(b"000chost:version").await?;
    let mut head = [0; 8];
    stream.read_exact(&mut head).await?;
    let (status, length) = head.split_at(4);
    let length = number(length).filter(|length| (1..=LONGEST_ANSWER).contains(&(*length as usize)));
    let (b"OKAY", Some(length)) = (status, length) else {
        return Ok(Err(head.to_vec()));
    };
    let mut version = vec![0; length as usize];
    stream.read_exact(&mut version).await?;
    Ok(number(&version).ok_or(version))
}

/// Parses a number of the protocol: hexadecimal digits.
fn number(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

impl FromStr for AdbServer {
    type Err = AdbError;

    fn from_str(text: &str) -> Result<AdbServer, AdbError> {
        let wrong = || AdbError::Address(text.to_owned());
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let host = match host.trim_matches(['[', ']']) {
            "localhost" => None,
            host => Some(host.parse().map_err(|_| wrong())?),
        };
        Ok(AdbServer {
            host,
            port: port.parse().map_err(|_| wrong())?,
        })
    }
}

impl fmt::Display for AdbServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host(), self.port)
    }
}
