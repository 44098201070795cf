//! A whole exploration: one explorer for all phones, and what all of them together have seen. Whatever is done goes
//! through `note`, whether it is done now or recalled from the journal, so that both lead to the same.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::try_join_all;
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, DevicePool};
use retap_model::{CoverageGain, abstract_screen};
use retap_shared::finding::Finding;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::screen::SharedScreen;
use retap_shared::target::Target;
use retap_shared::trace::{StartMode, Trace, TraceHeader};
use retap_shared::verdict::Outcome;

use super::confirm::UnconfirmedFinding;
use super::finding_record::{self, FindingContext, FindingRecord};
use super::result::{ExplorationResult, FindingPoint};
use super::worker_state::WorkerState;
use super::{
    CoverageGainCount, ExploreError, ExploreSettings, Explorer, ObservedEvent, StepObservation,
    confirm, ended_event, started_event,
};
use crate::journal::{ExplorationJournal, RecordedEvent, RecordedStep};

pub(super) struct ExplorationDriver<'a> {
    pub(super) pool: &'a DevicePool,
    pub(super) settings: &'a ExploreSettings,
    pub(super) seed: Seed,
    pub(super) journal: &'a dyn ExplorationJournal,
    pub(super) sink: &'a EventSink,
    pub(super) cancellation: &'a CancellationToken,
    state: Mutex<DriverState>,
}

/// What all walkers share.
pub(super) struct DriverState {
    pub(super) explorer: Box<dyn Explorer>,
    pub(super) workers: Vec<WorkerState>,
    result: ExplorationResult,
    /// Found where the way did not begin clean: to be proven.
    pub(super) unconfirmed: Vec<UnconfirmedFinding>,
    /// Events that were begun: the budget is spent when one begins, not when it ends.
    events_begun: u64,
    next_number: u64,
    known_findings: HashSet<Fingerprint>,
}

/// Explores an app with one explorer for all phones, until the events or the time is used up or `stop` is asked. What the
/// journal knows is not done again: the explorer is told of it, and every phone begins with a clean start.
pub async fn run_exploration(
    pool: &DevicePool,
    explorer: Box<dyn Explorer>,
    settings: &ExploreSettings,
    seed: Seed,
    journal: &dyn ExplorationJournal,
    sink: &EventSink,
    stop: &CancellationToken,
) -> Result<ExplorationResult, ExploreError> {
    let walkers = pool.len().max(1);
    sink(started_event(
        settings,
        u32::try_from(walkers).unwrap_or(u32::MAX),
        explorer.name(),
    ));
    let shared = Mutex::new(DriverState::new(explorer, walkers));
    let whole = ExplorationDriver {
        pool,
        settings,
        seed,
        journal,
        sink,
        cancellation: stop,
        state: shared,
    };
    whole.replay_journal()?;
    let stopped = try_join_all((0..walkers).map(|walker| whole.run_worker(walker))).await?;

    let (exploration, unproven) = whole.lock_state().finish(settings);
    let mut exploration = confirm::confirm_findings(&whole, exploration, unproven).await?;
    if stopped.contains(&true) {
        exploration.outcome = Outcome::Interrupted;
    }
    sink(ended_event(settings, &exploration));
    Ok(exploration)
}

impl ExplorationDriver<'_> {
    pub(super) fn lock_state(&self) -> MutexGuard<'_, DriverState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replay_journal(&self) -> Result<(), ExploreError> {
        let records = self.journal.recall_steps()?;
        let mut shared = self.lock_state();
        let Some(last) = records.last().map(|record| record.number) else {
            return Ok(());
        };
        for record in records {
            let walkers = shared.workers.len().max(record.walker as usize + 1);
            shared.workers.resize_with(walkers, WorkerState::default);
            shared.events_begun += u64::from(matches!(
                record.did,
                RecordedEvent::Stepped { .. } | RecordedEvent::Refused
            ));
            for event in shared.apply(&record, self.settings) {
                (self.sink)(event);
            }
        }
        shared.next_number = last + 1;
        shared.result.recalled_events = shared.result.events;
        let gone: Vec<RecordedStep> = (0..shared.workers.len())
            .map(|walker| {
                shared.new_recorded_step(walker, RecordedEvent::Forgotten, None, Micros::ZERO)
            })
            .collect();
        drop(shared);
        gone.iter().try_for_each(|record| self.commit(record))
    }

    /// First into the journal, then into the explorer.
    pub(super) fn commit(&self, record: &RecordedStep) -> Result<(), ExploreError> {
        self.journal.record_step(record)?;
        let (told, found) = {
            let mut shared = self.lock_state();
            let known = shared.result.findings.len();
            let told = shared.apply(record, self.settings);
            (told, shared.result.findings[known..].to_vec())
        };
        told.into_iter().for_each(|event| (self.sink)(event));
        Ok(found
            .iter()
            .try_for_each(|found| self.journal.record_finding(found))?)
    }

    /// Takes an event of the budget; false if it is used up.
    pub(super) fn is_within_limit(&self, walker: usize) -> bool {
        let shared = self.lock_state();
        match self.settings.time_limit {
            Some(time) => shared.workers[walker].took < time,
            None => shared.events_begun < self.settings.event_limit,
        }
    }

    /// Whether nobody has met one of these problems in this run.
    pub(super) fn has_new_finding(&self, problems: &[Finding]) -> bool {
        let seen = &self.lock_state().known_findings;
        problems
            .iter()
            .any(|problem| !seen.contains(&problem.fingerprint()))
    }

    pub(super) fn count_event(&self) {
        self.lock_state().events_begun += 1;
    }
}

