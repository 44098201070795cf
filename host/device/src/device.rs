//! A phone as the algorithms see it: typed requests over a `Connection`. Keeps the last screen, so that only differences are
//! transferred.

use std::fmt;
use std::sync::Arc;

use retap_shared::Text;
use retap_shared::bytes::Png;
use retap_shared::connection::{Connection, FreshStartError, RequestError};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{
    Act, AppCommand, Capture, ControlApp, ControlAppReply, DescribePhone, DescribePhoneReply,
    ManageSnapshot, ManageSnapshotReply, Play, PlayReply, ReadLog, ReadLogReply, RequestFailure,
    ScreenUpdate, Settle, SettleReply, SnapshotId, TakeScreenshot, WatchApp, WatchAppReply,
};
use retap_shared::screen::{Screen, ScreenHash, SharedScreen};
use retap_shared::trace::{App, Step};
use retap_shared::verdict::Interruption;
use tokio::time::Instant;

use crate::health;
use crate::request_sender::RequestSender;
use crate::run_event::{EventSink, null_sink};

/// Maximum number of screen diffs in a row that do not fit. Each costs another transfer.
const MAX_UNFIT_DIFFS: u32 = 5;

/// One phone. Requests are sent one after the other.
pub struct Device {
    requests: RequestSender,
    description: DescribePhoneReply,
    settle: Settle,
    cached_screen: Option<SharedScreen>,
    /// Number of screen diffs in a row that did not fit.
    unfit_diffs: u32,
    /// Time of the last look at battery and temperature.
    health_checked: Option<Instant>,
}

/// The result of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepResult {
    /// Screen after the step.
    pub screen: SharedScreen,
    /// How the widget was located.
    pub hit: LocatedBy,
    /// Why the phone did not take the action, or only the beginning of it.
    pub refusal: Option<String>,
    /// Events during the step, oldest first.
    pub phone_events: Vec<PhoneEvent>,
    /// Branches that the step covered.
    pub branches: Vec<u32>,
    /// False if the screen was still changing when the wait ended.
    pub quiet: bool,
    /// Phone time of the step.
    pub took: Micros,
    /// Phone time from the last start of the app to the step.
    pub at: Micros,
}

/// An error of a request to a phone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There is no reply.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// The phone replied that it cannot.
    #[error(transparent)]
    Refused(#[from] RequestFailure),
    /// The reply makes no sense.
    #[error("the phone breaks the protocol: {0}; install the agent of this version again")]
    Protocol(#[from] ProtocolViolation),
}

/// A reply that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolViolation {
    /// A reply to another kind of request.
    #[error("it answered `{asked}` with `{answered}`")]
    WrongReply {
        /// Name of the request.
        asked: &'static str,
        /// Name of the reply.
        answered: &'static str,
    },
    /// A screen diff in reply to a request for a full screen.
    #[error(
        "it sent a difference to a screen that the host does not hold, although asked for the whole one"
    )]
    MissingFullScreen,
    /// Screen diffs that do not fit, one after the other.
    #[error(
        "its last {MAX_UNFIT_DIFFS} screens were differences that do not fit the screen they name"
    )]
    UnfitDiffs,
}

impl DeviceError {
    /// True if the error says nothing about the app or the request: it is an interruption, and the work is done again.
    pub fn is_interruption(&self) -> bool {
        match self {
            DeviceError::Interrupted(_) | DeviceError::Protocol(_) => true,
            DeviceError::Refused(RequestFailure::Cancelled) => true,
            DeviceError::Refused(_) => self.is_phone_failure(),
        }
    }

    /// True if the phone failed and works: the same request may succeed later.
    pub fn is_phone_failure(&self) -> bool {
        matches!(self, DeviceError::Refused(failure) if failure.phone_failure().is_some())
    }
}

impl From<RequestError> for DeviceError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Failed(fault) => DeviceError::Refused(fault),
            RequestError::Interrupted(interruption) => DeviceError::Interrupted(interruption),
        }
    }
}

impl Device {
    /// A device over a connection. Requests the phone's description.
    pub async fn connect(
        name: String,
        connection: Arc<dyn Connection>,
    ) -> Result<Device, DeviceError> {
        Device::connect_with_notices(name, connection, null_sink()).await
    }

    /// The same, with a sink that learns when the phone is silent.
    pub async fn connect_with_notices(
        name: String,
        connection: Arc<dyn Connection>,
        notices: EventSink,
    ) -> Result<Device, DeviceError> {
        let requests = RequestSender {
            name,
            connection,
            notices,
        };
        Ok(Device {
            description: requests.ask(DescribePhone).await?,
            requests,
            settle: Settle::default(),
            cached_screen: None,
            unfit_diffs: 0,
            health_checked: None,
        })
    }

    /// Name of the device in messages.
    pub fn name(&self) -> &str {
        &self.requests.name
    }

    /// The phone's description.
    pub fn description(&self) -> &DescribePhoneReply {
        &self.description
    }

    /// Starts the phone anew, if this host has started it.
    pub async fn start_fresh(&mut self) -> Result<(), FreshStartError> {
        self.cached_screen = None;
        self.requests.connection.start_fresh().await
    }

