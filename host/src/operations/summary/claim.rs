//! Claims about reduced traces in words.

use retap_reduce::trace_reduction::{ClaimStanding, ReproductionClaim};
use retap_shared::trace::TraceClaim;

use crate::wording::pluralise;

/// How often the result of a reduction reproduces, by all runs of it, and how sure that is.
pub fn reduction_claim(claim: &ReproductionClaim) -> String {
    let mut text = trace_claim(&TraceClaim::from(claim));
    for suspect in &claim.suspect_phones {
        text += &format!(
            "\n  `{}` hardly ever reproduced what other phones did: {} of {}",
            suspect.phone,
            suspect.tally.successes,
            pluralise(u64::from(suspect.tally.runs()), "run")
        );
    }
    text
}

/// The claim in the header of a trace.
pub fn trace_claim(claim: &TraceClaim) -> String {
    let tally = claim.tally;
    let runs = pluralise(u64::from(tally.runs), "run");
    let [low, high] = claim.interval;
    let measured = format!(
        "reproduced in {} of {runs}, {} (95 % interval: {} to {})",
        tally.successes,
        percent(tally.rate()),
        percent_below(low.value()),
        percent(high.value())
    );
    let required = percent(claim.required_rate.value());
    let mut text = match claim.standing {
        ClaimStanding::Proven => format!("proven: {measured}; asked for {required}"),
        ClaimStanding::Flaky => format!("flaky: {measured}; asked for {required}"),
        ClaimStanding::Unproven => format!("{measured}; too few runs to prove {required}"),
    };
    if claim.phones > 1 {
        text += &format!("; on {} phones", claim.phones);
    }
    if claim.phones > 0 {
        text += &fresh_starts(claim);
    }
    text
}

/// How many runs were on freshly started phones. A result that never reproduces there has a sentence of its own.
fn fresh_starts(claim: &TraceClaim) -> String {
    let fresh = claim.fresh_starts;
    match (fresh.successes, fresh.runs) {
        (_, 0) => "; none on a freshly started phone".to_owned(),
        (0, runs) => format!(
            "\n  never on a freshly started phone: 0 of {}; it may need what earlier runs have left",
            pluralise(u64::from(runs), "run")
        ),
        (successes, runs) if successes == runs => {
            format!("; {successes} on a freshly started phone")
        }
        (successes, runs) => format!("; {successes} of {runs} on freshly started phones"),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Rounded down: a lower end must not look better than it is.
fn percent_below(share: f64) -> String {
    format!("{:.0} %", (share * 100.0 + 1e-6).floor())
}
