//! The part of the store that belongs to one run: its observations, its recorded steps, its findings.

use retap_device::JournalError;
use retap_explore::journal::{ExplorationJournal, RecordedStep};
use retap_reduce::oracle::{CandidateKey, Observation, ObservationJournal};
use retap_reduce::suite::{ReplayJournal, ReplayRecord};
use retap_shared::finding::Finding;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::trace::App;
use rusqlite::{OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{SqliteStore, StoreError, recorded_steps};
use crate::run::known_finding::KnownFinding;
use crate::run::utc_time::UtcTime;

/// One job's part of the store.
#[derive(Clone, Debug)]
pub struct StoreJournal {
    store: SqliteStore,
    job: i64,
}

impl StoreJournal {
    pub(super) fn new(store: SqliteStore, job: i64) -> StoreJournal {
        StoreJournal { store, job }
    }

    /// Sets how often this run saw a crash. A second call replaces the first.
    pub fn record_finding(
        &self,
        app: &App,
        fingerprint: Fingerprint,
        times: u32,
    ) -> Result<(), StoreError> {
        self.store
            .lock()
            .prepare_cached(
                "INSERT INTO sightings (job, app, version_code, fingerprint, seen, times) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO UPDATE SET times = excluded.times",
            )
            .and_then(|mut statement| {
                let package = app.package.as_str();
                let version = app.version_code.cast_signed();
                let fingerprint = fingerprint.to_string();
                let seen = UtcTime::now().0.cast_signed();
                statement.execute(params![self.job, package, version, fingerprint, seen, times])
            })
            .map(|_| ())
            .map_err(|source| StoreError::Use { what: "note a crash in", source })
    }

    /// What other jobs know of a finding, in any version of the app. Fingerprints of version 1 count too: jobs of older
    /// versions of Retap wrote them.
    pub fn known_finding(
        &self,
        app: &App,
        finding: &Finding,
    ) -> Result<Option<KnownFinding>, StoreError> {
        let package = app.package.as_str();
        let fingerprint = finding.fingerprint().to_string();
        let of_version_1 = Fingerprint::version_1(finding).to_string();
        self.store
            .lock()
            .query_row(
                "SELECT min(seen), sum(times) FROM sightings WHERE app = ?1 AND fingerprint IN (?2, ?3) AND job <> ?4",
                params![package, fingerprint, of_version_1, self.job],
                |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)),
            )
            .map(|(seen, times)| {
                Some(KnownFinding::Store {
                    first_seen: UtcTime(seen?.cast_unsigned()),
                    occurrences: times?.cast_unsigned(),
                })
            })
            .map_err(|source| StoreError::Use { what: "look for a crash in", source })
    }

    /// True if an earlier version recorded finished sessions for this run. This version records steps only.
    pub fn has_recorded_sessions(&self) -> Result<bool, StoreError> {
        self.store
            .lock()
            .prepare_cached("SELECT 1 FROM sessions WHERE job = ?1")
            .and_then(|mut statement| statement.exists([self.job]))
            .map_err(|source| StoreError::Use {
                what: "look for sessions in",
                source,
            })
    }

    fn row<T: DeserializeOwned>(
        &self,
        sql: &str,
        what: &str,
        key: [i64; 3],
    ) -> Result<Option<T>, JournalError> {
        let text: Option<String> = self
            .store
            .lock()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row(key, |row| row.get(0)).optional())
            .map_err(|error| journal_error(what, error))?;
        text.map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|error| journal_error(what, error))
    }

    fn put<T: Serialize>(
        &self,
        sql: &str,
        what: &str,
        key: &[i64],
        value: &T,
    ) -> Result<(), JournalError> {
        let text = serde_json::to_string(value).map_err(|error| journal_error(what, error))?;
        let database = self.store.lock();
        let put = database.prepare_cached(sql).and_then(|mut statement| {
            let mut values: Vec<&dyn rusqlite::ToSql> = vec![&self.job];
            values.extend(key.iter().map(|part| part as &dyn rusqlite::ToSql));
            values.push(&text);
            statement.execute(values.as_slice())
        });
        put.map(|_| ()).map_err(|error| journal_error(what, error))
    }
}

impl ObservationJournal for StoreJournal {
    fn recall_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
    ) -> Result<Option<Observation>, JournalError> {
        let sql = "SELECT observation FROM observations WHERE job = ?1 AND candidate = ?2 AND attempt = ?3";
        let key = [self.job, candidate.0.cast_signed(), i64::from(attempt)];
        self.row(sql, "read an observation from the store", key)
    }

    fn record_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
        seen: &Observation,
    ) -> Result<(), JournalError> {
        let sql = "INSERT INTO observations (job, candidate, attempt, observation) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING";
        self.put(
            sql,
            "write an observation to the store",
            &[candidate.0.cast_signed(), i64::from(attempt)],
            seen,
        )
    }
}

impl ExplorationJournal for StoreJournal {
    fn next_number(&self) -> Result<u64, JournalError> {
        recorded_steps::next_number(&self.store, self.job)
    }

    fn recall_part(&self, from: u64) -> Result<Vec<RecordedStep>, JournalError> {
        recorded_steps::recall_part(&self.store, self.job, from)
    }

    fn record_step(&self, record: &RecordedStep) -> Result<(), JournalError> {
        recorded_steps::note(&self.store, self.job, record)
    }
}

