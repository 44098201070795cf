//! The check of the reduced suite: after the search, each trace is played fresh from clean starts, with attempts of its own. What
//! the search has seen of it does not count.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use xxhash_rust::xxh3::xxh3_64;

use super::error::SuiteStop;
use super::item_set::ItemSet;
use super::reduction::SuiteCost;
use super::replay_demand::ReplayDemand;
use super::replay_dispatcher::ReplayDispatcher;
use super::replay_path::ReplayPath;
use super::replay_tally::ReplayTally;
use super::replayer::{ReplayRecord, StepSource};
use super::scripted_steps::ScriptedSteps;

/// Prefix of the keys of checks, which sets their attempts apart from those of the search. Part of the journal.
const CHECK_KEY_PREFIX: &[u8] = b"check";

/// Fresh replays of the reduced suite.
#[derive(Debug, Default)]
pub(super) struct FinalCheck {
    /// Tally of each trace.
    pub(super) tallies: Vec<ReplayTally>,
    pub(super) cost: SuiteCost,
    /// Coverage that all replays of each trace have in common; none before the first replay.
    common_coverage: Vec<Option<ItemSet>>,
}

impl FinalCheck {
    /// Plays each path as often as the settings ask for: all of them once, then all of them again. A replay that diverges ends
    /// there and counts.
    pub(super) async fn play(
        &mut self,
        dispatcher: &mut ReplayDispatcher<'_>,
        paths: &[ReplayPath],
    ) -> Result<(), SuiteStop> {
        self.tallies = vec![ReplayTally::default(); paths.len()];
        self.common_coverage = vec![None; paths.len()];
        dispatcher.budget.reserve(0, 0);
        let played = self.play_all(dispatcher, paths).await;
        dispatcher.cost = dispatcher.cost.plus(&self.cost);
        played
    }

    async fn play_all(
        &mut self,
        dispatcher: &ReplayDispatcher<'_>,
        paths: &[ReplayPath],
    ) -> Result<(), SuiteStop> {
        let scripts: Vec<Arc<ScriptedSteps>> = paths
            .iter()
            .map(|path| Arc::new(check_script(dispatcher, path)))
            .collect();
        let attempts = 0..dispatcher.settings.replays;
        let mut open = attempts
            .flat_map(|attempt| (0..scripts.len()).map(move |index| (index, attempt)))
            .peekable();
        let mut under_way = FuturesUnordered::new();
        loop {
            while under_way.len() < dispatcher.parallelism().max(1) {
                let cost = dispatcher.cost.plus(&self.cost);
                let is_spent = dispatcher.budget.is_spent(&cost, under_way.len());
                let Some((index, attempt)) = open.next_if(|_| !is_spent) else {
                    break;
                };
                let request = scripts[index].request(attempt);
                under_way.push(async move { (index, dispatcher.play_aside(request).await) });
            }
            let Some((index, record)) = under_way.next().await else {
                break;
            };
            self.add(dispatcher, index, &scripts[index], &record?);
        }
        match open.next() {
            Some(_) => Err(SuiteStop::BudgetSpent),
            None => Ok(()),
        }
    }

    fn add(
        &mut self,
        dispatcher: &ReplayDispatcher<'_>,
        index: usize,
        script: &ScriptedSteps,
        record: &ReplayRecord,
    ) {
        let divergence = script.divergence(record);
        self.cost.add(record, divergence.is_some());
        self.tallies[index].add(divergence);
        let symbols = &dispatcher.replay_tree.symbols;
        let mut covered = symbols.coverage(&record.start);
        for (_, observation) in &record.hops {
            covered.union_with(&symbols.coverage(observation));
        }
        let common = &mut self.common_coverage[index];
        match common {
            Some(common) => common.intersect_with(&covered),
            None => *common = Some(covered),
        }
    }

    /// Coverage that all replays of at least one trace had.
    pub(super) fn confirmed_coverage(&self) -> ItemSet {
        let mut confirmed = ItemSet::default();
        for common in self.common_coverage.iter().flatten() {
            confirmed.union_with(common);
        }
        confirmed
    }
}

/// The script of a path under a key of its own.
fn check_script(dispatcher: &ReplayDispatcher<'_>, path: &ReplayPath) -> ScriptedSteps {
    let script = ReplayDemand::once(path).script(dispatcher.originals, &dispatcher.replay_tree);
    let mut hashed = CHECK_KEY_PREFIX.to_vec();
    hashed.extend(script.key.to_le_bytes());
    ScriptedSteps {
        key: xxh3_64(&hashed),
        ..script
    }
}
