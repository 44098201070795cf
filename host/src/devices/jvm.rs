//! `jvm:FILE.apk`: a real app on the real framework in a JVM of its own. Builds what is missing, prepares the app,
//! starts the process, and starts it again when it dies. Its users see that as the death of an agent.

mod cancellable_process;
mod java_loop;
mod process;
mod socket;
mod tools;

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use java_loop::RandomWalkSummary;
use process::JvmProcess;
use retap_device::CancellationToken;
use retap_shared::connection::{BoxFuture, Connection, FreshStartError, RequestError};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Reply, Request};
use retap_shared::verdict::Interruption;
use retap_transport::keys::SessionKeysError;
use socket::SocketDialer;
use tokio::sync::{Mutex, watch};
use tools::JvmOptions;
pub use tools::{JvmTools, has_java};

use crate::containment::{self, ContainmentError, ContainmentKind};
use crate::device_spec::{AppTrust, JvmDeviceSpec};
use crate::link::{Link, LinkError, ReconnectPolicy};
use crate::options::CodeCoverage;
use crate::os;

/// A loaded machine needs longer than the few seconds that a boot takes.
const BOOT_TIMEOUT: Duration = Duration::from_secs(300);

/// `PhoneInfo::kind`. Its agent takes it for a phone, which could be somebody's own.
const KIND: &str = "jvm";

/// First bytes of every APK. They are checked before anything is fetched or built.
const ZIP: &[u8; 4] = b"PK\x03\x04";

