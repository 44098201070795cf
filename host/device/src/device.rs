//! A phone as the algorithms see it: step, play, checkpoint, over a `Connection`.
//! Keeps the screen that the phone was last told the host holds, so that only differences travel.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use retap_shared::Text;
use retap_shared::bytes::Png;
use retap_shared::connection::{Connection, RequestError};
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

/// A phone that has not answered for so long, beyond what the request itself takes, does not answer any more. Longer than
/// links wait for a phone that restarts.
const REPLY_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// What injecting a step of a play and reading the screen take at most.
const PLAYED_STEP_TIMEOUT: Duration = Duration::from_secs(30);

/// One phone. Requests go one after the other: all methods that change it take it exclusively.
pub struct Device {
    name: String,
    connection: Arc<dyn Connection>,
    description: DescribePhoneReply,
    settle: Settle,
    cached_screen: Option<SharedScreen>,
}

/// What one step led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepResult {
    pub screen: SharedScreen,
    pub hit: LocatedBy,
    /// What happened on the way, oldest first.
    pub phone_events: Vec<PhoneEvent>,
    pub branches: Vec<u32>,
    /// False if the screen was still changing when the wait ended.
    pub quiet: bool,
    pub took: Micros,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There is no answer.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// The phone answered that it could not.
    #[error(transparent)]
    Refused(#[from] RequestFailure),
    #[error("the phone breaks the protocol: {0}; install the agent of this version again")]
    Protocol(#[from] ProtocolViolation),
}

/// An answer that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolViolation {
    #[error("it answered `{asked}` with `{answered}`")]
    WrongReply {
        asked: &'static str,
        answered: &'static str,
    },
    #[error(
        "it sent a difference to a screen that the host does not hold, although asked for the whole one"
    )]
    MissingFullScreen,
}

impl DeviceError {
    /// Whether this says something about the phone and nothing about the app or the request: it is no answer, and
    /// the same work is done again.
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
    /// Asks the phone who it is.
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

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn description(&self) -> &DescribePhoneReply {
        &self.description
    }

    /// What counts as quiet after a step from now on.
    pub fn set_settle(&mut self, settle: Settle) {
        self.settle = settle;
    }

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
            phone_events: acted.events,
            branches: acted.branches,
            quiet: acted.quiet,
            took: acted.took,
        })
    }

    pub async fn capture(&mut self) -> Result<SharedScreen, DeviceError> {
        Ok(self.capture_timed().await?.0)
    }

    /// With what the agent took for it, without the way there and back.
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

    /// The next screen travels whole, as if none were held.
    pub fn clear_cached_screen(&mut self) {
        self.cached_screen = None;
    }

    /// The pixels, as PNG.
    pub async fn screenshot(&mut self) -> Result<Png, DeviceError> {
        Ok(ask(&*self.connection, TakeScreenshot).await?.picture)
    }

    pub async fn settle(&mut self) -> Result<SettleReply, DeviceError> {
        ask(&*self.connection, self.settle).await
    }

    pub async fn play(&mut self, play: Play) -> Result<PlayReply, DeviceError> {
        ask(&*self.connection, play).await
    }

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

    /// Reports only this package's failures from now on; returns what no reply has carried yet.
    pub async fn watch(&mut self, package: &Text) -> Result<WatchAppReply, DeviceError> {
        ask(
            &*self.connection,
            WatchApp {
                package: package.clone(),
            },
        )
        .await
    }

    pub async fn take_snapshot(&mut self) -> Result<ManageSnapshotReply, DeviceError> {
        ask(&*self.connection, ManageSnapshot::Save).await
    }

    pub async fn restore_snapshot(
        &mut self,
        id: SnapshotId,
    ) -> Result<ManageSnapshotReply, DeviceError> {
        ask(&*self.connection, ManageSnapshot::Restore(id)).await
    }

    pub async fn discard_snapshot(
        &mut self,
        id: SnapshotId,
    ) -> Result<ManageSnapshotReply, DeviceError> {
        ask(&*self.connection, ManageSnapshot::Discard(id)).await
    }

    fn cached_hash(&self) -> Option<ScreenHash> {
        self.cached_screen.as_deref().map(Screen::hash)
    }

    /// The screen that an update leads to. One that does not fit what is held is asked for once more, whole.
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

/// What a request may take by its own words, at most.
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
            steps + play.final_wait.into()
        }
        _ => Duration::ZERO,
    }
}
