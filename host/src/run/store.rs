//! Data that outlives a run, in one SQLite file: observations, finished sessions, solved policies, and crash groups over all
//! runs and builds. No file but this and those below it knows of SQLite.

mod journal;
mod policies;
mod recorded_steps;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use journal::StoreJournal;
use rusqlite::{Connection, ErrorCode, params};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::run::utc_time::UtcTime;

/// Raised with every change of the tables.
const SCHEMA: i32 = 4;
/// Another Retap may be writing to the same store.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

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

/// Since schema 3: runs of suites' reductions.
const RUNS: &str = "
CREATE TABLE runs (
    job INTEGER NOT NULL REFERENCES jobs (id),
    way INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    run TEXT NOT NULL,
    PRIMARY KEY (job, way, attempt)
) STRICT;
";

/// Since schema 4: whole explorations.
const WALKS: &str = "
CREATE TABLE walks (
    job INTEGER NOT NULL REFERENCES jobs (id),
    number INTEGER NOT NULL,
    record TEXT NOT NULL,
    -- The screen it led to.
    screen INTEGER,
    PRIMARY KEY (job, number)
) STRICT;
CREATE TABLE screens (
    job INTEGER NOT NULL REFERENCES jobs (id),
    hash INTEGER NOT NULL,
    screen BLOB NOT NULL,
    PRIMARY KEY (job, hash)
) STRICT;
";

#[derive(Clone, Debug)]
pub struct SqliteStore {
    database: Arc<Mutex<Connection>>,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the store `{}` was written by a newer Retap: it has schema {found}, this one knows {SCHEMA}", .path.display())]
    Newer { path: PathBuf, found: i32 },
    #[error("the store `{}` is damaged, or is no store of Retap", .path.display())]
    Damaged {
        path: PathBuf,
        source: rusqlite::Error,
    },
    #[error("could not create the directory `{}` for the store", .path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("could not open the store `{}`", .path.display())]
    Open {
        path: PathBuf,
        source: rusqlite::Error,
    },
    #[error("could not {what} the store")]
    Use {
        what: &'static str,
        source: rusqlite::Error,
    },
}

impl SqliteStore {
    pub fn open(path: &Path) -> Result<SqliteStore, StoreError> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|source| StoreError::Directory {
                path: parent.to_owned(),
                source,
            })?;
        }
        let failed = |source: rusqlite::Error| match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => StoreError::Damaged {
                path: path.to_owned(),
                source,
            },
            _ => StoreError::Open {
                path: path.to_owned(),
                source,
            },
        };
        let mut database = Connection::open(path).map_err(failed)?;
        let found = prepare(&mut database).map_err(failed)?;
        if found > SCHEMA {
            return Err(StoreError::Newer {
                path: path.to_owned(),
                found,
            });
        }
        Ok(SqliteStore {
            database: Arc::new(Mutex::new(database)),
        })
    }

    /// One that ends with the process.
    pub fn in_memory() -> Result<SqliteStore, StoreError> {
        SqliteStore::open(Path::new(":memory:"))
    }

    /// The journal of one job, empty if the store has not met its name.
    pub fn journal(&self, name: &str) -> Result<StoreJournal, StoreError> {
        let database = self.lock();
        let started = UtcTime::now().0.cast_signed();
        let failed = |source| StoreError::Use {
            what: "enter the job into",
            source,
        };
        database
            .execute(
                "INSERT OR IGNORE INTO jobs (name, started) VALUES (?1, ?2)",
                params![name, started],
            )
            .map_err(failed)?;
        let job = database
            .query_row("SELECT id FROM jobs WHERE name = ?1", [name], |row| {
                row.get(0)
            })
            .map_err(failed)?;
        Ok(StoreJournal::new(self.clone(), job))
    }

    /// True if the store has any part of a run.
    pub fn has_journals_of(&self, run: &str) -> Result<bool, StoreError> {
        self.lock()
            .query_row(
                "SELECT count(*) FROM jobs WHERE name GLOB ?1 || '/*'",
                [run],
                |row| row.get::<_, u32>(0),
            )
            .map(|count| count > 0)
            .map_err(|source| StoreError::Use {
                what: "look for the run in",
                source,
            })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the tables if there are none, and returns the schema that is there.
fn prepare(database: &mut Connection) -> rusqlite::Result<i32> {
    database.busy_timeout(BUSY_TIMEOUT)?;
    let schema =
        |database: &Connection| database.query_row("PRAGMA user_version", [], |row| row.get(0));
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
    }
    if found < 3 {
        making.execute_batch(RUNS)?;
    }
    if found < 4 {
        making.execute_batch(WALKS)?;
        making.pragma_update(None, "user_version", SCHEMA)?;
    }
    making.commit()?;
    schema(database)
}

impl UserError for StoreError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        match self {
            StoreError::Newer { .. } => {
                "use the newer Retap, or another file with `--store`".into()
            }
            StoreError::Damaged { .. } => {
                "move the file away, or name another one with `--store`".into()
            }
            StoreError::Directory { .. } | StoreError::Open { .. } => {
                "name a file with `--store` where you may write".into()
            }
            StoreError::Use { .. } => {
                "check whether the disk is full; resume with `--resume`, all observations are kept"
                    .into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use retap_reduce::policy::{PolicyParameters, SuccessRatePrior};

    use super::*;

    #[test]
    fn a_store_of_the_first_schema_gets_what_came_later_and_keeps_what_it_has() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(TABLES).unwrap();
        old.execute_batch("INSERT INTO jobs (name, started) VALUES ('a/reduce', 0)")
            .unwrap();
        old.pragma_update(None, "user_version", 1).unwrap();
        drop(old);
        let store = SqliteStore::open(&path).unwrap();
        assert!(store.has_journals_of("a").unwrap());
        let rules = PolicyParameters {
            candidates: 2,
            parallel: 4,
            runs: 5,
            successes: 4,
        };
        assert_eq!(
            store
                .policy(&rules, &SuccessRatePrior::published())
                .unwrap(),
            None
        );
    }

    #[test]
    fn a_newer_store_and_a_damaged_one_are_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let newer = directory.path().join("newer");
        drop(SqliteStore::open(&newer).unwrap());
        Connection::open(&newer)
            .unwrap()
            .pragma_update(None, "user_version", SCHEMA + 1)
            .unwrap();
        assert!(
            matches!(SqliteStore::open(&newer), Err(StoreError::Newer { found, .. }) if found == SCHEMA + 1)
        );

        let damaged = directory.path().join("damaged");
        std::fs::write(
            &damaged,
            "a letter to my landlord, which is not a database".repeat(100),
        )
        .unwrap();
        assert!(matches!(
            SqliteStore::open(&damaged),
            Err(StoreError::Damaged { .. })
        ));
        assert!(
            std::fs::read_to_string(&damaged)
                .unwrap()
                .starts_with("a letter")
        );
    }
}
