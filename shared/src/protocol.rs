//! Every request, reply and piece of news, in one table. Flat types without recursion.

use serde::{Deserialize, Serialize};

use crate::Text;
use crate::action::{SystemEventKinds, Widget};
use crate::bytes::Png;
use crate::fingerprint::Fingerprint;
use crate::micros::Micros;
use crate::screen::{Rotation, ScreenDiff, ScreenHash, SharedScreen, Size};
use crate::trace::{App, StartMode, Step};
use crate::verdict::{Finding, Verdict};

/// Declares the table: one enum of requests, one of replies, and the way from a request to its own reply.
macro_rules! table {
    ($($(#[$doc:meta])* $request:ident => $reply:ident;)*) => {
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Request { $($(#[$doc])* $request($request),)* }

        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Reply { $($reply($reply),)* }

        impl Request {
            /// The name that runs through table, handler file and device method.
            pub fn name(&self) -> &'static str {
                match self { $(Request::$request(_) => stringify!($request),)* }
            }
        }

        impl Reply {
            pub fn name(&self) -> &'static str {
                match self { $(Reply::$reply(_) => stringify!($reply),)* }
            }
        }

        $(
            impl TypedRequest for $request {
                type Reply = $reply;
            }

            impl From<$request> for Request {
                fn from(request: $request) -> Request { Request::$request(request) }
            }

            impl From<$reply> for Reply {
                fn from(reply: $reply) -> Reply { Reply::$reply(reply) }
            }

            impl TryFrom<Reply> for $reply {
                type Error = Reply;

                fn try_from(reply: Reply) -> Result<$reply, Reply> {
                    match reply { Reply::$reply(reply) => Ok(reply), other => Err(other) }
                }
            }
        )*
    };
}

impl Request {
    /// Whether its answer can be larger than all others of a minute: it then waits for them on the link.
    pub fn is_bulk(&self) -> bool {
        matches!(self, Request::TakeScreenshot(_))
    }

    /// Whether it only looks: asking an agent that was started anew is as good as asking the one before.
    pub fn is_read_only(&self) -> bool {
        use Request::{Capture, DescribePhone, Settle, TakeScreenshot};
        matches!(
            self,
            DescribePhone(_) | Capture(_) | Settle(_) | TakeScreenshot(_)
        )
    }
}

/// A request that knows what it is answered with.
pub trait TypedRequest: Into<Request> {
    type Reply: TryFrom<Reply, Error = Reply>;
}

table! {
    /// Who the phone is and what it can do.
    DescribePhone => DescribePhoneReply;
    /// The screen as it is now.
    Capture => CaptureReply;
    /// One step: inject, wait until consumed, wait until quiet, capture.
    Act => ActReply;
    /// Wait until the screen is quiet.
    Settle => SettleReply;
    /// A whole trace, played by the phone alone, with conditions for stopping early.
    Play => PlayReply;
    /// Launch, stop, clear, grant.
    ControlApp => ControlAppReply;
    /// Which app's failures and activities to report, and what has been seen since the last time.
    WatchApp => WatchAppReply;
    /// Save the phone's state, go back to it, forget it.
    ManageSnapshot => ManageSnapshotReply;
    /// The pixels, taken beside whatever else the phone does.
    TakeScreenshot => TakeScreenshotReply;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribePhone;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribePhoneReply {
    pub phone: PhoneInfo,
    pub capabilities: Capabilities,
    /// The apps that can be tested on it. Real phones list what is installed and launchable.
    pub apps: Vec<AppInfo>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// The screen the host holds: the reply is the difference to exactly that one.
    pub held_screen: Option<ScreenHash>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureReply {
    pub screen: ScreenUpdate,
    /// What the agent did for it, by the machine's clock and not the phone's: that one may stand still meanwhile.
    pub agent_time: Micros,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    pub step: Step,
    pub settle: Settle,
    pub held_screen: Option<ScreenHash>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActReply {
    pub located_by: LocatedBy,
    pub screen: ScreenUpdate,
    /// What happened on the way, oldest first.
    pub events: Vec<PhoneEvent>,
    /// Branches that ran on the way, ascending, each once; empty where the phone tells none.
    pub branches: Vec<u32>,
    /// False if the screen was still changing when the wait ended.
    pub quiet: bool,
    pub took: Micros,
}

/// Quiet means: nothing on the screen has changed for `quiet`. After `limit` the wait ends anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settle {
    pub quiet: Micros,
    pub limit: Micros,
}

impl Default for Settle {
    fn default() -> Self {
        Settle {
            quiet: Micros::from_millis(200),
            limit: Micros::from_millis(5_000),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettleReply {
    pub quiet: bool,
    pub events: Vec<PhoneEvent>,
    pub took: Micros,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Play {
    pub app: App,
    pub start: StartMode,
    pub steps: Vec<Step>,
    /// The play ends as soon as this is reached; without one, with the first problem.
    pub target: Option<Target>,
    pub settle: Settle,
    /// How long to wait after the last step for what comes late.
    pub final_wait: Micros,
    /// Send back the screen before each step, and the last one.
    pub record: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayReply {
    pub verdict: Verdict,
    /// How many steps were injected.
    pub played: u32,
    /// How each of them found its widget.
    pub located_by: Vec<LocatedBy>,
    pub events: Vec<PhoneEvent>,
    pub branches: Vec<u32>,
    /// Only if asked for: the screen before each step that was played, then the last one.
    pub screens: Vec<SharedScreen>,
    pub took: Micros,
}

/// What a run is meant to reach. It counts if it is reached at any time during the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The crash, native crash or ANR of this fingerprint.
    Problem(Fingerprint),
    AnyProblem,
    /// An activity by its whole name (`package/class`), or by the end of its class name.
    Activity(Text),
    /// A screen that shows this widget; empty fields match anything.
    Screen(Widget),
    /// A line of the log that this regular expression finds something in.
    Log(Text),
    /// A screen of the app's own, with nothing above it, that does not show this widget although it should. Only of an
    /// activity whose name ends so; an empty one is any.
    Lacks {
        activity: Text,
        widget: Widget,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlApp {
    pub app: App,
    pub command: AppCommand,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AppCommand {
    Launch,
    Stop,
    ClearData,
    /// Every runtime permission that the app declares.
    Grant,
    /// The whole way into the state named: for `Clean` stop, clear, grant, launch, settle.
    Start(StartMode),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlAppReply {
    pub events: Vec<PhoneEvent>,
    pub took: Micros,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchApp {
    /// Only this package's failures are reported from now on; empty for every app's.
    pub package: Text,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchAppReply {
    /// What no reply has carried yet.
    pub events: Vec<PhoneEvent>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ManageSnapshot {
    Save,
    Restore(SnapshotId),
    Discard(SnapshotId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SnapshotId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManageSnapshotReply {
    pub id: SnapshotId,
    pub bytes: u64,
    pub took: Micros,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeScreenshot;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeScreenshotReply {
    pub picture: Png,
}

/// A screen as it travels: as little of it as the host needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScreenUpdate {
    /// Exactly the one the host holds.
    Unchanged,
    Changed(ScreenDiff),
    Full(SharedScreen),
}

/// How a step found its place on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocatedBy {
    /// The widget was found; the gesture went to where it is now.
    Widget,
    /// The widget was not found, or none was named; the gesture went to where it was recorded.
    Place,
    /// The action has no place: a key, a rotation.
    Anywhere,
}

/// Something that happened on the phone, in a reply if a request was under way, as news otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhoneEvent {
    pub at: Micros,
    pub kind: PhoneEventKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PhoneEventKind {
    Finding(Finding),
    /// Another activity is in front, as `package/class`.
    Activity(Text),
}

/// The phone as a trace remembers it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PhoneInfo {
    /// What kind of phone it is: `simulated`, `jvm`, or `android`.
    pub kind: Text,
    pub model: Text,
    pub api_level: u32,
    pub display: u32,
    pub size: Size,
    pub density: u32,
    pub rotation: Rotation,
    pub posture: Text,
    pub locale: Text,
    /// Percent.
    pub font_scale: u32,
    pub dark_mode: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Of the whole phone, so that going back leads to the very screen. An app's data may be saved where this is false.
    pub snapshots: bool,
    pub branches: bool,
    pub rotation: bool,
    pub screenshots: bool,
    /// As far as it can be known without doing them.
    pub system_events: SystemEventKinds,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppInfo {
    pub app: App,
    pub label: Text,
    /// Declared activities as `package/class`.
    pub activities: Vec<Text>,
    /// How many branches its code has; 0 where the phone does not know.
    pub branches: u32,
}

/// Why a request could not be done although phone and link are well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RequestFailure {
    #[error("this phone cannot {0}")]
    Unsupported(String),
    #[error("{0}")]
    Impossible(String),
    #[error("the phone failed: {0}")]
    Phone(String),
    #[error("cancelled")]
    Cancelled,
}