impl ReplayJournal for StoreJournal {
    fn recall_replay(&self, key: u64, attempt: u32) -> Result<Option<ReplayRecord>, JournalError> {
        let sql = "SELECT run FROM runs WHERE job = ?1 AND way = ?2 AND attempt = ?3";
        self.row(
            sql,
            "read a run from the store",
            [self.job, key.cast_signed(), i64::from(attempt)],
        )
    }

    fn record_replay(
        &self,
        key: u64,
        attempt: u32,
        run: &ReplayRecord,
    ) -> Result<(), JournalError> {
        let sql = "INSERT INTO runs (job, way, attempt, run) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
        self.put(
            sql,
            "write a run to the store",
            &[key.cast_signed(), i64::from(attempt)],
            run,
        )
    }
}

pub(super) fn journal_error(
    what: &str,
    source: impl std::error::Error + Send + Sync + 'static,
) -> JournalError {
    JournalError {
        what: what.to_owned(),
        source: Box::new(source),
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::finding::FindingKind;
    use retap_shared::micros::Micros;
    use retap_shared::verdict::Verdict;

    use super::*;

    fn seen(played: u32) -> Observation {
        Observation::new(Verdict::TargetReached, played, Micros(5))
    }

    fn app(version_code: u64) -> App {
        App {
            package: "com.example".into(),
            activity: "".into(),
            version_code,
        }
    }

    #[test]
    fn observations_survive_closing_the_store() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/store.sqlite");
        let key = CandidateKey(u64::MAX);
        let journal = SqliteStore::open(&path)
            .unwrap()
            .journal("a/reduce")
            .unwrap();
        journal.record_observation(key, 0, &seen(3)).unwrap();
        drop(journal);
        let store = SqliteStore::open(&path).unwrap();
        assert!(store.has_journals_of("a").unwrap() && !store.has_journals_of("b").unwrap());
        let journal = store.journal("a/reduce").unwrap();
        assert_eq!(journal.recall_observation(key, 0).unwrap(), Some(seen(3)));
        assert_eq!(journal.recall_observation(key, 1).unwrap(), None);
        assert_eq!(
            store
                .journal("b/reduce")
                .unwrap()
                .recall_observation(key, 0)
                .unwrap(),
            None
        );
    }

    #[test]
    fn the_first_answer_to_a_question_stays() {
        let journal = SqliteStore::in_memory()
            .unwrap()
            .journal("a/reduce")
            .unwrap();
        journal
            .record_observation(CandidateKey(1), 0, &seen(3))
            .unwrap();
        journal
            .record_observation(CandidateKey(1), 0, &seen(4))
            .unwrap();
        assert_eq!(
            journal.recall_observation(CandidateKey(1), 0).unwrap(),
            Some(seen(3))
        );
    }

    #[test]
    fn sessions_of_an_earlier_version_are_noticed() {
        let store = SqliteStore::in_memory().unwrap();
        let journal = store.journal("a/explore").unwrap();
        assert!(!journal.has_recorded_sessions().unwrap());
        let sql = "INSERT INTO sessions (job, session, record) VALUES (?1, 2, '{}')";
        store.lock().execute(sql, [journal.job]).unwrap();
        assert!(journal.has_recorded_sessions().unwrap());
        let other = store.journal("b/explore").unwrap();
        assert!(!other.has_recorded_sessions().unwrap());
    }

    fn crash(line: u32) -> Finding {
        Finding {
            kind: FindingKind::Crash,
            process: "com.example".into(),
            summary: "java.lang.Error: no".into(),
            stack: format!("java.lang.Error: no\n\tat com.example.Main.run(Main.java:{line})"),
        }
    }

    fn occurrences(known: Option<KnownFinding>) -> Option<u64> {
        match known? {
            KnownFinding::Store { occurrences, .. } => Some(occurrences),
            KnownFinding::Baseline { .. } => None,
        }
    }

    #[test]
    fn a_crash_is_known_from_other_jobs_and_all_versions_but_not_from_ones_own() {
        let store = SqliteStore::in_memory().unwrap();
        let one = store.journal("1/explore").unwrap();
        let two = store.journal("2/explore").unwrap();
        let fingerprint = crash(3).fingerprint();
        one.record_finding(&app(1), fingerprint, 4).unwrap();
        one.record_finding(&app(1), fingerprint, 5).unwrap();
        assert_eq!(one.known_finding(&app(1), &crash(3)).unwrap(), None);
        let known = two.known_finding(&app(2), &crash(4)).unwrap();
        assert_eq!(occurrences(known), Some(5));
        let other = Finding {
            stack: crash(3).stack.replace("run", "walk"),
            ..crash(3)
        };
        assert_eq!(two.known_finding(&app(2), &other).unwrap(), None);
    }

    #[test]
    fn a_crash_of_an_older_store_is_known_by_its_fingerprint_of_version_1() {
        let store = SqliteStore::in_memory().unwrap();
        let older = store.journal("1/explore").unwrap();
        let newer = store.journal("2/explore").unwrap();
        let of_version_1 = Fingerprint::version_1(&crash(3));
        older.record_finding(&app(1), of_version_1, 4).unwrap();
        let known = |line| newer.known_finding(&app(1), &crash(line)).unwrap();
        assert_eq!(occurrences(known(3)), Some(4));
        assert_eq!(occurrences(known(9)), None, "its lines have moved");
    }
}
