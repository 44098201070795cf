//! The coverage curve: activities, screens and branches, each with its own axis, over events and over phone time.

use std::fmt::Write;

use maud::{Markup, html};
use retap_model::CoveragePoint;
use retap_shared::micros::Micros;

use crate::report::data::ExplorationSection;
use crate::wording::group_thousands;

/// Maximum number of points on a chart; more could not be distinguished.
const MOST_POINTS: usize = 200;

/// The plot within the chart.
const LEFT: u64 = 46;
const TOP: u64 = 14;
const WIDTH: u64 = 300;
const HEIGHT: u64 = 130;

pub(crate) fn charts(explored: &ExplorationSection) -> Markup {
    let events = explored
        .curve
        .iter()
        .map(|point| point.events)
        .max()
        .unwrap_or(0)
        .max(explored.events);
    let took = explored
        .curve
        .iter()
        .map(|point| point.took)
        .max()
        .unwrap_or_default();
    html! {
        (row(explored, events, &format!("{} events", group_thousands(events)), |point| point.events))
        @if took > Micros::ZERO { (row(explored, took.0, &took.to_string(), |point| point.took.0)) }
    }
}

/// Charts over one axis.
fn row(
    explored: &ExplorationSection,
    end: u64,
    end_words: &str,
    at: fn(&CoveragePoint) -> u64,
) -> Markup {
    let Some(last) = explored.curve.last() else {
        return html! {};
    };
    let chart = |name, total: u32, value: fn(&CoveragePoint) -> u32| {
        let points = thinned(&explored.curve, at, value);
        let curve = CoverageChart {
            name,
            total,
            reached: value(last),
            end,
            end_words,
            points,
        };
        html! { @if curve.reached > 0 || total > 0 { (curve.draw()) } }
    };
    html! {
        div.curves {
            (chart("Activities", explored.activities_total, |point| point.activities))
            (chart("Screens", 0, |point| point.screens))
            (chart(code_title(explored), explored.branches_total, |point| point.branches))
        }
    }
}

/// Branches have a total. How many methods and lines an app has is not known.
fn code_title(explored: &ExplorationSection) -> &'static str {
    match explored.branches_total {
        0 => "Methods or lines",
        _ => "Branches",
    }
}

/// Points at which the value changes, at most the maximum, always with the last one.
fn thinned(
    curve: &[CoveragePoint],
    at: fn(&CoveragePoint) -> u64,
    value: fn(&CoveragePoint) -> u32,
) -> Vec<(u64, u32)> {
    let mut points: Vec<(u64, u32)> = curve
        .iter()
        .map(|point| (at(point), value(point)))
        .collect();
    points.dedup_by_key(|point| point.1);
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.last().copied();
    let mut few: Vec<(u64, u32)> = points.into_iter().step_by(every).collect();
    if few.last().copied() != last {
        few.extend(last);
    }
    few
}

struct CoverageChart<'a> {
    name: &'static str,
    /// 0 if unknown.
    total: u32,
    reached: u32,
    /// End of the axis, as a number and in words.
    end: u64,
    end_words: &'a str,
    points: Vec<(u64, u32)>,
}

impl CoverageChart<'_> {
    fn draw(&self) -> Markup {
        let highest = self
            .points
            .iter()
            .map(|point| point.1)
            .max()
            .unwrap_or(0)
            .max(self.total);
        let top = round_up(u64::from(highest));
        let end = self.end.max(1);
        let y = |value: u64| TOP + HEIGHT - value * HEIGHT / top;
        let path = self.path(end, &y);
        html! {
            figure.curve {
                figcaption { b { (self.name) } span { (self.words()) } }
                svg role="img"
                    aria-label={ (self.name) ": " (self.words()) " after " (self.end_words) }
                    viewBox={ "0 0 " (LEFT + WIDTH + 14) " " (TOP + HEIGHT + 30) } {
                    @for value in [0, top / 2, top] {
                        path.grid d={ "M" (LEFT) " " (y(value)) "h" (WIDTH) } {}
                        text.tick.y x=(LEFT - 8) y=(y(value)) { (short(value)) }
                    }
                    @if self.total > 0 { path.total d={ "M" (LEFT) " " (y(u64::from(self.total))) "h" (WIDTH) } {} }
                    path.area d={ (path) "V" (TOP + HEIGHT) "H" (LEFT) "z" } {}
                    path.line d=(path) {}
                    text.tick x=(LEFT) y=(TOP + HEIGHT + 18) { "0" }
                    text.tick.end x=(LEFT + WIDTH) y=(TOP + HEIGHT + 18) { (self.end_words) }
                }
            }
        }
    }

    /// A staircase: coverage stays until something new is covered.
    fn path(&self, end: u64, y: &dyn Fn(u64) -> u64) -> String {
        let x =
            |at: u64| LEFT + (u128::from(at.min(end)) * u128::from(WIDTH) / u128::from(end)) as u64;
        let mut path = format!("M{LEFT} {}", y(0));
        let mut across = LEFT;
        let mut up = y(0);
        for (at, value) in &self.points {
            let next_across = x(*at).max(across);
            let next_up = y(u64::from(*value));
            if next_across != across {
                let _ = write!(path, "H{next_across}");
            }
            if next_up != up {
                let _ = write!(path, "V{next_up}");
            }
            (across, up) = (next_across, next_up);
        }
        let _ = write!(path, "H{}", LEFT + WIDTH);
        path
    }

    fn words(&self) -> String {
        let reached = group_thousands(u64::from(self.reached));
        match self.total {
            0 => reached,
            total => {
                let share = u64::from(self.reached) * 100 / u64::from(total);
                format!(
                    "{reached} of {} ({share} %)",
                    group_thousands(u64::from(total))
                )
            }
        }
    }
}

