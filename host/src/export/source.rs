//! The trace that is exported, with the recorded screens of its steps.

use std::collections::HashMap;
use std::iter;

use retap_shared::action::Action;
use retap_shared::screen::{Screen, ScreenHash};
use retap_shared::trace::{ReplayPace, Step, Trace};

use super::ending::Ending;
use super::selector::Selector;

/// A trace with its recorded screens.
pub(super) struct ExportSource<'a> {
    pub(super) trace: &'a Trace,
    /// The screen before each step, if the trace itself was recorded.
    in_order: Vec<&'a Screen>,
    by_hash: HashMap<ScreenHash, &'a Screen>,
}

/// One step with its number, from 1. A pause of a trace at recorded pace has the number of the step after it.
pub(super) struct NumberedStep<'a> {
    pub(super) number: usize,
    pub(super) step: &'a Step,
    pub(super) selector: Option<Selector>,
    /// Milliseconds to wait before the step.
    pub(super) pause: Option<u32>,
}

impl<'a> ExportSource<'a> {
    pub(super) fn new(trace: &'a Trace, screens: impl IntoIterator<Item = &'a Screen>) -> Self {
        let all: Vec<&Screen> = screens.into_iter().collect();
        let by_hash = all.iter().map(|screen| (screen.hash(), *screen)).collect();
        // A recording has one screen more than steps: the last one.
        let is_recording = all.len() == trace.steps.len() + 1;
        ExportSource {
            trace,
            in_order: if is_recording { all } else { Vec::new() },
            by_hash,
        }
    }

    pub(super) fn package(&self) -> &'a str {
        &self.trace.header.app.package
    }

    /// The activity that is launched as `package/class`; none for the launcher's.
    pub(super) fn component(&self) -> Option<String> {
        let app = &self.trace.header.app;
        let class = app.activity.as_str();
        let full = |class: &str| format!("{}/{class}", app.package);
        (!class.is_empty()).then(|| match class.contains('/') {
            true => class.to_owned(),
            false => full(class),
        })
    }

    /// True if a step turns the display: places of later steps are then of a display with other sides.
    pub(super) fn turns_display(&self) -> bool {
        let steps = &self.trace.steps;
        steps
            .iter()
            .any(|step| matches!(step.action, Action::Rotate(_)))
    }

    pub(super) fn ending(&self) -> Ending<'a> {
        Ending::of(self.trace.header.target.as_ref())
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = NumberedStep<'a>> {
        let steps = &self.trace.steps;
        let pauses = self.pauses();
        iter::zip(steps, pauses)
            .enumerate()
            .map(|(place, (step, pause))| NumberedStep {
                number: place + 1,
                step,
                selector: self.selector(place, step),
                pause,
            })
    }

    /// The pause before each step: none at quiet pace.
    fn pauses(&self) -> Vec<Option<u32>> {
        let steps = &self.trace.steps;
        if self.trace.header.pace == ReplayPace::Quiet || !self.trace.has_times() {
            return vec![None; steps.len()];
        }
        let mut before = 0;
        let since = |step: &Step| {
            let at = step.at_millis.unwrap_or(before);
            let pause = at.saturating_sub(before);
            before = at;
            (pause > 0).then_some(pause)
        };
        steps.iter().map(since).collect()
    }

    fn selector(&self, number: usize, step: &Step) -> Option<Selector> {
        let widget = step.widget.as_ref()?;
        let place = step.action.place()?;
        let by_hash = step.screen.and_then(|hash| self.by_hash.get(&hash));
        let screens = self.in_order.get(number).into_iter().chain(by_hash);
        screens
            .into_iter()
            .find_map(|screen| Selector::on_screen(screen, widget, place))
            .or_else(|| Selector::of_widget(widget))
    }
}

impl NumberedStep<'_> {
    /// The action as a comment may show it: on one line.
    pub(super) fn words(&self) -> String {
        let words = match (&self.step.widget, &self.step.action) {
            (Some(widget), Action::Tap(_)) => format!("tap {widget}"),
            (Some(widget), Action::LongPress(_)) => format!("long press {widget}"),
            (Some(widget), Action::Text { text, .. }) => format!("type {text:?} into {widget}"),
            (Some(widget), action) => format!("{action} on {widget}"),
            (None, action) => action.to_string(),
        };
        on_one_line(&words)
    }
}

/// A text of an app as a comment may have it.
pub(super) fn on_one_line(text: &str) -> String {
    let ends_line = |one: char| one.is_control() || matches!(one, '\u{2028}' | '\u{2029}');
    text.chars()
        .map(|one| if ends_line(one) { ' ' } else { one })
        .collect()
}
