//! Correction of widgets after a reduction: without the removed steps a tap may meet another widget at the same place. Each
//! such step gets the widget that it touched.

use retap_shared::action::Action;
use retap_shared::locate::LocatedBy;
use retap_shared::protocol::PlayReply;
use retap_shared::screen::{NodeFlags, Screen};
use retap_shared::trace::{Step, Trace};

/// Returns the trace with corrected widgets; none if each step met its own. `played` must have screens.
pub(super) fn with_touched_widgets(trace: &Trace, played: &PlayReply) -> Option<Trace> {
    let mut corrected = trace.clone();
    let mut any = false;
    let observed = played.located_by.iter().zip(&played.screens);
    for (step, (hit, screen)) in corrected.steps.iter_mut().zip(observed) {
        let named = step.widget.is_some() && *hit == LocatedBy::Place;
        if named
            && matches!(
                step.action,
                Action::Tap(_) | Action::LongPress(_) | Action::Text { .. }
            )
        {
            any = true;
            step.widget = touched_node(step, screen).map(|node| screen.widget(node));
        }
        step.activity = screen.activity().clone();
        step.screen = Some(screen.hash());
    }
    any.then_some(corrected)
}

/// The node that receives the touch.
fn touched_node(step: &Step, screen: &Screen) -> Option<usize> {
    let takes = NodeFlags::CLICKABLE | NodeFlags::LONG_CLICKABLE | NodeFlags::EDITABLE;
    let topmost = screen.node_at(step.action.place()?)?;
    std::iter::successors(Some(topmost), |node| screen.parent(*node))
        .find(|node| screen.nodes()[*node].flags.intersects(takes))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use retap_shared::geometry::{Point, Rect, Size};
    use retap_shared::micros::Micros;
    use retap_shared::phone_info::PhoneInfo;
    use retap_shared::screen::{Node, ScreenContent, Window, WindowFlags, WindowKind};
    use retap_shared::trace::{App, ReplayPace, StartMode, TraceHeader};
    use retap_shared::verdict::Verdict;
    use retap_shared::widget::Widget;

    use super::*;

    fn screen() -> Arc<Screen> {
        let bounds = Rect {
            left: 0,
            top: 0,
            right: 100,
            bottom: 100,
        };
        let node = |depth, id: &str, flags| Node {
            depth,
            id: id.into(),
            class: "android.widget.Button".into(),
            bounds,
            flags: flags | NodeFlags::VISIBLE | NodeFlags::ENABLED,
            ..Node::default()
        };
        let nodes = vec![
            node(0, "row", NodeFlags::CLICKABLE),
            node(1, "label", NodeFlags::empty()),
        ];
        let window = Window {
            kind: WindowKind::Application,
            package: "a".into(),
            title: "A".into(),
            bounds,
            flags: WindowFlags::FOCUSED,
            nodes: 2,
        };
        let content = ScreenContent {
            size: Size {
                width: 100,
                height: 100,
            },
            rotation: retap_shared::geometry::Rotation::Natural,
            activity: "a/.First".into(),
            windows: vec![window],
            nodes,
        };
        Arc::new(Screen::new(content).expect("a row with a label is a tree"))
    }

    fn played(hit: LocatedBy) -> (Trace, PlayReply) {
        let widget = Some(Widget {
            id: "gone".into(),
            ..Widget::default()
        });
        let step = Step {
            widget,
            ..Step::new(Action::Tap(Point { x: 50, y: 50 }))
        };
        let app = App {
            package: "a".into(),
            activity: "".into(),
            version_code: 1,
        };
        let header = TraceHeader {
            app,
            start: StartMode::Clean,
            seed: None,
            target: None,
            phone: PhoneInfo::default(),
            pace: ReplayPace::Quiet,
            claim: None,
        };
        let played = PlayReply {
            verdict: Verdict::TargetReached,
            played: 1,
            located_by: vec![hit],
            refusals: Vec::new(),
            events: Vec::new(),
            branches: Vec::new(),
            screens: vec![screen(), screen()],
            took: Micros::ZERO,
        };
        (
            Trace {
                header,
                steps: vec![step],
            },
            played,
        )
    }

    #[test]
    fn a_tap_that_met_another_widget_gets_that_widget() {
        let (trace, run) = played(LocatedBy::Place);
        let steps = with_touched_widgets(&trace, &run)
            .expect("the widget was not there")
            .steps;
        assert_eq!(
            steps[0].widget.as_ref().map(|widget| widget.id.as_str()),
            Some("row")
        );
        assert_eq!(steps[0].activity, "a/.First");
        assert_eq!(steps[0].action, trace.steps[0].action);
    }

    #[test]
    fn steps_that_met_their_widgets_stay() {
        let (trace, run) = played(LocatedBy::Widget);
        assert!(with_touched_widgets(&trace, &run).is_none());
    }
}
