//! Where a step goes on the screen that it meets: to its widget wherever that is now, to its recorded place otherwise.

use std::borrow::Cow;

use crate::action::Action;
use crate::protocol::LocatedBy;
use crate::screen::Screen;
use crate::trace::Step;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedStep<'a> {
    pub action: Cow<'a, Action>,
    pub located_by: LocatedBy,
    /// The widget's node, if it was found.
    pub node: Option<usize>,
}

impl Step {
    pub fn locate(&self, screen: &Screen) -> LocatedStep<'_> {
        let (Some(widget), Some(place)) = (&self.widget, self.action.place()) else {
            return self.at_recorded_place();
        };
        let Some(node) = screen.find(widget, Some(place)) else {
            return self.at_recorded_place();
        };
        let bounds = screen.nodes()[node].bounds;
        // A place that still lies on the widget is kept: it may have been chosen within it, as a swipe's start is.
        let action = if bounds.contains(place) {
            Cow::Borrowed(&self.action)
        } else {
            Cow::Owned(self.action.moved_to(bounds.center()))
        };
        LocatedStep {
            action,
            located_by: LocatedBy::Widget,
            node: Some(node),
        }
    }

    /// Without looking for the widget.
    pub fn at_recorded_place(&self) -> LocatedStep<'_> {
        let hit = if self.action.place().is_some() {
            LocatedBy::Place
        } else {
            LocatedBy::Anywhere
        };
        LocatedStep {
            action: Cow::Borrowed(&self.action),
            located_by: hit,
            node: None,
        }
    }
}