    /// Why the phone must rest: it is too hot, or its battery is low. Looks at most every 30 s, and otherwise finds nothing.
    pub async fn reason_to_rest(&mut self) -> Option<String> {
        let is_fresh = |checked: Instant| checked.elapsed() < health::CHECK_INTERVAL;
        if self.health_checked.is_some_and(is_fresh) {
            return None;
        }
        let health = self.requests.connection.health().await;
        self.health_checked = Some(Instant::now());
        health::reason_to_rest(health?)
    }

    pub(crate) fn connection(&self) -> Arc<dyn Connection> {
        Arc::clone(&self.requests.connection)
    }

    /// Sets the settle times of later steps.
    pub fn set_settle(&mut self, settle: Settle) {
        self.settle = settle;
    }

    /// Does one step and waits until the screen has settled.
    pub async fn step(&mut self, step: Step) -> Result<StepResult, DeviceError> {
        let act = Act {
            step,
            settle: self.settle,
            held_screen: self.cached_hash(),
        };
        let acted = self.requests.ask(act).await?;
        let screen = self.resolve_update(acted.screen).await?;
        Ok(StepResult {
            screen,
            hit: acted.located_by,
            refusal: acted.refusal,
            phone_events: acted.events,
            branches: acted.branches,
            quiet: acted.quiet,
            took: acted.took,
            at: acted.at,
        })
    }

    /// The current screen.
    pub async fn capture(&mut self) -> Result<SharedScreen, DeviceError> {
        Ok(self.capture_timed().await?.0)
    }

    /// The current screen, and the agent's time for it without the transfer.
    pub async fn capture_timed(&mut self) -> Result<(SharedScreen, Micros), DeviceError> {
        let captured = self
            .requests
            .ask(Capture {
                held_screen: self.cached_hash(),
            })
            .await?;
        Ok((
            self.resolve_update(captured.screen).await?,
            captured.agent_time,
        ))
    }

    /// Forgets the last screen: the next one is transferred in full.
    pub fn clear_cached_screen(&mut self) {
        self.cached_screen = None;
    }

    /// A screenshot as PNG.
    pub async fn screenshot(&mut self) -> Result<Png, DeviceError> {
        Ok(self.requests.ask(TakeScreenshot).await?.picture)
    }

    /// Waits until the screen has settled.
    pub async fn settle(&mut self) -> Result<SettleReply, DeviceError> {
        self.requests.ask(self.settle).await
    }

    /// Replays steps.
    pub async fn play(&mut self, play: Play) -> Result<PlayReply, DeviceError> {
        self.requests.ask(play).await
    }

    /// Starts, stops or clears an app.
    pub async fn control(
        &mut self,
        app: &App,
        command: AppCommand,
    ) -> Result<ControlAppReply, DeviceError> {
        self.requests
            .ask(ControlApp {
                app: app.clone(),
                command,
            })
            .await
    }

    /// Restricts the reported events to one package. Returns events that no reply has carried yet.
    pub async fn watch(&mut self, package: &Text) -> Result<WatchAppReply, DeviceError> {
        self.requests
            .ask(WatchApp {
                package: package.clone(),
            })
            .await
    }

    /// Reads the log of the watched app since its last launch.
    pub async fn read_log(&mut self, wanted: ReadLog) -> Result<ReadLogReply, DeviceError> {
        self.requests.ask(wanted).await
    }

    /// Takes a snapshot.
    pub async fn take_snapshot(&mut self) -> Result<ManageSnapshotReply, DeviceError> {
        self.requests.ask(ManageSnapshot::Save).await
    }

    /// Restores a snapshot.
    pub async fn restore_snapshot(
        &mut self,
        id: SnapshotId,
    ) -> Result<ManageSnapshotReply, DeviceError> {
        self.requests.ask(ManageSnapshot::Restore(id)).await
    }

    /// Discards a snapshot.
    pub async fn discard_snapshot(
        &mut self,
        id: SnapshotId,
    ) -> Result<ManageSnapshotReply, DeviceError> {
        self.requests.ask(ManageSnapshot::Discard(id)).await
    }

    fn cached_hash(&self) -> Option<ScreenHash> {
        self.cached_screen.as_deref().map(Screen::hash)
    }

    /// Resolves a screen update. If it does not fit the last screen, the full screen is requested.
    async fn resolve_update(&mut self, update: ScreenUpdate) -> Result<SharedScreen, DeviceError> {
        let screen = match self.apply(update) {
            Some(screen) => {
                self.unfit_diffs = 0;
                screen
            }
            None => {
                self.cached_screen = None;
                self.unfit_diffs += 1;
                if self.unfit_diffs == MAX_UNFIT_DIFFS {
                    return Err(ProtocolViolation::UnfitDiffs.into());
                }
                let whole = self
                    .requests
                    .ask(Capture { held_screen: None })
                    .await?
                    .screen;
                self.apply(whole)
                    .ok_or(ProtocolViolation::MissingFullScreen)?
            }
        };
        self.cached_screen = Some(Arc::clone(&screen));
        Ok(screen)
    }

    fn apply(&self, update: ScreenUpdate) -> Option<SharedScreen> {
        match update {
            ScreenUpdate::Full(screen) => Some(screen),
            ScreenUpdate::Unchanged => self.cached_screen.clone(),
            ScreenUpdate::Changed(change) => change
                .apply(self.cached_screen.as_deref()?)
                .ok()
                .map(Arc::new),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("name", &self.requests.name)
            .finish_non_exhaustive()
    }
}