impl DriverState {
    fn new(explorer: Box<dyn Explorer>, walkers: usize) -> DriverState {
        DriverState {
            explorer,
            workers: (0..walkers).map(|_| WorkerState::default()).collect(),
            result: ExplorationResult::empty(Outcome::Done),
            unconfirmed: Vec::new(),
            events_begun: 0,
            next_number: 0,
            known_findings: HashSet::new(),
        }
    }

    pub(super) fn new_recorded_step(
        &mut self,
        walker: usize,
        did: RecordedEvent,
        screen: Option<SharedScreen>,
        took: Micros,
    ) -> RecordedStep {
        let number = self.next_number;
        self.next_number += 1;
        let walker = u32::try_from(walker).unwrap_or(u32::MAX);
        let problems = Vec::new();
        let passed = Vec::new();
        let branches = Vec::new();
        RecordedStep {
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
    fn apply(&mut self, record: &RecordedStep, settings: &ExploreSettings) -> Vec<RunEvent> {
        let walker = record.walker as usize;
        let before = self.workers[walker].screen.clone();
        self.workers[walker].log_step(record);
        self.advance_worker(record, settings);
        let mut told = Vec::new();
        let fingerprints = self.apply_findings(record, settings, before.as_ref(), &mut told);
        let new = self.apply_coverage(record, settings, &mut told);
        let screen = record.screen.as_ref().filter(|_| fingerprints.is_empty());
        let did = match &record.did {
            RecordedEvent::Started { clean } => ObservedEvent::Started { clean: *clean },
            RecordedEvent::Stepped {
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
                    ObservedEvent::Stepped {
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
            RecordedEvent::Refused => ObservedEvent::Refused,
            RecordedEvent::Saved { id, bytes, whole } => ObservedEvent::SnapshotTaken {
                id: *id,
                bytes: *bytes,
                whole_phone: *whole,
            },
            RecordedEvent::Restored { id } => ObservedEvent::SnapshotRestored { id: *id },
            RecordedEvent::Dropped { id } => ObservedEvent::SnapshotDiscarded { id: *id },
            RecordedEvent::Forgotten => ObservedEvent::SnapshotsLost,
        };
        let inside = screen.is_some_and(|screen| settings.is_in_app(screen.activity()));
        let took = record.took;
        let way = &self.workers[walker].path;
        let problems = &fingerprints[..];
        self.explorer.observe(&StepObservation {
            worker: walker,
            event: did,
            screen,
            in_app: inside,
            findings: problems,
            took,
            gain: new,
            path: way,
        });
        told
    }

    /// Moves the walker, and counts what it did.
    fn advance_worker(&mut self, record: &RecordedStep, settings: &ExploreSettings) {
        let trail = &mut self.workers[record.walker as usize];
        let counts = &mut self.result.counts;
        match &record.did {
            RecordedEvent::Started { clean: true } => {
                self.result
                    .traces
                    .extend(trail.take_trace(settings, record.walker, None));
                counts.clean_starts += 1;
                counts.starting_time += record.took;
            }
            RecordedEvent::Started { clean: false } => {
                self.result
                    .traces
                    .extend(trail.take_trace(settings, record.walker, None));
                counts.restarts += 1;
                counts.starting_time += record.took;
            }
            RecordedEvent::Stepped { again, .. } => {
                counts.replayed_paths +=
                    u32::from(*again && trail.path.len() == settings.constraints.setup_steps.len());
                counts.replayed_events += u64::from(*again);
                self.result.events += 1;
            }
            RecordedEvent::Refused => self.result.events += 1,
            RecordedEvent::Saved { whole, .. } => {
                if !whole {
                    counts.app_data_snapshots += 1;
                    self.result
                        .traces
                        .extend(trail.take_trace(settings, record.walker, None));
                }
                counts.snapshots += 1;
                counts.snapshot_time += record.took;
            }
            RecordedEvent::Restored { .. } => {
                counts.restores += 1;
                counts.restore_time += record.took;
            }
            RecordedEvent::Dropped { .. } | RecordedEvent::Forgotten => {}
        }
        trail.apply(record, &settings.constraints.setup_steps);
        self.result.took += record.took;
        self.result.longest_worker_time = self.result.longest_worker_time.max(trail.took);
    }

    fn apply_findings(
        &mut self,
        record: &RecordedStep,
        settings: &ExploreSettings,
        before: Option<&SharedScreen>,
        told: &mut Vec<RunEvent>,
    ) -> Vec<Fingerprint> {
        let trail = &mut self.workers[record.walker as usize];
        let mut fingerprints = Vec::new();
        for problem in &record.problems {
            let fingerprint = problem.fingerprint();
            fingerprints.push(fingerprint);
            let header = TraceHeader {
                app: settings.app.app.clone(),
                start: StartMode::Clean,
                seed: None,
                target: Some(
                    settings
                        .constraints
                        .target_of(problem)
                        .cloned()
                        .unwrap_or(Target::Problem(fingerprint)),
                ),
                phone: trail.phone.clone(),
            };
            let target = header.target.clone();
            self.result
                .traces
                .extend(trail.take_trace(settings, record.walker, target));
            let trace = Trace {
                header,
                steps: trail.path.steps(0),
            };
            let scene = FindingContext {
                screen: before.cloned(),
                screenshot: record.picture.clone(),
                log: if self.known_findings.contains(&fingerprint) {
                    Vec::new()
                } else {
                    trail.recent_log.lines()
                },
            };
            let found = FindingRecord {
                finding: problem.clone(),
                fingerprint,
                trace,
                occurrences: 1,
                context: scene,
            };
            told.push(RunEvent::ProblemFound {
                app: settings.app.app.package.clone(),
                session: record.walker,
                fingerprint,
                kind: problem.kind,
                summary: problem.summary.clone(),
                steps: u32::try_from(trail.path.len()).unwrap_or(u32::MAX),
                first: self.known_findings.insert(fingerprint),
            });
            let first = FindingPoint {
                fingerprint,
                events: self.result.events,
                took: trail.took,
            };
            if !trail.tainted {
                let known = self
                    .result
                    .first_seen
                    .iter()
                    .any(|point| point.fingerprint == fingerprint);
                if !known {
                    self.result.first_seen.push(first);
                }
                finding_record::merge_finding(&mut self.result.findings, found);
                continue;
            }
            let since = trail.data_kept_from;
            let mut ways = vec![trail.path.steps(since)];
            if since > 0 {
                ways.push(trail.path.steps(0));
            }
            match self
                .unconfirmed
                .iter_mut()
                .find(|one| one.finding.fingerprint == fingerprint)
            {
                Some(known) => known.add_paths(ways),
                None => self.unconfirmed.push(UnconfirmedFinding {
                    finding: found,
                    paths: ways,
                    first_seen: first,
                }),
            }
        }
        fingerprints
    }

    /// Screens and activities of other apps are not this app's coverage.
    fn apply_coverage(
        &mut self,
        record: &RecordedStep,
        settings: &ExploreSettings,
        told: &mut Vec<RunEvent>,
    ) -> CoverageGainCount {
        let whole = &mut self.result;
        let mut gain = CoverageGain::default();
        let last = record.screen.as_ref().map(|screen| screen.activity());
        for activity in record.passed.iter().chain(last) {
            let inside = !activity.is_empty() && settings.is_in_app(activity);
            if inside && whole.coverage.activity(activity) {
                gain.activities.push(activity.clone());
            }
        }
        if let Some(screen) = record
            .screen
            .as_ref()
            .filter(|screen| settings.is_in_app(screen.activity()))
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
            return CoverageGainCount::default();
        }
        let point = whole
            .coverage
            .at(whole.events, self.workers[record.walker as usize].took);
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
        CoverageGainCount {
            activities: count(gain.activities.len()),
            screens: count(gain.screens.len()),
            branches: count(gain.branches.len()),
        }
    }

    fn finish(
        &mut self,
        settings: &ExploreSettings,
    ) -> (ExplorationResult, Vec<UnconfirmedFinding>) {
        for (walker, trail) in (0..).zip(&mut self.workers) {
            self.result
                .traces
                .extend(trail.take_trace(settings, walker, None));
        }
        let mut exploration =
            std::mem::replace(&mut self.result, ExplorationResult::empty(Outcome::Done));
        exploration.finish_curve();
        exploration.learned_files = self.explorer.learned_files();
        (exploration, std::mem::take(&mut self.unconfirmed))
    }
}
