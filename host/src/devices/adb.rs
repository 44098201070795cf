//! A phone on adb: pushes the agent, starts it and forwards a port to it, and does so again whenever something in between
//! was restarted. All its files on the phone are in one folder.

mod agent;
mod battery;
pub mod restricted;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agent::{AgentProcess, AgentSetupError, ExistingAgent};
use retap_shared::connection::{BoxFuture, Connection, FreshStartError, RequestError};
use retap_shared::error_text::with_causes;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_health::PhoneHealth;
use retap_shared::protocol::{DescribePhone, Reply, Request};
use retap_shared::verdict::Interruption;
use retap_transport::keys::{SessionKeys, SessionKeysError};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};

use crate::adb::{Adb, AdbError};
use crate::agent_files::{AgentFiles, AgentFilesError};
use crate::command_error::UserError;
use crate::device_spec::AdbDeviceSpec;
use crate::link::{DialError, Dialer, Link, LinkError, ReconnectPolicy, StreamDialer};
use crate::{os, shutdown};

/// Timeout for the start of the agent on a busy phone. A process that ends earlier is noticed.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(180);
/// Timeout for another host to release the phone. A host that vanished holds it for up to 13 s.
const HELD_TIMEOUT: Duration = Duration::from_secs(15);
const HELD_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Timeout of one attempt: adb finds out what is broken and starts an agent, on a busy machine.
const REPAIR_TIMEOUT: Duration = Duration::from_secs(45);
/// Timeout of the handshake. A port that adb forwards accepts connections even without an agent.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// Attempts to end an agent through adb. Between two of them an agent has answered.
const RESTART_ATTEMPTS: u32 = 4;

