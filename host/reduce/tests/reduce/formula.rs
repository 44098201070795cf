//! An oracle that is a formula, and what tests want to know of it afterwards.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::verdict::Verdict;
use retap_testing::fakes::numbers;

/// An oracle that is a formula. Its answers take time that has nothing to do with the order of the questions.
pub(crate) struct Formula<F> {
    does: F,
    /// Every question that was begun, in order.
    asked: Mutex<Vec<(Vec<u32>, u32)>>,
    answered: Mutex<HashMap<(Vec<u32>, u32), u32>>,
}

impl<F: Fn(&[u32], u32) -> bool + Send + Sync> Formula<F> {
    pub(crate) fn new(does: F) -> Formula<F> {
        Formula {
            does,
            asked: Mutex::default(),
            answered: Mutex::default(),
        }
    }

    pub(crate) fn asked(&self) -> Vec<(Vec<u32>, u32)> {
        self.asked.lock().unwrap().clone()
    }

    /// How often the question that was answered most often was answered.
    pub(crate) fn most_answers_to_one(&self) -> u32 {
        self.answered
            .lock()
            .unwrap()
            .values()
            .copied()
            .max()
            .unwrap_or(0)
    }
}

impl<F: Fn(&[u32], u32) -> bool + Send + Sync> Oracle for Formula<F> {
    fn ask(&self, question: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(async move {
            let steps = numbers(question.candidate.steps());
            let named = (steps.clone(), question.attempt);
            self.asked.lock().unwrap().push(named.clone());
            let took = Micros::from_millis(1 + question.key().0 % 50);
            tokio::time::sleep(Duration::from(took)).await;
            *self.answered.lock().unwrap().entry(named).or_insert(0) += 1;
            let reached = (self.does)(&steps, question.attempt);
            let verdict = if reached {
                Verdict::TargetReached
            } else {
                Verdict::TargetNotReached
            };
            Ok(Observation {
                reached,
                verdict,
                played: steps.len() as u32,
                took,
            })
        })
    }
}