#[derive(Debug, thiserror::Error)]
pub enum JvmError {
    #[error("`{}` is no file", .0.display())]
    NoFile(PathBuf),
    #[error("`{}` is no APK: it does not begin as a zip file does", .0.display())]
    NoApk(PathBuf),
    #[error("`{tool}` was not found in {path}")]
    NoTool { tool: &'static str, path: String },
    #[error("`{what}` failed: {why}")]
    Failed { what: String, why: String },
    #[error("`{}` could not run the phone's classes: {why}", .java.display())]
    WrongJava { java: PathBuf, why: String },
    #[error("`{0}` failed; its output is above")]
    NotBuilt(&'static str),
    #[error("could not run `{what}`")]
    Run {
        what: String,
        #[source]
        source: io::Error,
    },
    #[error("`{}` is not there: the JVM phone was built before it noted methods and lines", .0.display())]
    NoCoverageLibrary(PathBuf),
    #[error("cancelled")]
    Cancelled,
    #[error("the phone did not start: {0}")]
    Died(String),
    #[error(transparent)]
    NotContained(#[from] ContainmentError),
    #[error(transparent)]
    Keys(#[from] SessionKeysError),
    #[error("the phone started, but its agent was not reached")]
    Link(#[from] LinkError),
}

impl JvmError {
    /// True if the file can never be a phone.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            JvmError::NoFile(_) | JvmError::NoApk(_) | JvmError::Failed { .. }
        )
    }

    /// Remedy.
    pub fn help(&self) -> String {
        match self {
            JvmError::NoFile(_) | JvmError::NoApk(_) => {
                "write `--device jvm:FILE.apk` with the path of an APK, or `jvm:sample` for the app that comes with Retap"
                    .into()
            }
            JvmError::NoTool { .. } => {
                "install a JDK (17) and Maven, or set JAVA_HOME, then try again".into()
            }
            JvmError::WrongJava { .. } => {
                "install a JDK (17), or set JAVA_HOME to one, and see what JAVA_TOOL_OPTIONS adds; then try again".into()
            }
            JvmError::Failed { .. } => "docs/how-it-works/jvm-phone.md lists which apps run on a JVM".into(),
            JvmError::NotBuilt(_) => {
                "see to what it misses: it needs a JDK (17), Maven, unzip and Rust, and a network in which Maven reaches its \
                 repository, or a mirror of it that ~/.m2/settings.xml names; what was fetched already is kept"
                    .into()
            }
            JvmError::NoCoverageLibrary(_) => "run `scripts/build-jvm-phone`, then try again".into(),
            JvmError::NotContained(_) => format!(
                "{}; or run an app that you trust with `--trust`: with your files and your network",
                containment::remedy_for_namespaces()
            ),
            JvmError::Cancelled => "run the same command again".into(),
            JvmError::Run { .. } => "see whether the file is there and may be run".into(),
            JvmError::Died(_) | JvmError::Link(_) | JvmError::Keys(_) => {
                "see whether Java is one of version 17 and the machine has a gigabyte of memory to spare, then try again"
                    .into()
            }
        }
    }
}

/// Checks whether a file can be an APK. Nothing is built for it.
pub fn check(file: &str) -> Result<(), JvmError> {
    match file {
        JvmDeviceSpec::SAMPLE => Ok(()),
        path => check_apk(PathBuf::from(path)).map(|_| ()),
    }
}

/// The APK of a JVM phone, if it is there. `sample` is the app that comes with Retap; it is built where it is missing.
fn find_apk(file: &str, cancellation: &CancellationToken) -> Result<PathBuf, JvmError> {
    check_apk(match file {
        JvmDeviceSpec::SAMPLE => tools::sample(cancellation)?,
        path => PathBuf::from(path),
    })
}

fn check_apk(path: PathBuf) -> Result<PathBuf, JvmError> {
    if !path.is_file() {
        return Err(JvmError::NoFile(path));
    }
    let mut start = [0; ZIP.len()];
    let read = File::open(&path).and_then(|mut file| file.read_exact(&mut start));
    if read.is_ok() && start == *ZIP {
        Ok(path)
    } else {
        Err(JvmError::NoApk(path))
    }
}

/// Phones of one app.
#[derive(Debug)]
pub struct JvmPhoneFactory {
    tools: JvmTools,
    prepared: PathBuf,
    /// None for an app that is trusted.
    containment: Option<ContainmentKind>,
    options: JvmOptions,
}

impl JvmPhoneFactory {
    /// Prepares what several phones share: the jars, and the app for a JVM. The code of an app that is not trusted will be
    /// contained.
    pub fn make(
        spec: &JvmDeviceSpec,
        coverage: CodeCoverage,
        cancellation: &CancellationToken,
    ) -> Result<JvmPhoneFactory, JvmError> {
        let apk = find_apk(&spec.file, cancellation)?;
        let containment = match spec.trust {
            AppTrust::Contained => Some(containment::choose()?),
            AppTrust::Trusted => None,
        };
        let tools = JvmTools::find(cancellation)?;
        if coverage.library_mode().is_some() {
            tools.check_coverage_library()?;
        }
        let prepared = tools.prepare(&apk, cancellation)?;
        Ok(JvmPhoneFactory {
            tools,
            prepared,
            containment,
            options: JvmOptions {
                coverage,
                direct: false,
            },
        })
    }

    /// Phones that offer the benchmark's loop in Java.
    pub fn with_java_loop(self) -> JvmPhoneFactory {
        JvmPhoneFactory {
            options: JvmOptions {
                direct: true,
                ..self.options
            },
            ..self
        }
    }

    /// Starts a phone.
    pub async fn start(self: &Arc<Self>) -> Result<JvmPhone, JvmError> {
        let running = self.boot().await?;
        Ok(JvmPhone {
            factory: Arc::clone(self),
            running: watch::Sender::new(running),
            restart_lock: Mutex::new(()),
        })
    }

    async fn boot(&self) -> Result<JvmInstance, JvmError> {
        let (process, keys) =
            JvmProcess::start(&self.tools, &self.prepared, self.containment, self.options)?;
        let dial = Arc::new(SocketDialer {
            socket: process.socket().clone(),
            keys,
        });
        let reconnect_policy = ReconnectPolicy {
            connect_timeout: BOOT_TIMEOUT,
            reconnect_timeout: Duration::from_secs(30),
        };
        let mut ended = process.ended();
        tokio::select! {
            link = Link::connect(dial, os::machine_name(), reconnect_policy) => {
                Ok(JvmInstance { link: Arc::new(link?), process: Arc::new(process) })
            }
            why = process::wait_for_exit(&mut ended) => Err(JvmError::Died(why)),
        }
    }
}

/// A process and the link to the agent in it.
#[derive(Clone, Debug)]
struct JvmInstance {
    link: Arc<Link>,
    process: Arc<JvmProcess>,
}

/// A phone that outlives its processes.
#[derive(Debug)]
pub struct JvmPhone {
    factory: Arc<JvmPhoneFactory>,
    running: watch::Sender<JvmInstance>,
    /// The first user that notices the death starts the next process.
    restart_lock: Mutex<()>,
}

impl JvmPhone {
    async fn ask(&self, request: Request) -> Result<Reply, RequestError> {
        let running = self.running.borrow().clone();
        let mut ended = running.process.ended();
        let why = tokio::select! {
            answer = running.link.request(request) => match answer {
                Err(RequestError::Interrupted(Interruption::LinkLost { why })) => why,
                answer => return answer.map(with_jvm_kind),
            },
            why = process::wait_for_exit(&mut ended) => why,
        };
        self.restart(&running).await?;
        Err(Interruption::AgentDied { why }.into())
    }

    async fn restart(&self, dead: &JvmInstance) -> Result<(), Interruption> {
        let _turn = self.restart_lock.lock().await;
        if !Arc::ptr_eq(&self.running.borrow().process, &dead.process) {
            return Ok(());
        }
        dead.process.end();
        let lost = |error| Interruption::PhoneLost {
            why: retap_shared::error_text::with_causes(&error),
        };
        let running = self.factory.boot().await.map_err(lost)?;
        self.running.send_replace(running);
        Ok(())
    }

    async fn receive_notification(&self) -> Option<PhoneEvent> {
        let mut changes = self.running.subscribe();
        loop {
            let running = changes.borrow_and_update().clone();
            tokio::select! {
                Some(notification) = running.link.next_notification() => return Some(notification),
                changed = changes.changed() => if changed.is_err() { return None },
            }
        }
    }
}

fn with_jvm_kind(mut reply: Reply) -> Reply {
    if let Reply::DescribePhoneReply(described) = &mut reply {
        described.phone.kind = KIND.into();
    }
    reply
}

impl Connection for JvmPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(self.ask(request))
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(self.receive_notification())
    }

    /// Ends the process and starts another one.
    fn start_fresh(&self) -> BoxFuture<'_, Result<(), FreshStartError>> {
        Box::pin(async {
            let running = self.running.borrow().clone();
            Ok(self.restart(&running).await?)
        })
    }
}
