//! Plays ways until they are proven or have failed, as many runs at once as there are phones, and counts what that costs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use retap_device::CancellationToken;
use retap_device::run_event::{EventSink, RunEvent};
use retap_shared::micros::Micros;
use retap_shared::trace::{Step, Trace};
use xxhash_rust::xxh3::xxh3_64;

use super::item_set::ItemSet;
use super::replay_tree::{
    PathStatus, ReplayPath, ReplayTransition, ReplayTree, ReplayableEnd, action_hash,
};
use super::replayer::{
    ReplayRecord, ReplayRequest, ReplayStep, Replayer, StepSource, SuiteStepOrigin,
};
use super::speculative::{ReplayId, SpeculativeReplays};
use super::{SuiteCost, SuiteError, SuiteSettings};

/// Why work ends before it is done.
#[derive(Debug)]
pub(super) enum SuiteStop {
    Stopped,
    Failed(SuiteError),
}

pub(super) struct SuiteReducer<'a> {
    pub(super) originals: &'a [Trace],
    pub(super) settings: &'a SuiteSettings,
    pub(super) replay_tree: ReplayTree,
    pub(super) cost: SuiteCost,
    replayer: &'a dyn Replayer,
    sink: &'a EventSink,
    stop: &'a CancellationToken,
    attempts: HashMap<u64, u32>,
    speculative: SpeculativeReplays<'a>,
    /// Traces that were played as far as they go.
    played_to_end: Vec<bool>,
    /// How often each was played.
    original_attempts: Vec<u32>,
    /// How long the first run of each took.
    first_durations: Vec<Option<Micros>>,
}

