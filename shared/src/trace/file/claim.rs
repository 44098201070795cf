//! The field `claim` of the header: read and written.

use serde::Serialize;
use serde_json::Value;

use super::fields::{FieldError, flag, integer, name, share};
use super::read::TraceReader;
use crate::trace::{ClaimStanding, RunShare, RunTally, TraceClaim};

const KNOWN: [&str; 10] = [
    "standing",
    "successes",
    "runs",
    "rate",
    "interval",
    "required_rate",
    "phones",
    "fresh_starts",
    "fresh_successes",
    "as_published",
];

impl TraceReader {
    pub(super) fn claim(&self, value: &Value) -> Result<TraceClaim, FieldError> {
        let fields = self.fields(value, &KNOWN)?;
        let tally = RunTally {
            successes: fields.need("successes", integer)?,
            runs: fields.need("runs", integer)?,
        };
        // The rate is in the file for people: it follows from the tally.
        fields.get("rate", share)?;
        Ok(TraceClaim {
            standing: fields.need("standing", standing)?,
            tally,
            interval: fields.need("interval", interval)?,
            required_rate: fields.need("required_rate", share)?,
            phones: fields.or_empty("phones", integer)?,
            fresh_starts: RunTally {
                successes: fields.or_empty("fresh_successes", integer)?,
                runs: fields.or_empty("fresh_starts", integer)?,
            },
            as_published: fields.or_empty("as_published", flag)?,
        })
    }
}

fn standing(value: &Value) -> Result<ClaimStanding, FieldError> {
    Ok(match name(value, &["proven", "flaky", "unproven"])? {
        "proven" => ClaimStanding::Proven,
        "flaky" => ClaimStanding::Flaky,
        _ => ClaimStanding::Unproven,
    })
}

fn interval(value: &Value) -> Result<[RunShare; 2], FieldError> {
    match value.as_array().map(Vec::as_slice) {
        Some([low, high]) => Ok([share(low)?, share(high)?]),
        _ => Err(FieldError::unexpected("two shares", value)),
    }
}

/// The claim as it is written.
#[derive(Serialize)]
pub(super) struct ClaimFields {
    standing: ClaimStanding,
    successes: u32,
    runs: u32,
    rate: f64,
    interval: [f64; 2],
    required_rate: f64,
    phones: u32,
    fresh_starts: u32,
    fresh_successes: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    as_published: bool,
}

impl From<&TraceClaim> for ClaimFields {
    fn from(claim: &TraceClaim) -> ClaimFields {
        ClaimFields {
            standing: claim.standing,
            successes: claim.tally.successes,
            runs: claim.tally.runs,
            rate: RunShare::nearest(claim.tally.rate()).value(),
            interval: claim.interval.map(RunShare::value),
            required_rate: claim.required_rate.value(),
            phones: claim.phones,
            fresh_starts: claim.fresh_starts.runs,
            fresh_successes: claim.fresh_starts.successes,
            as_published: claim.as_published,
        }
    }
}
