//! A phone as the algorithms see it: step, play, checkpoint, over a `Connection`.
//! Keeps the screen that the phone was last told the host holds, so that only differences travel.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use retap_shared::Text;
use retap_shared::bytes::Png;
use retap_shared::connection::{Connection, RequestError};
use retap_shared::micros::Micros;
use retap_shared::protocol::{
    About, Act, Ask, Capture, Checkpoint, CheckpointId, Checkpointed, Command, Control, Controlled,
    Described, Fault, Happening, Hit, Play, Played, Request, ScreenUpdate, Screenshot, Settle,
    Settled, Watch, Watched,
};
use retap_shared::screen::{Screen, ScreenHash, SharedScreen};
use retap_shared::trace::{App, Step};
use retap_shared::verdict::Interruption;

/// A phone that has not answered for so long, beyond what the request itself takes, does not answer any more. Longer than
/// links wait for a phone that restarts.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// What injecting a step of a play and reading the screen take at most.
const A_STEP: Duration = Duration::from_secs(30);

/// One phone. Requests go one after the other: all methods that change it take it exclusively.
pub struct Device {
    name: String,
    connection: Arc<dyn Connection>,
    described: Described,
    settle: Settle,
    held: Option<SharedScreen>,
}

/// What one step led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stepped {
    pub screen: SharedScreen,
    pub hit: Hit,
    /// What happened on the way, oldest first.
    pub happened: Vec<Happening>,
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
    Refused(#[from] Fault),
    #[error("the phone breaks the protocol: {0}; install the agent of this version again")]
    Protocol(#[from] Breach),
}

/// An answer that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    #[error("it answered `{asked}` with `{answered}`")]
    WrongReply {
        asked: &'static str,
        answered: &'static str,
    },
    #[error(
        "it sent a difference to a screen that the host does not hold, although asked for the whole one"
    )]
    NoWholeScreen,
}

impl DeviceError {
    /// Whether this says something about the phone and nothing about the app or the request: it is no answer, and
    /// the same work is done again.
    pub fn is_loss(&self) -> bool {
        match self {
            DeviceError::Interrupted(_) | DeviceError::Protocol(_) => true,
            DeviceError::Refused(fault) => matches!(fault, Fault::Phone(_) | Fault::Cancelled),
        }
    }
}

impl From<RequestError> for DeviceError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Refused(fault) => DeviceError::Refused(fault),
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
        let described = ask(&*connection, About).await?;
        Ok(Device {
            name,
            connection,
            described,
            settle: Settle::default(),
            held: None,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn described(&self) -> &Described {
        &self.described
    }

    /// What counts as quiet after a step from now on.
    pub fn set_settle(&mut self, settle: Settle) {
        self.settle = settle;
    }

    pub async fn step(&mut self, step: Step) -> Result<Stepped, DeviceError> {
        let act = Act {
            step,
            settle: self.settle,
            holds: self.holds(),
        };
        let acted = ask(&*self.connection, act).await?;
        let screen = self.updated(acted.screen).await?;
        Ok(Stepped {
            screen,
            hit: acted.hit,
            happened: acted.happened,
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
                holds: self.holds(),
            },
        )
        .await?;
        Ok((self.updated(captured.screen).await?, captured.worked))
    }

    /// The next screen travels whole, as if none were held.
    pub fn forget_screen(&mut self) {
        self.held = None;
    }

    /// The pixels, as PNG.
    pub async fn screenshot(&mut self) -> Result<Png, DeviceError> {
        Ok(ask(&*self.connection, Screenshot).await?.picture)
    }

    pub async fn settle(&mut self) -> Result<Settled, DeviceError> {
        ask(&*self.connection, self.settle).await
    }

    pub async fn play(&mut self, play: Play) -> Result<Played, DeviceError> {
        ask(&*self.connection, play).await
    }

    pub async fn control(
        &mut self,
        app: &App,
        command: Command,
    ) -> Result<Controlled, DeviceError> {
        ask(
            &*self.connection,
            Control {
                app: app.clone(),
                command,
            },
        )
        .await
    }

    /// Reports only this package's failures from now on; returns what no reply has carried yet.
    pub async fn watch(&mut self, package: &Text) -> Result<Watched, DeviceError> {
        ask(
            &*self.connection,
            Watch {
                package: package.clone(),
            },
        )
        .await
    }

    pub async fn save(&mut self) -> Result<Checkpointed, DeviceError> {
        ask(&*self.connection, Checkpoint::Save).await
    }

    pub async fn restore(&mut self, id: CheckpointId) -> Result<Checkpointed, DeviceError> {
        ask(&*self.connection, Checkpoint::Restore(id)).await
    }

    pub async fn forget(&mut self, id: CheckpointId) -> Result<Checkpointed, DeviceError> {
        ask(&*self.connection, Checkpoint::Drop(id)).await
    }

    fn holds(&self) -> Option<ScreenHash> {
        self.held.as_deref().map(Screen::hash)
    }

    /// The screen that an update leads to. One that does not fit what is held is asked for once more, whole.
    async fn updated(&mut self, update: ScreenUpdate) -> Result<SharedScreen, DeviceError> {
        let screen = match self.apply(update) {
            Some(screen) => screen,
            None => {
                self.held = None;
                let whole = ask(&*self.connection, Capture { holds: None })
                    .await?
                    .screen;
                self.apply(whole).ok_or(Breach::NoWholeScreen)?
            }
        };
        self.held = Some(Arc::clone(&screen));
        Ok(screen)
    }

    fn apply(&self, update: ScreenUpdate) -> Option<SharedScreen> {
        match update {
            ScreenUpdate::Full(screen) => Some(screen),
            ScreenUpdate::Unchanged => self.held.clone(),
            ScreenUpdate::Changed(change) => change.apply(self.held.as_deref()?).ok().map(Arc::new),
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

async fn ask<A: Ask>(connection: &dyn Connection, request: A) -> Result<A::Reply, DeviceError> {
    let request: Request = request.into();
    let asked = request.name();
    let limit = PATIENCE + own_time(&request);
    let Ok(reply) = tokio::time::timeout(limit, connection.request(request)).await else {
        let why = format!(
            "it has not answered `{asked}` for {} min",
            limit.as_secs() / 60
        );
        return Err(Interruption::PhoneLost { why }.into());
    };
    let reply = reply?;
    let wrong = |answered: retap_shared::protocol::Reply| Breach::WrongReply {
        asked,
        answered: answered.name(),
    };
    Ok(A::Reply::try_from(reply).map_err(wrong)?)
}

/// What a request may take by its own words, at most.
fn own_time(request: &Request) -> Duration {
    let waits = |step: &Step, settle: Settle| step.action.takes() + settle.limit.into();
    match request {
        Request::Act(act) => waits(&act.step, act.settle),
        Request::Settle(settle) => settle.limit.into(),
        Request::Play(play) => {
            let steps: Duration = play
                .steps
                .iter()
                .map(|step| waits(step, play.settle) + A_STEP)
                .sum();
            steps + play.linger.into()
        }
        _ => Duration::ZERO,
    }
}
