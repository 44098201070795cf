//! A phone as the algorithms see it: typed requests over a `Connection`. Keeps the last screen, so that only differences are
//! transferred.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use retap_shared::Text;
use retap_shared::bytes::Png;
use retap_shared::connection::{Connection, FreshStartError, RequestError};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{
    Act, AppCommand, Capture, ControlApp, ControlAppReply, DescribePhone, DescribePhoneReply,
    ManageSnapshot, ManageSnapshotReply, Play, PlayReply, Request, RequestFailure, ScreenUpdate,
    Settle, SettleReply, SnapshotId, TakeScreenshot, TypedRequest, WatchApp, WatchAppReply,
};
use retap_shared::screen::{Screen, ScreenHash, SharedScreen};
use retap_shared::trace::{App, Step};
use retap_shared::verdict::Interruption;

/// Time for a reply, in addition to what the request itself takes. Longer than a link waits for a phone that restarts.
const REPLY_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Time for injecting one step of a replay and reading the screen.
const PLAYED_STEP_TIMEOUT: Duration = Duration::from_secs(30);

/// One phone. Requests are sent one after the other.
pub struct Device {
    name: String,
    connection: Arc<dyn Connection>,
    description: DescribePhoneReply,
    settle: Settle,
    cached_screen: Option<SharedScreen>,
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
}

impl DeviceError {
    /// True if the error says nothing about the app or the request: it is an interruption, and the work is done again.
    pub fn is_interruption(&self) -> bool {
        match self {
            DeviceError::Interrupted(_) | DeviceError::Protocol(_) => true,
            DeviceError::Refused(fault) => {
                matches!(fault, RequestFailure::Phone(_) | RequestFailure::Cancelled)
            }
        }
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
        let described = ask(&*connection, DescribePhone).await?;
        Ok(Device {
            name,
            connection,
            description: described,
            settle: Settle::default(),
            cached_screen: None,
        })
    }

    /// Name of the device in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The phone's description.
    pub fn description(&self) -> &DescribePhoneReply {
        &self.description
    }

    /// Starts the phone anew, if this host has started it.
    pub async fn start_fresh(&mut self) -> Result<(), FreshStartError> {
        self.cached_screen = None;
        self.connection.start_fresh().await
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
        let acted = ask(&*self.connection, act).await?;
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
        let captured = ask(
            &*self.connection,
            Capture {
                held_screen: self.cached_hash(),
            },
        )
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
        Ok(ask(&*self.connection, TakeScreenshot).await?.picture)
    }

    /// Waits until the screen has settled.
    pub async fn settle(&mut self) -> Result<SettleReply, DeviceError> {
        ask(&*self.connection, self.settle).await
    }

    /// Replays steps.
    pub async fn play(&mut self, play: Play) -> Result<PlayReply, DeviceError> {
        ask(&*self.connection, play).await
    }

    /// Starts, stops or clears an app.
    pub async fn control(
        &mut self,
        app: &App,
        command: AppCommand,
    ) -> Result<ControlAppReply, DeviceError> {
        ask(
            &*self.connection,
            ControlApp {
                app: app.clone(),
                command,
            },
        )
        .await
    }

    /// Restricts the reported events to one package. Returns events that no reply has carried yet.
    pub async fn watch(&mut self, package: &Text) -> Result<WatchAppReply, DeviceError> {
        ask(
            &*self.connection,
            WatchApp {
                package: package.clone(),
            },
        )
        .await
    }

    /// Takes a snapshot.
    pub async fn take_snapshot(&mut self) -> Result<ManageSnapshotReply, DeviceError> {
        ask(&*self.connection, ManageSnapshot::Save).await
    }

    /// Restores a snapshot.
    pub async fn restore_snapshot(
        &mut self,
        id: SnapshotId,
    ) -> Result<ManageSnapshotReply, DeviceError> {
        ask(&*self.connection, ManageSnapshot::Restore(id)).await
    }

    /// Discards a snapshot.
    pub async fn discard_snapshot(
        &mut self,
        id: SnapshotId,
    ) -> Result<ManageSnapshotReply, DeviceError> {
        ask(&*self.connection, ManageSnapshot::Discard(id)).await
    }

    fn cached_hash(&self) -> Option<ScreenHash> {
        self.cached_screen.as_deref().map(Screen::hash)
    }

    /// Resolves a screen update. If it does not fit the last screen, the full screen is requested.
    async fn resolve_update(&mut self, update: ScreenUpdate) -> Result<SharedScreen, DeviceError> {
        let screen = match self.apply(update) {
            Some(screen) => screen,
            None => {
                self.cached_screen = None;
                let whole = ask(&*self.connection, Capture { held_screen: None })
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
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

async fn ask<A: TypedRequest>(
    connection: &dyn Connection,
    request: A,
) -> Result<A::Reply, DeviceError> {
    let request: Request = request.into();
    let asked = request.name();
    let limit = REPLY_TIMEOUT + own_timeout(&request);
    let Ok(reply) = tokio::time::timeout(limit, connection.request(request)).await else {
        let why = format!(
            "it has not answered `{asked}` for {} min",
            limit.as_secs() / 60
        );
        return Err(Interruption::PhoneLost { why }.into());
    };
    let reply = reply?;
    let wrong = |answered: retap_shared::protocol::Reply| ProtocolViolation::WrongReply {
        asked,
        answered: answered.name(),
    };
    Ok(A::Reply::try_from(reply).map_err(wrong)?)
}

/// Maximum time that a request takes by its own settings.
fn own_timeout(request: &Request) -> Duration {
    let waits = |step: &Step, settle: Settle| step.action.duration() + settle.limit.into();
    match request {
        Request::Act(act) => waits(&act.step, act.settle),
        Request::Settle(settle) => settle.limit.into(),
        Request::Play(play) => {
            let steps: Duration = play
                .steps
                .iter()
                .map(|step| waits(step, play.settle) + PLAYED_STEP_TIMEOUT)
                .sum();
            let pauses = play.steps.last().and_then(|step| step.at_millis);
            let pauses = Duration::from_millis(u64::from(pauses.unwrap_or_default()));
            steps + pauses + play.final_wait.into()
        }
        _ => Duration::ZERO,
    }
}
