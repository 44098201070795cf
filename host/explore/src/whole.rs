//! A whole exploration: one explorer for all phones, and what all of them together have seen. Whatever is done goes
//! through `note`, whether it is done now or recalled from the journal, so that both lead to the same.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::try_join_all;
use retap_device::Pool;
use retap_device::event::{RunEvent, Sink};
use retap_device::seed::Seed;
use retap_device::stop::Stop;
use retap_model::{Gain, abstract_screen};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::Target;
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{Start, Trace, TraceHeader};
use retap_shared::verdict::{Outcome, Problem};

use super::exploration::{CrashPoint, Exploration};
use super::found::{self, Found, Scene};
use super::proof::Unproven;
use super::trail::Trail;
use super::{Did, ExploreError, ExploreSettings, Explorer, New, Seen, ended, proof, started};
use crate::journal::{Journal, WalkRecord, Walked};

pub(super) struct Whole<'a> {
    pub(super) pool: &'a Pool,
    pub(super) settings: &'a ExploreSettings,
    pub(super) seed: Seed,
    pub(super) journal: &'a dyn Journal,
    pub(super) sink: &'a Sink,
    pub(super) stop: &'a Stop,
    shared: Mutex<Shared>,
}

/// What all walkers share.
pub(super) struct Shared {
    pub(super) explorer: Box<dyn Explorer>,
    pub(super) walkers: Vec<Trail>,
    exploration: Exploration,
    /// Found where the way did not begin clean: to be proven.
    pub(super) unproven: Vec<Unproven>,
    /// Events that were begun: the budget is spent when one begins, not when it ends.
    begun: u64,
    records: u64,
    seen: HashSet<Fingerprint>,
}

/// Explores an app with one explorer for all phones, until the events or the time is used up or `stop` is asked. What the
/// journal knows is not done again: the explorer is told of it, and every phone begins with a clean start.
pub async fn explore_whole(
    pool: &Pool,
    explorer: Box<dyn Explorer>,
    settings: &ExploreSettings,
    seed: Seed,
    journal: &dyn Journal,
    sink: &Sink,
    stop: &Stop,
) -> Result<Exploration, ExploreError> {
    let walkers = pool.len().max(1);
    sink(started(
        settings,
        u32::try_from(walkers).unwrap_or(u32::MAX),
        explorer.name(),
    ));
    let shared = Mutex::new(Shared::new(explorer, walkers));
    let whole = Whole {
        pool,
        settings,
        seed,
        journal,
        sink,
        stop,
        shared,
    };
    whole.recall()?;
    let stopped = try_join_all((0..walkers).map(|walker| whole.walk(walker))).await?;

    let (exploration, unproven) = whole.shared().end(settings);
    let mut exploration = proof::prove(&whole, exploration, unproven).await?;
    if stopped.contains(&true) {
        exploration.outcome = Outcome::Interrupted;
    }
    sink(ended(settings, &exploration));
    Ok(exploration)
}

impl Whole<'_> {
    pub(super) fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recall(&self) -> Result<(), ExploreError> {
        let records = self.journal.recall_walks()?;
        let mut shared = self.shared();
        let Some(last) = records.last().map(|record| record.number) else {
            return Ok(());
        };
        for record in records {
            let walkers = shared.walkers.len().max(record.walker as usize + 1);
            shared.walkers.resize_with(walkers, Trail::default);
            shared.begun += u64::from(matches!(
                record.did,
                Walked::Stepped { .. } | Walked::Refused
            ));
            for event in shared.note(&record, self.settings) {
                (self.sink)(event);
            }
        }
        shared.records = last + 1;
        shared.exploration.recalled = shared.exploration.events;
        let gone: Vec<WalkRecord> = (0..shared.walkers.len())
            .map(|walker| shared.record(walker, Walked::Forgotten, None, Micros::ZERO))
            .collect();
        drop(shared);
        gone.iter().try_for_each(|record| self.note(record))
    }

    /// First into the journal, then into the explorer.
    pub(super) fn note(&self, record: &WalkRecord) -> Result<(), ExploreError> {
        self.journal.note_walk(record)?;
        let (told, found) = {
            let mut shared = self.shared();
            let known = shared.exploration.found.len();
            let told = shared.note(record, self.settings);
            (told, shared.exploration.found[known..].to_vec())
        };
        told.into_iter().for_each(|event| (self.sink)(event));
        Ok(found
            .iter()
            .try_for_each(|found| self.journal.note_found(found))?)
    }

    /// Takes an event of the budget; false if it is used up.
    pub(super) fn may_go_on(&self, walker: usize) -> bool {
        let shared = self.shared();
        match self.settings.time {
            Some(time) => shared.walkers[walker].took < time,
            None => shared.begun < self.settings.events,
        }
    }

    /// Whether nobody has met one of these problems in this run.
    pub(super) fn is_new(&self, problems: &[Problem]) -> bool {
        let seen = &self.shared().seen;
        problems
            .iter()
            .any(|problem| !seen.contains(&problem.fingerprint()))
    }

    pub(super) fn begin_event(&self) {
        self.shared().begun += 1;
    }
}

