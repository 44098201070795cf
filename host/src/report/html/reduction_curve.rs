//! A reduction as a chart: the size of the trace over runs and phone time, and the belief about each step where there is one.

use std::fmt::Write;

use maud::{Markup, html};
use retap_reduce::trace_reduction::ReductionSample;

use super::step_text::pluralise;
use crate::run::findings::RecordedReduction;
use crate::wording::group_thousands;

/// The plot within the chart.
const LEFT: u64 = 46;
const TOP: u64 = 14;
const WIDTH: u64 = 300;
const HEIGHT: u64 = 90;
/// Maximum number of columns; longer traces have several steps in a column.
const COLUMNS: usize = 500;
/// Belief from which a step counts as needed.
const NEEDED: f32 = 0.9;
/// Belief below which a step counts as not needed.
const NOT_NEEDED: f32 = 0.01;

pub(crate) fn reduction_curve(recorded: &RecordedReduction) -> Markup {
    let reduction = &recorded.reduction;
    let resumed = recorded.resumed;
    html! {
        @if reduction.history.len() > 1 {
            details.shrinking {
                summary { "Progress of the reduction" }
                (size_chart(&reduction.history))
                @if resumed.runs > 0 {
                    p.note {
                        (pluralise(resumed.runs, "run", "runs")) " resumed from a snapshot, which saved "
                        (pluralise(resumed.steps, "step", "steps"))
                        "; the result was checked from clean starts."
                    }
                }
                @if let Some(belief) = &reduction.belief { (belief_strip(belief)) }
            }
        }
    }
}

/// A staircase: the trace keeps its size until a smaller one has reached the target.
fn size_chart(history: &[ReductionSample]) -> Markup {
    let (Some(first), Some(last)) = (history.first(), history.last()) else {
        return html! {};
    };
    let top = u64::from(first.steps).max(1);
    let end = last.runs.max(1);
    let x = |runs: u64| LEFT + runs * WIDTH / end;
    let y = |steps: u32| TOP + HEIGHT - u64::from(steps).min(top) * HEIGHT / top;
    let mut path = format!("M{LEFT} {}", y(first.steps));
    for size in &history[1..] {
        // Writing to a string cannot fail.
        let _ = write!(path, "H{}V{}", x(size.runs), y(size.steps));
    }
    let words = format!(
        "{} → {} in {}",
        first.steps,
        last.steps,
        pluralise(last.runs, "run", "runs")
    );
    html! {
        figure.curve {
            figcaption { b { "Steps" } span { (words) ", " (last.took) " of phone time" } }
            svg role="img" aria-label={ "Steps over runs: " (words) }
                viewBox={ "0 0 " (LEFT + WIDTH + 14) " " (TOP + HEIGHT + 30) } {
                @for steps in [0, first.steps] {
                    path.grid d={ "M" (LEFT) " " (y(steps)) "h" (WIDTH) } {}
                    text.tick.y x=(LEFT - 8) y=(y(steps)) { (group_thousands(u64::from(steps))) }
                }
                path.line d=(path) {}
                text.tick x=(LEFT) y=(TOP + HEIGHT + 18) { "0" }
                text.tick.end x=(LEFT + WIDTH) y=(TOP + HEIGHT + 18) {
                    (group_thousands(last.runs)) " runs, " (last.took)
                }
            }
        }
    }
}

/// A column for each step: the darker, the more likely it is needed.
fn belief_strip(belief: &[f32]) -> Markup {
    let columns = belief.len().min(COLUMNS);
    let most = |number: usize| {
        let steps = &belief[belief.len() * number / columns..belief.len() * (number + 1) / columns];
        steps.iter().copied().fold(0.0, f32::max)
    };
    let needed = belief.iter().filter(|chance| **chance >= NEEDED).count();
    let not_needed = belief.iter().filter(|chance| **chance < NOT_NEEDED).count();
    let words = format!(
        "of {}: {needed} needed, {not_needed} not, {} open",
        pluralise(belief.len() as u64, "step", "steps"),
        belief.len() - needed - not_needed
    );
    html! {
        figure.belief {
            figcaption { b { "Belief" } span { (words) } }
            svg role="img" aria-label={ "Belief about the steps, " (words) } preserveAspectRatio="none"
                viewBox={ "0 0 " (columns.max(1)) " 10" } {
                @for number in 0..columns {
                    @let opacity = (most(number) * 100.0).round() as u32;
                    @if opacity > 0 {
                        rect x=(number) width="1" height="10" opacity={ (opacity) "%" } {}
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use retap_reduce::oracle::ResumeStatistics;
    use retap_shared::micros::Micros;

    use super::super::sample;
    use super::*;

    #[test]
    fn sizes_and_beliefs_are_drawn_and_written_in_words() {
        let size = |steps, runs, seconds: u64| ReductionSample {
            steps,
            runs,
            took: Micros::from_millis(seconds * 1_000),
        };
        let history = vec![size(500, 0, 0), size(40, 30, 900), size(2, 120, 1_800)];
        let belief = Some(vec![0.0, 0.995, 0.4, 0.0, 0.99]);
        let resumed = ResumeStatistics {
            runs: 12,
            steps: 340,
        };
        let mut recorded = sample::reduction(&sample::sample_trace());
        recorded.reduction.history = history;
        recorded.reduction.belief = belief;
        recorded.resumed = resumed;
        let page = reduction_curve(&recorded).into_string();
        assert!(page.contains(
            "12 runs resumed from a snapshot, which saved 340 steps; the result was checked"
        ));
        assert!(
            page.contains("500 → 2 in 120 runs, 30 min 0 s of phone time"),
            "{page}"
        );
        assert!(page.contains("M46 14H121V97H346V104"), "{page}");
        assert!(
            page.contains("of 5 steps: 2 needed, 2 not, 1 open"),
            "{page}"
        );
        assert_eq!(page.matches("<rect").count(), 3);
        assert_eq!(
            reduction_curve(&sample::reduction(&sample::sample_trace())).into_string(),
            ""
        );
    }
}
