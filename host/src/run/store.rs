//! What outlives a run, in one SQLite file: observations, finished sessions, solved policies, and crash groups over all
//! runs and builds.
//! No other file knows of SQLite.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retap_engine::journal::{Journal, JournalError, SessionRecord};
use retap_engine::oracle::{CandidateKey, Observation};
use retap_engine::policy::{Policy, Prior, Rules, Tally};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::trace::App;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::exit::Exit;
use crate::failure::Explained;
use crate::run::moment::Moment;

/// Raised with every change of the tables.
const SCHEMA: i32 = 2;
/// Another Retap may be writing to the same store.
const PATIENCE: Duration = Duration::from_secs(30);

const TABLES: &str = "
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    started INTEGER NOT NULL
) STRICT;
CREATE TABLE observations (
    -- Grows in the order of completion.
    number INTEGER PRIMARY KEY,
    job INTEGER NOT NULL REFERENCES jobs (id),
    candidate INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    observation TEXT NOT NULL,
    UNIQUE (job, candidate, attempt)
) STRICT;
CREATE TABLE sessions (
    job INTEGER NOT NULL REFERENCES jobs (id),
    session INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (job, session)
) STRICT;
CREATE TABLE sightings (
    job INTEGER NOT NULL REFERENCES jobs (id),
    app TEXT NOT NULL,
    version_code INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    seen INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (app, version_code, fingerprint, job)
) STRICT;
CREATE VIEW crash_groups AS
    SELECT app, fingerprint, version_code, min(seen) AS first_seen, max(seen) AS last_seen, sum(times) AS times
    FROM sightings GROUP BY app, fingerprint, version_code;
";

/// Since schema 2.
const POLICIES: &str = "
CREATE TABLE policies (
    prior INTEGER NOT NULL,
    candidates INTEGER NOT NULL,
    parallel INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    successes INTEGER NOT NULL,
    start REAL NOT NULL,
    schedules BLOB NOT NULL,
    PRIMARY KEY (prior, candidates, parallel, runs, successes)
) STRICT;
";

#[derive(Clone, Debug)]
pub struct Store {
    database: Arc<Mutex<Connection>>,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the store `{}` was written by a newer Retap: it has schema {found}, this one knows {SCHEMA}", .path.display())]
    Newer { path: PathBuf, found: i32 },
    #[error("the store `{}` is damaged, or is no store of Retap", .path.display())]
    Damaged { path: PathBuf, source: rusqlite::Error },
    #[error("could not create the directory `{}` for the store", .path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("could not open the store `{}`", .path.display())]
    Open { path: PathBuf, source: rusqlite::Error },
    #[error("could not {what} the store")]
    Use { what: &'static str, source: rusqlite::Error },
}

/// How often a crash was met before, over all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub first_seen: Moment,
    pub times: u64,
}

