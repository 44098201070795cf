//! Every request and its reply, in one table. Flat types without recursion; the order of variants and fields is the
//! order on the wire.

use serde::{Deserialize, Serialize};

use crate::Text;
use crate::action::SystemEventKinds;
use crate::bytes::Png;
use crate::finding::FindingKind;
use crate::locate::LocatedBy;
use crate::micros::Micros;
use crate::obstacle::Obstacle;
use crate::phone_event::PhoneEvent;
use crate::phone_info::PhoneInfo;
use crate::screen::{ScreenDiff, ScreenHash, SharedScreen};
use crate::target::Target;
use crate::trace::{App, ReplayPace, StartMode, Step};
use crate::verdict::Verdict;

/// Declares one enum of requests, one of replies, and the conversions between a request, its reply and the enums.
macro_rules! requests_and_replies {
    ($($(#[$doc:meta])* $request:ident => $reply:ident;)*) => {
        /// A request of the host.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Request { $($(#[$doc])* $request($request),)* }

        /// The agent's reply to a request.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Reply {
            $(
                #[doc = concat!("Reply to `", stringify!($request), "`.")]
                $reply($reply),
            )*
        }

        impl Request {
            /// The request's name, which is also the name of its handler's file and of the device's method.
            pub fn name(&self) -> &'static str {
                match self { $(Request::$request(_) => stringify!($request),)* }
            }
        }

        impl Reply {
            /// The reply's name.
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
    /// True if the reply can be so large that it must wait for other replies on the link.
    pub fn is_bulk(&self) -> bool {
        matches!(self, Request::TakeScreenshot(_) | Request::ReadLog(_))
    }

    /// True if the request changes nothing: it may be repeated with an agent that was restarted.
    pub fn is_read_only(&self) -> bool {
        use Request::{Capture, DescribePhone, ReadLog, Settle, TakeScreenshot};
        matches!(
            self,
            DescribePhone(_) | Capture(_) | Settle(_) | TakeScreenshot(_) | ReadLog(_)
        )
    }
}

/// A request with the type of its reply.
pub trait TypedRequest: Into<Request> {
    /// The reply to the request.
    type Reply: TryFrom<Reply, Error = Reply>;
}

requests_and_replies! {
    /// Describe the phone and its capabilities.
    DescribePhone => DescribePhoneReply;
    /// Capture the current screen.
    Capture => CaptureReply;
    /// Perform one step: inject, wait until the app has consumed it, settle, capture.
    Act => ActReply;
    /// Wait until the screen has not changed for a while.
    Settle => SettleReply;
    /// Play a trace on the phone without further requests, until its target is reached.
    Play => PlayReply;
    /// Launch or stop the app, clear its data, grant its permissions.
    ControlApp => ControlAppReply;
    /// Choose the app whose events are reported, and fetch the events that no reply has carried.
    WatchApp => WatchAppReply;
    /// Save, restore or discard a snapshot.
    ManageSnapshot => ManageSnapshotReply;
    /// Take a screenshot, concurrently with other requests.
    TakeScreenshot => TakeScreenshotReply;
    /// Read the log of the watched app, and the system's report about its last failure.
    ReadLog => ReadLogReply;
}

/// Asks for a description of the phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribePhone;

/// The phone, its capabilities and its apps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribePhoneReply {
    /// The phone's properties.
    pub phone: PhoneInfo,
    /// The phone's capabilities.
    pub capabilities: Capabilities,
    /// The apps that can be tested. Real phones list the installed apps with a launcher activity.
    pub apps: Vec<AppInfo>,
}

/// Asks for the current screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// The screen that the host holds: the reply may be the diff from it.
    pub held_screen: Option<ScreenHash>,
}

/// The current screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureReply {
    /// The screen, as little of it as the host needs.
    pub screen: ScreenUpdate,
    /// Time that the agent spent on the capture, on the machine's clock: phone time may stand still.
    pub agent_time: Micros,
}

/// Asks for one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    /// The step to perform.
    pub step: Step,
    /// How long to wait for the screen afterwards.
    pub settle: Settle,
    /// The screen that the host holds: the reply may be the diff from it.
    pub held_screen: Option<ScreenHash>,
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActReply {
    /// How the step found its place.
    pub located_by: LocatedBy,
    /// Why the phone did not take the action, or only the beginning of it. The rest of the reply holds all the same.
    pub refusal: Option<String>,
    /// The screen after the step.
    pub screen: ScreenUpdate,
    /// Events during the step, oldest first.
    pub events: Vec<PhoneEvent>,
    /// Branches that ran during the step, ascending, each once; empty if the phone does not report branches.
    pub branches: Vec<u32>,
    /// False if the screen was still changing when the wait ended.
    pub quiet: bool,
    /// Phone time that the step took.
    pub took: Micros,
    /// Phone time from the last start of the app to the injection.
    pub at: Micros,
}

/// Asks to wait until nothing on the screen has changed for `quiet`, at most for `limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settle {
    /// Time without a change.
    pub quiet: Micros,
    /// Maximum duration of the wait.
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

/// The result of a wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettleReply {
    /// False if the screen was still changing when the wait ended.
    pub quiet: bool,
    /// Events during the wait, oldest first.
    pub events: Vec<PhoneEvent>,
    /// Phone time that the wait took.
    pub took: Micros,
}

