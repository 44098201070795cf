//! The place of a step on the screen that it meets: its widget's current place if the widget is found, its recorded
//! place otherwise.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::screen::Screen;
use crate::trace::Step;

/// A step with the place where it is performed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedStep<'a> {
    /// The action, moved if the widget has moved.
    pub action: Cow<'a, Action>,
    /// How the place was found.
    pub located_by: LocatedBy,
    /// The widget's node, if it was found.
    pub node: Option<usize>,
}

/// How a step found its place on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocatedBy {
    /// The widget was found; the gesture is performed at its current place.
    Widget,
    /// The widget was not found, or none was recorded; the gesture is performed at its recorded place.
    Place,
    /// The action has no place: a key, a rotation.
    Anywhere,
}

impl Step {
    /// Finds the step's widget on the screen and moves the action to it.
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

    /// The step at its recorded place, without a search for the widget.
    pub fn at_recorded_place(&self) -> LocatedStep<'_> {
        let located_by = if self.action.place().is_some() {
            LocatedBy::Place
        } else {
            LocatedBy::Anywhere
        };
        LocatedStep {
            action: Cow::Borrowed(&self.action),
            located_by,
            node: None,
        }
    }
}
