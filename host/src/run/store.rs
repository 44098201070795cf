//! Data that outlives a run, in one SQLite file: observations, finished sessions, solved policies, and crash groups over all
//! runs and builds. No file but this and those below it knows of SQLite.

mod journal;
mod policies;
mod recorded_steps;
mod run_places;
mod schema;

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use journal::StoreJournal;
pub use run_places::RunPlace;
use rusqlite::{Connection, ErrorCode, params};
use schema::{FoundSchema, SCHEMA, prepare};

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::run::atomic_write;
use crate::run::utc_time::UtcTime;

/// SQLite's name of a database without a file.
const IN_MEMORY: &str = ":memory:";
/// Another Retap may be writing to the same store.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

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
    #[error("`{}` is a database of another program, not a store of Retap", .path.display())]
    Foreign { path: PathBuf },
    #[error("the store `{}` is locked by another process", .path.display())]
    Locked {
        path: PathBuf,
        source: rusqlite::Error,
    },
    #[error("there is no room for the store `{}`", .path.display())]
    FullDisk {
        path: PathBuf,
        source: rusqlite::Error,
    },
    #[error("could not create the directory `{}` for the store", .path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("could not create the store `{}`", .path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("could not write beside the store `{}`", .path.display())]
    Beside { path: PathBuf, source: io::Error },
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
    /// Opens the store, or creates it.
    pub fn open(path: &Path) -> Result<SqliteStore, StoreError> {
        SqliteStore::open_within(path, BUSY_TIMEOUT)
    }

    /// Opens the store like `open`, and waits only so long for other processes.
    fn open_within(path: &Path, busy_timeout: Duration) -> Result<SqliteStore, StoreError> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|source| StoreError::Directory {
                path: parent.to_owned(),
                source,
            })?;
        }
        let path = path.to_owned();
        if path != Path::new(IN_MEMORY) && !path.exists() {
            // SQLite would not say why it cannot create the file.
            OpenOptions::new()
                .append(true)
                .create(true)
                .open(&path)
                .map_err(|source| StoreError::Create {
                    path: path.clone(),
                    source,
                })?;
        }
        let prepared = Connection::open(&path).and_then(|mut database| {
            database.busy_timeout(busy_timeout)?;
            let found = prepare(&mut database)?;
            Ok((database, found))
        });
        let (database, found) = match prepared {
            Ok(prepared) => prepared,
            Err(source) => return Err(opening_error(path, source)),
        };
        match found {
            FoundSchema::Own => Ok(SqliteStore {
                database: Arc::new(Mutex::new(database)),
            }),
            FoundSchema::Newer(found) => Err(StoreError::Newer { path, found }),
            FoundSchema::Foreign => Err(StoreError::Foreign { path }),
        }
    }

    /// One that ends with the process.
    pub fn in_memory() -> Result<SqliteStore, StoreError> {
        SqliteStore::open(Path::new(IN_MEMORY))
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

/// The error of a store that could not be opened, by what SQLite says.
fn opening_error(path: PathBuf, source: rusqlite::Error) -> StoreError {
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            StoreError::Damaged { path, source }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Locked { path, source }
        }
        Some(ErrorCode::DiskFull) => StoreError::FullDisk { path, source },
        // SQLite does not say why it cannot create its files beside the store.
        Some(ErrorCode::CannotOpen) => match atomic_write::try_beside(&path) {
            Err(source) => StoreError::Beside { path, source },
            Ok(()) => StoreError::Open { path, source },
        },
        _ => StoreError::Open { path, source },
    }
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
            StoreError::Foreign { .. } => "name another file with `--store`".into(),
            StoreError::Locked { .. } => {
                "wait until the other process has ended, or name another file with `--store`".into()
            }
            StoreError::FullDisk { .. } => {
                "free disk space, or name a file with `--store` on another disk".into()
            }
            StoreError::Use { source, .. }
                if source.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) =>
            {
                "another process locks the store; wait until it has ended, then resume with `--resume`"
                    .into()
            }
            StoreError::Create { .. }
            | StoreError::Beside { .. }
            | StoreError::Directory { .. }
            | StoreError::Open { .. } => {
                "free disk space, or name a file with `--store` where you may write".into()
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

    use super::schema::TABLES;
    use super::*;

    #[test]
    fn a_new_store_can_be_opened_by_many_at_once() {
        for _ in 0..10 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store.sqlite");
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| SqliteStore::open(&path).unwrap());
                }
            });
        }
    }

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
    fn a_database_of_another_program_is_refused_and_stays_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        for (name, version) in [("unversioned", 0), ("versioned", 3), ("newer", 77)] {
            let path = directory.path().join(name);
            let other = Connection::open(&path).unwrap();
            other
                .execute_batch("CREATE TABLE bookmarks (url TEXT)")
                .unwrap();
            other.pragma_update(None, "user_version", version).unwrap();
            drop(other);
            let before = std::fs::read(&path).unwrap();
            assert!(matches!(
                SqliteStore::open(&path),
                Err(StoreError::Foreign { .. })
            ));
            assert_eq!(std::fs::read(&path).unwrap(), before, "{name}");
        }
    }

    #[test]
    fn a_locked_store_is_told_from_one_that_cannot_be_opened() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        let holder = Connection::open(&path).unwrap();
        holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let refused = SqliteStore::open_within(&path, Duration::from_millis(1)).unwrap_err();
        assert!(matches!(refused, StoreError::Locked { .. }), "{refused}");
        drop(holder);
        SqliteStore::open_within(&path, Duration::from_millis(1)).unwrap();
        let missing = SqliteStore::open(directory.path()).unwrap_err();
        assert!(matches!(missing, StoreError::Open { .. }), "{missing}");
    }

    #[test]
    fn a_store_survives_power_failures_by_a_synced_write_ahead_log() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&directory.path().join("store.sqlite")).unwrap();
        let database = store.lock();
        let text = |sql: &str| database.query_row(sql, [], |row| row.get::<_, String>(0));
        assert_eq!(text("PRAGMA journal_mode").unwrap(), "wal");
        let normal: i32 = database
            .query_row("PRAGMA synchronous", [], |row| row.get(0))
            .unwrap();
        assert_eq!(normal, 1);
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
