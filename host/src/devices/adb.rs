//! A phone on adb: pushes the agent, starts it and forwards a port to it, and does so again whenever something in between
//! was restarted. What the phone keeps of it lies in one folder.

mod agent;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use retap_agent::link::keys::{Keys, KeysError};
use retap_agent::link::with_causes;
use retap_shared::connection::{Connection, Pending, RequestError};
use retap_shared::protocol::{Happening, Reply, Request};
use tokio::sync::Mutex;

use crate::adb::{Adb, AdbError};
use crate::agent_files::{AgentFiles, AgentFilesError};
use crate::failure::Explained;
use crate::link::{Dial, DialError, Link, LinkError, OverStream, Patience};
use crate::os;
use agent::Agent;

/// A phone under load takes its time to start a process; one that was unplugged comes back when somebody notices.
const PATIENCE: Patience = Patience { first: Duration::from_secs(60), again: Duration::from_secs(300) };

#[derive(Debug, thiserror::Error)]
pub enum AdbPhoneError {
    #[error(transparent)]
    Adb(#[from] AdbError),
    #[error(transparent)]
    Files(#[from] AgentFilesError),
    #[error(transparent)]
    Keys(#[from] KeysError),
    #[error("`{serial}` does not say what processor it has")]
    Abi { serial: String },
    #[error("another Retap works on `{serial}`: its agent is process {process} there")]
    Held { serial: String, process: u32 },
    #[error("the agent on `{serial}` was not reached{}", quoted(.output))]
    Agent {
        serial: String,
        output: String,
        #[source]
        source: LinkError,
    },
}

fn quoted(output: &str) -> String {
    match output.trim() {
        "" => String::new(),
        output => format!("; it said: {output}"),
    }
}

impl AdbPhoneError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            AdbPhoneError::Adb(error) => error.help(),
            AdbPhoneError::Files(error) => error.help(),
            AdbPhoneError::Keys(_) => "see whether the system gives random numbers".into(),
            AdbPhoneError::Abi { serial } => {
                format!("see what `adb -s {serial} shell getprop ro.product.cpu.abi` says")
            }
            AdbPhoneError::Held { serial, process } => format!(
                "wait for it or choose another phone; if nobody uses it any more, `adb -s {serial} shell kill {process}`"
            ),
            AdbPhoneError::Agent { .. } => {
                "see whether another tool (uiautomator, Appium) holds the phone, end it, and try again".into()
            }
        }
    }

    /// Whether the user named something that can never work.
    pub fn is_usage(&self) -> bool {
        match self {
            AdbPhoneError::Adb(error) => error.is_usage(),
            AdbPhoneError::Files(_) => true,
            _ => false,
        }
    }
}

/// A phone with an agent that was started for this program, and ends with it.
#[derive(Debug)]
pub struct AdbPhone {
    link: Link,
    way: Arc<OverAdb>,
}

impl AdbPhone {
    pub async fn open(serial: &str) -> Result<AdbPhone, AdbPhoneError> {
        let phone = Adb::open().await?.phone(serial).await?;
        let abi = phone.property("ro.product.cpu.abi").await?;
        if abi.is_empty() {
            return Err(AdbPhoneError::Abi { serial: serial.to_owned() });
        }
        let files = AgentFiles::find(&abi)?;
        let (agents, keys) = Keys::make()?;
        let agent = Agent::new(phone, &files, &agents)?;
        if let Some(process) = agent.other().await? {
            return Err(AdbPhoneError::Held { serial: serial.to_owned(), process });
        }
        agent.push(&files).await?;
        let way = Arc::new(OverAdb { agent, keys, forwarded: Mutex::new(None), met: AtomicBool::new(false) });
        way.agent.start().await?;
        match Link::connect(way.clone(), os::machine_name(), PATIENCE).await {
            Ok(link) => Ok(AdbPhone { link, way }),
            Err(source) => {
                let output = way.agent.output().await;
                way.agent.end(*way.forwarded.lock().await);
                Err(AdbPhoneError::Agent { serial: serial.to_owned(), output, source })
            }
        }
    }
}

impl Connection for AdbPhone {
    fn request(&self, request: Request) -> Pending<'_, Result<Reply, RequestError>> {
        self.link.request(request)
    }

    fn news(&self) -> Pending<'_, Option<Happening>> {
        self.link.news()
    }
}

impl Drop for AdbPhone {
    fn drop(&mut self) {
        self.way.agent.end(self.way.forwarded.try_lock().ok().and_then(|address| *address));
    }
}

/// The way to an agent through adb, mended where it is broken each time it is taken.
struct OverAdb {
    agent: Agent,
    keys: Keys,
    forwarded: Mutex<Option<SocketAddr>>,
    /// Whether the agent has ever answered: one that never did is not started again.
    met: AtomicBool,
}

impl OverAdb {
    async fn reach(&self) -> Result<quinn::Connection, DialError> {
        let address = self.address().await.map_err(|error| later(&error))?;
        let reached = OverStream { address, keys: self.keys.clone() }.dial().await;
        match reached {
            Ok(quic) => {
                self.met.store(true, Ordering::Relaxed);
                Ok(quic)
            }
            Err(error) => Err(self.mend(error).await),
        }
    }

    /// adb forgets its ports when the phone goes away, and gives a new one for the asking.
    async fn address(&self) -> Result<SocketAddr, AdbError> {
        let mut forwarded = self.forwarded.lock().await;
        match *forwarded {
            Some(address) => Ok(address),
            None => Ok(*forwarded.insert(self.agent.forward().await?)),
        }
    }

    /// Finds out what is broken, and does what can be done before the next attempt.
    async fn mend(&self, error: DialError) -> DialError {
        if let DialError::Reach { .. } = error {
            *self.forwarded.lock().await = None;
        }
        match self.agent.is_alive().await {
            Ok(true) => error,
            Ok(false) if self.met.load(Ordering::Relaxed) => match self.agent.start().await {
                Ok(()) => {
                    DialError::Way { why: "the agent was gone and is being started anew".into(), again: true }
                }
                Err(error) => later(&error),
            },
            Ok(false) => {
                DialError::Way { why: "the agent ended as soon as it was started".into(), again: false }
            }
            Err(error) => later(&error),
        }
    }
}

/// A phone that is away may come back.
fn later(error: &AdbError) -> DialError {
    DialError::Way { why: with_causes(error), again: true }
}

impl Dial for OverAdb {
    fn dial(&self) -> Pending<'_, Result<quinn::Connection, DialError>> {
        Box::pin(self.reach())
    }
}

impl fmt::Debug for OverAdb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverAdb").field("agent", &self.agent).finish_non_exhaustive()
    }
}
