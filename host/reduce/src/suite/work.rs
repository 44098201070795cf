//! Plays ways until they are proven or have failed, as many runs at once as there are phones, and counts what that costs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use retap_device::event::{RunEvent, Sink};
use retap_device::stop::Stop;
use retap_shared::micros::Micros;
use retap_shared::trace::{Step, Trace};
use xxhash_rust::xxh3::xxh3_64;

use super::ahead::{Ahead, Id};
use super::bits::Bits;
use super::known::{Hop, Known, Limit, Standing, Way, hash_of};
use super::replayer::{Errand, Next, Origin, Pilot, Replayer, Run};
use super::{Spent, SuiteError, SuiteSettings};

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
    ahead: Ahead<'a>,
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
            ahead: Ahead::new(replayer),
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
        plan.iter()
            .for_each(|way| covered.add(&self.known.coverage(way)));
        covered
    }

    /// How long it took to play each trace that was read once.
    pub(super) fn first_runs_took(&self) -> Micros {
        self.first_took
            .iter()
            .flatten()
            .fold(Micros::ZERO, |took, one| took + *one)
    }

    /// Plays every trace that was read until as far as it goes it has had so many runs.
    pub(super) async fn play_originals(&mut self, traces: &[u32], runs: u32) -> Result<(), Halt> {
        let wanted: Vec<Wanted> = traces
            .iter()
            .map(|&trace| Wanted::Original { trace, runs })
            .collect();
        self.play(&wanted).await
    }

    /// True if they are all proven.
    pub(super) async fn prove(&mut self, ways: &[Way]) -> Result<bool, Halt> {
        let wanted: Vec<Wanted> = ways
            .iter()
            .map(|way| Wanted::Way {
                way: way.clone(),
                runs: self.settings.replays,
            })
            .collect();
        self.play(&wanted).await?;
        Ok(ways
            .iter()
            .all(|way| self.known.standing(way) == Standing::Proven))
    }

    /// How many runs can be under way at once.
    pub(super) fn width(&self) -> usize {
        self.replayer.width()
    }

    /// Plays every trace that was read once, unless others have shown already all that it does. They count in their order.
    pub(super) async fn play_each_once(&mut self) -> Result<(), Halt> {
        let all: Vec<Wanted> = (0..)
            .take(self.originals.len())
            .map(|trace| Wanted::Original { trace, runs: 1 })
            .collect();
        for (place, wanted) in all.iter().enumerate() {
            if self.missing(wanted).0 > 0 {
                let likely = |_: &Known, tell: &mut dyn FnMut(Wanted) -> bool| {
                    all[place + 1..].iter().all(|next| tell(next.clone()));
                };
                self.ask(wanted, &likely).await?;
            }
        }
        Ok(())
    }

    /// One more run of what is wanted now, unless it has had enough. While it is under way, idle phones make those that `likely`
    /// tells, which are taken up only if they are asked for in their turn. Returns how many events the run had.
    pub(super) async fn ask(&mut self, now: &Wanted, likely: &Likely<'_>) -> Result<u64, Halt> {
        if self.missing(now).0 == 0 {
            return Ok(0);
        }
        let id = self.id(now);
        loop {
            if let Some(run) = self.ahead.take(id) {
                *self.attempts.entry(id.0).or_default() += 1;
                self.known.absorb(&run);
                if let Wanted::Original { trace, .. } = *now {
                    self.tries[trace as usize] += 1;
                    self.first_of(trace, &run);
                }
                return Ok(run.hops.len() as u64);
            }
            self.fill(id, now, likely);
            let run = self.ahead.next(self.stop).await?;
            self.spent.add(run);
        }
    }

    /// Every phone has something to do, and what is wanted now is under way.
    fn fill(&mut self, id: Id, now: &Wanted, likely: &Likely<'_>) {
        let mut wanted = vec![(id, now.clone())];
        let mut ids = HashSet::from([id]);
        let width = self.replayer.width().max(1);
        // Guesses that were right need no phone, and looking for more of them comes to an end.
        let mut looks = 4 * width;
        if width > 1 {
            likely(&self.known, &mut |next| {
                looks -= 1;
                let id = self.id(&next);
                if self.missing(&next).0 > 0 && !self.ahead.is_done(id) && ids.insert(id) {
                    wanted.push((id, next));
                }
                wanted.len() < width && looks > 0
            });
        }
        self.ahead.keep_only(&ids);
        for (id, wanted) in wanted {
            if !self.ahead.is_under_way(id) {
                let pilot = Arc::new(self.script(&wanted));
                self.ahead.start(Errand {
                    key: id.0,
                    attempt: id.1,
                    pilot,
                });
            }
        }
    }

    /// The next run of it.
    fn id(&self, wanted: &Wanted) -> Id {
        let key = self.key(wanted, &self.hops(wanted));
        (key, self.attempts.get(&key).copied().unwrap_or(0))
    }

    /// One run that goes where its pilot wants. Pilots are numbered, and the same one is never sent twice.
    pub(super) async fn explore(
        &mut self,
        number: u32,
        pilot: Arc<dyn Pilot>,
    ) -> Result<Way, Halt> {
        let key = xxh3_64(b"walk");
        let errand = Errand {
            key,
            attempt: number,
            pilot,
        };
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

    pub(super) async fn play(&mut self, wanted: &[Wanted]) -> Result<(), Halt> {
        let mut queue: VecDeque<usize> = (0..wanted.len()).collect();
        let mut under_way = vec![0_u32; wanted.len()];
        let replayer = self.replayer;
        let stop = self.stop;
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
                let Some(place) = queue.iter().copied().find(ready) else {
                    break;
                };
                under_way[place] += 1;
                if let Wanted::Original { trace, .. } = wanted[place] {
                    self.tries[trace as usize] += 1;
                }
                let script = self.script(&wanted[place]);
                let key = script.key;
                let attempt = self.attempts.entry(key).or_default();
                let errand = Errand {
                    key,
                    attempt: *attempt,
                    pilot: Arc::new(script),
                };
                *attempt += 1;
                runs.push(async move { (place, replayer.drive(errand).await) });
            }
            let next = tokio::select! {
                biased;
                () = stop.wait() => return Err(Halt::Stopped),
                next = runs.next() => next,
            };
            let Some((place, run)) = next else {
                return Ok(());
            };
            let run = run.map_err(Halt::Failed)?;
            under_way[place] -= 1;
            self.absorb(&run);
            if let Wanted::Original { trace, .. } = wanted[place] {
                self.first_of(trace, &run);
            }
        }
    }

    fn absorb(&mut self, run: &Run) -> Way {
        self.spent.add(run);
        self.known.absorb(run)
    }

    fn first_of(&mut self, trace: u32, run: &Run) {
        let (way, _) = self.known.original(trace);
        let arrived = way
            .last()
            .is_none_or(|hop| self.known.state(hop.to) == run.now().state);
        self.first_took[trace as usize].get_or_insert(run.took());
        self.explored[trace as usize] |= run.hops.len() >= way.len() && arrived;
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
        let steps = self.hops(wanted);
        let key = self.key(wanted, &steps);
        let scripted = |(origin, expected): (Origin, Option<u64>)| {
            (
                Next {
                    origin,
                    step: self.step(origin).clone(),
                },
                expected,
            )
        };
        Script {
            key,
            steps: steps.into_iter().map(scripted).collect(),
        }
    }

    /// A step as it was recorded, or what is done instead.
    pub(super) fn step(&self, origin: Origin) -> &Step {
        let recorded = &self.originals[origin.trace as usize].steps[origin.step as usize];
        self.known.made(origin).unwrap_or(recorded)
    }

    /// The steps of it, and where each is known to lead.
    fn hops(&self, wanted: &Wanted) -> Vec<(Origin, Option<u64>)> {
        let to = |hop: &Hop| self.known.state(hop.to);
        match wanted {
            Wanted::Way { way, .. } => way.iter().map(|hop| (hop.origin, Some(to(hop)))).collect(),
            Wanted::Original { trace, .. } => {
                let (way, limit) = self.known.original(*trace);
                let length = self.originals[*trace as usize].steps.len();
                let end = if limit.settled { way.len() } else { length };
                let origin =
                    |step: usize| Origin::new(*trace, u32::try_from(step).unwrap_or(u32::MAX));
                (0..end)
                    .map(|step| (origin(step), way.get(step).map(to)))
                    .collect()
            }
        }
    }

    fn key(&self, wanted: &Wanted, steps: &[(Origin, Option<u64>)]) -> u64 {
        let is_way = matches!(wanted, Wanted::Way { .. });
        let mut hash = if is_way {
            Vec::new()
        } else {
            b"original".to_vec()
        };
        for (origin, expected) in steps {
            hash.extend(self.known.hash(self.known.action(*origin)).to_le_bytes());
            if is_way {
                hash.extend(expected.unwrap_or_default().to_le_bytes());
            }
        }
        xxh3_64(&hash)
    }
}

