//! Days on which phones refuse, sleep, lock, lose their agent and start apps late: exploring, reducing and replaying end
//! with right verdicts. `RETAP_TROUBLED_DAYS=1..1001` chooses the days; the figures are printed.

mod day;

use std::ops::Range;

use day::{DayOutcome, TroubledDayRun};

/// Days of a test run.
const DAYS: Range<u64> = 0..60;

fn chosen_days() -> Range<u64> {
    let Ok(text) = std::env::var("RETAP_TROUBLED_DAYS") else {
        return DAYS;
    };
    let days = text.split_once("..");
    let days = days.and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    days.unwrap_or_else(|| panic!("`{text}` is no range of days such as 1..1001"))
}

#[tokio::test(start_paused = true)]
#[expect(clippy::print_stdout, reason = "the figures of the days are published")]
async fn no_day_of_trouble_loses_or_invents_a_finding_or_gives_a_wrong_verdict() {
    let days = chosen_days();
    let count = days.end - days.start;
    let mut total = DayOutcome::default();
    for day in days {
        total += TroubledDayRun::new(day).run().await;
    }
    println!("{count} days: {total}");
    // Without these the days would show nothing.
    assert!(
        total.refused_events > 0 && total.findings > count / 10,
        "{total}"
    );
    assert!(total.proven > total.reductions / 2, "{total}");
}
