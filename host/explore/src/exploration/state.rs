//! The state of an exploration and how one recorded step changes it: the worker that did it, counts, findings, coverage, and
//! the strategy, which observes it last.

use std::collections::HashSet;

use retap_device::run_event::RunEvent;
use retap_model::{CoverageGain, abstract_screen};
use retap_shared::finding::Finding;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::screen::SharedScreen;
use retap_shared::target::Target;
use retap_shared::verdict::Outcome;

use super::recall::StepRecall;
use super::unconfirmed::{UnconfirmedFinding, without_times};
use super::worker_state::WorkerState;
use crate::explorer::Explorer;
use crate::finding_record::{FindingContext, FindingRecord};
use crate::journal::{RecordedEvent, RecordedStep, StepOrigin};
use crate::observation::{CoverageGainCount, StepObservation};
use crate::result::{ExplorationResult, FindingPoint};
use crate::settings::ExploreSettings;

/// The state that all workers share.
pub(crate) struct ExplorationState {
    pub(crate) explorer: Box<dyn Explorer>,
    pub(crate) workers: Vec<WorkerState>,
    pub(super) result: ExplorationResult,
    unconfirmed: Vec<UnconfirmedFinding>,
    /// Number of events that were begun: an event counts towards the limit when it begins, not when it ends.
    pub(super) events_begun: u64,
    pub(super) next_number: u64,
    pub(super) recall: StepRecall,
    pub(super) known_findings: HashSet<Fingerprint>,
}

impl ExplorationState {
    pub(super) fn new(explorer: Box<dyn Explorer>, workers: usize) -> ExplorationState {
        ExplorationState {
            explorer,
            workers: (0..workers).map(|_| WorkerState::default()).collect(),
            result: ExplorationResult::empty(Outcome::Done),
            unconfirmed: Vec::new(),
            events_begun: 0,
            next_number: 0,
            recall: StepRecall::default(),
            known_findings: HashSet::new(),
        }
    }

    /// Applies one step of an earlier process that is not repeated. Returns the run events that it causes.
    pub(super) fn recall(
        &mut self,
        record: &RecordedStep,
        settings: &ExploreSettings,
    ) -> Vec<RunEvent> {
        let workers = self.workers.len().max(record.worker as usize + 1);
        self.workers.resize_with(workers, WorkerState::default);
        let events = self.apply(record, settings);
        self.next_number = record.number + 1;
        self.events_begun = self.result.events;
        self.result.recalled_events = self.result.events;
        events
    }

    /// Applies one step and lets the strategy observe it. Returns the run events that it causes.
    pub(super) fn apply(
        &mut self,
        record: &RecordedStep,
        settings: &ExploreSettings,
    ) -> Vec<RunEvent> {
        let worker = record.worker as usize;
        let before = self.workers[worker].screen.clone();
        self.advance_worker(record, settings);
        let mut events = Vec::new();
        let findings: Vec<Fingerprint> = record
            .findings
            .iter()
            .map(|finding| {
                self.apply_finding(finding, record, settings, before.as_ref(), &mut events)
            })
            .collect();
        let gain = self.apply_coverage(record, settings, &mut events);
        if before.is_none() && matches!(record.event, RecordedEvent::Stepped { .. }) {
            return events;
        }
        let screen = record.screen.as_ref().filter(|_| findings.is_empty());
        self.explorer.observe(&StepObservation {
            worker,
            record,
            before: before.as_ref(),
            screen,
            in_app: screen.is_some_and(|screen| settings.is_in_app(screen.activity())),
            findings: &findings,
            gain,
            path: &self.workers[worker].path,
        });
        events
    }

    /// Moves the worker and counts the step.
    fn advance_worker(&mut self, record: &RecordedStep, settings: &ExploreSettings) {
        let worker = &mut self.workers[record.worker as usize];
        let result = &mut self.result;
        let counts = &mut result.counts;
        result.events += u64::from(record.event.is_counted());
        counts.refused_events += u64::from(record.refusal.is_some());
        let mut ends_trace = false;
        match &record.event {
            RecordedEvent::Started { clean } => {
                ends_trace = true;
                counts.clean_starts += u32::from(*clean);
                counts.restarts += u32::from(!clean);
                counts.starting_time += record.took;
            }
            RecordedEvent::Stepped {
                origin: StepOrigin::Repeated,
                ..
            } => {
                let is_first = worker.path.len() == settings.constraints.setup_steps.len();
                counts.replayed_paths += u32::from(is_first);
                counts.replayed_events += 1;
            }
            RecordedEvent::SnapshotTaken { whole_phone, .. } => {
                ends_trace = !whole_phone;
                counts.app_data_snapshots += u32::from(!whole_phone);
                counts.snapshots += 1;
                counts.snapshot_time += record.took;
            }
            RecordedEvent::SnapshotRestored { .. } => {
                counts.restores += 1;
                counts.restore_time += record.took;
            }
            RecordedEvent::Stepped { .. }
            | RecordedEvent::Refused
            | RecordedEvent::SnapshotDiscarded { .. }
            | RecordedEvent::SnapshotsLost => {}
        }
        if ends_trace {
            let trace = worker.take_trace(settings, None);
            result
                .traces
                .extend(trace.map(|trace| (record.worker, trace)));
        }
        worker.apply(record, &settings.constraints.setup_steps);
        result.took += record.took;
        result.longest_worker_time = result.longest_worker_time.max(worker.took);
    }