impl Shared {
    fn new(explorer: Box<dyn Explorer>, walkers: usize) -> Shared {
        Shared {
            explorer,
            walkers: (0..walkers).map(|_| Trail::default()).collect(),
            exploration: Exploration::empty(Outcome::Done),
            unproven: Vec::new(),
            begun: 0,
            records: 0,
            seen: HashSet::new(),
        }
    }

    pub(super) fn record(
        &mut self,
        walker: usize,
        did: Walked,
        screen: Option<SharedScreen>,
        took: Micros,
    ) -> WalkRecord {
        let number = self.records;
        self.records += 1;
        let walker = u32::try_from(walker).unwrap_or(u32::MAX);
        let problems = Vec::new();
        let passed = Vec::new();
        let branches = Vec::new();
        WalkRecord {
            number,
            walker,
            did,
            screen,
            problems,
            passed,
            branches,
            took,
            picture: None,
        }
    }

    /// Puts a record where it belongs and tells the explorer. Returns what there is to tell others.
    fn note(&mut self, record: &WalkRecord, settings: &ExploreSettings) -> Vec<RunEvent> {
        let walker = record.walker as usize;
        let before = self.walkers[walker].screen.clone();
        self.walkers[walker].tell_diary(record);
        self.go(record, settings);
        let mut told = Vec::new();
        let fingerprints = self.note_problems(record, settings, before.as_ref(), &mut told);
        let new = self.cover(record, settings, &mut told);
        let screen = record.screen.as_ref().filter(|_| fingerprints.is_empty());
        let did = match &record.did {
            Walked::Started { clean } => Did::Started { clean: *clean },
            Walked::Stepped {
                step,
                node,
                chosen,
                quiet,
                ..
            } => match before.as_ref() {
                Some(before) => {
                    let node = *node;
                    let chosen = *chosen;
                    let quiet = *quiet;
                    Did::Stepped {
                        step,
                        node,
                        before,
                        chosen,
                        quiet,
                        branches: &record.branches,
                    }
                }
                None => return told,
            },
            Walked::Refused => Did::Refused,
            Walked::Saved { id, bytes, whole } => Did::Saved {
                id: *id,
                bytes: *bytes,
                whole: *whole,
            },
            Walked::Restored { id } => Did::Restored { id: *id },
            Walked::Dropped { id } => Did::Dropped { id: *id },
            Walked::Forgotten => Did::Forgotten,
        };
        let inside = screen.is_some_and(|screen| settings.is_inside(screen.activity()));
        let took = record.took;
        let way = &self.walkers[walker].way;
        let problems = &fingerprints[..];
        self.explorer.observe(&Seen {
            walker,
            did,
            screen,
            inside,
            problems,
            took,
            new,
            way,
        });
        told
    }

    /// Moves the walker, and counts what it did.
    fn go(&mut self, record: &WalkRecord, settings: &ExploreSettings) {
        let trail = &mut self.walkers[record.walker as usize];
        let counts = &mut self.exploration.counts;
        match &record.did {
            Walked::Started { clean: true } => {
                self.exploration
                    .traces
                    .extend(trail.trace(settings, record.walker, None));
                counts.clean_starts += 1;
                counts.starting += record.took;
            }
            Walked::Started { clean: false } => {
                self.exploration
                    .traces
                    .extend(trail.trace(settings, record.walker, None));
                counts.restarts += 1;
                counts.starting += record.took;
            }
            Walked::Stepped { again, .. } => {
                counts.replays +=
                    u32::from(*again && trail.way.len() == settings.guard.before.len());
                counts.replayed += u64::from(*again);
                self.exploration.events += 1;
            }
            Walked::Refused => self.exploration.events += 1,
            Walked::Saved { whole, .. } => {
                if !whole {
                    counts.data_saves += 1;
                    self.exploration
                        .traces
                        .extend(trail.trace(settings, record.walker, None));
                }
                counts.saves += 1;
                counts.saving += record.took;
            }
            Walked::Restored { .. } => {
                counts.restores += 1;
                counts.restoring += record.took;
            }
            Walked::Dropped { .. } | Walked::Forgotten => {}
        }
        trail.go(record, &settings.guard.before);
        self.exploration.took += record.took;
        self.exploration.longest = self.exploration.longest.max(trail.took);
    }

