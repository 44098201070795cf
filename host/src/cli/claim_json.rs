//! Claims about reduced traces as JSON: of a reduction, and of the header of a trace.

use retap_reduce::trace_reduction::{PhoneTally, ReproductionClaim};
use retap_shared::trace::{RunShare, TraceClaim};
use serde_json::{Value, json};

/// The claim of a reduction, with everything that is known of it.
pub fn reduction_claim(claim: &ReproductionClaim) -> Value {
    let phones = |phones: &[PhoneTally]| {
        phones
            .iter()
            .map(|one| json!({ "phone": one.phone, "successes": one.tally.successes, "runs": one.tally.runs() }))
            .collect::<Vec<_>>()
    };
    json!({
        "standing": claim.standing,
        "successes": claim.tally.successes,
        "runs": claim.tally.runs(),
        "rate": claim.rate(),
        "interval": [claim.interval.low, claim.interval.high],
        "required_rate": claim.required_rate,
        "proof": { "successes": claim.proof.successes, "runs": claim.proof.runs() },
        "fresh_starts": claim.fresh_starts.runs(),
        "fresh_successes": claim.fresh_starts.successes,
        "phones": phones(&claim.phones),
        "suspect_phones": phones(&claim.suspect_phones),
        "as_published": claim.as_published,
    })
}

/// The claim in the header of a trace.
pub fn trace_claim(claim: &TraceClaim) -> Value {
    json!({
        "standing": claim.standing,
        "successes": claim.tally.successes,
        "runs": claim.tally.runs,
        "rate": claim.tally.rate(),
        "interval": claim.interval.map(RunShare::value),
        "required_rate": claim.required_rate.value(),
        "phones": claim.phones,
        "fresh_starts": claim.fresh_starts.runs,
        "fresh_successes": claim.fresh_starts.successes,
        "as_published": claim.as_published,
    })
}
