//! What a reduction says about its result. This is the one place that knows how a claim reads.

use retap_reduce::trace_reduction::Reduction;
use retap_shared::verdict::Outcome;

/// Share of the runs in the check from which a user reads the result as proven: 18 of 20, and 3 of 3.
const PROVEN_SHARE: f64 = 0.9;

/// What a reduction says about its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionClaim {
    /// The result reaches the target as often as was asked.
    Proven,
    /// There is a result, and it is said to reach the target less often.
    Unproven,
    /// The trace is said not to reproduce.
    Refused,
}

/// Claim of a reduction.
pub fn read_claim(reduction: &Reduction) -> ReductionClaim {
    match (&reduction.outcome, &reduction.result) {
        (Outcome::DoesNotReproduce, _) => ReductionClaim::Refused,
        (_, Some(check))
            if check.runs > 0
                && f64::from(check.successes) >= PROVEN_SHARE * f64::from(check.runs) =>
        {
            ReductionClaim::Proven
        }
        _ => ReductionClaim::Unproven,
    }
}

impl ReductionClaim {
    pub fn name(self) -> &'static str {
        match self {
            ReductionClaim::Proven => "proven",
            ReductionClaim::Unproven => "unproven",
            ReductionClaim::Refused => "refused",
        }
    }
}
