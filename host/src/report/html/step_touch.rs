//! The place that a step touched on its screen, and the widget there.

use retap_shared::action::Action;
use retap_shared::locate::LocatedBy;
use retap_shared::screen::{NodeFlags, Screen};
use retap_shared::trace::Step;
use retap_shared::widget::Widget;

#[derive(Clone, Debug)]
pub(crate) struct StepTouch {
    pub(crate) action: Action,
    /// The touched node.
    pub(crate) node: Option<usize>,
}

impl StepTouch {
    /// Touch of a step, at the place that the agent used.
    pub(crate) fn of(step: &Step, hit: Option<LocatedBy>, screen: &Screen) -> StepTouch {
        let aim = if hit == Some(LocatedBy::Place) {
            step.at_recorded_place()
        } else {
            step.locate(screen)
        };
        let node = aim.node.or_else(|| screen.node_at(step.action.place()?));
        StepTouch {
            action: aim.action.into_owned(),
            node,
        }
    }

    /// The step as it was performed, for its caption, and the recorded widget if that was another one.
    pub(crate) fn as_performed<'a>(
        &self,
        step: &'a Step,
        screen: &Screen,
    ) -> (Step, Option<&'a Widget>) {
        let known = |met: &Widget| !met.text.is_empty() || !met.id.is_empty();
        let met = self.node.map(|node| named(screen, node)).filter(known);
        let other = step.widget.as_ref().filter(|widget| {
            met.as_ref()
                .is_some_and(|met| met.class != widget.class || met.id != widget.id)
        });
        let widget = met.or_else(|| step.widget.clone());
        (
            Step {
                action: self.action.clone(),
                widget,
                ..step.clone()
            },
            other,
        )
    }
}

/// Label of a node; a row without a text gets the first text inside it.
fn named(screen: &Screen, node: usize) -> Widget {
    let mut widget = screen.widget(node);
    let nodes = screen.nodes();
    let touched = nodes[node]
        .flags
        .intersects(NodeFlags::CLICKABLE | NodeFlags::LONG_CLICKABLE);
    if widget.text.is_empty() && touched {
        let inside = nodes[node + 1..]
            .iter()
            .take_while(|below| below.depth > nodes[node].depth);
        let mut texts = inside
            .map(|below| below.label())
            .filter(|label| !label.is_empty());
        widget.text = texts.next().cloned().unwrap_or_default();
    }
    widget
}

#[cfg(test)]
mod tests {
    use retap_shared::geometry::Point;
    use retap_shared::screen::WindowKind;

    use super::super::sample::{ScreenBuilder, UPRIGHT};
    use super::super::step_text;
    use super::*;

    fn menu() -> retap_shared::screen::SharedScreen {
        ScreenBuilder::new("Menu", UPRIGHT)
            .window(WindowKind::Application, [0, 0, 1080, 2280])
            .node(0, "FrameLayout", "", [0, 0, 1080, 2280], NodeFlags::empty())
            .node(
                1,
                "LinearLayout",
                "",
                [0, 0, 1080, 200],
                NodeFlags::CLICKABLE,
            )
            .node(
                2,
                "TextView",
                "Settings",
                [40, 150, 1000, 190],
                NodeFlags::empty(),
            )
            .build()
    }

    fn performed(step: &Step, hit: LocatedBy) -> (String, Option<String>) {
        let screen = menu();
        let (performed, other) =
            StepTouch::of(step, Some(hit), &screen).as_performed(step, &screen);
        (
            step_text::step_text(&performed),
            other.map(step_text::widget),
        )
    }

    #[test]
    fn a_row_is_called_by_the_text_in_it() {
        let row = Widget {
            class: "android.widget.LinearLayout".into(),
            path: "0".into(),
            ..Widget::default()
        };
        let step = Step {
            widget: Some(row),
            ..Step::new(Action::Tap(Point { x: 500, y: 50 }))
        };
        assert_eq!(
            performed(&step, LocatedBy::Widget),
            ("tap LinearLayout “Settings”".into(), None)
        );
    }

    #[test]
    fn a_step_that_met_another_widget_says_so() {
        let gone = Widget {
            class: "android.widget.Switch".into(),
            text: "Large text".into(),
            ..Widget::default()
        };
        let step = Step {
            widget: Some(gone),
            ..Step::new(Action::Tap(Point { x: 500, y: 160 }))
        };
        assert_eq!(
            performed(&step, LocatedBy::Place),
            (
                "tap TextView “Settings”".into(),
                Some("Switch “Large text”".into())
            )
        );
    }
}
