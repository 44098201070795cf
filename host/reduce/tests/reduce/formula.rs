//! An oracle whose answers are a formula over the steps. It records its queries.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::verdict::Verdict;
use retap_testing::fakes::numbers;

/// An oracle that is a formula. The duration of an attempt is independent of the order of the queries.
pub(crate) struct Formula<F> {
    reaches: F,
    /// Steps and attempt of every query that was started, in order.
    queries: Mutex<Vec<(Vec<u32>, u32)>>,
    /// Number of observations per query.
    observations: Mutex<HashMap<(Vec<u32>, u32), u32>>,
}

impl<F: Fn(&[u32], u32) -> bool + Send + Sync> Formula<F> {
    pub(crate) fn new(reaches: F) -> Formula<F> {
        Formula {
            reaches,
            queries: Mutex::default(),
            observations: Mutex::default(),
        }
    }

    pub(crate) fn queries(&self) -> Vec<(Vec<u32>, u32)> {
        self.queries.lock().unwrap().clone()
    }

    /// Attempts of exactly these steps that were observed: successes, and all.
    pub(crate) fn observed_attempts(&self, steps: &[u32]) -> (u32, u32) {
        let observations = self.observations.lock().unwrap();
        let attempts = observations
            .keys()
            .filter(|(observed, _)| observed == steps);
        let mut counts = (0, 0);
        for (steps, attempt) in attempts {
            counts.0 += u32::from((self.reaches)(steps, *attempt));
            counts.1 += 1;
        }
        counts
    }

    /// Highest number of observations that a single attempt of a candidate has had.
    pub(crate) fn most_observations_of_one_attempt(&self) -> u32 {
        self.observations
            .lock()
            .unwrap()
            .values()
            .copied()
            .max()
            .unwrap_or(0)
    }
}

impl<F: Fn(&[u32], u32) -> bool + Send + Sync> Oracle for Formula<F> {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(async move {
            let steps = numbers(query.candidate.steps());
            let attempt = (steps.clone(), query.attempt);
            self.queries.lock().unwrap().push(attempt.clone());
            let took = Micros::from_millis(1 + query.key().0 % 50);
            tokio::time::sleep(Duration::from(took)).await;
            *self
                .observations
                .lock()
                .unwrap()
                .entry(attempt)
                .or_insert(0) += 1;
            let reached = (self.reaches)(&steps, query.attempt);
            let verdict = if reached {
                Verdict::TargetReached
            } else {
                Verdict::TargetNotReached
            };
            Ok(Observation::new(verdict, steps.len() as u32, took))
        })
    }
}
