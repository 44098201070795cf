//! The journal of an exploration that also keeps its findings: in the run's directory at once, in the store at the end.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use retap_device::JournalError;
use retap_explore::journal::{ExplorationJournal, RecordedStep};
use retap_explore::{ExplorationResult, ExploreError, FindingRecord};
use retap_shared::finding::Finding;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;
use tokio::sync::mpsc::UnboundedSender;

use super::{ExplorationPlan, FindingWithHistory};
use crate::command_error::CommandError;
use crate::operations::ActiveRun;
use crate::run::baseline::FindingBaseline;
use crate::run::directory::RunDirectory;
use crate::run::findings::{self, StoredFinding};
use crate::run::known_finding::KnownFinding;
use crate::run::store::{StoreError, StoreJournal};

/// A journal that also puts every new finding into the run's directory.
pub(super) struct FindingJournal {
    journal: StoreJournal,
    directory: Arc<RunDirectory>,
    written: Mutex<BTreeSet<Fingerprint>>,
    app: App,
    baseline: Option<FindingBaseline>,
    mapping: Option<PathBuf>,
    found_findings: Option<UnboundedSender<StoredFinding>>,
}

impl FindingJournal {
    /// `found_findings` receives every finding as soon as it is found.
    pub(super) fn new(
        run: &ActiveRun,
        plan: &ExplorationPlan,
        journal: StoreJournal,
        found_findings: Option<UnboundedSender<StoredFinding>>,
    ) -> Result<FindingJournal, CommandError> {
        Ok(FindingJournal {
            journal,
            directory: Arc::clone(run.run().directory()),
            written: Mutex::default(),
            app: plan.app.app.clone(),
            baseline: plan.read_baseline()?,
            mapping: run.mapping_path(),
            found_findings,
        })
    }

    /// What was known of a finding before this run.
    fn known_finding(&self, finding: &Finding) -> Result<Option<KnownFinding>, StoreError> {
        match &self.baseline {
            Some(baseline) => Ok(baseline.known(finding)),
            None => self.journal.known_finding(&self.app, finding),
        }
    }

    /// Writes the findings of the result, in their final form, and counts them in the store. Returns each with what was
    /// known of it, also those that could not be stored.
    pub(super) fn store_results(
        &self,
        exploration: &ExplorationResult,
    ) -> (Vec<FindingWithHistory>, Result<(), CommandError>) {
        let mut findings = Vec::new();
        let mut stored = Ok(());
        for found in &exploration.findings {
            let mut finding = StoredFinding::from(found);
            let known = self.store_result(found, &mut finding);
            findings.push((finding, *known.as_ref().unwrap_or(&None)));
            stored = stored.and(known.map(|_| ()));
        }
        let stored = stored.and_then(|()| self.store_unconfirmed(exploration));
        (findings, stored)
    }

    /// Stores one finding, and returns what earlier runs knew of it.
    fn store_result(
        &self,
        found: &FindingRecord,
        finding: &mut StoredFinding,
    ) -> Result<Option<KnownFinding>, CommandError> {
        // Recalled findings, and those that were confirmed last, have not been announced yet.
        self.record_finding(found).map_err(ExploreError::Journal)?;
        let known = self.known_finding(&finding.finding)?;
        finding.status = Some(known.into());
        finding.mapping = self.mapping.clone();
        finding.write(&self.directory)?;
        finding.load_circumstances(&self.directory);
        let fingerprint = finding.fingerprint;
        self.journal
            .record_finding(&self.app, fingerprint, finding.occurrences)?;
        Ok(known)
    }

    fn store_unconfirmed(&self, exploration: &ExplorationResult) -> Result<(), CommandError> {
        findings::remove_unconfirmed(&self.directory)?;
        let is_done = exploration.outcome == Outcome::Done;
        for found in &exploration.unconfirmed {
            let mut finding = StoredFinding::from(found);
            finding.load_circumstances(&self.directory);
            finding.write_unconfirmed(&self.directory, is_done)?;
        }
        Ok(())
    }

    fn store_finding(&self, found: &FindingRecord) -> Result<(), Box<dyn Error + Send + Sync>> {
        let is_new = self
            .written
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(found.fingerprint);
        if !is_new {
            return Ok(());
        }
        let mut finding = StoredFinding::from(found);
        let known = self.known_finding(&finding.finding)?;
        finding.status = Some(known.into());
        finding.mapping = self.mapping.clone();
        finding.write(&self.directory)?;
        if let Some(sender) = &self.found_findings {
            // A receiver that is gone does not want it.
            let _ = sender.send(finding);
        }
        Ok(())
    }
}

impl ExplorationJournal for FindingJournal {
    fn next_number(&self) -> Result<u64, JournalError> {
        self.journal.next_number()
    }

    fn recall_part(&self, from: u64) -> Result<Vec<RecordedStep>, JournalError> {
        self.journal.recall_part(from)
    }

    fn record_step(&self, record: &RecordedStep) -> Result<(), JournalError> {
        let RecordedStep {
            findings,
            screenshot,
            app_log,
            ..
        } = record;
        for finding in findings {
            let fingerprint = finding.fingerprint();
            findings::write_circumstances(
                &self.directory,
                fingerprint,
                screenshot.as_ref(),
                app_log,
            )
            .map_err(|error| JournalError {
                what: format!("keep the picture and the log of the crash {fingerprint}"),
                source: Box::new(error),
            })?;
        }
        self.journal.record_step(record)
    }

    fn record_finding(&self, found: &FindingRecord) -> Result<(), JournalError> {
        self.store_finding(found).map_err(|error| JournalError {
            what: format!("keep the crash {}", found.fingerprint),
            source: error,
        })
    }
}
