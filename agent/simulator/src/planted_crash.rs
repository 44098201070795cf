//! Planted crashes as the apps declare them: kind, name and the shortest scripted trace. Ground truth records and
//! checks them.

use retap_shared::action::SystemEvent;
use retap_shared::finding::FindingKind;
use retap_shared::geometry::Rotation;

/// A crash that was planted on purpose, and the shortest trace to it from a clean start.
pub(crate) struct PlantedCrashScript {
    pub(crate) name: &'static str,
    pub(crate) kind: FindingKind,
    pub(crate) shortest: &'static [ScriptedAction],
}

/// An event of a planted crash's shortest trace. Widgets are named by the end of their id, or by their label.
#[derive(Clone, Debug)]
pub(crate) enum ScriptedAction {
    Tap(&'static str),
    /// A tap for each character, on the widget whose name it ends after the given beginning.
    Taps(&'static str, &'static str),
    LongPress(&'static str),
    Type(&'static str, &'static str),
    Back,
    Home,
    Launch,
    Rotate(Rotation),
    System(SystemEvent),
}

/// More than fits into any field.
pub(crate) const LONG_TEXT: &str = "a text that is much longer than anyone would type into a field of this size, so that it \
    does not fit on the line, nor on the next one";