#[derive(Debug, thiserror::Error)]
pub enum AdbPhoneError {
    #[error(transparent)]
    Adb(#[from] AdbError),
    #[error(transparent)]
    Files(#[from] AgentFilesError),
    #[error(transparent)]
    Keys(#[from] SessionKeysError),
    #[error("the processor of `{serial}` is unknown")]
    Abi { serial: String },
    #[error("another Retap works on `{serial}`: {by}; its agent is process {process} there")]
    Held {
        serial: String,
        process: u32,
        by: String,
    },
    #[error("the agent on `{serial}` was not reached{}", quoted(.output))]
    Agent {
        serial: String,
        output: String,
        #[source]
        source: LinkError,
    },
}

/// The error with which the agent ended, or else all that it said: its log may have stacks of Java before the error.
fn quoted(output: &str) -> String {
    let mut lines = output.lines().rev();
    let error = lines.find(|line| line.starts_with("error:"));
    match error.unwrap_or(output).trim() {
        "" => String::new(),
        said => format!("; it said: {said}"),
    }
}

impl AdbPhoneError {
    /// Remedy.
    pub fn help(&self) -> String {
        match self {
            AdbPhoneError::Adb(error) => error.help(),
            AdbPhoneError::Files(error) => error.help(),
            AdbPhoneError::Keys(_) => "see whether the system gives random numbers".into(),
            AdbPhoneError::Abi { serial } => {
                format!("see what `adb -s {serial} shell getprop ro.product.cpu.abi` says")
            }
            AdbPhoneError::Held { serial, process, .. } => format!(
                "wait for it or choose another phone; if nobody uses it any more, `adb -s {serial} shell kill {process}`"
            ),
            AdbPhoneError::Agent { .. } => {
                "see whether another tool (uiautomator, Appium) holds the phone, end it, and try again".into()
            }
        }
    }

    /// True if another attempt can never succeed.
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
    dialer: Arc<AdbDialer>,
}

impl AdbPhone {
    pub async fn open(spec: &AdbDeviceSpec) -> Result<AdbPhone, AdbPhoneError> {
        AdbPhone::open_with(spec, false).await
    }

    /// Opens a phone whose agent also lists which of its Java names this phone has.
    pub async fn open_with_names(spec: &AdbDeviceSpec) -> Result<AdbPhone, AdbPhoneError> {
        AdbPhone::open_with(spec, true).await
    }

    async fn open_with(spec: &AdbDeviceSpec, names: bool) -> Result<AdbPhone, AdbPhoneError> {
        let serial = &spec.serial;
        let phone = Adb::open().await?.phone(serial).await?;
        let abi = phone.property("ro.product.cpu.abi").await?;
        if abi.is_empty() {
            return Err(AdbPhoneError::Abi {
                serial: serial.clone(),
            });
        }
        let files = AgentFiles::find(&abi)?;
        let (agents, keys) = SessionKeys::generate()?;
        let agent = AgentProcess::new(phone, spec, &files, &agents, names).await?;
        end_orphaned_agent(&agent, serial).await?;
        agent.push(&files).await?;
        let dialer = Arc::new(AdbDialer {
            agent,
            keys,
            forwarded: Mutex::new(None),
            has_answered: AtomicBool::new(false),
        });
        let starting = StartingAgent(Some(Arc::clone(&dialer)));
        if let Err(error) = dialer.agent.start().await {
            starting.disarm();
            dialer.agent.end(false, None).await;
            return Err(error.into());
        }
        let reconnect_policy = ReconnectPolicy {
            connect_timeout: CONNECT_TIMEOUT,
            reconnect_timeout: spec.reconnect_timeout,
        };
        let connected = Link::connect(dialer.clone(), os::machine_name(), reconnect_policy).await;
        starting.disarm();
        match connected {
            Ok(link) => Ok(AdbPhone { link, dialer }),
            Err(source) => {
                let output = dialer.agent.output().await;
                dialer
                    .agent
                    .end(false, *dialer.forwarded.lock().await)
                    .await;
                Err(AdbPhoneError::Agent {
                    serial: serial.clone(),
                    output,
                    source,
                })
            }
        }
    }

    /// Ends the agent. The link then starts another one: a request that only reads waits for it. A phone that adb has lost for
    /// the moment, as during a restart, is waited for as long as the link waits.
    async fn restart_agent(&self) -> Result<(), Interruption> {
        let mut attempts = 1;
        while let Err(error) = self.dialer.agent.stop().await {
            if attempts == RESTART_ATTEMPTS {
                let why = with_causes(&error);
                return Err(Interruption::PhoneLost { why });
            }
            attempts += 1;
            self.wait_for_agent().await?;
        }
        self.wait_for_agent().await
    }

    /// Returns as soon as an agent answers, if need be one that the link starts.
    async fn wait_for_agent(&self) -> Result<(), Interruption> {
        match self.link.request(DescribePhone.into()).await {
            Ok(_) => Ok(()),
            Err(RequestError::Interrupted(interruption)) => Err(interruption),
            Err(RequestError::Failed(failure)) => Err(Interruption::PhoneLost {
                why: failure.to_string(),
            }),
        }
    }

    /// Every Java name that the agent uses, one per line.
    pub async fn names(&self) -> Result<String, AdbError> {
        self.dialer.agent.names().await
    }
}

/// An agent that is being started. If that is cancelled, it is ended as one that was never reached.
struct StartingAgent(Option<Arc<AdbDialer>>);

impl StartingAgent {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for StartingAgent {
    fn drop(&mut self) {
        let Some(dialer) = self.0.take() else {
            return;
        };
        shutdown::spawn(async move {
            let forwarded = *dialer.forwarded.lock().await;
            dialer.agent.end(false, forwarded).await;
        });
    }
}

/// Ends an agent that a killed host has left. An agent of another host is left alone.
async fn end_orphaned_agent(agent: &AgentProcess, serial: &str) -> Result<(), AdbPhoneError> {
    let began = Instant::now();
    loop {
        match agent.existing_agent().await? {
            ExistingAgent::Absent => return Ok(()),
            ExistingAgent::Orphaned(process) => return Ok(agent.end_orphaned(process).await?),
            ExistingAgent::Held { process, by } if began.elapsed() >= HELD_TIMEOUT => {
                return Err(AdbPhoneError::Held {
                    serial: serial.to_owned(),
                    process,
                    by,
                });
            }
            ExistingAgent::Held { .. } => sleep(HELD_POLL_INTERVAL).await,
        }
    }
}

impl From<AgentSetupError> for AdbPhoneError {
    fn from(error: AgentSetupError) -> AdbPhoneError {
        match error {
            AgentSetupError::Adb(error) => error.into(),
            AgentSetupError::Files(error) => error.into(),
        }
    }
}

impl Connection for AdbPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(async move {
            match self.link.request(request).await {
                Err(RequestError::Interrupted(interruption))
                    if interruption != Interruption::Cancelled =>
                {
                    Err(self.dialer.agent.add_output(interruption).await.into())
                }
                reply => reply,
            }
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        self.link.next_notification()
    }

    fn start_fresh(&self) -> BoxFuture<'_, Result<(), FreshStartError>> {
        Box::pin(async { Ok(self.restart_agent().await?) })
    }

    fn health(&self) -> BoxFuture<'_, Option<PhoneHealth>> {
        Box::pin(self.dialer.agent.health())
    }
}

impl Drop for AdbPhone {
    /// Closes the link. The agent then restores the phone and ends.
    fn drop(&mut self) {
        let dialer = Arc::clone(&self.dialer);
        shutdown::spawn(async move {
            dialer.agent.report_output().await;
            let forwarded = *dialer.forwarded.lock().await;
            dialer.agent.end(true, forwarded).await;
        });
    }
}

/// Connects to an agent through adb, and first repairs what is broken in between.
struct AdbDialer {
    agent: AgentProcess,
    keys: SessionKeys,
    forwarded: Mutex<Option<SocketAddr>>,
    /// True once the agent has answered. An agent that never did is not started again.
    has_answered: AtomicBool,
}

impl AdbDialer {
    async fn connect(&self) -> Result<quinn::Connection, DialError> {
        let address = self.address().await.map_err(|error| retryable(&error))?;
        let over = StreamDialer {
            address,
            keys: self.keys.clone(),
        };
        let silent = |_| {
            Err(DialError::Unavailable {
                why: "no agent answered on the forwarded port".into(),
                again: true,
            })
        };
        match timeout(HANDSHAKE_TIMEOUT, over.dial())
            .await
            .unwrap_or_else(silent)
        {
            Ok(quic) => {
                self.has_answered.store(true, Ordering::Relaxed);
                Ok(quic)
            }
            Err(error) => Err(self.repair(error).await),
        }
    }

    /// Forwards a new port: adb removes its ports when the phone goes away.
    async fn address(&self) -> Result<SocketAddr, AdbError> {
        let mut forwarded = self.forwarded.lock().await;
        match *forwarded {
            Some(address) => Ok(address),
            None => Ok(*forwarded.insert(self.agent.forward().await?)),
        }
    }

    /// Finds out what is broken, and does what can be done before the next attempt.
    async fn repair(&self, error: DialError) -> DialError {
        if let DialError::Reach { .. } = error {
            *self.forwarded.lock().await = None;
        }
        let repaired = async {
            if self.agent.is_alive().await? {
                return Ok(error);
            }
            if !self.has_answered.load(Ordering::Relaxed) {
                let why = "the agent ended as soon as it was started".into();
                return Ok(DialError::Unavailable { why, again: false });
            }
            if !self.agent.has_phone_booted().await? {
                return Ok(DialError::Unavailable {
                    why: "the phone is still starting".into(),
                    again: true,
                });
            }
            self.agent.start().await?;
            let why = "the agent was gone and is being started anew".into();
            Ok(DialError::Unavailable { why, again: true })
        };
        repaired
            .await
            .unwrap_or_else(|error: AdbError| retryable(&error))
    }
}

/// A phone that is away may come back.
fn retryable(error: &AdbError) -> DialError {
    DialError::Unavailable {
        why: with_causes(error),
        again: true,
    }
}

impl Dialer for AdbDialer {
    fn dial(&self) -> BoxFuture<'_, Result<quinn::Connection, DialError>> {
        Box::pin(self.connect())
    }

    fn timeout(&self) -> Duration {
        REPAIR_TIMEOUT
    }
}

impl fmt::Debug for AdbDialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdbDialer")
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}
