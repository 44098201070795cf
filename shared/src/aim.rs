//! Where a step goes on the screen that it meets: to its widget wherever that is now, to its recorded place otherwise.

use std::borrow::Cow;

use crate::action::Action;
use crate::protocol::Hit;
use crate::screen::Screen;
use crate::trace::Step;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim<'a> {
    pub action: Cow<'a, Action>,
    pub hit: Hit,
    /// The widget's node, if it was found.
    pub node: Option<usize>,
}

impl Step {
    pub fn aim(&self, screen: &Screen) -> Aim<'_> {
        let (Some(widget), Some(place)) = (&self.widget, self.action.place()) else {
            return self.aim_at_place();
        };
        let Some(node) = screen.find(widget, Some(place)) else {
            return self.aim_at_place();
        };
        let bounds = screen.nodes()[node].bounds;
        // A place that still lies on the widget is kept: it may have been chosen within it, as a swipe's start is.
        let action = if bounds.contains(place) {
            Cow::Borrowed(&self.action)
        } else {
            Cow::Owned(self.action.moved_to(bounds.center()))
        };
        Aim {
            action,
            hit: Hit::Widget,
            node: Some(node),
        }
    }

    /// Without looking for the widget.
    pub fn aim_at_place(&self) -> Aim<'_> {
        let hit = if self.action.place().is_some() {
            Hit::Place
        } else {
            Hit::Anywhere
        };
        Aim {
            action: Cow::Borrowed(&self.action),
            hit,
            node: None,
        }
    }
}
