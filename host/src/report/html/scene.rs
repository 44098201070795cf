//! Context of a finding: the screen before it, the screenshot as soon as it was known, and the logs.

use maud::{Markup, html};
use retap_explore::FindingContext;

use super::canvas::DrawingCanvas;
use super::finding::NumberedFinding;
use super::step_text::pluralise;
use super::{sanitise_html, screen};

/// Maximum number of findings with a screenshot on the page; all screenshots are files of the run.
const MOST_PICTURES: usize = 20;

/// Maximum number of lines of each log on the page; the files of the run have more.
const LOG_LINES: usize = 300;

pub(crate) fn drawn(numbered: NumberedFinding<'_>) -> Markup {
    let FindingContext {
        screen,
        screenshot: picture,
        ..
    } = &numbered.finding.scene;
    let Some((before, canvas)) = screen
        .as_ref()
        .and_then(|screen| Some((screen, DrawingCanvas::of(screen.size())?)))
    else {
        return html! {};
    };
    let picture = picture
        .as_ref()
        .filter(|_| numbered.number <= MOST_PICTURES);
    html! {
        ul.strip.scene {
            li.step.wide[canvas.is_wide()] {
                (screen::draw(before, &canvas, "The screen before the last step", &html! {}).picture)
                p.caption { span { "Before the last step" } }
            }
            @if let Some(picture) = picture {
                li.step.wide[canvas.is_wide()] {
                    (screen::photograph(picture, &canvas, "Screenshot as soon as the finding was known", &html! {}))
                    p.caption { span { "As soon as the finding was known" } }
                }
            }
        }
    }
}

pub(crate) fn log(scene: &FindingContext) -> Markup {
    let app_log = &scene.app_log;
    html! {
        (folded_lines("Log around it", &scene.log.join("\n")))
        (folded_lines("The app's log since its launch", last_lines(&app_log.log)))
        (folded_lines("The system's report", &app_log.report))
    }
}

/// The end of a log: the failure is there.
fn last_lines(log: &str) -> &str {
    let ends = log.trim_end().rmatch_indices('\n').map(|(at, _)| at + 1);
    &log[ends.take(LOG_LINES).nth(LOG_LINES - 1).unwrap_or_default()..]
}

fn folded_lines(title: &str, text: &str) -> Markup {
    let (lines, left_out) = sanitise_html::sanitise_lines(text, LOG_LINES, 400);
    html! {
        @if !text.is_empty() {
            details.stack {
                summary { (title) " " span { (pluralise((lines.len() + left_out) as u64, "line", "lines")) } }
                pre tabindex="0" aria-label=(title) {
                    @for line in &lines { bdi { (line) } "\n" }
                    @if left_out > 0 { i { "… " (pluralise(left_out as u64, "more line", "more lines")) } "\n" }
                }
            }
        }
    }
}
