//! What an app may ask the system for while it answers to a message.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::around::Configuration;
use super::failure::Failure;
use super::text::{Shown, time_of_day};
use super::{App, Elsewhere, Exception, Stall, Tombstone, World};

/// Asked for now, done when the answer is complete.
pub(super) enum Command<A: App> {
    Start(A::Page),
    Finish,
    BackToFirst,
    Post { after: Micros, msg: A::Msg },
    Unpost,
    Block { span: Micros, at: &'static Stall },
    Leave(Elsewhere),
    Fail(Failure),
}

pub(crate) struct Cx<'a, A: App> {
    pub(super) world: &'a mut World,
    pub(super) commands: &'a mut Vec<Command<A>>,
    pub(super) configuration: Configuration,
    pub(super) offline: bool,
}

impl<A: App> Cx<'_, A> {
    /// A place where the app's code decides: counted as a branch.
    pub(crate) fn decide(&mut self, decision: impl Into<u32>, outcome: bool) -> bool {
        self.world.branches.ran(decision.into(), outcome);
        outcome
    }

    /// Opens another activity above all others.
    pub(crate) fn start(&mut self, page: A::Page) {
        self.commands.push(Command::Start(page));
    }

    /// Closes the activity that is answering.
    pub(crate) fn finish(&mut self) {
        self.commands.push(Command::Finish);
    }

    /// Closes every activity above the first.
    pub(crate) fn back_to_first(&mut self) {
        self.commands.push(Command::BackToFirst);
    }

    /// Has a message delivered later to the activity that is answering: `Handler.postDelayed`.
    pub(crate) fn post(&mut self, after: Micros, msg: impl Into<A::Msg>) {
        self.commands.push(Command::Post {
            after,
            msg: msg.into(),
        });
    }

    /// Takes back all that the activity has posted: `Handler.removeCallbacksAndMessages`.
    pub(crate) fn unpost(&mut self) {
        self.commands.push(Command::Unpost);
    }

    /// Keeps the main thread busy. Input that waits for it for five seconds is an ANR.
    pub(crate) fn block(&mut self, span: Micros, at: &'static Stall) {
        self.commands.push(Command::Block { span, at });
    }

    /// An exception that nobody catches. Nothing that is asked for afterwards is done.
    pub(crate) fn throw(&mut self, exception: &'static Exception, message: impl Into<String>) {
        self.commands
            .push(Command::Fail(Failure::Thrown(exception, message.into())));
    }

    /// A signal in native code.
    pub(crate) fn signal(&mut self, tombstone: &'static Tombstone) {
        self.commands
            .push(Command::Fail(Failure::Signalled(tombstone)));
    }

    pub(crate) fn landscape(&self) -> bool {
        self.configuration.landscape
    }

    /// The phone speaks another language than the one it started with.
    pub(crate) fn foreign(&self) -> bool {
        self.configuration.foreign
    }

    pub(crate) fn offline(&self) -> bool {
        self.offline
    }

    /// Puts something of another app in front.
    pub(crate) fn leave(&mut self, to: Elsewhere) {
        self.commands.push(Command::Leave(to));
    }

    pub(crate) fn time_of_day(&self) -> Shown<Text> {
        time_of_day(self.world.now)
    }

    /// How long something from the network takes.
    pub(crate) fn network(&mut self) -> Micros {
        self.world.network()
    }

    /// Whether something from the network fails. Without noise only on a phone that has none.
    pub(crate) fn network_fails(&mut self) -> bool {
        self.offline || self.world.network_fails()
    }
}
