//! A trace as a strip of screens with the finger on them, each with its step in words, and the crash at the end.

use maud::{Markup, html};
use retap_shared::finding::Finding;
use retap_shared::screen::Screen;

use super::canvas::DrawingCanvas;
use super::headline::FindingHeadline;
use super::screen::{self, ScreenDrawing};
use super::step_text::{self, pluralise};
use super::step_touch::StepTouch;
use super::{gesture, sanitise_html};
use crate::report::data::{IllustratedTrace, ReplayTally};

/// A strip shows this many steps, the last ones: they lead to the crash. The rest is told in words alone.
const ILLUSTRATED_STEPS: usize = 40;

/// More steps than this nobody reads; they are in the trace file.
const LONGEST_LIST: usize = 400;

pub(crate) fn strip(
    trail: &IllustratedTrace,
    problem: &Finding,
    replays: Option<ReplayTally>,
) -> Markup {
    let steps = trail.steps.len();
    let first = if trail.screens.is_empty() {
        steps
    } else {
        steps.saturating_sub(ILLUSTRATED_STEPS)
    };
    html! {
        @if first > 0 { (list(trail, first)) }
        @if first < steps || steps == 0 {
            ol.strip start=(first + 1) {
                @for number in first..steps { (step(trail, number)) }
                (end(trail, problem, replays))
            }
        }
    }
}

/// The steps before `end` in words.
fn list(trail: &IllustratedTrace, end: usize) -> Markup {
    let first = end.saturating_sub(LONGEST_LIST);
    let all = end == trail.steps.len();
    html! {
        details.steps open[all && end <= 12] {
            summary {
                @if all { (pluralise(end as u64, "step", "steps")) " in words" }
                @else { "The first " (pluralise(end as u64, "step", "steps")) ", in words" }
            }
            @if first > 0 {
                p.note { (pluralise(first as u64, "step", "steps")) " before these are in the trace file." }
            }
            ol start=(first + 1) { @for step in &trail.steps[first..end] { li { (step_text::step_markup(step)) } } }
        }
    }
}

fn step(trail: &IllustratedTrace, number: usize) -> Markup {
    let step = &trail.steps[number];
    let Some((screen, canvas)) = drawable(trail, number) else {
        return html! {
            li.step { div.blank { "No picture of this screen" } (caption(number, &step_text::step_markup(step))) }
        };
    };
    let aim = StepTouch::of(step, trail.hits.get(number).copied(), screen);
    let (told, other) = aim.as_performed(step, screen);
    let spoken = format!(
        "Step {}, {}: {}",
        number + 1,
        front(screen),
        step_text::step_text(&told)
    );
    let finger = gesture::draw(&aim, screen, &canvas);
    let ScreenDrawing { picture, left_out } =
        show(trail, number, screen, &canvas, &spoken, &finger);
    html! {
        li.step.wide[canvas.is_wide()] {
            (picture)
            (caption(number, &step_text::step_markup(&told)))
            @if let Some(widget) = other { p.note { "recorded on " bdi { (step_text::widget(widget)) } } }
            @if left_out > 0 { p.note { (pluralise(left_out as u64, "more part", "more parts")) " not drawn" } }
        }
    }
}

fn caption(number: usize, words: &Markup) -> Markup {
    html! { p.caption { span.number { (number + 1) } span { (words) } } }
}

/// The crash as a red card, before what the phone showed last.
fn end(trail: &IllustratedTrace, problem: &Finding, replays: Option<ReplayTally>) -> Markup {
    let never = replays.filter(|replays| replays.successes == 0 && replays.runs > 0);
    let headline = FindingHeadline::of(problem);
    let last = drawable(trail, trail.steps.len());
    html! {
        li.step.end.wide[last.as_ref().is_some_and(|(_, canvas)| canvas.is_wide())] {
            @match last {
                Some((screen, canvas)) => {
                    @let spoken = format!("Afterwards: {}", front(screen));
                    (show(trail, trail.steps.len(), screen, &canvas, &spoken, &html! {}).picture)
                }
                None => div.blank {},
            }
            div.boom.doubtful[never.is_some()] {
                strong { (step_text::capitalised(&problem.kind.to_string())) }
                bdi.what { (breakable(&headline.what)) }
                @if !headline.function.is_empty() { span { "in " bdi { (breakable(&headline.function)) } } }
                @if let Some(never) = never {
                    span { "It did not come back in " (pluralise(u64::from(never.runs), "replay", "replays")) "." }
                }
            }
        }
    }
}

/// As the phone showed it, or drawn from the tree.
fn show(
    trail: &IllustratedTrace,
    number: usize,
    screen: &Screen,
    canvas: &DrawingCanvas,
    spoken: &str,
    over: &Markup,
) -> ScreenDrawing {
    match trail.pictures.get(number) {
        Some(picture) => ScreenDrawing {
            picture: screen::photograph(picture, canvas, spoken, over),
            left_out: 0,
        },
        None => screen::draw(screen, canvas, spoken, over),
    }
}

fn drawable(trail: &IllustratedTrace, number: usize) -> Option<(&Screen, DrawingCanvas)> {
    let screen = trail.screens.get(number)?;
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