/// Next round number with an integer half, for the end of an axis.
fn round_up(value: u64) -> u64 {
    let mut unit = 1;
    loop {
        for step in [2, 4, 6, 8, 10, 12, 16] {
            if step * unit >= value {
                return step * unit;
            }
        }
        unit *= 10;
    }
}

/// `12k` for 12,000: an axis has little room.
fn short(value: u64) -> String {
    match value {
        0..10_000 => group_thousands(value),
        10_000..10_000_000 => format!("{}k", group_thousands(value / 1_000)),
        _ => format!("{}M", group_thousands(value / 1_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explored(curve: Vec<CoveragePoint>) -> ExplorationSection {
        let events = curve.last().map_or(0, |point| point.events);
        ExplorationSection {
            events,
            activities_total: 9,
            branches_total: 120,
            curve,
            ..ExplorationSection::default()
        }
    }

    #[test]
    fn a_long_curve_is_thinned_out_and_keeps_its_end() {
        let curve: Vec<CoveragePoint> = (0..50_000)
            .map(|n| CoveragePoint {
                events: u64::from(n) * 3,
                branches: n,
                ..CoveragePoint::default()
            })
            .collect();
        let points = thinned(&curve, |point| point.events, |point| point.branches);
        assert!(points.len() <= MOST_POINTS + 1, "{} points", points.len());
        assert_eq!(points.last(), Some(&(149_997, 49_999)));
    }

    #[test]
    fn a_chart_shows_the_share_that_was_reached() {
        let point = CoveragePoint {
            events: 2_000,
            activities: 3,
            screens: 17,
            branches: 60,
            ..CoveragePoint::default()
        };
        let page = charts(&explored(vec![point])).into_string();
        for words in ["3 of 9 (33 %)", ">17<", "60 of 120 (50 %)", "2,000 events"] {
            assert!(page.contains(words), "{words} is missing in {page}");
        }
        assert_eq!(
            page.matches("<figure").count(),
            3,
            "the phones' time is not known"
        );
    }

    #[test]
    fn coverage_is_drawn_over_events_and_over_the_phones_time() {
        let point = |events, millis, branches| CoveragePoint {
            events,
            took: Micros::from_millis(millis),
            branches,
            ..CoveragePoint::default()
        };
        // Half of the events took a tenth of the time.
        let curve = vec![point(500, 10_000, 60), point(1_000, 100_000, 120)];
        let page = charts(&ExplorationSection {
            activities_total: 0,
            ..explored(curve)
        })
        .into_string();
        for words in ["after 1,000 events", "after 1 min 40 s"] {
            assert!(page.contains(words), "{words} is missing in {page}");
        }
        for across in [LEFT + WIDTH / 2, LEFT + WIDTH / 10] {
            assert!(
                page.contains(&format!("H{across}V")),
                "nothing rises at {across} in {page}"
            );
        }
    }

    #[test]
    fn curves_that_make_no_sense_are_drawn_all_the_same() {
        assert_eq!(charts(&explored(vec![])).into_string(), "");
        let zero = CoveragePoint::default();
        let huge = CoveragePoint {
            events: u64::MAX,
            took: Micros(u64::MAX),
            activities: u32::MAX,
            screens: u32::MAX,
            branches: u32::MAX,
        };
        for curve in [
            vec![zero],
            vec![huge, zero],
            vec![zero, huge, huge],
            vec![huge],
        ] {
            assert!(charts(&explored(curve)).into_string().contains("<figure"));
        }
    }

    #[test]
    fn axes_end_at_numbers_that_halve() {
        for (value, expected) in [
            (0, 2),
            (1, 2),
            (9, 10),
            (17, 20),
            (121, 160),
            (4_000_000_000, 4_000_000_000),
        ] {
            assert_eq!(round_up(value), expected);
        }
    }
}