impl<'a> SuiteReducer<'a> {
    pub(super) fn new(
        originals: &'a [Trace],
        settings: &'a SuiteSettings,
        replayer: &'a dyn Replayer,
        sink: &'a EventSink,
        stop: &'a CancellationToken,
    ) -> SuiteReducer<'a> {
        SuiteReducer {
            originals,
            settings,
            replay_tree: ReplayTree::new(originals, settings.replays),
            cost: SuiteCost::default(),
            replayer,
            sink,
            stop,
            attempts: HashMap::new(),
            speculative: SpeculativeReplays::new(replayer),
            played_to_end: vec![false; originals.len()],
            original_attempts: vec![0; originals.len()],
            first_durations: vec![None; originals.len()],
        }
    }

    /// Tells how far the work is.
    pub(super) fn emit_progress(&self, phase: &str, plan: &[ReplayPath]) {
        let covered = self.coverage(plan);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (self.sink)(RunEvent::SuiteShrunk {
            phase: phase.to_owned(),
            traces: count(plan.len()),
            transitions: plan.iter().map(|way| way.len() as u64).sum(),
            covered: count(covered.ones().count()),
            runs: self.cost.runs,
        });
    }

    /// What a plan covers, the start included.
    pub(super) fn coverage(&self, plan: &[ReplayPath]) -> ItemSet {
        let mut covered = self.replay_tree.start_coverage().clone();
        plan.iter()
            .for_each(|way| covered.union_with(&self.replay_tree.coverage(way)));
        covered
    }

    /// How long it took to play each trace that was read once.
    pub(super) fn first_runs_took(&self) -> Micros {
        self.first_durations
            .iter()
            .flatten()
            .fold(Micros::ZERO, |took, one| took + *one)
    }

    /// Plays every trace that was read until as far as it goes it has had so many runs.
    pub(super) async fn play_originals(
        &mut self,
        traces: &[u32],
        runs: u32,
    ) -> Result<(), SuiteStop> {
        let wanted: Vec<ReplayDemand> = traces
            .iter()
            .map(|&trace| ReplayDemand::Original { trace, runs })
            .collect();
        self.play(&wanted).await
    }

    /// True if they are all proven.
    pub(super) async fn prove(&mut self, ways: &[ReplayPath]) -> Result<bool, SuiteStop> {
        let wanted: Vec<ReplayDemand> = ways
            .iter()
            .map(|way| ReplayDemand::Path {
                way: way.clone(),
                runs: self.settings.replays,
            })
            .collect();
        self.play(&wanted).await?;
        Ok(ways
            .iter()
            .all(|way| self.replay_tree.status(way) == PathStatus::Proven))
    }

    /// How many runs can be under way at once.
    pub(super) fn parallelism(&self) -> usize {
        self.replayer.parallelism()
    }

    /// Plays every trace that was read once, unless others have shown already all that it does. They count in their order.
    pub(super) async fn play_each_once(&mut self) -> Result<(), SuiteStop> {
        let all: Vec<ReplayDemand> = (0..)
            .take(self.originals.len())
            .map(|trace| ReplayDemand::Original { trace, runs: 1 })
            .collect();
        for (place, wanted) in all.iter().enumerate() {
            if self.missing_runs(wanted).0 > 0 {
                let likely = |_: &ReplayTree, tell: &mut dyn FnMut(ReplayDemand) -> bool| {
                    all[place + 1..].iter().all(|next| tell(next.clone()));
                };
                self.play_next(wanted, &likely).await?;
            }
        }
        Ok(())
    }

    /// One more run of what is wanted now, unless it has had enough. While it is under way, idle phones make those that `likely`
    /// tells, which are taken up only if they are asked for in their turn. Returns how many events the run had.
    pub(super) async fn play_next(
        &mut self,
        now: &ReplayDemand,
        likely: &SpeculationSource<'_>,
    ) -> Result<u64, SuiteStop> {
        if self.missing_runs(now).0 == 0 {
            return Ok(0);
        }
        let id = self.next_id(now);
        loop {
            if let Some(run) = self.speculative.take(id) {
                *self.attempts.entry(id.0).or_default() += 1;
                self.replay_tree.record_replay(&run);
                if let ReplayDemand::Original { trace, .. } = *now {
                    self.original_attempts[trace as usize] += 1;
                    self.record_first_replay(trace, &run);
                }
                return Ok(run.hops.len() as u64);
            }
            self.fill_idle_phones(id, now, likely);
            let run = self.speculative.next(self.stop).await?;
            self.cost.add(run);
        }
    }

    /// Every phone has something to do, and what is wanted now is under way.
    fn fill_idle_phones(
        &mut self,
        id: ReplayId,
        now: &ReplayDemand,
        likely: &SpeculationSource<'_>,
    ) {
        let mut wanted = vec![(id, now.clone())];
        let mut ids = HashSet::from([id]);
        let width = self.replayer.parallelism().max(1);
        // Guesses that were right need no phone, and looking for more of them comes to an end.
        let mut looks = 4 * width;
        if width > 1 {
            likely(&self.replay_tree, &mut |next| {
                looks -= 1;
                let id = self.next_id(&next);
                if self.missing_runs(&next).0 > 0 && !self.speculative.is_done(id) && ids.insert(id)
                {
                    wanted.push((id, next));
                }
                wanted.len() < width && looks > 0
            });
        }
        self.speculative.keep_only(&ids);
        for (id, wanted) in wanted {
            if !self.speculative.is_under_way(id) {
                let pilot = Arc::new(self.scripted_steps(&wanted));
                self.speculative.start(ReplayRequest {
                    key: id.0,
                    attempt: id.1,
                    step_source: pilot,
                });
            }
        }
    }

    /// The next run of it.
    fn next_id(&self, wanted: &ReplayDemand) -> ReplayId {
        let key = self.key(wanted, &self.demanded_steps(wanted));
        (key, self.attempts.get(&key).copied().unwrap_or(0))
    }

    /// One run that goes where its pilot wants. Pilots are numbered, and the same one is never sent twice.
    pub(super) async fn walk(
        &mut self,
        number: u32,
        pilot: Arc<dyn StepSource>,
    ) -> Result<ReplayPath, SuiteStop> {
        let key = xxh3_64(b"walk");
        let errand = ReplayRequest {
            key,
            attempt: number,
            step_source: pilot,
        };
        let run = self.replay(errand).await?;
        Ok(self.record_replay(&run))
    }

    async fn replay(&self, errand: ReplayRequest) -> Result<ReplayRecord, SuiteStop> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(SuiteStop::Stopped),
            run = self.replayer.replay(errand) => run.map_err(SuiteStop::Failed),
        }
    }

    pub(super) async fn play(&mut self, wanted: &[ReplayDemand]) -> Result<(), SuiteStop> {
        let mut queue: VecDeque<usize> = (0..wanted.len()).collect();
        let mut under_way = vec![0_u32; wanted.len()];
        let replayer = self.replayer;
        let stop = self.stop;
        let mut runs = FuturesUnordered::new();
        loop {
            while queue.front().is_some_and(|&first| {
                under_way[first] == 0 && self.missing_runs(&wanted[first]).0 == 0
            }) {
                queue.pop_front();
            }
            while runs.len() < replayer.parallelism() {
                // Most ways that fail do so at once: more runs are started when the first has passed.
                let ready = |&place: &usize| {
                    let (missing, passed) = self.missing_runs(&wanted[place]);
                    missing > under_way[place] && (under_way[place] == 0 || passed)
                };
                let Some(place) = queue.iter().copied().find(ready) else {
                    break;
                };
                under_way[place] += 1;
                if let ReplayDemand::Original { trace, .. } = wanted[place] {
                    self.original_attempts[trace as usize] += 1;
                }
                let script = self.scripted_steps(&wanted[place]);
                let key = script.key;
                let attempt = self.attempts.entry(key).or_default();
                let errand = ReplayRequest {
                    key,
                    attempt: *attempt,
                    step_source: Arc::new(script),
                };
                *attempt += 1;
                runs.push(async move { (place, replayer.replay(errand).await) });
            }
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(SuiteStop::Stopped),
                next = runs.next() => next,
            };
            let Some((place, run)) = next else {
                return Ok(());
            };
            let run = run.map_err(SuiteStop::Failed)?;
            under_way[place] -= 1;
            self.record_replay(&run);
            if let ReplayDemand::Original { trace, .. } = wanted[place] {
                self.record_first_replay(trace, &run);
            }
        }
    }

    fn record_replay(&mut self, run: &ReplayRecord) -> ReplayPath {
        self.cost.add(run);
        self.replay_tree.record_replay(run)
    }

    fn record_first_replay(&mut self, trace: u32, run: &ReplayRecord) {
        let (way, _) = self.replay_tree.original_path(trace);
        let arrived = way
            .last()
            .is_none_or(|hop| self.replay_tree.state(hop.to) == run.last_observation().state);
        self.first_durations[trace as usize].get_or_insert(run.took());
        self.played_to_end[trace as usize] |= run.hops.len() >= way.len() && arrived;
    }

    /// How many runs are still wanted, and whether there was one already.
    fn missing_runs(&self, wanted: &ReplayDemand) -> (u32, bool) {
        match wanted {
            ReplayDemand::Path { way, runs } => match self.replay_tree.status(way) {
                PathStatus::Proven | PathStatus::Diverges(_) => (0, true),
                PathStatus::NeedsRuns(left) => {
                    let passes = self.settings.replays - left;
                    (runs.saturating_sub(passes), passes > 0)
                }
            },
            ReplayDemand::Original { trace, runs } => {
                let (way, ReplayableEnd { passes, settled }) =
                    self.replay_tree.original_path(*trace);
                let explored = self.played_to_end[*trace as usize];
                if (settled || explored) && (passes >= *runs || way.is_empty()) {
                    return (0, true);
                }
                // One that is never played to its end, because what comes first is left now and then, is not tried for ever.
                let left = (2 * runs).saturating_sub(self.original_attempts[*trace as usize]);
                (runs.saturating_sub(passes).max(1).min(left), explored)
            }
        }
    }

    fn scripted_steps(&self, wanted: &ReplayDemand) -> ScriptedSteps {
        let steps = self.demanded_steps(wanted);
        let key = self.key(wanted, &steps);
        let scripted = |(origin, expected): (SuiteStepOrigin, Option<u64>)| {
            (
                ReplayStep {
                    origin,
                    step: self.step(origin).clone(),
                },
                expected,
            )
        };
        ScriptedSteps {
            key,
            steps: steps.into_iter().map(scripted).collect(),
        }
    }

    /// A step as it was recorded, or what is done instead.
    pub(super) fn step(&self, origin: SuiteStepOrigin) -> &Step {
        let recorded = &self.originals[origin.trace as usize].steps[origin.step as usize];
        self.replay_tree.replacement(origin).unwrap_or(recorded)
    }

    /// The steps of it, and where each is known to lead.
    fn demanded_steps(&self, wanted: &ReplayDemand) -> Vec<(SuiteStepOrigin, Option<u64>)> {
        let to = |hop: &ReplayTransition| self.replay_tree.state(hop.to);
        match wanted {
            ReplayDemand::Path { way, .. } => {
                way.iter().map(|hop| (hop.origin, Some(to(hop)))).collect()
            }
            ReplayDemand::Original { trace, .. } => {
                let (way, limit) = self.replay_tree.original_path(*trace);
                let length = self.originals[*trace as usize].steps.len();
                let end = if limit.settled { way.len() } else { length };
                let origin = |step: usize| {
                    SuiteStepOrigin::new(*trace, u32::try_from(step).unwrap_or(u32::MAX))
                };
                (0..end)
                    .map(|step| (origin(step), way.get(step).map(to)))
                    .collect()
            }
        }
    }

    fn key(&self, wanted: &ReplayDemand, steps: &[(SuiteStepOrigin, Option<u64>)]) -> u64 {
        let is_way = matches!(wanted, ReplayDemand::Path { .. });
        let mut hash = if is_way {
            Vec::new()
        } else {
            b"original".to_vec()
        };
        for (origin, expected) in steps {
            hash.extend(
                self.replay_tree
                    .action_hash(self.replay_tree.action(*origin))
                    .to_le_bytes(),
            );
            if is_way {
                hash.extend(expected.unwrap_or_default().to_le_bytes());
            }
        }
        xxh3_64(&hash)
    }
}

