//! Dispatches replays to phones until demands are met, as many at once as there are phones, and counts their cost. The
//! algorithms decide what to demand; `ReplayTree` keeps what replays have shown.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use retap_device::CancellationToken;
use retap_device::run_event::{EventSink, RunEvent};
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use xxhash_rust::xxh3::xxh3_64;

use super::SuiteSettings;
use super::error::SuiteStop;
use super::item_set::ItemSet;
use super::reduction::{SuiteCost, SuitePhase};
use super::replay_budget::ReplayBudget;
use super::replay_demand::{ReplayDemand, SpeculationSource};
use super::replay_path::{ReplayPath, transition_count};
use super::replay_tree::{PathStatus, ReplayTree, ReplayableEnd};
use super::replayability::ReplayabilityCounter;
use super::replayer::{ReplayRecord, ReplayRequest, Replayer, StepSource};
use super::scripted_steps::ScriptedSteps;
use super::speculative_replays::{ReplayId, SpeculativeReplays};

/// Replays of one suite reduction.
pub(super) struct ReplayDispatcher<'a> {
    pub(super) originals: &'a [Trace],
    pub(super) settings: &'a SuiteSettings,
    pub(super) replay_tree: ReplayTree,
    pub(super) cost: SuiteCost,
    pub(super) budget: ReplayBudget,
    pub(super) replayability: ReplayabilityCounter,
    replayer: &'a dyn Replayer,
    events: &'a EventSink,
    cancellation: &'a CancellationToken,
    /// Number of attempts per key.
    attempts: HashMap<u64, u32>,
    speculative: SpeculativeReplays<'a>,
    /// Original traces that were replayed to the end of their replayable prefix.
    played_to_end: Vec<bool>,
    /// Number of attempts of each original trace.
    original_attempts: Vec<u32>,
    /// Phone time of the first replay of each original trace.
    first_durations: Vec<Option<Micros>>,
}

