//! Requests of an app to the system while it handles a message.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::environment::ActivityConfiguration;
use super::failure::AppFailure;
use super::text::{Unhashed, time_of_day};
use super::{Exception, ExternalScreen, SimulatedApp, Stall, Tombstone, World};

/// Requested now, done once the message is handled.
pub(super) enum AppEffect<A: SimulatedApp> {
    Start(A::Page),
    Finish,
    BackToFirst,
    Post { after: Micros, msg: A::Msg },
    CancelPosted,
    Block { span: Micros, at: &'static Stall },
    OpenExternal(ExternalScreen),
    Fail(AppFailure),
}

pub(crate) struct AppContext<'a, A: SimulatedApp> {
    pub(super) world: &'a mut World,
    pub(super) commands: &'a mut Vec<AppEffect<A>>,
    pub(super) configuration: ActivityConfiguration,
    pub(super) offline: bool,
}

impl<A: SimulatedApp> AppContext<'_, A> {
    /// A place where the app's code decides: counted as a branch.
    pub(crate) fn decide(&mut self, decision: impl Into<u32>, outcome: bool) -> bool {
        self.world.branches.ran(decision.into(), outcome);
        outcome
    }

    /// Logs a line: `LEVEL/TAG: message`.
    pub(crate) fn log(&mut self, line: &str) {
        self.world.log(line);
    }

    /// Opens another activity above all others.
    pub(crate) fn start(&mut self, page: A::Page) {
        self.commands.push(AppEffect::Start(page));
    }

    /// Closes the activity that handles the message.
    pub(crate) fn finish(&mut self) {
        self.commands.push(AppEffect::Finish);
    }

    /// Closes every activity above the first.
    pub(crate) fn back_to_first(&mut self) {
        self.commands.push(AppEffect::BackToFirst);
    }

    /// Posts a message to the activity that handles this one: `Handler.postDelayed`.
    pub(crate) fn post(&mut self, after: Micros, msg: impl Into<A::Msg>) {
        self.commands.push(AppEffect::Post {
            after,
            msg: msg.into(),
        });
    }

    /// Cancels all messages that the activity has posted: `Handler.removeCallbacksAndMessages`.
    pub(crate) fn cancel_posted(&mut self) {
        self.commands.push(AppEffect::CancelPosted);
    }

    /// Keeps the main thread busy. Input that waits for it for five seconds is an ANR.
    pub(crate) fn block(&mut self, span: Micros, at: &'static Stall) {
        self.commands.push(AppEffect::Block { span, at });
    }

    /// Throws an exception that is not caught. Later requests of this message are not done.
    pub(crate) fn throw(&mut self, exception: &'static Exception, message: impl Into<String>) {
        self.commands.push(AppEffect::Fail(AppFailure::Thrown(
            exception,
            message.into(),
        )));
    }

    /// A signal in native code.
    pub(crate) fn signal(&mut self, tombstone: &'static Tombstone) {
        self.commands
            .push(AppEffect::Fail(AppFailure::NativeSignal(tombstone)));
    }

    pub(crate) fn landscape(&self) -> bool {
        self.configuration.landscape
    }

    /// True if the phone has another language than at its start.
    pub(crate) fn foreign_language(&self) -> bool {
        self.configuration.foreign
    }

    pub(crate) fn offline(&self) -> bool {
        self.offline
    }

    /// Opens a screen of another app.
    pub(crate) fn open_external(&mut self, to: ExternalScreen) {
        self.commands.push(AppEffect::OpenExternal(to));
    }

    pub(crate) fn time_of_day(&self) -> Unhashed<Text> {
        time_of_day(self.world.now)
    }

    /// Draws the duration of a network request.
    pub(crate) fn network_delay(&mut self) -> Micros {
        self.world.network_delay()
    }

    /// Draws whether a network request fails. Without noise it fails only on a phone that is offline.
    pub(crate) fn network_fails(&mut self) -> bool {
        self.offline || self.world.network_fails()
    }
}