    fn apply_finding(
        &mut self,
        finding: &Finding,
        record: &RecordedStep,
        settings: &ExploreSettings,
        before: Option<&SharedScreen>,
        events: &mut Vec<RunEvent>,
    ) -> Fingerprint {
        let fingerprint = finding.fingerprint();
        let is_first = self.known_findings.insert(fingerprint);
        let worker = &mut self.workers[record.worker as usize];
        let rule = settings.constraints.target_of(finding).cloned();
        let target = rule.unwrap_or(Target::Problem(fingerprint));
        let kept = worker.take_trace(settings, Some(target.clone()));
        self.result
            .traces
            .extend(kept.map(|trace| (record.worker, trace)));
        events.push(RunEvent::ProblemFound {
            app: settings.app.app.package.clone(),
            session: record.worker,
            fingerprint,
            kind: finding.kind,
            summary: finding.summary.clone(),
            steps: u32::try_from(worker.path.len()).unwrap_or(u32::MAX),
            first: is_first,
        });
        let log = is_first.then(|| worker.recent_log.lines());
        let found = FindingRecord {
            finding: finding.clone(),
            fingerprint,
            trace: worker.trace(settings, Some(target)),
            occurrences: 1,
            context: FindingContext {
                screen: before.cloned(),
                screenshot: record.screenshot.clone(),
                log: log.unwrap_or_default(),
                app_log: record.app_log.clone(),
            },
        };
        let first_seen = FindingPoint {
            fingerprint,
            events: self.result.events,
            took: worker.took,
        };
        if worker.tainted {
            self.add_unconfirmed(found, first_seen, record.worker as usize);
        } else {
            self.result.add_finding(found, first_seen);
        }
        fingerprint
    }

    /// Adds a finding that must still come from a clean start.
    fn add_unconfirmed(&mut self, found: FindingRecord, first_seen: FindingPoint, worker: usize) {
        let worker = &self.workers[worker];
        let data_kept_from = worker.data_kept_from;
        let mut paths = vec![without_times(worker.path.steps(data_kept_from))];
        if data_kept_from > 0 {
            paths.push(without_times(worker.path.steps(0)));
        }
        let known = self
            .unconfirmed
            .iter_mut()
            .find(|known| known.finding.fingerprint == found.fingerprint);
        match known {
            Some(known) => known.add_paths(paths),
            None => self.unconfirmed.push(UnconfirmedFinding {
                finding: found,
                paths,
                first_seen,
            }),
        }
    }

    /// Counts what is new. Screens and activities of other apps are not coverage.
    fn apply_coverage(
        &mut self,
        record: &RecordedStep,
        settings: &ExploreSettings,
        events: &mut Vec<RunEvent>,
    ) -> CoverageGainCount {
        let result = &mut self.result;
        let mut gain = CoverageGain::default();
        let last = record.screen.as_ref().map(|screen| screen.activity());
        for activity in record.activities.iter().chain(last) {
            let in_app = !activity.is_empty() && settings.is_in_app(activity);
            if in_app && result.coverage.activity(activity) {
                gain.activities.push(activity.clone());
            }
        }
        if let Some(screen) = record
            .screen
            .as_ref()
            .filter(|screen| settings.is_in_app(screen.activity()))
        {
            let state = abstract_screen(screen);
            if result.coverage.screen(state) {
                gain.screens.push(state);
            }
        }
        let is_new = |branch: &&u32| result.coverage.branch(**branch);
        gain.branches.extend(record.branches.iter().filter(is_new));
        if gain.is_empty() {
            return CoverageGainCount::default();
        }
        let took = self.workers[record.worker as usize].took;
        let point = result.coverage.at(result.events, took);
        result.curve.push(point);
        events.push(RunEvent::Covered {
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

    pub(super) fn finish(
        &mut self,
        settings: &ExploreSettings,
    ) -> (ExplorationResult, Vec<UnconfirmedFinding>) {
        let empty = ExplorationResult::empty(Outcome::Done);
        let mut result = std::mem::replace(&mut self.result, empty);
        for (number, worker) in (0..).zip(&mut self.workers) {
            let trace = worker.take_trace(settings, None);
            result.traces.extend(trace.map(|trace| (number, trace)));
        }
        result.finish_curve();
        result.learned_files = self.explorer.learned_files();
        (result, std::mem::take(&mut self.unconfirmed))
    }
}
