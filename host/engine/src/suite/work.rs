//! Plays ways until they are proven or have failed, as many runs at once as there are phones, and counts what that costs.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use xxhash_rust::xxh3::xxh3_64;

use super::bits::Bits;
use super::known::{Hop, Known, Limit, Standing, Way};
use super::replayer::{Errand, Next, Origin, Pilot, Replayer, Run};
use super::{Spent, SuiteError, SuiteSettings};
use crate::event::{RunEvent, Sink};
use crate::stop::Stop;

/// Why work ends before it is done.
#[derive(Debug)]
pub(super) enum Halt {
    Stopped,
    Failed(SuiteError),
}

pub(super) struct Work<'a> {
    pub(super) originals: &'a [Trace],
    pub(super) settings: &'a SuiteSettings,
    pub(super) known: Known,
    pub(super) spent: Spent,
    replayer: &'a dyn Replayer,
    sink: &'a Sink,
    stop: &'a Stop,
    attempts: HashMap<u64, u32>,
    /// Traces that were played as far as they go.
    explored: Vec<bool>,
    /// How often each was played.
    tries: Vec<u32>,
    /// How long the first run of each took.
    first_took: Vec<Option<Micros>>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        originals: &'a [Trace],
        settings: &'a SuiteSettings,
        replayer: &'a dyn Replayer,
        sink: &'a Sink,
        stop: &'a Stop,
    ) -> Work<'a> {
        Work {
            originals,
            settings,
            known: Known::new(originals, settings.replays),
            spent: Spent::default(),
            replayer,
            sink,
            stop,
            attempts: HashMap::new(),
            explored: vec![false; originals.len()],
            tries: vec![0; originals.len()],
            first_took: vec![None; originals.len()],
        }
    }

    /// Tells how far the work is.
    pub(super) fn tell(&self, phase: &str, plan: &[Way]) {
        let covered = self.coverage(plan);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (self.sink)(RunEvent::SuiteShrunk {
            phase: phase.to_owned(),
            traces: count(plan.len()),
            transitions: plan.iter().map(|way| way.len() as u64).sum(),
            covered: count(covered.numbers().count()),
            runs: self.spent.runs,
        });
    }

    /// What a plan covers, the start included.
    pub(super) fn coverage(&self, plan: &[Way]) -> Bits {
        let mut covered = self.known.at_start().clone();
        plan.iter().for_each(|way| covered.add(&self.known.coverage(way)));
        covered
    }

    /// How long it took to play each trace that was read once.
    pub(super) fn first_runs_took(&self) -> Micros {
        self.first_took.iter().flatten().fold(Micros::ZERO, |took, one| took + *one)
    }

    /// Plays every trace that was read until as far as it goes it has had so many runs.
    pub(super) async fn play_originals(&mut self, traces: &[u32], runs: u32) -> Result<(), Halt> {
        let wanted: Vec<Wanted> = traces.iter().map(|&trace| Wanted::Original { trace, runs }).collect();
        self.play(&wanted).await
    }

    /// True if they are all proven.
    pub(super) async fn prove(&mut self, ways: &[Way]) -> Result<bool, Halt> {
        let wanted: Vec<Wanted> =
            ways.iter().map(|way| Wanted::Way { way: way.clone(), runs: self.settings.replays }).collect();
        self.play(&wanted).await?;
        Ok(ways.iter().all(|way| self.known.standing(way) == Standing::Proven))
    }

    /// One run, unless there was one: whether it goes that way.
    pub(super) async fn try_once(&mut self, way: &Way) -> Result<bool, Halt> {
        self.play(&[Wanted::Way { way: way.clone(), runs: 1 }]).await?;
        Ok(self.known.was_played(way))
    }

    /// One run that goes where its pilot wants. Pilots are numbered, and the same one is never sent twice.
    pub(super) async fn explore(&mut self, number: u32, pilot: Arc<dyn Pilot>) -> Result<Way, Halt> {
        let key = xxh3_64(b"walk");
        let errand = Errand { key, attempt: number, pilot };
        let run = self.drive(errand).await?;
        Ok(self.absorb(&run))
    }

    async fn drive(&self, errand: Errand) -> Result<Run, Halt> {
        tokio::select! {
            biased;
            () = self.stop.wait() => Err(Halt::Stopped),
            run = self.replayer.drive(errand) => run.map_err(Halt::Failed),
        }
    }

    async fn play(&mut self, wanted: &[Wanted]) -> Result<(), Halt> {
        let mut queue: VecDeque<usize> = (0..wanted.len()).collect();
        let mut under_way = vec![0_u32; wanted.len()];
        let (replayer, stop) = (self.replayer, self.stop);
        let mut runs = FuturesUnordered::new();
        loop {
            while queue
                .front()
                .is_some_and(|&first| under_way[first] == 0 && self.missing(&wanted[first]).0 == 0)
            {
                queue.pop_front();
            }
            while runs.len() < replayer.width() {
                // Most ways that fail do so at once: more runs are started when the first has passed.
                let ready = |&place: &usize| {
                    let (missing, passed) = self.missing(&wanted[place]);
                    missing > under_way[place] && (under_way[place] == 0 || passed)
                };
                let Some(place) = queue.iter().copied().find(ready) else { break };
                under_way[place] += 1;
                if let Wanted::Original { trace, .. } = wanted[place] {
                    self.tries[trace as usize] += 1;
                }
                let script = self.script(&wanted[place]);
                let key = script.key;
                let attempt = self.attempts.entry(key).or_default();
                let errand = Errand { key, attempt: *attempt, pilot: Arc::new(script) };
                *attempt += 1;
                runs.push(async move { (place, replayer.drive(errand).await) });
            }
            let next = tokio::select! {
                biased;
                () = stop.wait() => return Err(Halt::Stopped),
                next = runs.next() => next,
            };
            let Some((place, run)) = next else { return Ok(()) };
            let run = run.map_err(Halt::Failed)?;
            under_way[place] -= 1;
            self.absorb(&run);
            if let Wanted::Original { trace, .. } = wanted[place] {
                let (way, _) = self.known.original(trace);
                let arrived = way.last().is_none_or(|hop| self.known.state(hop.to) == run.now().state);
                self.first_took[trace as usize].get_or_insert(run.took());
                self.explored[trace as usize] |= run.hops.len() >= way.len() && arrived;
            }
        }
    }

    fn absorb(&mut self, run: &Run) -> Way {
        self.spent.runs += 1;
        self.spent.events += run.hops.len() as u64;
        self.spent.took += run.took();
        self.known.absorb(run)
    }

    /// How many runs are still wanted, and whether there was one already.
    fn missing(&self, wanted: &Wanted) -> (u32, bool) {
        match wanted {
            Wanted::Way { way, runs } => match self.known.standing(way) {
                Standing::Proven | Standing::Fails(_) => (0, true),
                Standing::Needs(left) => {
                    let passes = self.settings.replays - left;
                    (runs.saturating_sub(passes), passes > 0)
                }
            },
            Wanted::Original { trace, runs } => {
                let (way, Limit { passes, settled }) = self.known.original(*trace);
                let explored = self.explored[*trace as usize];
                if (settled || explored) && (passes >= *runs || way.is_empty()) {
                    return (0, true);
                }
                // One that is never played to its end, because what comes first is left now and then, is not tried for ever.
                let left = (2 * runs).saturating_sub(self.tries[*trace as usize]);
                (runs.saturating_sub(passes).max(1).min(left), explored)
            }
        }
    }

    fn script(&self, wanted: &Wanted) -> Script {
        let mut hash = Vec::new();
        let steps = match wanted {
            Wanted::Way { way, .. } => way.iter().map(|hop| self.scripted(hop.origin, Some(hop))).collect(),
            Wanted::Original { trace, .. } => {
                hash.extend(b"original");
                let (way, limit) = self.known.original(*trace);
                let length = self.originals[*trace as usize].steps.len();
                let end = if limit.settled { way.len() } else { length };
                let origin =
                    |step: usize| Origin { trace: *trace, step: u32::try_from(step).unwrap_or(u32::MAX) };
                (0..end).map(|step| self.scripted(origin(step), way.get(step))).collect::<Vec<_>>()
            }
        };
        for (Next { origin, .. }, expected) in &steps {
            let action = self.known.hash(self.known.action(*origin));
            hash.extend(action.to_le_bytes());
            if matches!(wanted, Wanted::Way { .. }) {
                hash.extend(expected.unwrap_or_default().to_le_bytes());
            }
        }
        Script { key: xxh3_64(&hash), steps }
    }

    fn scripted(&self, origin: Origin, hop: Option<&Hop>) -> (Next, Option<u64>) {
        let step = self.originals[origin.trace as usize].steps[origin.step as usize].clone();
        (Next { origin, step }, hop.map(|hop| self.known.state(hop.to)))
    }
}

enum Wanted {
    Original { trace: u32, runs: u32 },
    Way { way: Way, runs: u32 },
}

/// Steps one after the other, for as long as each leads to the state that is expected of it.
struct Script {
    key: u64,
    steps: Vec<(Next, Option<u64>)>,
}

impl Pilot for Script {
    fn next(&self, run: &Run) -> Option<Next> {
        let done = run.hops.len();
        let last = done.checked_sub(1).and_then(|last| self.steps[last].1);
        if last.is_some_and(|expected| expected != run.now().state) {
            return None;
        }
        self.steps.get(done).map(|(next, _)| next.clone())
    }
}