/// The first run of a trace as it was recorded. Attempts of it are counted by its key.
pub(super) fn original_script(number: u32, original: &Trace) -> ScriptedSteps {
    let mut hash = b"original".to_vec();
    original
        .steps
        .iter()
        .for_each(|step| hash.extend(action_hash(step).to_le_bytes()));
    let next = |(step, of): (u32, &Step)| {
        (
            ReplayStep {
                origin: SuiteStepOrigin::new(number, step),
                step: of.clone(),
            },
            None,
        )
    };
    ScriptedSteps {
        key: xxh3_64(&hash),
        steps: (0..).zip(&original.steps).map(next).collect(),
    }
}

/// Tells what will probably be asked for next, the likeliest first, until nobody listens.
pub(super) type SpeculationSource<'l> =
    dyn Fn(&ReplayTree, &mut dyn FnMut(ReplayDemand) -> bool) + 'l;

#[derive(Clone)]
pub(super) enum ReplayDemand {
    Original { trace: u32, runs: u32 },
    Path { way: ReplayPath, runs: u32 },
}

impl ReplayDemand {
    pub(super) fn once(way: &ReplayPath) -> ReplayDemand {
        ReplayDemand::Path {
            way: way.clone(),
            runs: 1,
        }
    }
}

impl SuiteCost {
    fn add(&mut self, run: &ReplayRecord) {
        self.runs += 1;
        self.events += run.hops.len() as u64;
        self.took += run.took();
    }
}

/// Steps one after the other, for as long as each leads to the state that is expected of it.
pub(super) struct ScriptedSteps {
    pub(super) key: u64,
    steps: Vec<(ReplayStep, Option<u64>)>,
}

impl StepSource for ScriptedSteps {
    fn next(&self, run: &ReplayRecord) -> Option<ReplayStep> {
        let done = run.hops.len();
        let last = done.checked_sub(1).and_then(|last| self.steps[last].1);
        if last.is_some_and(|expected| expected != run.last_observation().state) {
            return None;
        }
        self.steps.get(done).map(|(next, _)| next.clone())
    }
}