/// Asks to play a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Play {
    /// The app under test.
    pub app: App,
    /// The state of the app before the first step.
    pub start: StartMode,
    /// The steps to perform.
    pub steps: Vec<Step>,
    /// The play ends as soon as the target is reached; without a target, with the first finding.
    pub target: Option<Target>,
    /// When the next step comes. At recorded pace, each step must have a time.
    pub pace: ReplayPace,
    /// How long to wait for the screen after each step; at recorded pace, after the last one.
    pub settle: Settle,
    /// How long to wait for late events after the last step.
    pub final_wait: Micros,
    /// True if the reply shall hold the screen before each step, and the last one.
    pub record: bool,
}

/// The result of a play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayReply {
    /// The effect of the run on the app.
    pub verdict: Verdict,
    /// Number of steps that were injected.
    pub played: u32,
    /// How each of these steps found its place.
    pub located_by: Vec<LocatedBy>,
    /// Steps that the phone did not take. The play goes on after them, as Monkey does.
    pub refusals: Vec<StepRefusal>,
    /// Events during the play, oldest first.
    pub events: Vec<PhoneEvent>,
    /// Branches that ran during the play, ascending, each once.
    pub branches: Vec<u32>,
    /// The screen before each step that was played, then the last one; empty without `record`.
    pub screens: Vec<SharedScreen>,
    /// Phone time that the play took.
    pub took: Micros,
}

/// A step of a play that the phone did not take, or only the beginning of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRefusal {
    /// Index of the step in the play.
    pub step: u32,
    /// The cause.
    pub why: String,
}

/// Asks for a command on an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlApp {
    /// The app.
    pub app: App,
    /// The command.
    pub command: AppCommand,
}

/// A command on an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AppCommand {
    /// Launch the app.
    Launch,
    /// Stop all processes of the app.
    Stop,
    /// Clear the app's data.
    ClearData,
    /// Grant every runtime permission that the app declares.
    Grant,
    /// Bring the app into this state: for `Clean` stop, clear, grant, launch and settle.
    Start(StartMode),
}

/// The result of a command on an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlAppReply {
    /// What is in front instead of the app after its start, where that does not end the start: a permission dialog, or
    /// another app that the app itself may have started.
    pub in_front: Option<Obstacle>,
    /// Events during the command, oldest first.
    pub events: Vec<PhoneEvent>,
    /// Phone time that the command took.
    pub took: Micros,
}

/// Chooses the app whose events are reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchApp {
    /// Only events of this package are reported from now on; empty for every app.
    pub package: Text,
}

/// The events so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchAppReply {
    /// Events that no reply has carried, oldest first.
    pub events: Vec<PhoneEvent>,
}

/// Asks for an operation on a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ManageSnapshot {
    /// Save the phone's state.
    Save,
    /// Return to a snapshot.
    Restore(SnapshotId),
    /// Delete a snapshot.
    Discard(SnapshotId),
}

/// The number of a snapshot on its phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SnapshotId(pub u32);

/// The result of an operation on a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManageSnapshotReply {
    /// The snapshot.
    pub id: SnapshotId,
    /// Size of the snapshot.
    pub bytes: u64,
    /// Phone time that the operation took.
    pub took: Micros,
}

/// Asks for a screenshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeScreenshot;

/// A screenshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeScreenshotReply {
    /// The picture of the display.
    pub picture: Png,
}

/// Asks for the log of the watched app since its last launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadLog {
    /// Leaves out the lines that an earlier request of this kind has carried.
    pub only_new: bool,
    /// The failure whose report by the system is wanted too.
    pub failure: Option<FindingKind>,
}

/// The log of an app.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadLogReply {
    /// Lines as `logcat -v threadtime` prints them, separated by `\n`. Of a long log the end is kept.
    pub log: String,
    /// The stacks of all threads after an ANR, the tombstone of a native crash; empty if the phone has none.
    pub report: String,
}

/// A screen on the wire: as little of it as the host needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScreenUpdate {
    /// Equal to the screen that the host holds.
    Unchanged,
    /// The diff from the screen that the host holds.
    Changed(ScreenDiff),
    /// All of the screen.
    Full(SharedScreen),
}

/// The capabilities of a phone, as they were probed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Snapshots of the phone's whole state, which restore the same screen. App-data snapshots may exist without them.
    pub snapshots: bool,
    /// Reports branches.
    pub branches: bool,
    /// Turns the display.
    pub rotation: bool,
    /// Takes screenshots.
    pub screenshots: bool,
    /// Injects these system events, as far as that is known without trying.
    pub system_events: SystemEventKinds,
}

/// An app on the phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppInfo {
    /// Package, launcher activity and version.
    pub app: App,
    /// The name under the app's icon.
    pub label: Text,
    /// Declared activities as `package/class`.
    pub activities: Vec<Text>,
    /// Number of branches in the app's code; 0 if unknown.
    pub branches: u32,
}

/// Why a request failed although phone and link work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RequestFailure {
    /// The phone lacks a capability.
    #[error("this phone cannot {0}")]
    Unsupported(String),
    /// The request cannot be fulfilled in the phone's present state, or is malformed.
    #[error("{0}")]
    Impossible(String),
    /// A service of the phone failed.
    #[error("the phone failed: {0}")]
    Phone(String),
    /// The host cancelled the request.
    #[error("cancelled")]
    Cancelled,
    /// The app cannot be seen or driven at present.
    #[error("{0}")]
    Obstructed(Obstacle),
}

impl RequestFailure {
    /// The cause, if the phone failed and not the request: the same request may succeed later.
    pub fn phone_failure(&self) -> Option<String> {
        match self {
            RequestFailure::Phone(why) => Some(why.clone()),
            RequestFailure::Obstructed(obstacle) => Some(obstacle.to_string()),
            RequestFailure::Unsupported(_)
            | RequestFailure::Impossible(_)
            | RequestFailure::Cancelled => None,
        }
    }
}