impl Store {
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)
                .map_err(|source| StoreError::Directory { path: parent.to_owned(), source })?;
        }
        let failed = |source: rusqlite::Error| match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                StoreError::Damaged { path: path.to_owned(), source }
            }
            _ => StoreError::Open { path: path.to_owned(), source },
        };
        let mut database = Connection::open(path).map_err(failed)?;
        let found = prepare(&mut database).map_err(failed)?;
        if found > SCHEMA {
            return Err(StoreError::Newer { path: path.to_owned(), found });
        }
        Ok(Store { database: Arc::new(Mutex::new(database)) })
    }

    /// One that ends with the process.
    pub fn in_memory() -> Result<Store, StoreError> {
        Store::open(Path::new(":memory:"))
    }

    /// The journal of one job, empty if the store has not met its name.
    pub fn job(&self, name: &str) -> Result<JobJournal, StoreError> {
        let database = self.lock();
        let started = Moment::now().0.cast_signed();
        let failed = |source| StoreError::Use { what: "enter the job into", source };
        database
            .execute("INSERT OR IGNORE INTO jobs (name, started) VALUES (?1, ?2)", params![name, started])
            .map_err(failed)?;
        let job = database
            .query_row("SELECT id FROM jobs WHERE name = ?1", [name], |row| row.get(0))
            .map_err(failed)?;
        Ok(JobJournal { store: self.clone(), job })
    }

    /// Whether any part of a run has been here.
    pub fn has_jobs_of(&self, run: &str) -> Result<bool, StoreError> {
        self.lock()
            .query_row("SELECT count(*) FROM jobs WHERE name GLOB ?1 || '/*'", [run], |row| {
                row.get::<_, u32>(0)
            })
            .map(|count| count > 0)
            .map_err(|source| StoreError::Use { what: "look for the run in", source })
    }

    /// A policy that was solved before for the same prior. One that cannot be read is as good as none.
    pub fn policy(&self, rules: &Rules, prior: &Prior) -> Result<Option<Policy>, StoreError> {
        let sql = "SELECT start, schedules FROM policies
            WHERE prior = ?1 AND candidates = ?2 AND parallel = ?3 AND runs = ?4 AND successes = ?5";
        let kept: Option<(f64, Vec<u8>)> = self
            .lock()
            .query_row(sql, policy_key(rules, prior.hash()), |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(|source| StoreError::Use { what: "look for a policy in", source })?;
        Ok(kept.and_then(|(start, schedules)| Policy::from_kept(*rules, prior, start, schedules).ok()))
    }

    pub fn keep_policy(&self, policy: &Policy) -> Result<(), StoreError> {
        let sql =
            "INSERT OR REPLACE INTO policies (prior, candidates, parallel, runs, successes, start, schedules)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let [prior, candidates, parallel, runs, successes] = policy_key(policy.rules(), policy.prior());
        let values =
            params![prior, candidates, parallel, runs, successes, policy.start(), policy.schedules()];
        self.lock()
            .execute(sql, values)
            .map(|_| ())
            .map_err(|source| StoreError::Use { what: "keep a policy in", source })
    }

    /// How often each candidate of any reduction did it and did not, and how many candidates that was seen of.
    pub fn tallies(&self) -> Result<Vec<(Tally, u64)>, StoreError> {
        let sql = "SELECT successes, failures, count(*) FROM (
                SELECT sum(observation ->> 'reached') AS successes, sum(NOT observation ->> 'reached') AS failures
                FROM observations GROUP BY job, candidate
            ) GROUP BY successes, failures ORDER BY successes, failures";
        self.lock()
            .prepare(sql)
            .and_then(|mut statement| {
                let rows = statement.query_map([], |row| {
                    let tally = Tally { successes: row.get(0)?, failures: row.get(1)? };
                    Ok((tally, row.get::<_, i64>(2)?.cast_unsigned()))
                })?;
                rows.collect()
            })
            .map_err(|source| StoreError::Use { what: "read the observations of", source })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the tables if there are none, and returns the schema that is there.
fn prepare(database: &mut Connection) -> rusqlite::Result<i32> {
    database.busy_timeout(PATIENCE)?;
    let schema = |database: &Connection| database.query_row("PRAGMA user_version", [], |row| row.get(0));
    let found: i32 = schema(database)?;
    if found > SCHEMA {
        return Ok(found);
    }
    database.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    // With a write-ahead log this survives the death of the process, which is what can happen here.
    database.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;")?;
    let making = database.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let found = schema(&making)?;
    if found < 1 {
        making.execute_batch(TABLES)?;
    }
    if found < 2 {
        making.execute_batch(POLICIES)?;
        making.pragma_update(None, "user_version", SCHEMA)?;
    }
    making.commit()?;
    schema(database)
}

fn policy_key(rules: &Rules, prior: u64) -> [i64; 5] {
    let Rules { candidates, parallel, runs, successes } = *rules;
    [prior.cast_signed(), candidates as i64, parallel.into(), runs.into(), successes.into()]
}

/// One job's part of the store.
#[derive(Clone, Debug)]
pub struct JobJournal {
    store: Store,
    job: i64,
}

impl JobJournal {
    /// How often this job has met a crash; said again, it replaces what was said before.
    pub fn saw(&self, app: &App, fingerprint: Fingerprint, times: u32) -> Result<(), StoreError> {
        self.store
            .lock()
            .prepare_cached(
                "INSERT INTO sightings (job, app, version_code, fingerprint, seen, times) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO UPDATE SET times = excluded.times",
            )
            .and_then(|mut statement| {
                let (package, version) = (app.package.as_str(), app.version_code.cast_signed());
                let (fingerprint, seen) = (fingerprint.to_string(), Moment::now().0.cast_signed());
                statement.execute(params![self.job, package, version, fingerprint, seen, times])
            })
            .map(|_| ())
            .map_err(|source| StoreError::Use { what: "note a crash in", source })
    }

    /// What other jobs knew of a crash, in any version of the app.
    pub fn known(&self, app: &App, fingerprint: Fingerprint) -> Result<Option<Known>, StoreError> {
        let (package, fingerprint) = (app.package.as_str(), fingerprint.to_string());
        self.store
            .lock()
            .query_row(
                "SELECT min(seen), sum(times) FROM sightings WHERE app = ?1 AND fingerprint = ?2 AND job <> ?3",
                params![package, fingerprint, self.job],
                |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)),
            )
            .map(|(seen, times)| {
                Some(Known { first_seen: Moment(seen?.cast_unsigned()), times: times?.cast_unsigned() })
            })
            .map_err(|source| StoreError::Use { what: "look for a crash in", source })
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
        text.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| journal_error(what, error))
    }

    fn put<T: Serialize>(&self, sql: &str, what: &str, key: &[i64], value: &T) -> Result<(), JournalError> {
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

impl Journal for JobJournal {
    fn recall(&self, candidate: CandidateKey, attempt: u32) -> Result<Option<Observation>, JournalError> {
        let sql = "SELECT observation FROM observations WHERE job = ?1 AND candidate = ?2 AND attempt = ?3";
        let key = [self.job, candidate.0.cast_signed(), i64::from(attempt)];
        self.row(sql, "read an observation from the store", key)
    }

    fn note(&self, candidate: CandidateKey, attempt: u32, seen: &Observation) -> Result<(), JournalError> {
        let sql = "INSERT INTO observations (job, candidate, attempt, observation) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING";
        self.put(
            sql,
            "write an observation to the store",
            &[candidate.0.cast_signed(), i64::from(attempt)],
            seen,
        )
    }

    fn recall_sessions(&self) -> Result<BTreeMap<u32, SessionRecord>, JournalError> {
        let what = "read the sessions from the store";
        let database = self.store.lock();
        let records: Vec<String> = database
            .prepare_cached("SELECT record FROM sessions WHERE job = ?1")
            .and_then(|mut statement| statement.query_map([self.job], |row| row.get(0))?.collect())
            .map_err(|error| journal_error(what, error))?;
        records
            .iter()
            .map(|record| serde_json::from_str(record).map(|record: SessionRecord| (record.session, record)))
            .collect::<Result<_, _>>()
            .map_err(|error| journal_error(what, error))
    }

    fn note_session(&self, session: &SessionRecord) -> Result<(), JournalError> {
        let sql = "INSERT OR REPLACE INTO sessions (job, session, record) VALUES (?1, ?2, ?3)";
        self.put(sql, "write a session to the store", &[i64::from(session.session)], session)
    }
}

fn journal_error(what: &str, source: impl std::error::Error + Send + Sync + 'static) -> JournalError {
    JournalError { what: what.to_owned(), source: Box::new(source) }
}

impl Explained for StoreError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        match self {
            StoreError::Newer { .. } => "use the newer Retap, or another file with `--store`".into(),
            StoreError::Damaged { .. } => "move the file away, or name another one with `--store`".into(),
            StoreError::Directory { .. } | StoreError::Open { .. } => {
                "name a file with `--store` where you may write".into()
            }
            StoreError::Use { .. } => {
                "see whether the disk is full; go on with `--resume`, what was observed is kept".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::micros::Micros;
    use retap_shared::verdict::Verdict;

    use super::*;

    fn seen(played: u32) -> Observation {
        Observation { reached: true, verdict: Verdict::TargetReached, played, took: Micros(5) }
    }

    fn app(version_code: u64) -> App {
        App { package: "com.example".into(), activity: "".into(), version_code }
    }

    #[test]
    fn what_was_observed_is_there_when_the_store_is_opened_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/store.sqlite");
        let key = CandidateKey(u64::MAX);
        let journal = Store::open(&path).unwrap().job("a/reduce").unwrap();
        journal.note(key, 0, &seen(3)).unwrap();
        drop(journal);
        let store = Store::open(&path).unwrap();
        assert!(store.has_jobs_of("a").unwrap() && !store.has_jobs_of("b").unwrap());
        let journal = store.job("a/reduce").unwrap();
        assert_eq!(journal.recall(key, 0).unwrap(), Some(seen(3)));
        assert_eq!(journal.recall(key, 1).unwrap(), None);
        assert_eq!(store.job("b/reduce").unwrap().recall(key, 0).unwrap(), None);
    }

    #[test]
    fn the_first_answer_to_a_question_stays() {
        let journal = Store::in_memory().unwrap().job("a/reduce").unwrap();
        journal.note(CandidateKey(1), 0, &seen(3)).unwrap();
        journal.note(CandidateKey(1), 0, &seen(4)).unwrap();
        assert_eq!(journal.recall(CandidateKey(1), 0).unwrap(), Some(seen(3)));
    }

    #[test]
    fn sessions_come_back_by_number() {
        let journal = Store::in_memory().unwrap().job("a/explore").unwrap();
        for session in [7, 2] {
            let (took, gains, found) = (Micros(1), Vec::new(), Vec::new());
            journal.note_session(&SessionRecord { session, events: 500, took, gains, found }).unwrap();
        }
        assert_eq!(journal.recall_sessions().unwrap().into_keys().collect::<Vec<_>>(), [2, 7]);
    }

    #[test]
    fn a_crash_is_known_from_other_jobs_and_all_versions_but_not_from_ones_own() {
        let store = Store::in_memory().unwrap();
        let (one, two) = (store.job("1/explore").unwrap(), store.job("2/explore").unwrap());
        let crash = Fingerprint(9);
        one.saw(&app(1), crash, 4).unwrap();
        one.saw(&app(1), crash, 5).unwrap();
        assert_eq!(one.known(&app(1), crash).unwrap(), None);
        assert_eq!(two.known(&app(2), crash).unwrap().map(|known| known.times), Some(5));
        assert_eq!(two.known(&app(2), Fingerprint(8)).unwrap(), None);
    }

    #[test]
    fn a_policy_is_kept_under_its_rules_and_its_prior() {
        let store = Store::in_memory().unwrap();
        let rules = Rules { candidates: 2, parallel: 4, runs: 5, successes: 4 };
        let (paper, other) = (Prior::paper(), Prior::parse("p,w\n0.2,1\n0.9,1\n").unwrap());
        let policy = Policy::solve(&rules, &paper, 1 << 30, 1, &|_, _| true).unwrap();
        store.keep_policy(&policy).unwrap();
        assert_eq!(store.policy(&rules, &paper).unwrap(), Some(policy));
        assert_eq!(store.policy(&rules, &other).unwrap(), None);
        assert_eq!(store.policy(&Rules { parallel: 5, ..rules }, &paper).unwrap(), None);
    }

    #[test]
    fn candidates_are_counted_by_how_often_they_did_it() {
        let store = Store::in_memory().unwrap();
        let failed = || Observation { reached: false, verdict: Verdict::TargetNotReached, ..seen(1) };
        for job in ["1/reduce", "2/reduce"] {
            let journal = store.job(job).unwrap();
            journal.note(CandidateKey(7), 0, &seen(1)).unwrap();
            journal.note(CandidateKey(7), 1, &failed()).unwrap();
        }
        store.job("2/reduce").unwrap().note(CandidateKey(8), 0, &failed()).unwrap();
        let tally = |successes, failures| Tally { successes, failures };
        assert_eq!(store.tallies().unwrap(), [(tally(0, 1), 1), (tally(1, 1), 2)]);
    }

    #[test]
    fn a_store_of_the_first_schema_gets_what_came_later_and_keeps_what_it_has() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(TABLES).unwrap();
        old.execute_batch("INSERT INTO jobs (name, started) VALUES ('a/reduce', 0)").unwrap();
        old.pragma_update(None, "user_version", 1).unwrap();
        drop(old);
        let store = Store::open(&path).unwrap();
        assert!(store.has_jobs_of("a").unwrap());
        let rules = Rules { candidates: 2, parallel: 4, runs: 5, successes: 4 };
        assert_eq!(store.policy(&rules, &Prior::paper()).unwrap(), None);
    }

    #[test]
    fn a_newer_store_and_a_damaged_one_are_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let newer = directory.path().join("newer");
        drop(Store::open(&newer).unwrap());
        Connection::open(&newer).unwrap().pragma_update(None, "user_version", SCHEMA + 1).unwrap();
        assert!(matches!(Store::open(&newer), Err(StoreError::Newer { found, .. }) if found == SCHEMA + 1));

        let damaged = directory.path().join("damaged");
        std::fs::write(&damaged, "a letter to my landlord, which is not a database".repeat(100)).unwrap();
        assert!(matches!(Store::open(&damaged), Err(StoreError::Damaged { .. })));
        assert!(std::fs::read_to_string(&damaged).unwrap().starts_with("a letter"));
    }
}
