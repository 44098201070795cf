//! An oracle with named phones in virtual time: what an attempt does depends on its steps, its phone and the time.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::verdict::Verdict;
use retap_testing::fakes::numbers;
use tokio::time::Instant;

/// One attempt, as its phone sees it.
pub(crate) struct PhoneAttempt {
    pub(crate) steps: Vec<u32>,
    pub(crate) attempt: u32,
    pub(crate) phone: usize,
    /// Virtual time since the reduction has begun.
    pub(crate) time: Duration,
}

/// Phones that take ten seconds to start and one second per step; an attempt that fails takes ten more.
pub(crate) struct VirtualPhones<F> {
    reaches: F,
    /// The phone that is idle for longest comes first.
    idle: Mutex<VecDeque<usize>>,
    started: Instant,
}

impl<F: Fn(&PhoneAttempt) -> bool + Send + Sync> VirtualPhones<F> {
    pub(crate) fn new(phones: usize, reaches: F) -> VirtualPhones<F> {
        VirtualPhones {
            reaches,
            idle: Mutex::new((0..phones).collect()),
            started: Instant::now(),
        }
    }
}

/// A phone that is free again when it is dropped.
struct BusyPhone<'a> {
    idle: &'a Mutex<VecDeque<usize>>,
    phone: usize,
}

impl Drop for BusyPhone<'_> {
    fn drop(&mut self) {
        self.idle.lock().unwrap().push_back(self.phone);
    }
}

impl<F: Fn(&PhoneAttempt) -> bool + Send + Sync> Oracle for VirtualPhones<F> {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(async move {
            let phone = self.idle.lock().unwrap().pop_front();
            let phone = phone.expect("no more attempts than phones");
            let leased = BusyPhone {
                idle: &self.idle,
                phone,
            };
            let attempt = PhoneAttempt {
                steps: numbers(query.candidate.steps()),
                attempt: query.attempt,
                phone,
                time: self.started.elapsed(),
            };
            let reached = (self.reaches)(&attempt);
            let steps = attempt.steps.len() as u32;
            let seconds = 10 + u64::from(steps) + if reached { 0 } else { 10 };
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            drop(leased);
            let verdict = if reached {
                Verdict::TargetReached
            } else {
                Verdict::TargetNotReached
            };
            let took = Micros::from_millis(1000 * seconds);
            Ok(Observation {
                phone: format!("phone-{phone}"),
                ..Observation::new(verdict, steps, took)
            })
        })
    }
}
