//! The check of a proven candidate on freshly started phones. A proof has one attempt there; where that one fails, there are
//! more, until one reproduces or the failures are no bad luck any more.

use super::evaluation::{CandidateEvaluator, ReductionStop};
use super::pending_attempts::PendingAttempts;
use crate::oracle::{Candidate, OracleQuery};

impl CandidateEvaluator<'_> {
    /// Returns whether a candidate that reproduces never does so on a freshly started phone.
    pub(super) async fn fails_when_fresh(
        &mut self,
        candidate: &Candidate,
        required_rate: f64,
    ) -> Result<bool, ReductionStop> {
        let key = candidate.key();
        let mut pending = PendingAttempts::default();
        while self.ledger().fresh_starts(key).is_open(required_rate) && self.has_room(&pending) {
            let before = self.ledger().fresh_starts(key).fresh.runs();
            let attempt = self.allocate_attempts(key, 1).start;
            let query = OracleQuery {
                fresh_phone: true,
                ..OracleQuery::from_start(candidate.clone(), attempt)
            };
            self.start(&mut pending, 0, query);
            self.next_observation(&mut pending).await?;
            if self.ledger().fresh_starts(key).fresh.runs() == before {
                // No phone can be started any more.
                break;
            }
        }
        Ok(self.ledger().fails_when_fresh(key, required_rate))
    }
}
