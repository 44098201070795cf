//! The interface between driver and strategies: what a strategy is asked, and what it may answer.

use retap_device::seed::Rng;
use retap_shared::action::{Action, SystemEventKinds};
use retap_shared::protocol::{Capabilities, Settle, SnapshotId};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::Step;

use crate::observation::StepObservation;

/// A strategy: decides what each worker does next. All workers of an exploration share one.
pub trait Explorer: Send {
    /// The name of the strategy in run events and reports.
    fn name(&self) -> &str;

    /// Settle times after a step, if they differ from those of the run.
    fn settle(&self) -> Option<Settle> {
        None
    }

    /// True if the strategy uses the system events that a phone supports.
    fn wants_system_events(&self) -> bool {
        false
    }

    /// Announces the system events of the phone that this worker has from now on.
    fn set_worker_capabilities(&mut self, _worker: usize, _events: SystemEventKinds) {}

    /// Decides what a worker does next. All randomness comes from `rng`, or from a seed that the strategy was made with.
    fn decide(&mut self, view: &WorkerView<'_>, rng: &mut Rng) -> Decision;

    /// Learns from one step: one that it decided on, or one that the worker did by itself, such as bringing the app back.
    fn observe(&mut self, _observation: &StepObservation<'_>) {}

    /// Files for people to read about what the strategy has learned: names and contents.
    fn learned_files(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// The moment at which a strategy decides for a worker.
#[derive(Clone, Copy, Debug)]
pub struct WorkerView<'a> {
    /// Number of the worker.
    pub worker: usize,
    /// Screen that the worker's phone shows.
    pub screen: &'a SharedScreen,
    /// Capabilities of the worker's phone.
    pub capabilities: Capabilities,
}

/// A strategy's answer: what the worker does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Do an action on the current screen.
    Act(ChosenAction),
    /// Repeat an earlier step, located by its widget, in order to travel.
    RepeatStep(Step),
    /// Play a step of a recorded trace. It does not count as travel.
    PlaySeedStep(Step),
    /// Stop the app and launch it.
    Restart {
        /// Clear the app's data: a clean start.
        clear_data: bool,
    },
    /// Save the phone's state. If the phone can save only the app's data, the app restarts.
    TakeSnapshot,
    /// Return to a snapshot that this worker took.
    RestoreSnapshot(SnapshotId),
    /// Delete a snapshot that this worker took.
    DiscardSnapshot(SnapshotId),
}

/// An action that a strategy chose on a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenAction {
    /// The action.
    pub action: Action,
    /// Index of the node that it is meant for.
    pub node: Option<usize>,
}

impl ChosenAction {
    /// Makes the step that goes to the phone and into the trace.
    pub(crate) fn into_step(self, screen: &Screen) -> Step {
        Step {
            action: self.action,
            widget: self.node.map(|node| screen.widget(node)),
            activity: screen.activity().clone(),
            screen: Some(screen.hash()),
            at_millis: None,
        }
    }
}