impl<'a> ReplayDispatcher<'a> {
    pub(super) fn new(
        originals: &'a [Trace],
        settings: &'a SuiteSettings,
        replayer: &'a dyn Replayer,
        events: &'a EventSink,
        cancellation: &'a CancellationToken,
    ) -> ReplayDispatcher<'a> {
        ReplayDispatcher {
            originals,
            settings,
            replay_tree: ReplayTree::new(originals, settings.replays),
            cost: SuiteCost::default(),
            budget: ReplayBudget::new(settings, replayer.parallelism()),
            replayability: ReplayabilityCounter::default(),
            replayer,
            events,
            cancellation,
            attempts: HashMap::new(),
            speculative: SpeculativeReplays::new(replayer),
            played_to_end: vec![false; originals.len()],
            original_attempts: vec![0; originals.len()],
            first_durations: vec![None; originals.len()],
        }
    }

    /// Emits the size and the coverage of the current plan.
    pub(super) fn emit_progress(&self, phase: SuitePhase, plan: &[ReplayPath]) {
        (self.events)(RunEvent::SuiteShrunk {
            phase: phase.name().to_owned(),
            traces: u32::try_from(plan.len()).unwrap_or(u32::MAX),
            transitions: transition_count(plan),
            covered: self.coverage(plan).count(),
            runs: self.cost.runs,
        });
    }

    /// Coverage of a plan, clean start included.
    pub(super) fn coverage(&self, plan: &[ReplayPath]) -> ItemSet {
        let mut covered = self.replay_tree.start_coverage().clone();
        for path in plan {
            covered.union_with(&self.replay_tree.coverage(path));
        }
        covered
    }

    /// Wanted items that a plan does not cover.
    pub(super) fn missing(&self, wanted: &ItemSet, plan: &[ReplayPath]) -> ItemSet {
        let mut missing = wanted.clone();
        missing.difference_with(&self.coverage(plan));
        missing
    }

    /// Replayable prefix of each original trace.
    pub(super) fn replayable_prefixes(&self) -> Vec<ReplayPath> {
        self.trace_indices()
            .map(|trace| self.replay_tree.replayable_prefix(trace).0)
            .collect()
    }

    /// Phone time of one replay of each original trace.
    pub(super) fn first_replays_took(&self) -> Micros {
        self.first_durations
            .iter()
            .flatten()
            .fold(Micros::ZERO, |sum, took| sum + *took)
    }

    /// Maximum number of replays at the same time.
    pub(super) fn parallelism(&self) -> usize {
        self.replayer.parallelism()
    }

    /// Replays every original trace until its replayable prefix has been replayed `replays` times.
    pub(super) async fn play_all_originals(&mut self, replays: u32) -> Result<(), SuiteStop> {
        let demands: Vec<ReplayDemand> = self
            .trace_indices()
            .map(|trace| ReplayDemand::Original { trace, replays })
            .collect();
        self.play(&demands).await
    }

    /// Replays one original trace as often as required.
    pub(super) async fn play_original(&mut self, trace: u32) -> Result<(), SuiteStop> {
        let replays = self.settings.replays;
        self.play(&[ReplayDemand::Original { trace, replays }])
            .await
    }

    /// Replays every original trace once, in order, unless the replays of others have shown all of it.
    pub(super) async fn play_each_once(&mut self) -> Result<(), SuiteStop> {
        let demands: Vec<ReplayDemand> = self
            .trace_indices()
            .map(|trace| ReplayDemand::Original { trace, replays: 1 })
            .collect();
        for (index, demand) in demands.iter().enumerate() {
            let speculate = |_: &ReplayTree, accept: &mut dyn FnMut(ReplayDemand) -> bool| {
                demands[index + 1..].iter().all(|next| accept(next.clone()));
            };
            self.play_next(demand, &speculate).await?;
        }
        Ok(())
    }

    /// Replays paths as often as required. Returns true if all of them are proven.
    pub(super) async fn prove(&mut self, paths: &[ReplayPath]) -> Result<bool, SuiteStop> {
        let demand = |path: &ReplayPath| ReplayDemand::Path {
            path: path.clone(),
            replays: self.settings.replays,
        };
        let demands: Vec<ReplayDemand> = paths.iter().map(demand).collect();
        self.play(&demands).await?;
        let tree = &self.replay_tree;
        Ok(paths
            .iter()
            .all(|path| tree.status(path) == PathStatus::Proven))
    }

    /// Makes one more replay for a demand unless it is met. In the meantime idle phones make the replays that `speculate` passes
    /// on, which count only if they are demanded in their turn. Returns the number of events of the replay.
    pub(super) async fn play_next(
        &mut self,
        demand: &ReplayDemand,
        speculate: &SpeculationSource<'_>,
    ) -> Result<u64, SuiteStop> {
        if self.missing_replays(demand).0 == 0 {
            return Ok(0);
        }
        let id = self.next_id(demand);
        loop {
            if let Some((record, diverged)) = self.speculative.take(id) {
                let (key, attempt) = id;
                *self.attempts.entry(key).or_default() += 1;
                self.replayability.add(key, attempt, diverged);
                if let ReplayDemand::Original { trace, .. } = *demand {
                    self.original_attempts[trace as usize] += 1;
                }
                self.record_replay(demand, &record);
                return Ok(record.hops.len() as u64);
            }
            self.fill_idle_phones(id, demand, speculate)?;
            let (record, diverged) = self.speculative.next(self.cancellation).await?;
            self.cost.add(record, *diverged);
        }
    }

    /// Starts the demanded replay if it is not under way, and speculative ones on the other phones, as far as the budget goes.
    fn fill_idle_phones(
        &mut self,
        id: ReplayId,
        demand: &ReplayDemand,
        speculate: &SpeculationSource<'_>,
    ) -> Result<(), SuiteStop> {
        let mut demands = vec![(id, demand.clone())];
        let mut ids = HashSet::from([id]);
        let parallelism = self.parallelism().max(1);
        // Speculative replays that have ended need no phone. The bound ends the search if there are only such.
        let mut looks_left = 4 * parallelism;
        if parallelism > 1 {
            speculate(&self.replay_tree, &mut |next| {
                looks_left -= 1;
                let id = self.next_id(&next);
                let is_missing = self.missing_replays(&next).0 > 0;
                if is_missing && !self.speculative.is_done(id) && ids.insert(id) {
                    demands.push((id, next));
                }
                demands.len() < parallelism && looks_left > 0
            });
        }
        self.speculative.keep_only(&ids);
        for (id, demand) in demands {
            if !self.speculative.is_under_way(id) {
                let under_way = self.speculative.under_way_count();
                if self.budget.is_spent(&self.cost, under_way) {
                    if under_way == 0 {
                        return Err(SuiteStop::BudgetSpent);
                    }
                    break;
                }
                let script = demand.script(self.originals, &self.replay_tree);
                let (key, attempt) = id;
                self.speculative.start(ReplayRequest {
                    key,
                    attempt,
                    step_source: Arc::new(script),
                });
            }
        }
        Ok(())
    }

    /// Id of the next replay for a demand.
    fn next_id(&self, demand: &ReplayDemand) -> ReplayId {
        let key = demand.key(self.originals, &self.replay_tree);
        (key, self.attempts.get(&key).copied().unwrap_or(0))
    }

    /// Makes one replay whose steps are chosen while it runs. `number` must be different for each.
    pub(super) async fn play_guided(
        &mut self,
        number: u32,
        step_source: Arc<dyn StepSource>,
    ) -> Result<ReplayPath, SuiteStop> {
        if self.budget.is_spent(&self.cost, 0) {
            return Err(SuiteStop::BudgetSpent);
        }
        let request = ReplayRequest {
            // Part of the journal: never changed.
            key: xxh3_64(b"walk"),
            attempt: number,
            step_source,
        };
        let record = self.play_aside(request).await?;
        // A guided replay has no path that it could leave.
        self.cost.add(&record, false);
        Ok(self.replay_tree.record_replay(&record))
    }

    /// Replays until all demands are met or have failed, or the budget is spent.
    pub(super) async fn play(&mut self, demands: &[ReplayDemand]) -> Result<(), SuiteStop> {
        let replayer = self.replayer;
        let cancellation = self.cancellation;
        let mut queue: VecDeque<usize> = (0..demands.len()).collect();
        let mut under_way = vec![0_u32; demands.len()];
        let mut replays = FuturesUnordered::new();
        loop {
            while queue.front().is_some_and(|&first| {
                under_way[first] == 0 && self.missing_replays(&demands[first]).0 == 0
            }) {
                queue.pop_front();
            }
            let mut is_spent = false;
            while replays.len() < replayer.parallelism() {
                let ready = |&index: &usize| self.is_ready(&demands[index], under_way[index]);
                let Some(index) = queue.iter().copied().find(ready) else {
                    break;
                };
                is_spent = self.budget.is_spent(&self.cost, replays.len());
                if is_spent {
                    break;
                }
                under_way[index] += 1;
                let (script, attempt) = self.next_attempt(&demands[index]);
                let request = script.request(attempt);
                let replay =
                    async move { (index, script, attempt, replayer.replay(request).await) };
                replays.push(replay);
            }
            let ended = tokio::select! {
                biased;
                () = cancellation.cancelled() => return Err(SuiteStop::Cancelled),
                ended = replays.next() => ended,
            };
            let Some((index, script, attempt, record)) = ended else {
                return if is_spent {
                    Err(SuiteStop::BudgetSpent)
                } else {
                    Ok(())
                };
            };
            let record = record.map_err(SuiteStop::Failed)?;
            under_way[index] -= 1;
            let diverged = script.divergence(&record).is_some();
            self.replayability.add(script.key, attempt, diverged);
            self.cost.add(&record, diverged);
            self.record_replay(&demands[index], &record);
        }
    }

    /// True if another replay can be started for a demand. Most paths that fail do so at once: the second replay waits until the
    /// first has passed.
    fn is_ready(&self, demand: &ReplayDemand, under_way: u32) -> bool {
        let (missing, passed) = self.missing_replays(demand);
        missing > under_way && (under_way == 0 || passed)
    }

    /// Script and number of the next attempt of a demand.
    fn next_attempt(&mut self, demand: &ReplayDemand) -> (Arc<ScriptedSteps>, u32) {
        if let ReplayDemand::Original { trace, .. } = *demand {
            self.original_attempts[trace as usize] += 1;
        }
        let script = demand.script(self.originals, &self.replay_tree);
        let next_attempt = self.attempts.entry(script.key).or_default();
        let attempt = *next_attempt;
        *next_attempt += 1;
        (Arc::new(script), attempt)
    }

    /// Makes one replay beside those of the search, unless the reduction is cancelled.
    pub(super) async fn play_aside(
        &self,
        request: ReplayRequest,
    ) -> Result<ReplayRecord, SuiteStop> {
        tokio::select! {
            biased;
            () = self.cancellation.cancelled() => Err(SuiteStop::Cancelled),
            record = self.replayer.replay(request) => record.map_err(SuiteStop::Failed),
        }
    }

    /// Records a replay that was made for a demand, and how far it came if that is an original trace.
    fn record_replay(&mut self, demand: &ReplayDemand, record: &ReplayRecord) {
        self.replay_tree.record_replay(record);
        let ReplayDemand::Original { trace, .. } = *demand else {
            return;
        };
        let (prefix, _) = self.replay_tree.replayable_prefix(trace);
        let state = record.last_observation().state;
        let reached_end = prefix
            .last()
            .is_none_or(|last| self.replay_tree.symbols.state(last.to) == state);
        let index = trace as usize;
        self.first_durations[index].get_or_insert(record.took());
        self.played_to_end[index] |= record.hops.len() >= prefix.len() && reached_end;
    }

    /// Number of replays that are still missing, and true if there has been one.
    fn missing_replays(&self, demand: &ReplayDemand) -> (u32, bool) {
        match demand {
            ReplayDemand::Path { path, replays } => match self.replay_tree.status(path) {
                PathStatus::Proven | PathStatus::Diverges(_) => (0, true),
                PathStatus::NeedsRuns(missing) => {
                    let passes = self.settings.replays - missing;
                    (replays.saturating_sub(passes), passes > 0)
                }
            },
            ReplayDemand::Original { trace, replays } => {
                let (prefix, end) = self.replay_tree.replayable_prefix(*trace);
                let ReplayableEnd { passes, settled } = end;
                let played_to_end = self.played_to_end[*trace as usize];
                if (settled || played_to_end) && (passes >= *replays || prefix.is_empty()) {
                    return (0, true);
                }
                // Bounded for a trace that never gets to its end because an early step diverges now and then.
                let attempts_left =
                    (2 * replays).saturating_sub(self.original_attempts[*trace as usize]);
                let missing = replays.saturating_sub(passes).max(1);
                (missing.min(attempts_left), played_to_end)
            }
        }
    }

    /// Indices of the original traces.
    fn trace_indices(&self) -> impl Iterator<Item = u32> + use<> {
        (0..).take(self.originals.len())
    }
}