    fn note_problems(
        &mut self,
        record: &WalkRecord,
        settings: &ExploreSettings,
        before: Option<&SharedScreen>,
        told: &mut Vec<RunEvent>,
    ) -> Vec<Fingerprint> {
        let trail = &mut self.walkers[record.walker as usize];
        let mut fingerprints = Vec::new();
        for problem in &record.problems {
            let fingerprint = problem.fingerprint();
            fingerprints.push(fingerprint);
            let header = TraceHeader {
                app: settings.app.app.clone(),
                start: Start::Clean,
                seed: None,
                target: Some(
                    settings
                        .guard
                        .target_of(problem)
                        .cloned()
                        .unwrap_or(Target::Problem(fingerprint)),
                ),
                phone: trail.phone.clone(),
            };
            let target = header.target.clone();
            self.exploration
                .traces
                .extend(trail.trace(settings, record.walker, target));
            let trace = Trace {
                header,
                steps: trail.way.steps(0),
            };
            let scene = Scene {
                screen: before.cloned(),
                picture: record.picture.clone(),
                log: if self.seen.contains(&fingerprint) {
                    Vec::new()
                } else {
                    trail.diary.lines()
                },
            };
            let found = Found {
                problem: problem.clone(),
                fingerprint,
                trace,
                times: 1,
                scene,
            };
            told.push(RunEvent::ProblemFound {
                app: settings.app.app.package.clone(),
                session: record.walker,
                fingerprint,
                kind: problem.kind,
                summary: problem.summary.clone(),
                steps: u32::try_from(trail.way.len()).unwrap_or(u32::MAX),
                first: self.seen.insert(fingerprint),
            });
            let first = CrashPoint {
                fingerprint,
                events: self.exploration.events,
                took: trail.took,
            };
            if !trail.tainted {
                let known = self
                    .exploration
                    .crashes
                    .iter()
                    .any(|point| point.fingerprint == fingerprint);
                if !known {
                    self.exploration.crashes.push(first);
                }
                found::add(&mut self.exploration.found, found);
                continue;
            }
            let since = trail.kept_since;
            let mut ways = vec![trail.way.steps(since)];
            if since > 0 {
                ways.push(trail.way.steps(0));
            }
            match self
                .unproven
                .iter_mut()
                .find(|one| one.found.fingerprint == fingerprint)
            {
                Some(known) => known.add(ways),
                None => self.unproven.push(Unproven { found, ways, first }),
            }
        }
        fingerprints
    }

    /// Screens and activities of other apps are not this app's coverage.
    fn cover(
        &mut self,
        record: &WalkRecord,
        settings: &ExploreSettings,
        told: &mut Vec<RunEvent>,
    ) -> New {
        let whole = &mut self.exploration;
        let mut gain = Gain::default();
        let last = record.screen.as_ref().map(|screen| screen.activity());
        for activity in record.passed.iter().chain(last) {
            let inside = !activity.is_empty() && settings.is_inside(activity);
            if inside && whole.coverage.activity(activity) {
                gain.activities.push(activity.clone());
            }
        }
        if let Some(screen) = record
            .screen
            .as_ref()
            .filter(|screen| settings.is_inside(screen.activity()))
        {
            let state = abstract_screen(screen);
            if whole.coverage.screen(state) {
                gain.screens.push(state);
            }
        }
        gain.branches.extend(
            record
                .branches
                .iter()
                .filter(|branch| whole.coverage.branch(**branch)),
        );
        if gain.is_empty() {
            return New::default();
        }
        let point = whole
            .coverage
            .at(whole.events, self.walkers[record.walker as usize].took);
        whole.curve.push(point);
        told.push(RunEvent::Covered {
            app: settings.app.app.package.clone(),
            events: point.events,
            took: point.took,
            activities: point.activities,
            screens: point.screens,
            branches: point.branches,
        });
        let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        New {
            activities: count(gain.activities.len()),
            screens: count(gain.screens.len()),
            branches: count(gain.branches.len()),
        }
    }

    fn end(&mut self, settings: &ExploreSettings) -> (Exploration, Vec<Unproven>) {
        for (walker, trail) in (0..).zip(&mut self.walkers) {
            self.exploration
                .traces
                .extend(trail.trace(settings, walker, None));
        }
        let mut exploration =
            std::mem::replace(&mut self.exploration, Exploration::empty(Outcome::Done));
        exploration.close();
        exploration.learned = self.explorer.learned();
        (exploration, std::mem::take(&mut self.unproven))
    }
}
