//! Deletion by probabilities, after ProbDD: of each item it is believed how probably it is needed. What is tried is what
//! takes most away for what it costs, and every failure is remembered in the probabilities.

use super::judge::{Halt, Judge};
use crate::oracle::Candidate;

/// What a run costs beside its events: a start of the app, in events.
const START: f64 = 3.0;
/// How many tries are thought out at once, each for the case that those before it fail: enough to keep many phones busy.
const AHEAD: usize = 32;

#[derive(Clone)]
pub(super) struct Deletion {
    /// Each with its probability, in order.
    items: Vec<(u32, f64)>,
}

impl Deletion {
    /// Of items that are known to be enough together. As if one of them were needed: each failure raises that.
    pub(super) fn new(items: Vec<u32>) -> Deletion {
        let at_first = 1.0 / items.len().max(2) as f64;
        Deletion { items: items.into_iter().map(|item| (item, at_first)).collect() }
    }

    /// Those of which none can go any more. `candidate` makes a candidate of what is kept; it may add what leads there.
    pub(super) async fn run(
        mut self,
        judge: &mut Judge<'_>,
        candidate: impl Fn(Vec<u32>) -> Candidate,
    ) -> Result<Vec<u32>, Halt> {
        if !self.items.is_empty() && judge.first(1, |_| candidate(Vec::new())).await?.is_some() {
            return Ok(Vec::new());
        }
        loop {
            let tries = self.tries();
            if tries.is_empty() {
                return Ok(self.items.into_iter().map(|(item, _)| item).collect());
            }
            let kept = |number: usize| candidate(self.without(&tries[number]));
            let found = judge.first(tries.len(), kept).await?;
            let failed = found.as_ref().map_or(tries.len(), |(number, _)| *number);
            for places in &tries[..failed] {
                self.failed(places);
            }
            if failed < tries.len() {
                let mut place = 0;
                self.items.retain(|_| {
                    place += 1;
                    tries[failed].binary_search(&(place - 1)).is_err()
                });
            }
        }
    }

    /// What to take away next, by places, ascending; then what if that fails.
    fn tries(&self) -> Vec<Vec<usize>> {
        let mut later = self.clone();
        let mut tries = Vec::new();
        while tries.len() < AHEAD {
            let Some(places) = later.best() else { break };
            later.failed(&places);
            tries.push(places);
        }
        tries
    }

    /// The places whose deletion is expected to take away most for each event that is played.
    fn best(&self) -> Option<Vec<usize>> {
        let mut places: Vec<usize> =
            (0..self.items.len()).filter(|place| self.items[*place].1 < 1.0).collect();
        places.sort_by(|one, other| self.items[*one].1.total_cmp(&self.items[*other].1));
        let mut none_needed = 1.0;
        let (mut most, mut count) = (0.0, 0);
        for (before, place) in places.iter().enumerate() {
            none_needed *= 1.0 - self.items[*place].1;
            let taken = (before + 1) as f64;
            let worth = taken * none_needed / (self.items.len() as f64 - taken + START);
            if worth > most {
                (most, count) = (worth, before + 1);
            }
        }
        places.truncate(count);
        places.sort_unstable();
        (count > 0).then_some(places)
    }

    /// At least one of these is needed.
    fn failed(&mut self, places: &[usize]) {
        let none_needed: f64 = places.iter().map(|place| 1.0 - self.items[*place].1).product();
        for place in places {
            let (_, probability) = &mut self.items[*place];
            *probability =
                if places.len() == 1 { 1.0 } else { (*probability / (1.0 - none_needed)).min(1.0) };
        }
    }

    fn without(&self, places: &[usize]) -> Vec<u32> {
        let kept = self.items.iter().enumerate().filter(|(place, _)| places.binary_search(place).is_err());
        kept.map(|(_, (item, _))| *item).collect()
    }
}
