//! What a test checks after its last step.

use retap_shared::target::Target;
use retap_shared::widget::Widget;

/// The check at the end of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending<'a> {
    /// The app has not crashed and responds: the trace led to a problem.
    NoProblem,
    /// The activity is in front.
    Activity(&'a str),
    /// The widget is shown.
    Shows(&'a Widget),
    /// A check that no format has; the app must not crash.
    Other,
}

/// A check that a format lacks.
pub(super) const OTHER_TARGET: &str = "the trace's target is a log line or a missing widget: the test checks only that the app does not crash";

impl Ending<'_> {
    pub(super) fn of(target: Option<&Target>) -> Ending<'_> {
        match target {
            None | Some(Target::Problem(_) | Target::AnyProblem) => Ending::NoProblem,
            Some(Target::Activity(name)) => Ending::Activity(name),
            Some(Target::Screen(widget)) => Ending::Shows(widget),
            Some(Target::Log(_) | Target::Lacks { .. }) => Ending::Other,
        }
    }
}
