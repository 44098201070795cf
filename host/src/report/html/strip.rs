//! A trace as a strip of screens with the touches on them, each with its step in words, and the finding at the end.

use maud::{Markup, html};
use retap_reduce::trace_reduction::ReproductionCheck;
use retap_shared::bytes::Png;
use retap_shared::finding::Finding;
use retap_shared::locate::LocatedBy;
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::Step;

use super::canvas::DrawingCanvas;
use super::screen::{self, ScreenDrawing};
use super::step_text::{self, pluralise};
use super::step_touch::StepTouch;
use super::{gesture, sanitise_html};
use crate::report::headline::FindingHeadline;
use crate::run::findings::StoredFinding;

/// Number of steps that are drawn, the last ones: they lead to the finding. The rest is listed in words.
const ILLUSTRATED_STEPS: usize = 40;

/// Maximum number of steps listed in words; all of them are in the trace file.
const LONGEST_LIST: usize = 400;

/// Steps, and the screens they were done on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IllustratedTrace<'a> {
    pub(crate) steps: &'a [Step],
    /// The screen before each step, then the last one. May be shorter or empty: steps without a screen are listed in
    /// words.
    pub(crate) screens: &'a [SharedScreen],
    /// Screenshots in the order of `screens`. May be shorter or empty: the others are drawn.
    pub(crate) pictures: &'a [Png],
    /// How each step located its widget. May be shorter or empty.
    pub(crate) located_by: &'a [LocatedBy],
}

impl<'a> IllustratedTrace<'a> {
    /// The shortest trace of a finding.
    pub(crate) fn of(finding: &'a StoredFinding) -> IllustratedTrace<'a> {
        match &finding.reduced {
            Some(reduced) => IllustratedTrace {
                steps: &reduced.reduction.trace.steps,
                screens: reduced.screens(),
                pictures: &reduced.pictures,
                located_by: reduced.located_by(),
            },
            None => IllustratedTrace {
                steps: &finding.trace.steps,
                ..IllustratedTrace::default()
            },
        }
    }
}

/// Draws the trace. `check` holds the last runs of a reduced trace.
pub(crate) fn strip(
    trace: &IllustratedTrace<'_>,
    finding: &Finding,
    check: Option<&ReproductionCheck>,
) -> Markup {
    let steps = trace.steps.len();
    let first = if trace.screens.is_empty() {
        steps
    } else {
        steps.saturating_sub(ILLUSTRATED_STEPS)
    };
    html! {
        @if first > 0 { (list(trace, first)) }
        @if first < steps || steps == 0 {
            ol.strip start=(first + 1) {
                @for number in first..steps { (step(trace, number)) }
                (end(trace, finding, check))
            }
        }
    }
}

/// The steps before `end` in words.
fn list(trace: &IllustratedTrace<'_>, end: usize) -> Markup {
    let first = end.saturating_sub(LONGEST_LIST);
    let all = end == trace.steps.len();
    html! {
        details.steps open[all && end <= 12] {
            summary {
                @if all { (pluralise(end as u64, "step", "steps")) " in words" }
                @else { "The first " (pluralise(end as u64, "step", "steps")) ", in words" }
            }
            @if first > 0 {
                p.note { (pluralise(first as u64, "step", "steps")) " before these are in the trace file." }
            }
            ol start=(first + 1) { @for step in &trace.steps[first..end] { li { (step_text::step_markup(step)) } } }
        }
    }
}

fn step(trace: &IllustratedTrace<'_>, number: usize) -> Markup {
    let step = &trace.steps[number];
    let Some((screen, canvas)) = drawable(trace, number) else {
        return html! {
            li.step data-step=(number) { div.blank { "No picture of this screen" } (caption(number, &step_text::step_markup(step))) }
        };
    };
    let touch = StepTouch::of(step, trace.located_by.get(number).copied(), screen);
    let (performed, other) = touch.as_performed(step, screen);
    let spoken = format!(
        "Step {}, {}: {}",
        number + 1,
        front(screen),
        step_text::step_text(&performed)
    );
    let finger = html! { g.touch { (gesture::draw(&touch, screen, &canvas)) } };
    let ScreenDrawing { picture, left_out } =
        show(trace, number, screen, &canvas, &spoken, &finger);
    html! {
        li.step.wide[canvas.is_wide()] data-step=(number) {
            (picture)
            (caption(number, &step_text::step_markup(&performed)))
            @if let Some(widget) = other { p.note { "recorded on " bdi { (step_text::widget(widget)) } } }
            @if left_out > 0 { p.note { (pluralise(left_out as u64, "more part", "more parts")) " not drawn" } }
        }
    }
}

fn caption(number: usize, words: &Markup) -> Markup {
    html! { p.caption { span.number { (number + 1) } span { (words) } } }
}

/// The finding as a red card, in front of the last screen.
fn end(
    trace: &IllustratedTrace<'_>,
    finding: &Finding,
    check: Option<&ReproductionCheck>,
) -> Markup {
    let failed = check.filter(|check| check.successes == 0 && check.runs > 0);
    let headline = FindingHeadline::of(finding);
    let last = drawable(trace, trace.steps.len());
    html! {
        li.step.end.wide[last.as_ref().is_some_and(|(_, canvas)| canvas.is_wide())]
            data-step=(trace.steps.len()) {
            @match last {
                Some((screen, canvas)) => {
                    @let spoken = format!("Afterwards: {}", front(screen));
                    (show(trace, trace.steps.len(), screen, &canvas, &spoken, &html! {}).picture)
                }
                None => div.blank {},
            }
            div.boom.doubtful[failed.is_some()] {
                strong { (step_text::capitalised(&finding.kind.to_string())) }
                bdi.what { (breakable(&headline.what)) }
                @if !headline.function.is_empty() { span { "in " bdi { (breakable(&headline.function)) } } }
                @if let Some(failed) = failed {
                    span { "It did not reproduce in " (pluralise(u64::from(failed.runs), "replay", "replays")) "." }
                }
            }
        }
    }
}

/// The screenshot, or a drawing of the UI tree.
fn show(
    trace: &IllustratedTrace<'_>,
    number: usize,
    screen: &Screen,
    canvas: &DrawingCanvas,
    spoken: &str,
    over: &Markup,
) -> ScreenDrawing {
    match trace.pictures.get(number) {
        Some(picture) => ScreenDrawing {
            picture: screen::photograph(picture, canvas, spoken, over),
            left_out: 0,
        },
        None => screen::draw(screen, canvas, spoken, over),
    }
}

fn drawable<'a>(
    trace: &IllustratedTrace<'a>,
    number: usize,
) -> Option<(&'a Screen, DrawingCanvas)> {
    let screen = trace.screens.get(number)?;
    Some((screen, DrawingCanvas::of(screen.size())?))
}

/// Long names may break before a capital letter and after a dot, where a reader breaks them too.
pub(crate) fn breakable(name: &str) -> Markup {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, one) in name.char_indices() {
        if matches!(before, '.' | '_') || (one.is_uppercase() && before.is_lowercase()) {
            parts.push(&name[start..at]);
            start = at;
        }
        before = one;
    }
    html! { @for part in parts { (part) wbr; } (name[start..]) }
}

/// The activity in front, without its package.
fn front(screen: &Screen) -> String {
    let name = screen
        .activity()
        .rsplit(['/', '.'])
        .next()
        .unwrap_or_default();
    if name.is_empty() {
        "a screen".to_owned()
    } else {
        sanitise_html::sanitise_line(name, 60)
    }
}