/// The first run of a trace as it was recorded. Attempts of it are counted by its key.
pub(super) fn first_run(number: u32, original: &Trace) -> Script {
    let mut hash = b"original".to_vec();
    original
        .steps
        .iter()
        .for_each(|step| hash.extend(hash_of(step).to_le_bytes()));
    let next = |(step, of): (u32, &Step)| {
        (
            Next {
                origin: Origin::new(number, step),
                step: of.clone(),
            },
            None,
        )
    };
    Script {
        key: xxh3_64(&hash),
        steps: (0..).zip(&original.steps).map(next).collect(),
    }
}

/// Tells what will probably be asked for next, the likeliest first, until nobody listens.
pub(super) type Likely<'l> = dyn Fn(&Known, &mut dyn FnMut(Wanted) -> bool) + 'l;

#[derive(Clone)]
pub(super) enum Wanted {
    Original { trace: u32, runs: u32 },
    Way { way: Way, runs: u32 },
}

impl Wanted {
    pub(super) fn once(way: &Way) -> Wanted {
        Wanted::Way {
            way: way.clone(),
            runs: 1,
        }
    }
}

impl Spent {
    fn add(&mut self, run: &Run) {
        self.runs += 1;
        self.events += run.hops.len() as u64;
        self.took += run.took();
    }
}

/// Steps one after the other, for as long as each leads to the state that is expected of it.
pub(super) struct Script {
    pub(super) key: u64,
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
